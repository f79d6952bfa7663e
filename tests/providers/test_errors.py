"""Every exception has one of the sixteen codes: all SQLSTATEs of the driver, and all the rest."""

import asyncio
import subprocess
import sys

import psycopg
import pytest
from psycopg import errors as pg

from esra.domain.codes import RETRYABLE, FailureCode
from esra.providers.postgres.errors import Circumstances, Stage, Trouble, classify
from esra.providers.postgres.pool import Busy

F = FailureCode
CODES = sorted(
    {
        made.sqlstate: made
        for made in vars(pg).values()
        if isinstance(made, type) and issubclass(made, psycopg.Error) and made.sqlstate
    }.items()
)
# The table as it was decided, by whole code; then what the rest of a class is.
BY_CODE = {
    F.TIMEOUT: "55P03 25P03 25P04 57P05",
    F.CONNECTION_REFUSED: "57P01 57P02 57P03",
    F.CONNECTION_TEMPLATE_INVALID: "57P04 3D000",
    F.AUTH_FAILED: "28000 28P01",
    F.RELATION_NOT_FOUND: "3F000 42P01 42703 42704",
    F.PERMISSION_DENIED: "42501 2F003 0LP01 25006",
    F.TEXT_INDEX_UNAVAILABLE: "55000",
    F.RESOURCE_EXHAUSTED: "40001 40P01 40003",
    F.SNAPSHOT_ISOLATION_UNAVAILABLE: "72000",
    F.UNKNOWN: "08P01",
    F.CANCELLED: "57014",  # with time to spare
}
BY_CLASS = {
    F.CONNECTION_REFUSED: "08",
    F.SYNTAX_ERROR: "22 42 54",
    F.AUTH_FAILED: "28",
    F.RESOURCE_EXHAUSTED: "53",
}
EXPECTED = {state: code for code, states in BY_CODE.items() for state in states.split()}
CLASSES = {start: code for code, starts in BY_CLASS.items() for start in starts.split()}


def during(stage: Stage, cause: BaseException, **known) -> Trouble:
    trouble = Trouble(Circumstances(stage=stage, **known))
    trouble.__cause__ = cause
    return trouble


def code(cause: BaseException, stage: Stage = Stage.RUN, **known) -> FailureCode:
    return classify(during(stage, cause, **known))


@pytest.mark.req("E111", "E119", "E126")
def test_every_sqlstate_of_the_driver_has_the_code_that_was_decided():
    """A fault would be retried in vain, or given up where another try helps."""
    assert len(CODES) > 250
    for state, kind in CODES:
        expected = EXPECTED.get(state) or CLASSES.get(state[:2], F.UNKNOWN)
        assert code(kind("said"), allowed=5.0, elapsed=0.1) is expected, state


@pytest.mark.req("E112", "E121")
@pytest.mark.parametrize(
    ("elapsed", "said", "expected"),
    [
        (4.75, "storniere Anfrage wegen Zeit\u00fcberschreitung der Anfrage", F.TIMEOUT),
        (4.74, "storniere Anfrage wegen Benutzeraufforderung", F.CANCELLED),
        (0.1, "canceling statement due to statement timeout", F.TIMEOUT),
        (0.1, "canceling statement due to user request", F.CANCELLED),
    ],
)
def test_a_timeout_is_known_by_the_clock_and_not_by_its_language(elapsed, said, expected):
    """A server that speaks German would never time out."""
    assert code(pg.QueryCanceled(said), elapsed=elapsed, allowed=5.0) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('text search configuration "klingon" does not exist', F.TEXT_INDEX_UNAVAILABLE),
        ("Textsuchekonfiguration \u00bbklingon\u00ab existiert nicht", F.TEXT_INDEX_UNAVAILABLE),
        ('type "mood" does not exist', F.RELATION_NOT_FOUND),
    ],
)
def test_a_missing_object_that_is_the_language_is_about_text(said, expected):
    """A missing dictionary would be looked for among the tables."""
    assert code(pg.UndefinedObject(said), language="klingon") is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("function ts_rank(text, tsquery, integer) does not exist", F.TEXT_INDEX_UNAVAILABLE),
        ("operator does not exist: integer = boolean", F.SYNTAX_ERROR),
    ],
)
def test_a_missing_function_of_text_search_is_about_text(said, expected):
    """A column that holds no text vector would be called a bad query."""
    assert code(pg.UndefinedFunction(said)) is expected


