"""What the doctor finds wrong with a whole server: unreachable, its role, its language, its clock.

Pure: judges what a server told, asks nobody.
"""

from collections.abc import Iterator

from esra.doctor import quote
from esra.doctor.finding import Fault, Finding, error, warning
from esra.domain.codes import FailureCode as Code
from esra.domain.described import Server

# Seconds between two clocks before ages of records are visibly wrong.
SKEW = 5.0

_ENGLISH = ("C", "POSIX", "en")

# What happened, and what a person does about it. The provider's name stands for its host.
_UNAVAILABLE: dict[Code, tuple[str, str]] = {
    Code.SECRET_UNRESOLVED: (
        "its address cannot be had from {reference}",
        "set the variable, or put the file there, where esra runs",
    ),
    Code.CONNECTION_REFUSED: (
        "the host of provider {name} cannot be reached",
        "start the server, or mend the address behind {reference}",
    ),
    Code.TIMEOUT: (
        "the host of provider {name} does not answer",
        "look for a firewall or an overloaded server; the address is behind {reference}",
    ),
    Code.AUTH_FAILED: (
        "the server turns this role away",
        "check user and password behind {reference}, and the server's pg_hba.conf",
    ),
    Code.CONNECTION_TEMPLATE_INVALID: (
        "the database is not there, TLS fails, or the address says more than where it is",
        "an address has host, port, dbname, user, password and sslmode; see {reference}",
    ),
    Code.HOST_NOT_ALLOWED: (
        "the host of provider {name} is not on the list of allowed hosts",
        "add it to the list, or mend the address behind {reference}",
    ),
    Code.RESOURCE_EXHAUSTED: (
        "the server has no connection left for this role",
        "raise its connection limit, or lower `parallel` of provider {name}",
    ),
}
_UNNAMED = (
    "the server could not be asked",
    "its own words are in the log esra.providers.postgres; it may speak a language other than "
    "English (lc_messages)",
)


def unavailable(provider: str, reference: str, code: Code) -> Finding:
    """A server that could not be asked. ``reference`` is the catalog's, never what it refers to."""
    text, advice = _UNAVAILABLE.get(code, _UNNAMED)
    names = {"name": provider, "reference": reference}
    return error(
        Fault.UNAVAILABLE,
        f"provider {provider}",
        f"{text.format(**names)} ({code.value})",
        advice.format(**names),
    )


def engine_findings(provider: str, server: Server, now: float) -> Iterator[Finding]:
    """``now`` is our own clock, in seconds since the epoch, when the server told its own."""
    about = f"provider {provider}"
    for power in server.powers:
        yield error(
            Fault.POWERFUL_ROLE,
            about,
            f'the role "{server.role}" {power}: a house with it does not open',
            "give the provider a role that has SELECT on its relations and nothing else",
        )
    if not server.messages.startswith(_ENGLISH):
        yield warning(
            Fault.MESSAGE_LANGUAGE,
            about,
            f"the server speaks {server.messages}, so that some failures to connect are UNKNOWN",
            f"ALTER SYSTEM SET lc_messages = {quote.text('C')}; SELECT pg_reload_conf();",
        )
    if server.encoding != "UTF8":
        yield warning(
            Fault.ENCODING,
            about,
            f"the database is encoded in {server.encoding}: letters that are not in it cannot be "
            "asked for, and labelled folders are not loaded into it",
            "move its content into a database of ENCODING 'UTF8'",
        )
    if abs(skew := server.now - now) > SKEW:
        yield warning(
            Fault.CLOCK_SKEW,
            about,
            f"the server's clock is {abs(skew):.0f} s {'ahead' if skew > 0 else 'behind'}, "
            "so that the age of its records is wrong by as much",
            "keep both clocks by NTP",
        )
