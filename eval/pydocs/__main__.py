"""`python -m eval.pydocs FOLDER [--queries N]`: builds the data set and prints its counts."""

import argparse
import json
import sys
from pathlib import Path

from eval.pydocs import PydocsError, build


def main() -> int:
    """Exit code 0, or 3 with one line on stderr where the data set cannot be built."""
    parser = argparse.ArgumentParser(prog="python -m eval.pydocs", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the two tracks go")
    parser.add_argument("--queries", type=int, help="ask only so many known-item questions")
    given = parser.parse_args()
    say = (lambda line: print(line, file=sys.stderr)) if sys.stderr.isatty() else None
    try:
        built = build(given.folder, queries=given.queries, say=say)
    except PydocsError as trouble:
        print(trouble, file=sys.stderr)
        return 3
    print(json.dumps({"fingerprint": built.fingerprint, "counts": built.counts}, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
