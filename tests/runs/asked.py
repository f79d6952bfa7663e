"""`runs`, as a person would type it."""

import json

from eval.runs import cli
from tests.said import said


def runs(*words: object, code: int = 0) -> tuple[str, str]:
    return said(cli.main, *words, code=code)


def plain(*words: object):
    return json.loads(runs(*words, "--json")[0])
