"""The one error of this room."""

from eval.formats.findings import FormatError


class DatasetError(FormatError):
    """Folders that cannot be used: ``findings`` holds the first errors, with file and line."""
