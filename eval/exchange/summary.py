"""What an import or export found, what is missing, what is ambiguous, what is lost: said the same
way to a person and to a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eval.exchange.losses import Loss
from eval.exchange.matching import Match
from eval.formats.findings import Finding
from eval.labels.agreement import Agreement

NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """``counts`` by what they count. ``written`` are the files that are new or were replaced."""

    what: str
    format: str
    counts: Mapping[str, int]
    queries: Match
    documents: Match
    lost: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    written: tuple[str, ...] = ()
    fingerprint: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Nothing is missing, nothing is ambiguous."""
        matches = (self.queries, self.documents)
        return not any(match.missing or match.ambiguous for match in matches)

    def as_json(self) -> dict[str, object]:
        """One document; lists hold the first ten, counts are of all."""
        return {
            "what": self.what,
            "format": self.format,
            "counts": dict(self.counts),
            "queries": _match(self.queries),
            "documents": _match(self.documents),
            "lost": [{"what": one.what.value, "count": one.count} for one in self.lost],
            "notes": [*self.notes, *map(str, self.findings)],
            "agreement": [
                {
                    "raters": list(one.raters),
                    "pairs": one.pairs,
                    "same": one.same,
                    "kappa": one.kappa,
                    "linear": one.linear,
                    "quadratic": one.quadratic,
                }
                for one in self.agreement
            ],
            "written": list(self.written),
            "fingerprint": self.fingerprint,
            **self.extra,
        }

    def as_text(self) -> str:
        """Lines for a person."""
        counted = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        lines = [f"{self.what} ({self.format}): {counted}"]
        for name, match in (("queries", self.queries), ("documents", self.documents)):
            lines.append(f"{name}: {len(match.found):,} found")
            lines += _listed("missing", match.missing)
            lines += _listed("ambiguous", match.ambiguous)
        lines += [f"not in this format: {one.what} ({one.count:,})" for one in self.lost]
        lines += [f"raters {_agreed(one)}" for one in self.agreement]
        lines += [f"note: {note}" for note in (*self.notes, *map(str, self.findings))]
        lines += [f"wrote {name}" for name in self.written]
        if self.fingerprint:
            lines.append(f"fingerprint {self.fingerprint}")
        return "\n".join(lines)


def _match(match: Match) -> dict[str, object]:
    return {"found": len(match.found)} | {
        name: {"count": len(names), "first": list(names[:NAMED])}
        for name, names in (("missing", match.missing), ("ambiguous", match.ambiguous))
    }


def _listed(kind: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    rest = ", ..." if len(names) > NAMED else ""
    return [f"  {kind}: {len(names):,}, namely {', '.join(map(repr, names[:NAMED]))}{rest}"]


def _agreed(one: Agreement) -> str:
    first, second = (name or "(unnamed)" for name in one.raters)
    figures = ", ".join(
        f"{name} {'undefined' if value is None else f'{value:.3f}'}"
        for name, value in (
            ("kappa", one.kappa),
            ("linear", one.linear),
            ("quadratic", one.quadratic),
        )
    )
    return f"{first} and {second}: {one.pairs:,} pairs, {one.same:.1%} equal, {figures}"
