"""What a person may write where hosts are listed: a name, an address, a network, a folder."""

import re
from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator

_NAME = re.compile(r"\A[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?\Z")


def _host(entry: str) -> str:
    if entry.startswith("/") or _NAME.match(entry):
        return entry
    try:
        ip_network(entry)
    except ValueError as error:
        raise ValueError(f"no host name, address, network or folder: {error}") from None
    return entry


Host = Annotated[str, AfterValidator(_host)]
