"""Makes .venv from the locks in this folder; loaded by ./workbench when there is something to make.

Promises: an environment is either finished or rebuilt; two runs take turns, and no orphaned pip
works under a new run; an environment that somebody else made is moved aside, never removed.
Standard library only and nothing newer than Python 3.6: see find_python.
"""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
LOG = VENV + ".log"
LOCKED = os.path.join(HERE, "workbench.txt")
BARE = os.path.join(HERE, "bare.txt")

SUPPORTED = ((3, 11), (3, 12), (3, 13))
TICK = 10.0  # seconds between two signs of life
BLINK = 0.5  # the same where one line of a terminal can be written over
LINE = 79  # characters of such a sign
WIPE = "\r\033[K"  # to the start of the line, and clear it
MACHINE, UNAVAILABLE = 3, 4

NEEDS = """needs Python 3.11, 3.12 or 3.13 with venv and pip, and found none:
{tried}
Install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python@3.13)
or name one: ESRA_PYTHON=/path/to/python3.12 ./workbench ..."""

# What a log says -> what it means for the person who reads it.
HINTS = (
    (
        "No space left|Disk quota",
        "the disk is full: about 1.5 GB is needed here and, for a while, in TMPDIR",
    ),
    (
        "(?i)do not match the hashes|hash mismatch",
        "the package index served another file than the locked one",
    ),
    (
        "ensurepip",
        "this Python cannot put pip into an environment (Debian, Ubuntu: apt install python3-venv)",
    ),
    (
        "(?i)no matching distribution|could not find|resol|connect|network|timed out",
        "the package index cannot be reached or lacks a package; pip's own settings "
        "(pip.conf, PIP_INDEX_URL, PIP_PROXY, PIP_CERT) are honoured",
    ),
)

# Run inside a candidate: its version, if it can make environments.
PROBE = "import sys, venv, ensurepip; print(*sys.version_info[:3])"


def say(text):
    sys.stderr.write(f"workbench: {text}\n")
    sys.stderr.flush()


def stop(text, code):
    say(text)
    sys.exit(code)


def candidates():
    """Interpreters to try, first the running one: its base, as it may stand in this .venv."""
    if os.environ.get("ESRA_PYTHON"):
        return [os.environ["ESRA_PYTHON"]]
    found = [getattr(sys, "_base_executable", None) or sys.executable]
    names = [f"python{major}.{minor}" for major, minor in reversed(SUPPORTED)]
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    # Every folder, not the first that has the name: a version manager's stand-in may refuse to run.
    found += [os.path.join(place, name) for name in [*names, "python3"] for place in folders]
    known = dict.fromkeys(path for path in found if not path.startswith(VENV))
    return [path for path in known if os.access(path, os.X_OK)]


