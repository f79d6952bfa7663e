"""What people paste into a question: eighteen kinds of text, as long as asked for. Seeded.

Each is made of numbered lines with a word in them that no other text has, ``findme``.
"""

import base64
import json
import random
from collections.abc import Callable, Iterator

Lines = Iterator[str]


def _each(line: Callable[[int], str], head: str = "") -> Callable[[], Lines]:
    def lines() -> Lines:
        if head:
            yield head
        number = 0
        while True:
            number += 1
            yield line(number)

    return lines


def _json(number: int) -> str:
    line = {
        "level": "error",
        "msg": f'it\'s "{number}"',
        "args": ["--force", None, "a;b"],
        "n": 1e9,
    }
    return json.dumps(line)


def _blob(number: int) -> str:
    return base64.b64encode(random.Random(number).randbytes(57)).decode()


def _of(line: str, head: str = "") -> Callable[[], Lines]:
    return _each(line.format, head)


KINDS: dict[str, Callable[[], Lines]] = {
    "markdown table": _of(
        "| cell {0} | a \\| b | `--x` | 50% |", "| a | b | c | d |\n|---|:-:|--|--|"
    ),
    "psql table": _of(
        "  {0} | it''s   |  NULL | {{1,2}}", " id | name | x | y\n----+------+---+--"
    ),
    "csv": _of('{0},"a ""quoted"" cell",\'{0}\',;;,-{0}', "id,name,x,y,z"),
    "log": _of("2026-01-02T03:04:05.{0}Z [ERROR] worker-{0}: exit=-1 (timeout: 30s) & again!"),
    "json log": _each(_json),
    "access log": _of('10.0.0.{0} - - "GET /a?q=%27%20OR%201=1--&x={0} HTTP/1.1" 500 -'),
    "mail": _of(
        "> > On Mon {0} Jan, O'Brien <o.brien@a.test> wrote:\n> it won't -- ever -- go; see #{0}",
        "Subject: Re: Fwd: findme\nTo: all@example.test\n",
    ),
    "markdown": _of("## {0}. Title\n\n* **bold** _it_ ~~no~~ [x](http://a.test/{0}#y)\n\n---\n"),
    "python trace": _of(
        "  File \"/app/views/order_{0}.py\", line {0}, in <listcomp>\n    raise KeyError('id-{0}')",
        "Traceback (most recent call last):",
    ),
    "java trace": _of(
        "\tat com.example.shop.Order$Line{0}.<init>(Order.java:{0}) ~[shop-1.{0}.jar!/:na]",
        "Caused by: java.lang.NullPointerException: findme",
    ),
    "diff": _of(
        "@@ -{0},3 +{0},4 @@ def total():\n-    return a-b--c\n+    return a - -b  # it's 'fixed'",
        "--- a/app.py\n+++ b/app.py",
    ),
    "sql": _of("SELECT * FROM t{0} WHERE a = 'x' OR b <> $1; -- {0}\n/* {0} */"),
    "html": _of("<li class='x'>&nbsp;{0}&lt;script&gt;alert({0})</li><!-- -- -->"),
    "base64": _each(_blob),
    "yaml": _of("- name: 'item-{0}'\n  run: >-\n    x --flag=!{0} | y && z", "---"),
    "shell": _of("$ grep -rn 'a|b' --include=*.py . | awk '{{print ${0}}}' > /dev/null 2>&1"),
    "paths": _of("C:\\Users\\me\\file_{0}.txt ./src/app-{0}/main.py:{0}:{0} ~/.config/x{0}"),
    "mixed scripts": _of(
        "第{0}章 今月の売上は「{0}円」。 Привет № {0} — café e\u0301 مرحبا 👩‍💻 {0}"
    ),
}


def pasted(kind: str, size: int) -> str:
    """A question with such a text under it, ``size`` bytes of UTF-8 in all and not one more."""
    text = "why does findme fail here?\n"
    for line in KINDS[kind]():
        if len(text) > size:
            break
        text += line + "\n"
    cut = text.encode()[:size].decode("utf-8", "ignore")
    return cut + "." * (size - len(cut.encode()))
