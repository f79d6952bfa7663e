"""Makes hostile text harmless for the two formats a gate writes: XML 1.0 and Markdown."""

from __future__ import annotations

import re

# What XML 1.0 (fifth edition, production 2) has no place for, not even as a reference.
_NO_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Line ends, and the marks that turn the direction of what follows.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
MISSING = "\ufffd"


def xml_text(text: str) -> str:
    """The text without what XML cannot hold; < & and quotes are the writer's to escape."""
    return _NO_CHARACTER.sub(MISSING, text)


def code_span(text: str) -> str:
    """The text as a Markdown code span on one line, also inside a table.

    Nothing in a code span is a link, an image, HTML or a mention (CommonMark 6.1); a pipe would
    end a table's cell even there (GFM 4.10).
    """
    flat = _INVISIBLE.sub(MISSING, text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    # A space beside a backtick, and beside a space that has to stay, is taken off by the reader.
    pad = " " if flat.startswith(("`", " ")) or flat.endswith(("`", " ")) or not flat else ""
    return f"{fence}{pad}{flat}{pad}{fence}"
