"""The kernel a notebook runs in: this Python, with this checkout on its path and no one's habits.

A kernel specification of the name ``python3`` in the user's folder may lead to another
environment, and start-up files there may change what a cell prints.
"""

import os
import sys
from pathlib import Path

import zmq
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

NAME = "python3"


def kernel_class(root: Path, scratch: Path, said: Path) -> type[AsyncKernelManager]:
    """A kernel manager; ``root`` comes first on the path, ``scratch`` takes every file it needs.

    What the kernel says beside its cells goes to the file ``said``.
    """
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    spec = KernelSpec(
        argv=[
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
            "--HistoryManager.enabled=False",
            # Without it a cell that reads `ls` runs a magic, and says nothing where it fails.
            "--InteractiveShell.automagic=False",
        ],
        display_name="Python 3",
        language="python",
        metadata={"supported_encryption": ["curve"]},
        # CI: progress bars stay off, so that they are in nobody's output.
        env={"PYTHONPATH": path, "IPYTHONDIR": str(scratch / "ipython"), "CI": "true"},
    )

    class ThisPython(KernelSpecManager):
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            return spec

    class ThisKernel(AsyncKernelManager):
        def __init__(self, **kwargs: object) -> None:
            super().__init__(
                kernel_spec_manager=ThisPython(),
                connection_file=str(scratch / "connection.json"),
                # Cells and outputs travel over loopback, which every account here can reach.
                transport_encryption="auto" if zmq.has("curve") else "disabled",
                **kwargs,
            )

        async def start_kernel(self, **kwargs: object) -> None:
            with said.open("ab") as log:
                await super().start_kernel(stdout=log, stderr=log, **kwargs)

    return ThisKernel
