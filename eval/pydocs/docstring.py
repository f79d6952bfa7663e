"""Takes a documentation string apart: its one-line summary, its text, its "See Also" names.

Reads numpydoc sections (numpydoc docstring guide, section 4) and enough
reStructuredText to leave the words a person would read.
"""

import re
from dataclasses import dataclass
from textwrap import dedent

_UNDERLINE = re.compile(r"^(-{3,}|={3,})$")
_RELATED = "see also"
# Names of papers and of their authors are no description of the function.
_LEFT_OUT = frozenset({_RELATED, "references"})
_SIGNATURE = re.compile(r"^[\w.]+\(.*\)(\s*->.*)?$", re.DOTALL)
_DIRECTIVE = re.compile(r"^\s*\.\. [\w:-]+::")
_SEE_ALSO_DIRECTIVE = re.compile(r"^\s*\.\. seealso::")
_OPTION = re.compile(r"^\s*:[\w-]+:(\s|$)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*:])")
# matplotlib.pyplot adds this to a copied docstring; without it the two are exact twins.
_WRAPPER_NOTE = re.compile(r"\.\. note::\s+This is the :ref:`pyplot wrapper.*", re.DOTALL)

_ROLE = re.compile(r":[\w:+-]+:`~?([^`<]*?)\s*(?:<[^`>]*>)?`")
_TICKS = re.compile(r"``?([^`]+?)``?_{0,2}")
_EMPHASIS = re.compile(r"(?<![\w*])\*{1,2}(?=\S)([^*\n]+?)(?<=\S)\*{1,2}(?![\w*])")
_FOOTNOTE = re.compile(r"\s*\[[\w#]+\]_")

_ENTRY_NAME = re.compile(r"^\.?[A-Za-z_][\w.]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Docstring:
    """A documentation string in parts; `related` are names as written, in their order."""

    summary: str
    text: str
    related: tuple[str, ...]

    @property
    def whole(self) -> str:
        """The summary and the text below it."""
        return f"{self.summary}\n\n{self.text}".strip()


def parse(doc: str) -> Docstring:
    """The parts of a documentation string that `inspect.cleandoc` has straightened."""
    sections = _sections(doc)
    paragraphs = _without_signatures(_paragraphs(sections[0][1]))
    first = " ".join(paragraphs[0].split()) if paragraphs else ""
    summary, rest = _first_sentence(first)
    opening = [rest, *paragraphs[1:]]
    kept = [f"{name}\n{body}" for name, body in sections[1:] if name.lower() not in _LEFT_OUT]
    related = [body for name, body in sections[1:] if name.lower() == _RELATED]
    return Docstring(
        summary=plain(summary).rstrip(" .:"),
        text=_readable("\n\n".join([*opening, *kept])),
        related=tuple(name for body in related for name in _names(body)),
    )


def plain(text: str) -> str:
    """Text without the inline markup of reStructuredText."""
    text = _ROLE.sub(lambda match: match[1].lstrip("~!."), text)
    text = _TICKS.sub(lambda match: match[1].lstrip("~"), text)
    return _FOOTNOTE.sub("", _EMPHASIS.sub(r"\1", text))


def _sections(doc: str) -> list[tuple[str, str]]:
    """(name, body) of each section; the text before the first has no name."""
    lines = _WRAPPER_NOTE.sub("", doc).splitlines()
    # Not only at the margin: texts put together by a program carry indented sections.
    heads = [
        number
        for number, line in enumerate(lines[1:])
        if _UNDERLINE.match(line.strip()) and lines[number].strip()
    ]
    bounds = [*heads, len(lines)]
    opening = [("", "\n".join(lines[: bounds[0]]))]
    return opening + [
        (lines[head].strip(), dedent("\n".join(lines[head + 2 : end])))
        for head, end in zip(heads, bounds[1:], strict=True)
    ]


def _paragraphs(text: str) -> list[str]:
    return [part.strip("\n") for part in re.split(r"\n\s*\n", text) if part.strip()]


def _without_signatures(paragraphs: list[str]) -> list[str]:
    """Compiled functions open with their call, once or twice, and then say what they do."""
    while paragraphs and _SIGNATURE.match(paragraphs[0].strip()):
        paragraphs = paragraphs[1:]
    return paragraphs


def _first_sentence(paragraph: str) -> tuple[str, str]:
    parts = _SENTENCE_END.split(paragraph, maxsplit=1)
    return parts[0], parts[1] if len(parts) > 1 else ""


def _readable(text: str) -> str:
    """Prose only: no code with its printed output, no directive's own line, no markup."""
    kept = [lines for part in _paragraphs(text) if (lines := _prose(part))]
    return plain("\n\n".join(kept)).strip()


def _prose(paragraph: str) -> str:
    lines = paragraph.splitlines()
    if lines[0].lstrip().startswith(">>>") or _SEE_ALSO_DIRECTIVE.match(lines[0]):
        return ""
    # Indentation differs from one Python to the next and says nothing here.
    return "\n".join(
        line.strip() for line in lines if not (_DIRECTIVE.match(line) or _OPTION.match(line))
    )


def _names(section: str) -> list[str]:
    """The names a "See Also" section lists: what stands at the margin, before " : "."""
    found: list[str] = []
    for line in section.splitlines():
        if line.strip() and not line[0].isspace():
            listed = re.split(r"\s+:\s|:\s|\s:$|:$", _ROLE.sub(_role_target, line), maxsplit=1)[0]
            found += [part.strip(" `~") for part in listed.split(",") if part.strip(" `~")]
    return list(dict.fromkeys(found))


def _role_target(match: re.Match[str]) -> str:
    return match[0].split("`")[1].split("<")[-1].strip("~!> ")


def is_name(text: str) -> bool:
    """Whether an entry is a dotted Python name and not prose or a link."""
    return _ENTRY_NAME.match(text) is not None
