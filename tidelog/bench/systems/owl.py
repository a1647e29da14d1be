"""reasonable and owlrl: reasoners for RDF with rules of their own, so their answers are larger and are not compared."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tidelog.bench.task import Answer, Clock, Task
from tidelog.bench.workloads import Workload


def cannot(workload: Workload) -> str | None:
    return None if workload.triples and workload.rules else "RDF files with its own rules only"


def prepare_reasonable(workload: Workload, directory: Path) -> Task:
    return partial(_reasonable, directory)


def prepare_owlrl(workload: Workload, directory: Path) -> Task:
    return partial(_owlrl, directory)


def _reasonable(directory: Path, clock: Clock) -> Answer:
    import reasonable

    reasoner = reasonable.PyReasoner()
    with clock.phase("load"):
        reasoner.load_file(str(directory / "triple.ttl"))
    with clock.phase("evaluate"):
        triples = reasoner.reason()
    return Answer(len(triples), reasoner)


def _owlrl(directory: Path, clock: Clock) -> Answer:
    import owlrl
    import rdflib

    graph = rdflib.Graph()
    with clock.phase("load"):
        graph.parse(directory / "triple.nt", format="nt")
    with clock.phase("evaluate"):
        owlrl.DeductiveClosure(owlrl.RDFS_Semantics).expand(graph)
    return Answer(len(graph), graph)
