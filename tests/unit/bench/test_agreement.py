"""Every system finds the same answer on every workload that it can do, at the smallest size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.bench.compare import compare
from tidelog.bench.options import Options
from tidelog.bench.results import OWN
from tidelog.bench.systems import SYSTEMS, System
from tidelog.bench.worker import measure
from tidelog.bench.workloads import WORKLOADS, Workload, find_workload

COMPARED = [system for system in SYSTEMS if not system.derives_more and system.name != OWN]


@pytest.mark.parametrize("workload", [w for w in WORKLOADS if not w.systems], ids=lambda workload: workload.name)
def test_systems_agree(workload: Workload, tmp_path: Path) -> None:
    workload.write(tmp_path, "tiny", {})
    own = measure(OWN, workload.name, tmp_path)
    assert own.facts
    for system in COMPARED:
        if system.installed and workload_fits(system, workload):
            peer = measure(system.name, workload.name, tmp_path)
            assert peer.facts == own.facts, system.name
            assert peer.checksum in (None, own.checksum), system.name


def workload_fits(system: System, workload: Workload) -> bool:
    return system.cannot(workload) is None


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system.derives_more], ids=lambda system: system.name)
def test_reasoners_with_rules_of_their_own_derive_more(system: System, tmp_path: Path) -> None:
    pytest.importorskip(system.module)
    workload = find_workload("rdfs")
    text = "<http://e/a> <http://e/p> <http://e/b> .\n<http://e/p> <http://www.w3.org/2000/01/rdf-schema#domain> <http://e/C> ."
    (tmp_path / "triple.nt").write_text(text)
    (tmp_path / "triple.ttl").write_text(text)
    facts = measure(system.name, workload.name, tmp_path).facts
    assert facts is not None
    assert facts >= 3


def test_a_comparison_runs_each_system_in_a_process_of_its_own() -> None:
    comparison = compare(find_workload("rounds-1"), Options(size="tiny", repeat=1))
    (line,) = comparison.lines
    assert line.system == OWN
    assert line.facts == 30
    assert line.measured is not None
    assert comparison.disagreement is None
    assert comparison.verdicts == ()
