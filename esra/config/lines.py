"""Where things stand in a TOML file: the line of every key, table and list entry. Pure.

The standard library's reader keeps no positions. This one reads text that tomllib has taken
already, so it looks for borders only and knows nothing of values. Grammar: TOML 1.0.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# Keys by name, list entries by number: ("sources", 1, "mappings", 0, "table").
Path = tuple[str | int, ...]

_TOKENS = re.compile(
    r'(?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'
    r'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\')'
    r"|(?P<skip>[ \t\r]+|\#[^\n]*)"
    r"|(?P<end>\n)"
    r"|(?P<mark>[\[\]{},=.])"
    r"|(?P<bare>[^ \t\r\n\"'\[\]{},=.\#]+)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int


@dataclass(slots=True)
class _Reader:
    tokens: list[_Token]
    lines: dict[Path, int] = field(default_factory=dict)
    counts: dict[Path, int] = field(default_factory=dict)
    at: int = 0

    @property
    def now(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def skip_ends(self) -> None:
        while self.now.kind == "end":
            self.at += 1


def lines_of(text: str) -> dict[Path, int]:
    """The line, from 1, of everything in a text that tomllib reads without an error."""
    reader = _Reader([*_tokens(text), _Token("eof", "", 0)])
    table: Path = ()
    reader.skip_ends()
    while reader.now.kind != "eof":
        if reader.now.text == "[" and reader.now.kind == "mark":
            table = _header(reader)
        else:
            _pair(reader, table)
        reader.skip_ends()
    return reader.lines


def nearest_line(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of ``path``, or of the innermost thing around it that has one."""
    for length in range(len(path), 0, -1):
        if (line := lines.get(path[:length])) is not None:
            return line
    return None


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for found in _TOKENS.finditer(text):
        if found.lastgroup != "skip":
            yield _Token(str(found.lastgroup), found.group(), line)
        line += found.group().count("\n")


def _header(reader: _Reader) -> Path:
    """The table that a header opens: the last one so far where it is one of several."""
    line = reader.take().line
    several = reader.now.text == "["
    if several:
        reader.take()
    names = _names(reader)
    reader.at += 2 if several else 1
    path: Path = ()
    for name in names[:-1]:
        path = _last(reader, (*path, name), line)
    path = (*path, names[-1])
    if not several:
        reader.lines.setdefault(path, line)
        return path
    reader.lines.setdefault(path, line)
    number = reader.counts.get(path, 0)
    reader.counts[path] = number + 1
    reader.lines[*path, number] = line
    return (*path, number)


def _last(reader: _Reader, path: Path, line: int) -> Path:
    reader.lines.setdefault(path, line)
    return (*path, reader.counts[path] - 1) if path in reader.counts else path


def _pair(reader: _Reader, table: Path) -> None:
    line = reader.now.line
    path = table
    for name in _names(reader):
        path = (*path, name)
        reader.lines.setdefault(path, line)
    reader.take()  # the equals sign
    _value(reader, path)


def _names(reader: _Reader) -> list[str]:
    names = [_name(reader.take())]
    while reader.now.text == "." and reader.now.kind == "mark":
        reader.take()
        names.append(_name(reader.take()))
    return names


def _name(token: _Token) -> str:
    return str(tomllib.loads(f"x = {token.text}")["x"]) if token.kind == "string" else token.text


def _value(reader: _Reader, path: Path) -> None:
    opening = reader.now.text if reader.now.kind == "mark" else ""
    if opening == "[":
        _list(reader, path)
    elif opening == "{":
        _inline(reader, path)
    else:
        while reader.now.kind in ("string", "bare") or reader.now.text == ".":
            reader.take()


def _list(reader: _Reader, path: Path) -> None:
    reader.take()
    number = 0
    reader.skip_ends()
    while reader.now.text != "]":
        reader.lines[*path, number] = reader.now.line
        _value(reader, (*path, number))
        number += 1
        _comma(reader)
    reader.take()


def _inline(reader: _Reader, path: Path) -> None:
    reader.take()
    reader.skip_ends()
    while reader.now.text != "}":
        _pair(reader, path)
        _comma(reader)
    reader.take()


def _comma(reader: _Reader) -> None:
    reader.skip_ends()
    if reader.now.text == ",":
        reader.take()
    reader.skip_ends()