@pytest.mark.req("E111")
@pytest.mark.parametrize(
    ("cause", "stage", "expected"),
    [
        (pg.ConnectionTimeout("late"), Stage.CONNECT, F.TIMEOUT),
        (TimeoutError(), Stage.RUN, F.TIMEOUT),
        (Busy("none free"), Stage.CONNECT, F.RESOURCE_EXHAUSTED),
        (MemoryError(), Stage.RUN, F.RESOURCE_EXHAUSTED),
        (asyncio.CancelledError(), Stage.RUN, F.CANCELLED),
        (psycopg.OperationalError("the connection is closed"), Stage.RUN, F.CONNECTION_REFUSED),
        (
            psycopg.OperationalError("server closed the connection unexpectedly"),
            Stage.RUN,
            F.CONNECTION_REFUSED,
        ),
        (
            psycopg.OperationalError('FATAL: password authentication failed for user "x"'),
            Stage.CONNECT,
            F.AUTH_FAILED,
        ),
        (psycopg.OperationalError("FATAL: no pg_hba.conf entry"), Stage.CONNECT, F.AUTH_FAILED),
        (psycopg.OperationalError('role "x" does not exist'), Stage.CONNECT, F.AUTH_FAILED),
        (
            psycopg.OperationalError('database "x" does not exist'),
            Stage.CONNECT,
            F.CONNECTION_TEMPLATE_INVALID,
        ),
        (
            psycopg.OperationalError("FATAL: sorry, too many clients already"),
            Stage.CONNECT,
            F.RESOURCE_EXHAUSTED,
        ),
        (
            psycopg.OperationalError("FATAL: the database system is starting up"),
            Stage.CONNECT,
            F.CONNECTION_REFUSED,
        ),
        (
            psycopg.OperationalError("server does not support SSL, but SSL was required"),
            Stage.CONNECT,
            F.CONNECTION_TEMPLATE_INVALID,
        ),
        (
            psycopg.OperationalError("Datenbank \u00bbnosuch\u00ab existiert nicht"),
            Stage.CONNECT,
            F.UNKNOWN,
        ),
        (
            psycopg.OperationalError("number of parameters must be between 0 and 65535"),
            Stage.RUN,
            F.SYNTAX_ERROR,
        ),
        (psycopg.DataError("NUL"), Stage.RUN, F.SYNTAX_ERROR),
        (psycopg.ProgrammingError("placeholder"), Stage.RUN, F.SYNTAX_ERROR),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), Stage.RUN, F.SYNTAX_ERROR),
        (OverflowError(), Stage.RUN, F.SYNTAX_ERROR),
        (RecursionError(), Stage.RUN, F.UNKNOWN),
        (KeyError("x"), Stage.RUN, F.UNKNOWN),
        (SystemError(), Stage.RUN, F.UNKNOWN),
        (BaseException(), Stage.RUN, F.UNKNOWN),
        (ValueError("any"), Stage.SECRET, F.SECRET_UNRESOLVED),
        (ValueError("any"), Stage.ADDRESS, F.CONNECTION_TEMPLATE_INVALID),
    ],
)
def test_an_error_without_a_sqlstate_has_a_code(cause, stage, expected):
    """Every failure to connect would be one and the same."""
    assert code(cause, stage) is expected


def test_unrecognised_text_is_never_retryable():
    """A server with other words for its troubles would be hammered."""
    assert code(psycopg.OperationalError("??? \u5931\u6557"), Stage.CONNECT) not in RETRYABLE


@pytest.mark.req("E130")
@pytest.mark.parametrize(
    "values", [("canary",), (["a canary"],), ("two canary words",), ({"n": 1}, "canary")]
)
def test_no_bound_value_is_in_the_log(caplog, values):
    """A log would keep what somebody asked for, against the retention he was promised."""
    cause = pg.InvalidTextRepresentation('invalid input: "canary", "two canary words" here')
    code(cause, values=values)
    assert "invalid input" in caplog.text
    assert "canary" not in caplog.text


def test_a_message_of_several_lines_is_one_line_of_the_log(caplog):
    """A crafted message would write lines of its own into a log."""
    code(psycopg.OperationalError("one\nFAKE ENTRY\r\n\ttwo"))
    assert "one FAKE ENTRY two" in caplog.text


@pytest.mark.req("E130")
@pytest.mark.parametrize("name", ["psycopg", "psycopg.pool", "esra.providers.postgres"])
def test_where_nobody_keeps_a_log_the_drivers_words_are_nobodys(name):
    """A failing source would show its user, database and host beside the answer on the screen."""
    program = (
        "import logging, esra.providers.postgres\n"
        f"logging.getLogger({name!r}).warning('user=canary host=db.internal')"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert said.stdout + said.stderr == ""
