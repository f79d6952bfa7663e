"""`python -m eval.demo [FOLDER]`: records the demo trace anew, into datasets/demo or FOLDER."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from eval.demo.build import build
from eval.demo.shipped import FOLDER


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.demo", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER, help="where it goes")
    folder = parser.parse_args().folder
    with TemporaryDirectory() as work:
        build(folder, Path(work), say=lambda line: print(line, file=sys.stderr))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
