"""What a file of judgements has said so far, and how its reading ends: as a sheet, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval.formats.columns import rating_of
from eval.formats.findings import Findings, quoted
from eval.formats.gather import Gathered, OnConflict
from eval.formats.sheet import Failure, Judgement, Keys, Pair, Sheet


@dataclass(slots=True)
class Reading:
    """One reading of one file. ``queries`` are those it names, in its order.

    ``open`` are the pairs it lists; those that are rated or failed are taken out at the end.
    """

    path: Path
    findings: Findings
    on_conflict: OnConflict
    gathered: Gathered = field(init=False)
    queries: dict[str, None] = field(default_factory=dict)
    open: dict[Pair, None] = field(default_factory=dict)
    failures: dict[Failure, None] = field(default_factory=dict)
    _rated: set[Pair] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.gathered = Gathered(self.path, self.findings, self.on_conflict)

    def names(self, line: int, query: str, document: str, *, said: bool) -> bool:
        """Whether a row names its query, and its document where it says something of one."""
        if query.strip() and (document.strip() or not said):
            return True
        lacks = "document" if query.strip() else "query"
        self.findings.refuse(self.path, line, f"names no {lacks}: fill the cell")
        return False

    def fail(self, failed: Failure) -> None:
        self._rated.add((failed.query, failed.document))
        self.failures.setdefault(failed)

    def rate(
        self, line: int, query: str, document: str, rater: str, cell: str, reason: str = ""
    ) -> None:
        """Takes the rating that a cell holds, or refuses it."""
        self._rated.add((query, document))
        grade = rating_of(cell)
        if grade is None:
            self.findings.refuse(self.path, line, f"rating {quoted(cell)} is not a finite number")
            return
        self.gathered.add(
            Judgement(
                query=query, document=document, grade=grade, rater=rater, reason=reason, line=line
            )
        )

    def sheet(
        self,
        keys: Keys,
        lacks: str,
        *,
        texts: Mapping[str, str] | None = None,
        needs: Mapping[str, str] | None = None,
    ) -> Sheet:
        """What was read. ``lacks`` is said of a file without a query.

        Raises FormatError with every place at fault.
        """
        if not self.queries and not self.findings.refused:
            self.findings.refuse(self.path, 0, lacks)
        self.findings.check()
        return Sheet(
            keys=keys,
            queries=tuple(self.queries),
            judgements=self.gathered.judgements,
            open=tuple(pair for pair in self.open if pair not in self._rated),
            failures=tuple(self.failures),
            texts=texts or {},
            needs=needs or {},
            findings=self.findings.tolerated(),
        )
