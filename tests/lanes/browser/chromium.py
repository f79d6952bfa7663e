"""Drives a real Chromium over its DevTools protocol: what a person sees, and the clicks he makes.

Source: https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from websocket import WebSocket, create_connection

# JupyterLab draws the cells that are in sight; in a window this tall all of them are.
WIDTH, HEIGHT = 1400, 9000
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    f"--window-size={WIDTH},{HEIGHT}",
)


class Page:
    """One tab."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket, self._number = socket, 0

    def call(self, method: str, **given: object) -> dict:
        """What the browser answers; AssertionError where it refuses."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": given}))
        while True:
            told = json.loads(self._socket.recv())
            if told.get("id") == self._number:
                assert "error" not in told, f"{method}: {told['error']}"
                return told["result"]

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def see(self, expression: str) -> object:
        """The value of an expression of the page's own language."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def until(self, expression: str, seconds: float) -> object:
        """The value once it is a true one; AssertionError with what is on the page, if never."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            # A page that is still on its way has nothing to ask.
            with suppress(AssertionError):
                if value := self.see(expression):
                    return value
            time.sleep(0.1)
        raise AssertionError(f"never came: {expression}\n{self.see('document.body.innerText')}")

    def click(self, selector: str, text: str, seconds: float = 10) -> None:
        """Presses the first element that is called so, with the mouse."""
        found = (
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            f".find(one => one.textContent.trim() === {json.dumps(text)})"
        )
        self.until(f"!!{found}", seconds)
        box = f"{found}.getBoundingClientRect()"
        x, y = self.see(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


@contextmanager
def chromium(program: str, folder: Path) -> Iterator[Page]:
    """A browser with a profile of its own in ``folder``, and its one tab."""
    folder.mkdir(parents=True)
    # Its sandbox needs a user that is not root.
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--user-data-dir={folder}"]
    with (folder / "said.txt").open("w") as said:
        process = subprocess.Popen([program, *flags, "about:blank"], stdout=said, stderr=said)
    try:
        socket = create_connection(_address(process, folder), timeout=60, suppress_origin=True)
        try:
            yield Page(socket)
        finally:
            socket.close()
    finally:
        process.terminate()
        process.wait(20)


def _address(process: subprocess.Popen, folder: Path, seconds: float = 30) -> str:
    """Where the tab is spoken to."""
    told, end = folder / "DevToolsActivePort", time.monotonic() + seconds
    while not (told.exists() and told.read_text()):
        assert process.poll() is None, (folder / "said.txt").read_text()
        assert time.monotonic() < end, "the browser does not come"
        time.sleep(0.05)
    port = told.read_text().splitlines()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
        tabs = json.load(answer)
    return next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
