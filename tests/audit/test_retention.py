"""What the log holds of a prompt: nothing that the retention class forbids."""

import base64
import json
import random
import string

import pytest

from esra.domain.invocation import Retention
from esra.governance.admission import admit
from tests.audit.desk import Desk
from tests.house import house, request

KINDS = ("aws", "jwt", "dsn", "card", "mail", "pem", "key", "nested")


def secret(dice, kind):
    """(a secret as it is met in the wild, the part that must not be kept)."""
    letters = "".join(dice.choices(string.ascii_letters + string.digits, k=40))
    match kind:
        case "aws":
            return f"AKIA{letters[:16].upper()} and {letters}", letters
        case "jwt":
            parts = [base64.urlsafe_b64encode(dice.randbytes(30)).decode().rstrip("=")] * 3
            return "eyJ" + ".".join(parts), parts[0]
        case "dsn":
            return f"postgresql://app:{letters[:20]}@db.example/prod", letters[:20]
        case "card":
            number = "".join(dice.choices(string.digits, k=16))
            return f"card {number[:4]} {number[4:8]} {number[8:12]} {number[12:]}", number[4:8]
        case "mail":
            return f"write to {letters[:12]}@example.org", letters[:12]
        case "pem":
            body = base64.b64encode(dice.randbytes(96)).decode()
            return f"-----BEGIN PRIVATE KEY-----\n{body[:64]}\n{body[64:]}\n", body[:64]
        case "key":
            return f"sk-{letters[:20]}\n{letters[20:]}", letters[20:]
        case _:
            return json.dumps({"a": [{"b": json.dumps({"password": letters})}]}), letters


def kept(tmp_path, retention, prompts):
    """The log's bytes after calls with these prompts."""
    desk = Desk(tmp_path)
    own = house(audit=desk.sink(), retention=retention)
    for prompt in prompts:
        admit(request(prompt), own)
    return b"".join(path.read_bytes() for path in desk.files()).decode()


@pytest.mark.req("W73")
@pytest.mark.parametrize("retention", [Retention.KEYED_HASH, Retention.REDACTED, Retention.NONE])
def test_of_two_thousand_planted_secrets_none_is_in_the_log(tmp_path, retention):
    """Else the audit would be where an intruder looks for passwords."""
    dice = random.Random(20)
    planted = [secret(dice, KINDS[n % len(KINDS)]) for n in range(2000)]
    log = kept(tmp_path, retention, [f"why does {text} not work?" for text, _ in planted])
    assert [part for _, part in planted if len(part) > 4 and part in log] == []
    assert "why does" not in log


def test_redacted_tells_the_length_and_nothing_else(tmp_path):
    """Else two prompts of one length could be told apart by what was left of them."""
    log = kept(tmp_path, Retention.REDACTED, ["wing flutter", "tax evasion!"])
    prompts = [json.loads(line)["facts"]["prompt"] for line in log.splitlines()]
    assert prompts == ["[redacted, 12 characters]"] * 2


def test_the_control_keeps_what_it_may(tmp_path):
    """Else the test above would find nothing because nothing is written."""
    assert "wing flutter" in kept(tmp_path, Retention.FULL, ["wing flutter"])
