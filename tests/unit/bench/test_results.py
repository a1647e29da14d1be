"""From runs to verdicts, tables and Markdown."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from tidelog.bench import main
from tidelog.bench.command import chosen
from tidelog.bench.options import Options, read
from tidelog.bench.report import markdown
from tidelog.bench.results import Comparison, Line, Results, Run
from tidelog.bench.table import show
from tidelog.bench.targets import ahead, ahead_of_all, at_least, at_most
from tidelog.bench.workloads import GROUPS, WORKLOADS
from tidelog.errors import SetupError


def line(system: str, *seconds: float, facts: int = 10, checksum: int | None = None, measured: float | None = None) -> Line:
    runs = tuple(
        Run({"load": second / 4, "evaluate": second * 3 / 4}, facts, second * 2, checksum, peak=2_000_000) for second in seconds
    )
    return Line(system, runs, measured=measured)


def lines(*given: Line) -> dict[str, Line]:
    return {line.system: line for line in given}


def comparison(*given: Line) -> Comparison:
    return Comparison("closure", "paths", {"nodes": 4000}, "derivations/s", given, (ahead("nemo", 2)(lines(*given)),))


def test_the_best_run_counts() -> None:
    assert line("nemo", 4.0, 1.0, 3.0).best == 1.0
    assert line("nemo", 4.0, 1.0, 3.0).median == 3.0
    assert line("nemo").best is None


@pytest.mark.parametrize(("own", "met"), [(1.0, True), (2.1, False)])
def test_ahead_by_a_factor(own: float, met: bool) -> None:
    assert ahead("nemo", 2)(lines(line("tidelog", own), line("nemo", 4.0))).met is met


def test_a_lead_that_the_median_does_not_share_is_none() -> None:
    assert ahead("nemo")(lines(line("tidelog", 1.0, 5.0, 5.0), line("nemo", 2.0, 2.0, 2.0))).met is False


def test_a_peer_given_up_took_at_least_the_limit() -> None:
    slow = Line("nemo", note="given up after 60 s", timeout=60.0)
    assert ahead("nemo")(lines(line("tidelog", 5.0), slow)).met is True
    assert ahead("nemo", 20)(lines(line("tidelog", 5.0), slow)).met is False


def test_what_did_not_run_is_no_verdict() -> None:
    missing = Line("nemo", note="not installed")
    assert ahead("nemo")(lines(line("tidelog", 1.0), missing)).met is None
    assert ahead_of_all()(lines(line("tidelog", 1.0), missing)).met is None
    assert at_most("µs/round", 200)(lines(line("tidelog"))).met is None


def test_ahead_of_all_names_who_is_ahead() -> None:
    verdict = ahead_of_all()(lines(line("tidelog", 2.0), line("nemo", 4.0), line("duckdb", 1.0)))
    assert str(verdict) == "target: faster than every peer (not duckdb): missed"


def test_bounds() -> None:
    own = lines(line("tidelog", 1.0, measured=100.0))
    assert at_least("rows/s", 100)(own).met is True
    assert at_most("bytes/fact", 99)(own).met is False


def test_different_answers_are_a_disagreement() -> None:
    assert comparison(line("tidelog", 1.0), line("nemo", 2.0)).disagreement is None
    assert comparison(line("tidelog", 1.0, checksum=1), line("nemo", 2.0)).disagreement is None
    assert comparison(line("tidelog", 1.0), line("nemo", 2.0, facts=9)).disagreement == "10 facts (tidelog); 9 facts (nemo)"
    assert comparison(line("tidelog", 1.0, checksum=1), line("nemo", 2.0, checksum=2)).disagreement is not None


def test_results_survive_json() -> None:
    results = Results({"cores": 2, "processor": "x", "system": "Linux"}, (comparison(line("tidelog", 1.0), line("nemo", 2.0)),))
    assert Results.from_json(json.loads(json.dumps(results.to_json()))) == results


def test_markdown() -> None:
    results = Results(
        {"cores": 2, "processor": "Abacus", "system": "Linux", "python": "3.13"},
        (comparison(line("tidelog", 0.05, measured=2e7), line("nemo", 0.5), Line("clingo", note="not installed")),),
    )
    text = markdown(results)
    assert text.startswith("Measured on 2 cores, Abacus, Linux; python 3.13.\n\n### closure\n\nPaths (nodes 4,000).\n")
    assert "| tidelog | 50.0 ms | 50.0 ms | 1.00x | 100 ms | 10 | 2 MB | 20.0 M |" in text
    assert "| nemo | 500 ms | 500 ms | 10.00x | 1.00 s | 10 | 2 MB |  |" in text
    assert "| clingo | not installed |" in text
    assert "- target: at least 2 times faster than nemo: met" in text


def test_the_table_leaves_out_empty_columns_and_says_what_is_missing() -> None:
    out = io.StringIO()
    show(comparison(line("tidelog", 1.0), Line("nemo", note="not installed: pip install x")), Console(file=out, width=100))
    assert "derivations/s" not in out.getvalue()
    assert "nemo: not installed: pip install x" in out.getvalue()


def test_options_from_words_and_keywords() -> None:
    assert read(None, (), {}) == Options()
    assert read("closure", ("chain", "--quick"), {}) == Options(("closure", "chain"), size="quick", repeat=1)
    assert read("closure", (), {"quick": True, "repeat": 5}) == Options(("closure",), size="quick", repeat=5)
    assert read("all", ("--set", "nodes=1_000,edges=2"), {}).settings == {"nodes": 1000, "edges": 2}
    assert read("all", ("--systems", "tidelog, nemo"), {}).systems == ("tidelog", "nemo")
    assert read("all", ("--json", "r.json"), {}).json == Path("r.json")


def test_names_of_groups_and_all() -> None:
    assert chosen(("load", "load-csv")) == list(GROUPS["load"])
    assert chosen(("all",))[:-1] == [workload.name for workload in WORKLOADS]
    with pytest.raises(SetupError, match="no benchmark is called 'nonsense'"):
        chosen(("nonsense",))


def test_list_names_benchmarks_and_systems(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("list") == 0
    out = capsys.readouterr().out
    assert all(workload.name in out for workload in WORKLOADS)
    assert "duckdb-loop" in out
