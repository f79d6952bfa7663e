"""What each command of ``runs`` does. Reads; writes only the files somebody names."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from esra.config.strict import ConfigError
from esra.governance import places
from eval import measures, plot, record, runfolder
from eval.command import Done
from eval.evidence import UnfitScores
from eval.evidence.margin import MarginRefused, read_margin, set_margin
from eval.formats.spreadsheet import harmless
from eval.formats.writing import write_lines, write_text
from eval.replay import ForeignTrace
from eval.runfolder import RunFolderError
from eval.runs import ablate, beside, explain, shadow
from eval.runs.arm import Arm, read_arm
from eval.runs.figures import Glances
from eval.runs.folders import ABOUT, NoSuchRun, RunFolder, all_runs, named_run, runs_folder
from eval.runs.ordering import capability_of, of_file
from eval.runs.pairs import CannotCompare

EXPECTED = (
    NoSuchRun, RunFolderError, CannotCompare, ConfigError, ForeignTrace, MarginRefused,
    UnfitScores, measures.NeverRan, explain.NotExplained, shadow.NothingShadowed, OSError,
)  # fmt: skip


DEVELOPMENT = "development"


def run(arguments: argparse.Namespace) -> Done | None:
    """One command. Raises one of ``EXPECTED``; None where the command spoke for itself."""
    return WORK[arguments.command](arguments, places.home())


def _list(arguments: argparse.Namespace, base: Path) -> Done:
    wanted = arguments.capability
    found = [one for one in all_runs(base) if wanted in (None, one.capability)]
    glances = Glances()
    rows = [listed(one, glances) for one in found]
    figures = [_figure(row) for row in rows]
    wide, broad = (max(map(len, column), default=0) for column in ([r.id for r in found], figures))
    text = [
        f"{row['run']:<{wide}}  {row['written']}  {figure:<{broad}}  {row['outcome']}"
        for row, figure in zip(rows, figures, strict=True)
    ]
    return Done(document={"runs": rows}, text="\n".join(text) or "no run yet; `tune` makes one")


def listed(one: RunFolder, glances: Glances) -> dict[str, object]:
    """One run as the list shows it; no path of this machine.

    ``part``: whose means they are, "development" where queries of a tuned run are sealed;
    ``today`` is the mean under the numbers of the day, which for a recording are its own;
    ``judged`` that of a recording's judged@k.
    """
    try:
        about, outcome = read_about(one), ""
    except (RunFolderError, OSError):
        # One broken run hides no other; `runs show` says what is wrong with it.
        about, outcome = {}, "unreadable"
    figures = about.get("figures")
    known = dict(figures) if isinstance(figures, Mapping) else {}
    if not about and not outcome and (seen := glances.of(one)) is not None:
        known = {
            "queries": seen.queries,
            "measure": seen.measure,
            "before": seen.mean,
            "judged": seen.judged,
        }
    return {
        "run": one.id,
        "written": datetime.fromtimestamp(one.written, UTC).isoformat(timespec="seconds"),
        "can_be_replayed": one.traced,
        "queries": known.get("queries"),
        "measure": known.get("measure"),
        "part": _part(about) if known else None,
        "today": known.get("before"),
        "tuned": known.get("after"),
        "judged": known.get("judged"),
        "outcome": outcome or _outcome(one, about),
    }


def _outcome(one: RunFolder, about: Mapping[str, object]) -> str:
    """``record`` writes no ``run.json``: nothing was tuned in it, and `measure` has its figures."""
    if about:
        return "promoted" if about.get("promoted") else "not promoted"
    return "recorded" if one.traced else "unknown"


def _part(about: Mapping[str, object]) -> str:
    groups = about.get("groups")
    return DEVELOPMENT if isinstance(groups, Mapping) and groups.get("sealed") else "all"


def read_about(one: RunFolder) -> dict[str, object]:
    """What ``run.json`` holds; nothing where an older version or a killed one wrote none."""
    try:
        about = json.loads((one.path / ABOUT).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise RunFolderError(f"run {one.id}: {ABOUT} is no JSON ({error})") from error
    if not isinstance(about, dict):
        raise RunFolderError(f"run {one.id}: {ABOUT} is no JSON object")
    return about


def _figure(row: Mapping[str, object]) -> str:
    if row["queries"] is None:
        return "-"
    said = f"{row['queries']} queries, {row['measure']} {row['today']:.4f}"
    if row["tuned"] is not None:
        whose = " on the development part" if row["part"] == DEVELOPMENT else ""
        return f"{said} to {row['tuned']:.4f}{whose}"
    place = str(row["measure"]).partition("@")[2]
    return f"{said}, judged@{place} {row['judged']:.3f}"


def _show(arguments: argparse.Namespace, base: Path) -> Done:
    one = named_run(base, arguments.run)
    about = read_about(one)
    files = sorted(path.name for path in one.path.iterdir() if path.is_file())
    document = {"run": one.id, **about, "files": files}
    report = one.path / "report.txt"
    said = report.read_text("utf-8").rstrip() if report.exists() else "no report was written"
    hashes = about.get("hashes")
    named = hashes.items() if isinstance(hashes, Mapping) else ()
    lines = [one.id, said, *(f"  {name}: {value}" for name, value in named)]
    return Done(document=document, text="\n".join([*lines, f"  files: {', '.join(files)}"]))


def _compare(arguments: argparse.Namespace, base: Path) -> Done:
    if len(arguments.runs) < 2:
        raise CannotCompare("name two runs or more")
    found = beside.beside([named_run(base, name) for name in arguments.runs])
    best = beside.within(found, arguments.max_seconds, arguments.max_cost)
    if arguments.picture:
        axes = beside.picture(found, by_cost=arguments.by_cost, title=found[0].arm.capability)
        plot.save(axes, arguments.picture)
    if arguments.csv:
        write_text(arguments.csv, query_csv(found[0].arm, found[1].arm))
    document: dict[str, object] = {"runs": beside.as_json(found)}
    text = beside.as_text(found)
    if arguments.max_seconds or arguments.max_cost:
        document["best"] = best.best.name if best.best else None
        document["out"] = dict(best.out)
        text += f"\nbest within the caps: {best.best.name if best.best else 'none'}"
        text += "".join(f"\n  out: {name}, {why}" for name, why in best.out)
    return Done(document=document, text=text)


def query_csv(first: Arm, second: Arm) -> str:
    """Two arms query by query; no cell is a formula."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["query", "tags", first.run, second.run, "difference", "first right", "then"])
    for query in sorted(first.queries.keys() & second.queries.keys()):
        one, other = first.queries[query], second.queries[query]
        before, after = one.values[first.measure], other.values[second.measure]
        rows.writerow(
            [
                harmless(query),
                harmless(" ".join(other.tags)),
                f"{before:.6f}",
                f"{after:.6f}",
                f"{after - before:.6f}",
                one.right or "",
                other.right or "",
            ]
        )
    return text.getvalue()


