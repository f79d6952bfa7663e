"""From a case to the tables that are decided on: every query under every semantic share."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from esra.domain.capability import Scoring
from esra.domain.outcome import Failed
from esra.stages.rerank import shortlist
from eval.evidence import Parts, Scores, smallest_detectable
from eval.evidence.ledger import at_level
from eval.evidence.propose import LEAST_COVERAGE
from eval.replay import Recorded, candidates
from eval.table import Share, Table, pair, tabulate
from eval.tune.case import Case


class KeysMeet(ValueError):
    """Two records of a source are one document to the labels; the message names them."""


def refuse_equal_keys(recordings: Sequence[Recorded]) -> None:
    """``KeysMeet`` where a key is that of two records: to labels they are one, counted twice."""
    for one in recordings:
        relations: dict[tuple[str, str], str] = {}
        for answer in one.answers:
            for hit in () if isinstance(answer.result, Failed) else answer.result:
                id = hit.id
                other = relations.setdefault(pair(id), id.relation)
                if other != id.relation:
                    raise KeysMeet(
                        f"query {one.query}: source {id.source!r} answered the key {id.key!r} from "
                        f"{other!r} and from {id.relation!r}, and a judgement names source and key "
                        "alone; give the records keys of their own, or each relation a source"
                    )


def tried_on(case: Case, table: Table) -> str:
    """SHA-256 of what a candidate is tried on: today's share, and every figure of the table."""
    told = hashlib.sha256(f"{case.today}\n{table.settings}\n{table.queries}".encode())
    told.update(table.values.tobytes())
    return told.hexdigest()


def can_show(case: Case, scores: Scores, parts: Parts, level: float) -> str:
    """What the set can show at all, in a sentence; ``level``: of the opening that would be next."""
    least = smallest_detectable(parts.development, parts.stated_for, level=level).value
    shown = "no difference at all" if least is None else f"a difference of {least:.4f}"
    return (
        f"{case.capability}: {len(scores.groups)} queries in {scores.group_count} groups, "
        f"{parts.sealed_groups} of them sealed, can show {shown} in {scores.measure}"
        f"{at_level(level)}"
    )


def table_of(case: Case, settings: Sequence[Share], assumed: float | None = None) -> Table:
    """The table of a case; ``assumed`` stands in for semantic scores that were never recorded."""
    return tabulate(
        [_under(one, case.numbers or one.numbers) for one in case.recordings],
        case.judgements,
        settings,
        k=case.k,
        single=case.single,
        assumed=assumed,
        weights=case.weights,
    )


def _under(one: Recorded, numbers: Scoring) -> Recorded:
    """The recording as it would be under other numbers: what their shortlist leaves is scored."""
    if numbers == one.numbers:
        return one
    wanted = {c.hit.id for c in shortlist(candidates(one, numbers), numbers.shortlist)}
    kept = {id: said for id, said in one.semantic.items() if id in wanted}
    return replace(one, numbers=numbers, semantic=kept)


def scores_of(case: Case, table: Table) -> Scores:
    """The table as the evidence rooms take it."""
    return Scores(
        measure=table.measure,
        settings=tuple(Fraction(setting, 1000) for setting in table.settings),
        values=table.values,
        groups=tuple(case.groups[query] for query in table.queries),
        today=table.settings.index(case.today),
        strata=tuple(case.strata.get(query, "") for query in table.queries),
        tags=tuple(case.tags.get(query, ()) for query in table.queries),
        texts=tuple(case.texts.get(query, "") for query in table.queries),
    )


def bounds(case: Case, table: Table, settings: Sequence[Share]) -> tuple | None:
    """The tables with unknown semantic scores at 0 and at 1; None where enough is recorded."""
    if table.coverage >= LEAST_COVERAGE:
        return None
    return tuple(table_of(case, settings, assumed).values for assumed in (0.0, 1.0))
