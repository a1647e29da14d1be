"""The conversations in this folder, each replayed and compared; `UPDATE_SCENARIOS=1` writes the answers of today into them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.scenarios.conversation import replay

FILES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_conversation(file: Path) -> None:
    expected = file.read_text(encoding="utf-8")
    answered = replay(expected)
    if os.environ.get("UPDATE_SCENARIOS"):
        file.write_text(answered, encoding="utf-8")
    assert answered == file.read_text(encoding="utf-8")


def test_there_are_conversations() -> None:
    assert len(FILES) >= 15