def _explain(arguments: argparse.Namespace, base: Path) -> Done:
    one = named_run(base, arguments.run)
    try:
        found = explain.explain(one, arguments.query, even_sealed=arguments.even_sealed)
    except explain.KeptSealed as error:
        raise explain.NotExplained(f"{error}; --even-sealed shows it all the same") from error
    return Done(document=found, text=explain.as_text(found))


def _ablate(arguments: argparse.Namespace, base: Path) -> Done:
    one = named_run(base, arguments.run)
    named = {"selection": arguments.selection, "planner": arguments.planner}
    others = {name: read_arm(named_run(base, run)) for name, run in named.items() if run}
    found = ablate.ablate(runfolder.read(one.path), one.id, others)
    document = {
        "run": one.id,
        "steps": [
            {
                "step": row.name,
                "moved": row.moved,
                "coverage": row.coverage,
                "p_holm": row.adjusted,
                **beside.pair_json(row.pair, 0),
            }
            for row in found
        ],
    }
    return Done(document=document, text=ablate.as_text(found, list(others)))


def _shadow(arguments: argparse.Namespace, base: Path) -> Done:
    given = Path(arguments.traces).expanduser()
    traces = given if given.is_file() else named_run(base, arguments.traces).path / "traces.jsonl"
    held = list(record.each(traces))
    every = list(dict(one for one in held if one is not None).items())
    if not every:
        raise shadow.NothingShadowed(f"{given}: holds no trace of this version")
    name = capability_of(arguments.config)
    # A house keeps the calls of all its capabilities in one file.
    calls = [(call, trace) for call, trace in every if trace["capability"] == name]
    if not calls:
        raise shadow.NothingShadowed(f"{given}: holds no call of {name!r}, {_whose(every)}")
    other = of_file(arguments.config, name)
    found = shadow.shadow(calls, other)
    if arguments.orders:
        write_lines(
            arguments.orders, (json.dumps(asdict(one), ensure_ascii=False) for one in found)
        )
    whole = replace(
        shadow.agreement(found, other),
        others=len(every) - len(calls),
        torn=held.count(None),
    )
    return Done(document=asdict(whole), text=shadow.as_text(whole))


def _whose(calls: Iterable[tuple[str, Mapping[str, object]]]) -> str:
    names = sorted({str(trace["capability"]) for _, trace in calls})
    return f"whose numbers these are; it holds calls of {', '.join(names)}"


def _switch_off(arguments: argparse.Namespace, base: Path) -> Done:
    from eval.runs.switching import switch_off

    runs = [named_run(base, name) for name in arguments.runs]
    without = named_run(base, arguments.without) if arguments.without else None
    found = switch_off(runs, without, runs_folder(base) / runs[0].capability, arguments.judging)
    return Done(document=found.as_json(), text=found.as_text())


def _margin(arguments: argparse.Namespace, base: Path) -> Done:
    folder = runs_folder(base) / _capability(arguments.capability)
    now = datetime.now(UTC)
    value = arguments.value
    kept = read_margin(folder) if value is None else set_margin(folder, value, now)
    since = f"set {kept.date}" if kept.date else "the one that stands unless another is set"
    return Done(document=asdict(kept), text=f"{kept.value:g} {kept.measure}, {since}")


def _capability(name: str) -> str:
    from eval.catalog import slug_of

    if slug_of(name) != name:
        raise NoSuchRun(f"{name!r} names no capability; its id is like {slug_of(name)!r}")
    return name


def _mcp(arguments: argparse.Namespace, base: Path) -> None:
    from eval.runs.server import serve

    serve(base)


WORK: Mapping[str, Callable[[argparse.Namespace, Path], Done | None]] = {
    "list": _list,
    "show": _show,
    "compare": _compare,
    "explain": _explain,
    "ablate": _ablate,
    "shadow": _shadow,
    "switch-off": _switch_off,
    "margin": _margin,
    "mcp": _mcp,
}
