"""A ledger of a test's own."""

from pathlib import Path

import pytest

from eval.evidence import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "runs" / "ledger.jsonl")
