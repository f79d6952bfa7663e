"""Measures by the names that people already write: ``nDCG@10``, ``RR``, ``P(rel=2)@5``, ``RBP``.

The spelling and the parameters are ir-measures'; the arithmetic is ``ranking``'s.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import ir_measures

from eval.measures import ranking
from eval.measures.ranking import Grades, Marks

SCALE = 4  # the top grade of ERR and of graded RBP where nothing else is said (gdeval's)
PERSISTENCE = 0.8  # of RBP, as ir-measures has it

Figure = Callable[[Grades, Marks], float]


class UnknownMeasure(ValueError):
    """No measure has this name, or it takes no such parameter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """``needs_relevant``: it has no value for a query without a relevant document.

    ``k`` is its cutoff (None: the whole list), ``level`` the least grade that is relevant.
    """

    name: str
    k: int | None
    level: int
    needs_relevant: bool
    figure: Figure

    def __call__(self, ids: Sequence[Hashable], judgements: Mapping[Any, int]) -> float:
        """The figure of one list of ids. ValueError where it has none, or an id stands twice."""
        if len(set(ids)) != len(ids):
            raise ValueError("a document stands twice in one list: a list names a document once")
        return self.figure([judgements.get(id) for id in ids], list(judgements.values()))


def measure(text: str, *, scale: int = SCALE) -> Measure:
    """The measure of that name; ``scale`` is the top of the grading scale.

    ``UnknownMeasure`` says which names there are.
    """
    try:
        parsed = ir_measures.parse_measure(text.strip())
        parsed.validate_params()
    except (
        AssertionError,
        ValueError,
        NameError,
        SyntaxError,
        AttributeError,
        TypeError,
        KeyError,
    ) as error:
        raise UnknownMeasure(f"no measure {text!r}; there are {known()}") from error
    build = BUILDERS.get(parsed.NAME)
    given = dict(parsed.params)
    if build is None or given.pop("judged_only", False) or "gains" in given:
        raise UnknownMeasure(f"no measure {text!r} here; there are {known()}")
    k, level = given.pop("cutoff", None), given.pop("rel", None)
    if k is not None and k < 1:
        raise UnknownMeasure(f"{text!r}: a cutoff counts ranks from 1")
    figure = build(k, level, scale, given)
    if figure is None:
        raise UnknownMeasure(f"{text!r}: {parsed.NAME} needs a cutoff, as in {parsed.NAME}@10")
    return Measure(
        name=str(parsed),
        k=k,
        level=1 if level is None else level,
        needs_relevant=parsed.NAME in NEED_RELEVANT,
        figure=figure,
    )


def known() -> str:
    return (
        f"{', '.join(sorted(BUILDERS))}, with parameters and cutoff as in P(rel=2)@5; "
        "several have blanks between them"
    )


Build = Callable[[int | None, int | None, int, Mapping[str, Any]], Figure | None]


def _level(level: int | None) -> int:
    return 1 if level is None else level


def _precision(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Any:
    if k is None:
        return None
    return lambda grades, marks: ranking.precision(grades, k, _level(level))


def _with_marks(function: Callable[..., float]) -> Build:
    def build(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Figure:
        return lambda grades, marks: function(grades, marks, k, _level(level))

    return build


def _of_list(function: Callable[..., float]) -> Build:
    def build(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Figure:
        return lambda grades, marks: function(grades, k, _level(level))

    return build


def _whole_list(function: Callable[..., float]) -> Build:
    def build(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Figure:
        return lambda grades, marks: function(grades, marks, _level(level))

    return build


def _ndcg(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Figure:
    gain = ranking.exponential if own.get("dcg") == "exp-log2" else ranking.linear
    return lambda grades, marks: ranking.ndcg(grades, marks, k, gain)


def _err(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Figure:
    return _scaled(scale, lambda grades, marks: ranking.err(grades, k, scale))


def _rbp(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Figure:
    p = float(own.get("p", PERSISTENCE))
    if not 0 < p < 1:
        raise UnknownMeasure(f"RBP's p lies between 0 and 1; {p:g} does not")
    if level is not None:
        return lambda grades, marks: ranking.rbp(grades, k, p, partial(_binary, level))
    return _scaled(scale, lambda grades, marks: ranking.rbp(grades, k, p, partial(_graded, scale)))


def _scaled(scale: int, figure: Figure) -> Figure:
    """The figure, refused where a judgement lies above the scale: a reader would stop at a result
    with more than certainty, and a better list come out worse.
    """

    def checked(grades: Grades, marks: Marks) -> float:
        top = max(marks, default=0)
        if top > scale:
            raise ValueError(f"a grade is {top}, the scale of ERR and RBP ends at {scale}: --scale")
        return figure(grades, marks)

    return checked


def _graded(scale: int, grade: int) -> float:
    return max(grade, 0) / scale


def _binary(level: int, grade: int) -> float:
    return float(grade >= level)


def _judged(k: int | None, level: int | None, scale: int, own: Mapping[str, Any]) -> Figure:
    return lambda grades, marks: ranking.judged(grades, k)


BUILDERS: Mapping[str, Build] = {
    "nDCG": _ndcg,
    "RR": _of_list(ranking.reciprocal_rank),
    "AP": _with_marks(ranking.average_precision),
    "P": _precision,
    "R": _with_marks(ranking.recall),
    "Rprec": _whole_list(ranking.r_precision),
    "Success": _of_list(ranking.success),
    "ERR": _err,
    "RBP": _rbp,
    "Bpref": _whole_list(ranking.bpref),
    "Judged": _judged,
}
NEED_RELEVANT = frozenset({"nDCG", "AP", "R", "Rprec", "Bpref"})
