"""``python -m esra`` is the runtime's command."""

import sys

from esra.cli import main

sys.exit(main(sys.argv[1:]))
