"""Makes a labelled folder of a file of another tool: matched, settled, carried, summed up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from eval.dataset.fields import LONGEST_ID
from eval.dataset.folder import GUIDELINES
from eval.dataset.labels import CARRIED, QUERIES, RATINGS, Labels, load_labels
from eval.dataset.reading import unaskable
from eval.dataset.records import Document, Query
from eval.dataset.settling import SETTLING
from eval.dataset.stages import PLANS, SOURCES
from eval.dataset.store import QRELS
from eval.exchange.adding import joined, rule_of_both
from eval.exchange.asked import Asked, new_query
from eval.exchange.corpus import Corpus
from eval.exchange.incoming import Incoming, Wish, incoming
from eval.exchange.keyed import query_id
from eval.exchange.known import known_queries, other_text
from eval.exchange.matching import Match, match_documents, match_texts, renamed
from eval.exchange.same import Same
from eval.exchange.summary import Summary
from eval.exchange.target import fill
from eval.formats.findings import Finding, Findings, FormatError, quoted
from eval.formats.sheet import Keys, Sheet
from eval.formats.writing import checked_id
from eval.labels.agreement import agreements
from eval.labels.carry import Carried, carry, twins
from eval.labels.settle import Settling, disputes, settle

# What follows from the judgements and goes with them.
_OF_JUDGEMENTS = (QRELS, RATINGS, CARRIED, SETTLING)
# What people write by hand or judge: of it no old state is thrown away.
_TYPED = (*_OF_JUDGEMENTS, QUERIES, SOURCES, PLANS, GUIDELINES)


def import_labels(wish: Wish) -> Summary:
    """Writes the folder and says what came of it. Raises FormatError, InTheWay, NotInstalled."""
    come = incoming(wish.given, wish.name, wish.how)
    findings = Findings(FormatError)
    known, same = known_queries(wish, come, findings)
    corpus = Corpus(wish, come)
    documents = corpus.documents
    found, names = match_documents(
        come.sheet, wish.mapped, None if documents is None else documents.keys()
    )
    asked, ids, new = _queries(come.sheet, known, wish, same)
    _refuse_unusable(new, Path(wish.given), findings)
    _refuse_other_texts(come.sheet, known, Path(wish.given), findings)
    sheet = renamed(
        come.sheet, ids.get, names.get, wish.how.on_conflict, Path(wish.given), findings
    )
    _refuse_unwritable(sheet, Path(wish.given), findings)
    settling = wish.settling or come.settling
    if wish.adding and (wish.target / QUERIES).exists():
        before, path = load_labels(wish.target), Path(wish.given)
        settling = rule_of_both(before, wish.settling, come.settling, path, findings)
        sheet = joined(before, sheet, wish.how.on_conflict, path, findings)
    findings.check()
    settling = settling or Settling()
    carried = _carried(settle(sheet.judgements, settling), documents, wish)
    labels = _labels(wish, come, known, new, sheet, settling, carried)
    filled = fill(
        wish.target,
        lambda folder: corpus.store(labels, folder, wish.target),
        _OF_JUDGEMENTS,
        wish.force or wish.adding,
        keep=_TYPED,
    )
    kept = f"what was replaced is kept in {wish.target / filled.kept}" if filled.kept else ""
    return Summary(
        what=f"imported {wish.given}",
        format=wish.name.value,
        counts=_counts(labels, new, carried, sheet),
        queries=asked,
        documents=found,
        notes=(*same.notes, *corpus.notes, *([kept] if kept else ())),
        findings=(*come.sheet.findings, *findings.tolerated()),
        agreement=agreements(sheet.judgements),
        written=tuple(str(wish.target / name) for name in filled.names),
        fingerprint=labels.fingerprint,
    )


def _queries(
    sheet: Sheet, known: Asked, wish: Wish, same: Same
) -> tuple[Match, dict[str, str], dict[str, Query]]:
    """The match, the id of every query of the sheet that has one, and the queries that are new."""
    if sheet.keys is Keys.ID:
        new = {
            id: new_query(id, sheet.texts[id], sheet.needs.get(id, ""))
            for id in sheet.queries
            if id not in known.queries and id not in same.ids and id in sheet.texts
        }
        ids = {id: same.ids.get(id, id) for id in sheet.queries}
        there = {id: 0 for id in sheet.queries if ids[id] in known.queries or id in new}
        missing = tuple(id for id in sheet.queries if id not in there)
        if not there and not known.queries:
            said = f"{wish.name.value} carries no text of its queries: name them with --queries"
            raise FormatError([Finding(file=wish.given, line=0, message=said)])
        return Match(found=tuple(there), missing=missing), ids, new
    texts = known.by_text()
    match = match_texts(sheet.queries, texts)
    ids = {text: texts[text][0] for text in match.found}
    key = wish.key() if match.missing else b""
    made = {text: query_id(text, key) for text in match.missing}
    # Where no query was known, every one is new, and none is missing.
    told = match if known.queries else Match(found=match.missing)
    return told, ids | made, {id: new_query(id, text) for text, id in made.items()}


def _refuse_unusable(new: Mapping[str, Query], path: Path, findings: Findings) -> None:
    """A query that no labelled folder may hold is told here, before there is such a folder."""
    for id, query in new.items():
        if why := unaskable(query.text):
            findings.refuse(path, 0, f"query {quoted(query.text)} {why}")
        if len(id.encode()) > LONGEST_ID:
            said = f"query {quoted(id)} has an id over {LONGEST_ID} bytes: shorten it"
            findings.refuse(path, 0, said)


def _refuse_other_texts(sheet: Sheet, known: Asked, path: Path, findings: Findings) -> None:
    """What was judged for one question is no judgement of another that has its id."""
    for id, text in sheet.texts.items():
        there = known.queries.get(id)
        if there is not None and there.text != text:
            findings.refuse(path, 0, other_text(id, text, there.text))


def _refuse_unwritable(sheet: Sheet, path: Path, findings: Findings) -> None:
    """An id that no line of a folder can hold is told with its place in the file."""
    for one in sheet.judgements:
        for id, way in ((one.query, ""), (one.document, "; --id-map can name it otherwise")):
            try:
                checked_id(id)
            except ValueError as error:
                findings.refuse(path, one.line, f"{error}{way}")


def _carried(
    grades: dict[str, dict[str, int]], documents: Mapping[str, Document] | None, wish: Wish
) -> Carried[str]:
    if documents is None or not wish.carrying:
        return carry(grades, {})
    alike = twins((one.key, one.title, one.text) for one in documents.values())
    return carry(grades, alike)


def _labels(
    wish: Wish,
    come: Incoming,
    known: Asked,
    new: Mapping[str, Query],
    sheet: Sheet,
    settling: Settling,
    carried: Carried[str],
) -> Labels:
    """What the folder will hold; labels of other stages that are there already stay."""
    before = load_labels(wish.target) if (wish.target / QUERIES).exists() else None
    # A grade that a cut has changed can be told from the rating alone, so that one is kept as well.
    told = any(
        one.rater or one.reason or settling.whole(one.grade) != one.grade
        for one in sheet.judgements
    )
    return Labels(
        queries=(*known.queries.values(), *new.values()),
        grades=carried.grades,
        judgements=sheet.judgements if told else (),
        open=sheet.open,
        failures=sheet.failures,
        origins=carried.origins,
        stages=come.stages if before is None else before.stages,
        guidelines=come.guidelines or (before.guidelines if before else ""),
        settling=settling,
        lines=known.lines,
    )


def _counts(
    labels: Labels, new: Mapping[str, Query], carried: Carried[str], sheet: Sheet
) -> dict[str, int]:
    counts = {
        "queries": len(labels.queries),
        "new queries": len(new),
        "ratings": len(sheet.judgements),
        "grades": sum(map(len, labels.grades.values())),
        "carried over to copies": carried.count,
        "copies judged differently": len(carried.disputed),
        "pairs that wait": len(labels.open),
        "failures": len(labels.failures),
        "disputed pairs": len(disputes(sheet.judgements)),
    }
    return {name: count for name, count in counts.items() if count or name in ("queries", "grades")}
