"""The exit codes of every subcommand, and how trouble is said: on stderr, in one line."""

import argparse
import json
import sys

OK, FINDING, USAGE, CONFIG, SOURCE, DEGRADED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130


def failed(arguments: argparse.Namespace, code: str, message: str, exit_code: int) -> int:
    """Says what went wrong; under ``--json`` also as the one document on stdout."""
    if arguments.json:
        print(json.dumps({"error": {"code": code, "message": message}}))
    return trouble(f"{code}: {message}", exit_code)


def say(text: str) -> None:
    print(f"esra: {text}", file=sys.stderr)


def trouble(text: str, exit_code: int) -> int:
    say(text)
    return exit_code
