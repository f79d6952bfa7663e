"""What must not reach in from the environment."""

import os


def forget_server_settings() -> None:
    """Drops libpq's variables (``PGHOSTADDR``, ``PGSERVICE``, ...) from this process.

    Each would add to, or overrule, an address that names its server already.
    """
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
