"""A sink that forgets: for tests and notebooks."""

from collections.abc import Mapping, Sequence


class ListAudit:
    """Keeps records in a list, as they were given."""

    def __init__(self) -> None:
        self.records: list[dict[str, object]] = []

    def write(self, records: Sequence[Mapping[str, object]]) -> None:
        self.records.extend(dict(record) for record in records)
