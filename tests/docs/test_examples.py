"""The supply-chain example says what its comments and `make demo` say it says, small and generated."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from tidelog.cli import main

SUPPLY = Path(__file__).resolve().parents[2] / "examples" / "supply"


def test_the_small_company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(SUPPLY / "supply.rls")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "lost(e_bike, 1209500) .",
        "lost(wheelchair, 287500) .",
        "safe(cargo_bike) .",
        "safe(city_bike) .",
        "safe(hand_cart) .",
    ]
    assert "wheelchair,weavers" in (tmp_path / "depends.csv").read_text().splitlines()


def test_the_island_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    update = str(SUPPLY / "island-opens.ndjson")
    assert main(["run", str(SUPPLY / "supply.rls"), "--update", update, "--changes", "-"]) == 0
    changes = json.loads(capsys.readouterr().out)
    assert changes["insert"] == [["safe", "e_bike"]]
    assert changes["delete"] == [["lost", "e_bike", 1209500]]


def test_a_generated_company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["generate.py", "large", "20"])
    runpy.run_path(str(SUPPLY / "generate.py"), run_name="__main__")
    assert main(["run", str(SUPPLY / "supply.rls"), "--input", "large", "--out", "made"]) == 0
    lost, safe = ((tmp_path / "made" / f"{name}.csv").read_text().splitlines() for name in ("lost", "safe"))
    assert len(lost) + len(safe) == 20
