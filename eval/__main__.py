"""``python -m eval`` is the workbench's command; each subcommand is imported when it is called."""

import importlib
import sys
from collections.abc import Sequence

COMMANDS = {
    "tune": "eval.tune.cli",
    "promote": "eval.promote.cli",
    "record": "eval.recording.cli",
    "measure": "eval.measure.cli",
    "import": "eval.exchange.cli_import",
    "export": "eval.exchange.cli_export",
    "sample": "eval.exchange.cli_sample",
    "pool": "eval.labels.cli",
    "judge-next": "eval.judge.cli",
    "calibrate": "eval.calibrate",
    "gate": "eval.gate.cli",
    "runs": "eval.runs.cli",
    "requirements": "eval.requirements",
}


# What these have recorded is kept line by line; the others begin anew.
RESUMABLE = ("record", "tune")


def _resumed(name: str, argv: Sequence[str]) -> str:
    """What is left of the work, of a command that keeps any. Two TREC runs record nothing."""
    if name not in RESUMABLE or "--runs" in argv:
        return ""
    return "; what was recorded is kept, and the same command goes on from there"


def main(argv: Sequence[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        # A terminal without a letter shows its number and goes on.
        stream.reconfigure(errors="backslashreplace")
    name = argv[0] if argv else ""
    if name not in COMMANDS:
        print(f"workbench: commands are {', '.join(COMMANDS)}; see --help", file=sys.stderr)
        return 2
    try:
        return importlib.import_module(COMMANDS[name]).main(argv[1:])
    except KeyboardInterrupt:
        print(f"{name}: interrupted{_resumed(name, argv)}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away; there is nobody to tell
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
