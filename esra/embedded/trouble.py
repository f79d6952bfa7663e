"""The one error of the embedded database. Its message says what to do."""


class EmbeddedError(Exception):
    """No database could be given; the message names the cause and the way out."""