def probe(python, env):
    """(version, "") of an interpreter that can make environments, else (None, the reason)."""
    pipe = subprocess.PIPE
    try:
        answer = subprocess.run(
            [python, "-I", "-c", PROBE],
            env=env,
            timeout=60,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return None, str(error)
    if answer.returncode:
        last = answer.stderr.decode(errors="replace").strip().split("\n")[-1]
        return None, last or f"ends with {answer.returncode} and is no Python that can be used"
    return tuple(map(int, answer.stdout.split())), ""


def find_python(env):
    """(version, path) of the first interpreter that will do; else ends with what to install."""
    tried = []
    for python in candidates():
        version, reason = probe(python, env)
        words = ".".join(map(str, version or ()))
        if version and version[:2] in SUPPORTED:
            return words, python
        tried.append(f"  {python}: {reason or 'is ' + words}")
    stop(NEEDS.format(tried="\n".join(tried or ["  no interpreter at all"])), MACHINE)


def take_turn():
    """An open, locked file; waits, saying so, while another run holds it."""
    import fcntl

    handle = os.open(VENV + ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    told = 0.0
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.time() - told > TICK:
                say("another ./workbench is making the environment; waiting for it")
                told = time.time()
            time.sleep(0.2)


def die_with_parent():
    """Linux: the kernel kills this child when its parent is gone, however it went."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG


class Installer:
    """Runs the steps of one installation: their output in the log, signs of life on stderr."""

    def __init__(self, env, lock):
        self.env = env
        self.lock = lock
        self.terminal = sys.stderr.isatty() and not os.environ.get("CI")
        self.uv = shutil.which("uv")
        open(LOG, "wb").close()

    def words(self):
        """What stands before the names of packages, for uv where it is installed, else for pip."""
        if self.uv:
            return [self.uv, "pip", "install", "--python", PYTHON]
        quiet = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
        return [PYTHON, "-I", "-m", "pip", "install", *quiet]

    def run(self, argv):
        """True if the command went well. It ends when this script ends."""
        with open(LOG, "ab") as log:
            log.write(f"\n$ {' '.join(argv)}\n".encode())
            log.flush()
            child = subprocess.Popen(
                argv,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # It holds the lock too: where it outlives this script, the next run waits for it.
                pass_fds=(self.lock,),
                preexec_fn=die_with_parent,
            )
        try:
            self.wait(child)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        return child.returncode == 0

    def wait(self, child):
        started = shown = time.time()
        while child.poll() is None:
            time.sleep(0.05)
            if time.time() - shown > (BLINK if self.terminal else TICK):
                shown = time.time()
                self.show(f"  {shown - started:.0f} s, {packages()} packages in place: {tail(1)}")
        if self.terminal:
            sys.stderr.write(WIPE)

    def show(self, line):
        if self.terminal:
            sys.stderr.write(WIPE + line[:LINE])
            sys.stderr.flush()
        else:
            say(line[:LINE])

    def install(self, what, arguments):
        """True if it went in; where uv cannot (its settings are its own), pip tries once more."""
        say("installing " + what)
        done = self.run(self.words() + arguments)
        if not done and self.uv:
            say(f"uv could not, pip tries ({tail(1).strip()})")
            self.uv = None
            done = self.run(self.words() + arguments)
        return done

    def packages(self):
        return self.install("what locks/workbench.txt names", ["--require-hashes", "-r", LOCKED])

    def bare(self):
        words = ["--no-deps", "--require-hashes", "-r", BARE]
        return not os.path.exists(BARE) or self.install("what locks/bare.txt names", words)

    def project(self):
        # Apart from the locks: hash checking refuses an editable install.
        return self.install("esra itself", ["--no-deps", "--no-build-isolation", "-e", ROOT])


def packages():
    return len(glob.glob(os.path.join(VENV, "lib", "*", "site-packages", "*.dist-info")))


def tail(lines):
    """The log's last lines, without those on packages meant for other systems."""
    with open(LOG, "rb") as log:
        log.seek(max(0, os.fstat(log.fileno()).st_size - 16000))
        seen = log.read().decode(errors="replace").strip().split("\n")
    told = [line[:200] for line in seen if not line.startswith("Ignoring ")]
    return "\n".join(told[-lines:])


def give_up():
    """Ends with the log's last lines and what to do."""
    seen = tail(60)
    known = (text for pattern, text in HINTS if re.search(pattern, seen))
    say("that failed; its last lines:\n" + tail(12))
    say(next(known, "the whole log is " + LOG))
    stop("the next run starts anew", UNAVAILABLE)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


def clear_away(made_here):
    """Leaves no .venv. A rename comes first: a removal cut off leaves no half of one in place."""
    for old in glob.glob(VENV + "-old-*"):
        remove(old)
    if not os.path.lexists(VENV):
        return
    aside = f"{VENV}-{'old' if made_here else 'before'}-{time.time():.0f}"
    os.rename(VENV, aside)
    if made_here:
        remove(aside)
    else:
        say("the .venv that was here is kept as " + os.path.basename(aside))


def make(env, lock, made_here, mark):
    """A new environment. ``mark`` is called once there is a .venv: the next run then knows it."""
    started = time.time()
    version, python = find_python(env)
    clear_away(made_here)
    os.mkdir(VENV)
    mark()
    installer = Installer(env, lock)
    say(f"making .venv with Python {version} and {'uv' if installer.uv else 'pip'}")
    say(f"some 200 packages, 1 GB, with pip two to three minutes; log: {os.path.basename(LOG)}")
    made = installer.run([python, "-I", "-m", "venv", VENV])
    if not (made and installer.packages() and installer.bare() and installer.project()):
        give_up()
    say(f"ready after {time.time() - started:.0f} s")
