"""Takes ids and grades out of JSON documents; every complaint says where in the document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eval.formats.columns import LARGEST_GRADE, rating_of
from eval.formats.findings import Findings, quoted
from eval.formats.sheet import Grade


@dataclass(frozen=True, slots=True)
class Walk:
    """One reading of one document."""

    path: Path
    findings: Findings

    def refuse(self, where: str, said: str) -> None:
        self.findings.refuse(self.path, 0, f"{where} {said}")

    def id_of(self, value: object, where: str) -> str | None:
        """A string to the letter; a whole number is taken as its text, and counted (RULINGS 41)."""
        if type(value) is int:
            self.findings.count("whole number as id, read as text", self.path, 0, str(value))
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
        self.refuse(where, f"has the id {quoted(value)}: write a string")
        return None

    def grade_of(self, value: object, where: str) -> Grade | None:
        """A finite number, or one written as text; null is no grade."""
        if isinstance(value, str):
            grade = rating_of(value)
        elif type(value) in (int, float) and abs(value) <= LARGEST_GRADE:  # type: ignore[arg-type]
            grade = rating_of(repr(value))
        else:
            grade = None
        if grade is None:
            self.refuse(where, f"has the grade {quoted(value)}: write a finite number")
        return grade

    def objects(self, value: object, where: str) -> list[tuple[str, dict[str, object]]]:
        """The objects of a list, each with its place; absent is empty, anything else is refused."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse(where, f"is {quoted(value)}: write a list")
            return []
        found = []
        for at, part in enumerate(value):
            place = f"{where}[{at}]"
            if isinstance(part, dict):
                found.append((place, part))
            else:
                self.refuse(place, f"is {quoted(part)}: write an object")
        return found
