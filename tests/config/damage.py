"""Ways to damage a tuned file: in its bytes, in its values with a fitting hash, in its kind."""

import copy
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

from esra.config.tuned import body_hash

Dice = random.Random
GOVERNANCE = (
    "governance", "providers", "sources", "exposures", "url", "host", "table", "fields",
    "record_filter", "access", "published", "tenants", "modes", "limits", "secret", "key",
    "masking", "select", "model", "audit", "retention",
)  # fmt: skip
TOKENS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000, "1e400", "-0", "1.0", "0",
    "2", "-1", "99", "0.5", '"0.5"', "true", "null", "[]", "{}", '""', '"\\ud800"', '"\\u0000"',
    "[" * 40 + "]" * 40, "[" * 100_000, '{"a":' * 20 + "1" + "}" * 20, "1e-400", "9007199254740993",
)  # fmt: skip


def leaves(value: object, path: tuple = ()) -> list[tuple]:
    """The path of every value that holds no other."""
    if isinstance(value, dict) and value:
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
    if isinstance(value, list) and value:
        return [leaf for at, inner in enumerate(value) for leaf in leaves(inner, (*path, at))]
    return [path]


def placed(body: dict, path: tuple, value: object) -> dict:
    """A copy with another value there."""
    made = copy.deepcopy(body)
    at = made
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return made


def sealed_again(body: dict) -> bytes:
    """The file with a hash that fits, where there is one: only its content is wrong."""
    try:
        body = {**body, "hash": body_hash(body)}
    except ValueError:
        body = dict(body)
    return json.dumps(body).encode()


def _bytes(dice: Dice, body: dict) -> bytes:
    data = bytearray(json.dumps(body, indent=dice.choice((None, 2))).encode())
    for _ in range(dice.randint(1, 4)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    return bytes(data)


def _cut(dice: Dice, body: dict) -> bytes:
    data = json.dumps(body).encode()
    start, end = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    return dice.choice(
        (data[:end], data[start:], data[:start] + data[end:], data + data[start:end])
    )


def _twice(dice: Dice, body: dict) -> bytes:
    text = json.dumps(body)
    name = dice.choice(list(body))
    again = f"{json.dumps(name)}: {json.dumps(body[name])}"
    return ("{" + again + ", " + text[1:]).encode()


def _token(dice: Dice, body: dict) -> bytes:
    mark = "\u2603"
    path = dice.choice(leaves(body))
    text = json.dumps(placed(body, path, mark), ensure_ascii=False)
    return text.replace(json.dumps(mark, ensure_ascii=False), dice.choice(TOKENS)).encode()


def _value(dice: Dice, body: dict) -> bytes:
    path = dice.choice(leaves(body))
    values = (-1, 0, 1e-9, 0.05, 1.0000001, 2, 21, 1e300, -1e300, 10**16, "x", True, None, [], {})
    return sealed_again(placed(body, path, dice.choice(values)))


def _key(dice: Dice, body: dict) -> bytes:
    homes = (
        (),
        ("tunables",),
        ("tunables", "sources"),
        ("tunables", "sources", "news"),
        ("models",),
    )
    return sealed_again(placed(body, (*dice.choice(homes), dice.choice(GOVERNANCE)), "x"))


def _foreign(dice: Dice, body: dict) -> bytes:
    name, values = dice.choice(
        (
            ("capability", ("other", "", "CAP", "cap ")),
            ("revision", (1, 0, -2, 3, 10**15)),
            ("pipeline", (0, 99)),
            ("schema", (0, 2)),
            ("models", ({"rerank": "another"}, {})),
        )
    )
    return sealed_again({**body, name: dice.choice(values)})


def _encoded(dice: Dice, body: dict) -> bytes:
    text = json.dumps(body)
    return dice.choice(
        (text.encode("utf-16"), text.encode("utf-8-sig"), b"", b"\0" * 100, text.encode() + b"\0")
    )


IN_CONTENT: tuple[Callable[[Dice, dict], bytes], ...] = (
    _bytes, _cut, _twice, _token, _value, _key, _foreign, _encoded,
)  # fmt: skip


def of_another_kind(dice: Dice, path: Path, good: bytes) -> None:
    """Puts something at ``path`` whose content is good or endless, and which is no plain file."""
    kind = dice.choice(("link", "loop", "writable", "fifo", "folder", "huge", "unreadable"))
    if kind == "link":
        beside = path.with_name("elsewhere")
        beside.write_bytes(good)
        path.symlink_to(beside)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "huge":
        path.write_bytes(good + b" " * 10 * 1024 * 1024)
    elif kind == "writable":
        path.write_bytes(good)
        path.chmod(0o666)
    else:
        path.symlink_to("/dev/zero")


def away(path: Path) -> None:
    """Nothing is left at ``path``."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
