"""A PostgreSQL server as our child: started, awaited, stopped."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from .children import start_child
from .cluster import Cluster
from .database import PORT
from .log import last_lines
from .trouble import EmbeddedError

PID_FILE = "postmaster.pid"
_STATUS_LINE = 7
# A server that was killed reads its log again first, which may be a gigabyte.
START_SECONDS = 300
_PAUSE = 0.02

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "shared_buffers": "128MB",
    "max_connections": "100",
    "jit": "off",
    # Not /dev/shm, which is 64 MB in a container: a part is set aside at the start,
    # the rest are files in the data folder.
    "dynamic_shared_memory_type": "mmap",
    "min_dynamic_shared_memory": "16MB",
    "huge_pages": "off",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_checkpoints": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "cluster_name": "esra",
}
# Nobody reads a throw-away cluster again: what survives a power cut is of no use.
THROWAWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def start_server(cluster: Cluster, sockets: Path, serving: int) -> subprocess.Popen[bytes]:
    """A server that accepts connections in the folder ``sockets``."""
    settings = SETTINGS | {"unix_socket_directories": _listed(sockets)}
    if cluster.throwaway:
        settings |= THROWAWAY
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = start_child(
        [cluster.programs / "postgres", "-D", cluster.data, *options],
        cluster.account,
        inherits=serving,
        last_signal=signal.SIGINT,
    )
    _await_ready(server, cluster)
    return server


def stop_server(server: subprocess.Popen[bytes], *, throwaway: bool) -> None:
    """Ends the server and every connection to it, politely for as long as it helps."""
    # SIGTERM would wait for the clients; SIGINT writes the data down; SIGQUIT does not.
    polite = [] if throwaway else [(signal.SIGINT, 60)]
    for number, seconds in (*polite, (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
        if server.poll() is not None:
            return
        server.send_signal(number)
        try:
            server.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def pid_in(data: Path) -> int | None:
    """The server's process by the cluster's own note, which a killed one leaves behind."""
    lines = _note(data)
    return int(lines[0]) if lines and lines[0].isdecimal() else None


def _listed(folder: Path) -> str:
    """One element of a setting that is a list, where blanks and commas have a meaning."""
    return '"' + str(folder).replace('"', '""') + '"'


def _await_ready(server: subprocess.Popen[bytes], cluster: Cluster) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _is_ready(server.pid, cluster.data):
        if server.poll() is not None:
            raise EmbeddedError(_failed(cluster, "PostgreSQL did not start"))
        if time.monotonic() > deadline:
            stop_server(server, throwaway=cluster.throwaway)
            raise EmbeddedError(_failed(cluster, f"no answer in {START_SECONDS} seconds"))
        time.sleep(_PAUSE)


def _is_ready(pid: int, data: Path) -> bool:
    lines = _note(data)
    return (
        len(lines) > _STATUS_LINE
        and lines[0] == str(pid)
        and lines[_STATUS_LINE].strip() == "ready"
    )


def _note(data: Path) -> list[str]:
    try:
        return (data / PID_FILE).read_text().splitlines()
    except FileNotFoundError:
        return []


def _failed(cluster: Cluster, what: str) -> str:
    return (
        f"{what} in {cluster.base}; set ESRA_DATABASE_URL to use another server. "
        f"The log says:\n{last_lines(cluster.base)}"
    )
