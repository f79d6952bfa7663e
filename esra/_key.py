"""The key of the seal, made when the process starts. Only ``_stamp`` and ``_check`` read it."""

import hashlib
import hmac
import os

_KEY = os.urandom(32)


def tag(content: object) -> bytes:
    """HMAC-SHA256 over the content's repr: it is deeply immutable, so that is its value."""
    return hmac.new(_KEY, repr(content).encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
