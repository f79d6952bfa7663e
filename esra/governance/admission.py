"""The door before the pipeline: checks a request, writes its audit record, then admits it.

``retrieve`` takes only an ``Admitted``, so "governed first" stands in its signature. If the audit
record cannot be written nothing runs (RULINGS 26).
"""

import hashlib
import hmac
import re
import secrets
import unicodedata
from typing import Any, NoReturn, cast, final

from esra.domain.codes import AuditEvent, ErrorCode
from esra.domain.invocation import Call, Request, Retention
from esra.domain.outcome import Refused
from esra.ports import AuditUnavailable, House

LONGEST_PROMPT = 32 * 1024  # bytes of UTF-8 (RULINGS 16)
LONGEST_NAME = 200  # characters of a name that a caller gave, in a record
# Where no key is configured, hashes of prompts compare within a process's life only.
_PROMPT_KEY = secrets.token_bytes(32)
_STAND_IN = re.compile(r"hmac:[0-9a-f]{64}|\[redacted, \d+ characters\]")


@final
class Admitted:
    """A call that passed the door. Only ``admit`` makes one."""

    __slots__ = ("call",)

    call: Call

    def __new__(cls, *_: object, **__: object) -> NoReturn:
        raise TypeError("a call is admitted by governance and by nothing else")


def admit(request: Request, house: House) -> Admitted:
    """The admitted call, with its begin record written; ``Refused`` otherwise."""
    prompt = _checked_prompt(request)
    if type(request.limit) is not int or not 1 <= request.limit <= 1_000:
        raise Refused(ErrorCode.INVALID_REQUEST, "the limit is a whole number from 1 to 1000")
    call = Call(
        id=secrets.token_hex(16),
        salt=secrets.token_hex(16),
        exposure=request.exposure,
        prompt=prompt,
        caller=request.caller,
        now=house.clock.now() if request.now is None else request.now,
        seconds=request.seconds,
        limit=request.limit,
        mode=request.mode,
        correlation=request.correlation or secrets.token_hex(8),
    )
    begin = {
        **common(call),
        "event": AuditEvent.INVOCATION_BEGIN.value,
        "time": house.clock.now(),
        "prompt": kept_prompt(prompt, house),
    }
    try:
        house.audit.write([begin])
    except AuditUnavailable as error:
        raise Refused(
            ErrorCode.AUDIT_UNAVAILABLE, "the audit record could not be written; nothing ran"
        ) from error
    admitted: Admitted = object.__new__(cast("type[Any]", Admitted))
    admitted.call = call
    return admitted


def common(call: Call) -> dict[str, object]:
    """What every audit record of an invocation carries."""
    return {
        "invocation": call.id,
        "correlation": call.correlation,
        "tenant": call.caller.tenant,
        "subject": call.caller.subject,
        "identity": call.caller.identity.value,
        "exposure": call.exposure[:LONGEST_NAME],
    }


def kept_prompt(prompt: str, house: House) -> str | None:
    """What the house's retention class lets a record hold of the prompt."""
    match house.retention:
        case Retention.FULL:
            return prompt
        case Retention.KEYED_HASH:
            # Keyed, since a plain hash of a short question is found by hashing short questions.
            key = house.prompt_key or _PROMPT_KEY
            return "hmac:" + hmac.new(key, prompt.encode(), hashlib.sha256).hexdigest()
        case Retention.REDACTED:
            return f"[redacted, {len(prompt)} characters]"
        case Retention.NONE:
            return None


def is_text(kept: str | None) -> bool:
    """Whether ``kept_prompt`` kept the words, and not what stands for them."""
    return kept is not None and not _STAND_IN.fullmatch(kept)


def _checked_prompt(request: Request) -> str:
    prompt = request.prompt
    if not isinstance(prompt, str) or not prompt.strip():
        raise Refused(ErrorCode.INVALID_REQUEST, "the prompt is empty")
    if "\0" in prompt or any(0xD800 <= ord(char) <= 0xDFFF for char in prompt):
        raise Refused(ErrorCode.INVALID_REQUEST, "the prompt holds a character that is no text")
    normal = unicodedata.normalize("NFC", prompt)
    if len(normal.encode()) > LONGEST_PROMPT:
        raise Refused(
            ErrorCode.INVALID_REQUEST,
            f"the prompt is longer than {LONGEST_PROMPT} bytes; shorten it",
        )
    return normal
