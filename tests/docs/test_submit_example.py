"""The job for spark-submit: what it takes in is a version, and the next job goes on from it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tidelog as tl

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "spark" / "submit.py"


def test_a_job_takes_sources_in_and_the_next_one_goes_on(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "paths.rls").write_text(
        "edge(a, b) . path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."
    )
    (tmp_path / "edges.csv").write_text("b,c\nlonely\nc,d\n")
    (tmp_path / "gone.csv").write_text("c,d\n")
    main = runpy.run_path(str(SCRIPT))["main"]
    words = [str(tmp_path / "paths.rls"), str(tmp_path / "kept"), "--partitions", "2"]
    main([*words, "--insert", f"edge={tmp_path / 'edges.csv'}"])
    main([*words, "--delete", f"edge={tmp_path / 'gone.csv'}"])
    assert capsys.readouterr().out.splitlines() == [
        "version 0: 4 records, 1 of them bad",
        "  edge: +3 -0",
        "  path: +6 -0",
        "version 1: 1 records, 0 of them bad",
        "  edge: +0 -1",
        "  path: +0 -3",
    ]
    assert tl.Materialisation.open(tmp_path / "kept")["path"].sorted() == [("a", "b"), ("a", "c"), ("b", "c")]
