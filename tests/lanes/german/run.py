"""Runs the German lane: finds or installs Debian's server and locales, then tests with them.

Promises: where that is not possible it says so on one line, "not run" and why, and exits with 0;
what it could install and then not use is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.lanes import debian

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SERVERS = Path("/usr/lib/postgresql")
MESSAGES = Path("/usr/share/locale/de/LC_MESSAGES")
SOURCE = Path("/usr/share/i18n/locales/de_DE")
PACKAGES = ("postgresql", "locales")
UNAVAILABLE = 4


def programs() -> Path | None:
    """The newest server of Debian's that has its German words beside it."""
    found = [
        folder / "bin"
        for folder in SERVERS.glob("*")
        if (folder / "bin" / "initdb").is_file()
        and (MESSAGES / f"postgres-{folder.name}.mo").is_file()
    ]
    return max(found, key=lambda folder: float(folder.parent.name), default=None)


def lacking() -> bool:
    return programs() is None or not SOURCE.is_file() or shutil.which("localedef") is None


def not_had() -> str | None:
    """Why the packages cannot be had. No cluster of Debian's own is made or started."""
    if why := debian.refusal(PACKAGES):
        return why
    settings = Path("/etc/postgresql-common/createcluster.d")
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "esra-german-lane.conf").write_text("create_main_cluster = false\n", "utf-8")
    return debian.not_had(PACKAGES)


def main(arguments: list[str]) -> int:
    if lacking() and (why := not_had()):
        print(f"german lane: not run: {why}")
        return 0
    found = programs()
    if found is None or lacking():
        print("german lane: the packages came without their German words", file=sys.stderr)
        return UNAVAILABLE
    environment = {**os.environ, "ESRA_GERMAN_PROGRAMS": str(found)}
    pytest = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", str(HERE)]
    return subprocess.run([*pytest, *arguments], cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
