"""A response as JSON and as text for a terminal. Found text is data: it moves no cursor."""

from dataclasses import asdict

from esra.domain.outcome import Note, Warn
from esra.domain.response import Response, Result

WIDTH = 160  # of a result's text on a terminal: two lines of most


def as_json(response: Response) -> dict[str, object]:
    """Plain JSON values; ``factors`` only where the mode shows them."""
    return {
        "invocation": response.invocation,
        "status": response.status.value,
        "ordered_by": response.ordered_by.value,
        "configuration": {
            "tuned": response.configuration.tuned,
            "revision": response.configuration.revision,
            "hash": response.configuration.hash,
            "signed": response.configuration.signed,
        },
        "warnings": [_bare(asdict(warning)) for warning in response.warnings],
        "notices": [_bare(asdict(notice)) for notice in response.notices],
        "results": [_result(result) for result in response.results],
    }


def _result(result: Result) -> dict[str, object]:
    plain: dict[str, object] = {
        "id": result.id,
        "source": result.source,
        "title": result.title,
        "fragment": result.fragment,
        "score": result.score,
        "fields": dict(result.fields),
    }
    if result.factors is not None:
        factors = asdict(result.factors)
        factors["matches"] = [dict(match) for match in result.factors.matches]
        plain["factors"] = factors
    return plain


def _bare(values: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value is not None}


def as_text(response: Response) -> str:
    lines = []
    for place, result in enumerate(response.results, start=1):
        lines.append(f"{place:3}. {plain(result.title) or '(no title)'}  [{result.source}]")
        lines.append(f"     {result.score:.4f}  {cut(plain(result.fragment), WIDTH)}")
        if result.factors is not None:
            lines.extend(_factors(result))
    if not response.results:
        lines.append("no results")
    told: list[Warn | Note] = [*response.warnings, *response.notices]
    words = (" ".join(str(v) for v in _bare(asdict(one)).values()) for one in told)
    lines += [f"  {one}" for one in dict.fromkeys(words)]  # of two queries that say the same, once
    lines.append(_footer(response))
    return "\n".join(lines)


def _factors(result: Result) -> list[str]:
    factors = result.factors
    assert factors is not None
    semantic = factors.semantic_state if factors.semantic is None else f"{factors.semantic:.4f}"
    head = f"     semantic {semantic}, weighted {factors.weighted:.4f}, bonus {factors.bonus:.2f}"
    rows = [
        "       "
        + ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in match)
        for match in factors.matches
    ]
    return [head, *rows]


def _footer(response: Response) -> str:
    used = response.configuration
    numbers = f"tuned revision {used.revision} ({used.hash[:12]})" if used.tuned else "the catalog"
    return f"{response.status.value}; ordered by {response.ordered_by.value}; numbers of {numbers}"


def cut(text: str, width: int) -> str:
    """At most ``width`` characters, whole words where there are any, and … where more follows."""
    if len(text) <= width:
        return text
    head = text[: width - 1]
    # The next character says whether the last word is whole. Text without blanks, such as Chinese
    # or an address, is cut where it must be.
    end = width - 1 if text[width - 1] == " " else head.rfind(" ")
    return (head[:end].rstrip() if end > width // 2 else head) + "…"


def plain(text: str) -> str:
    """One line without control characters."""
    return "".join(c if c.isprintable() else " " for c in text).strip()
