"""A documentation string comes apart into the right parts."""

from __future__ import annotations

import inspect

import pytest

from eval.pydocs.docstring import parse, plain

LINSPACE = inspect.cleandoc(
    """
    linspace(start, stop[, num])

    Return evenly spaced numbers over
    a specified ``interval``. Rows come first.

    Returns `num` samples [1]_.

    .. versionadded:: 1.2

    Parameters
    ----------
    start : float
        The *first* value of :func:`~numbers.line`.

    See Also
    --------
    arange : Similar, but uses a step size
        and not a count.
    geomspace, .Axes.plot
    :func:`logspace`
        Ends given as logarithms.

    Notes
    -----
    .. seealso:: elsewhere

    A note.

    References
    ----------
    .. [1] A. Author, "Numbers".

    Examples
    --------
    Ten numbers:

    >>> linspace(0, 9)
    array([0, 1])
    """
)


def test_the_parts_of_a_full_text() -> None:
    """Else "See Also" texts, which hold other items' summaries, would be indexed."""
    doc = parse(LINSPACE)
    assert doc.summary == "Return evenly spaced numbers over a specified interval"
    assert doc.related == ("arange", "geomspace", ".Axes.plot", "logspace")
    assert doc.text == (
        "Rows come first.\n\nReturns num samples.\n\n"
        "Parameters\nstart : float\nThe first value of numbers.line.\n\n"
        "Notes\n\nA note.\n\nExamples\nTen numbers:"
    )


def test_indentation_changes_nothing() -> None:
    """Else Python 3.13, which strips it, would give other texts than 3.12."""
    head, _, rest = LINSPACE.partition("Parameters")
    indented = "    Parameters" + rest.replace("\n", "\n    ")
    assert parse(head + indented) == parse(LINSPACE)


def test_a_copied_text_is_an_exact_twin() -> None:
    """Else pyplot.plot would be no twin of Axes.plot, whose text it copies and adds a note to."""
    own = "Plot y versus x.\n\nLines and markers."
    note = (
        "\n\nNotes\n-----\n.. note::\n\n    This is the :ref:`pyplot wrapper <pyplot_interface>` "
        "for `.axes.Axes.plot`."
    )
    assert parse(own + note).summary == parse(own).summary
    assert parse(own + note).text.removesuffix("Notes").strip() == parse(own).text


@pytest.mark.parametrize(
    ("marked", "read"),
    [
        ("``x`` and `y`", "x and y"),
        (":meth:`~pandas.DataFrame.sum` of **all** rows", "pandas.DataFrame.sum of all rows"),
        (":ref:`the guide <a-label>`", "the guide"),
        ("2 * 3 * 4 and a_b", "2 * 3 * 4 and a_b"),
        ("*args*", "args"),
        ("as shown [2]_.", "as shown."),
    ],
)
def test_markup_is_taken_out(marked: str, read: str) -> None:
    """Else queries would hold backticks, which nobody types."""
    assert plain(marked) == read


@pytest.mark.parametrize("doc", ["", "f(x, y)", "f(x) -> int\n\n"])
def test_no_summary_in_a_mere_signature(doc: str) -> None:
    """Else a call would be asked as a question."""
    assert parse(doc).summary == ""
