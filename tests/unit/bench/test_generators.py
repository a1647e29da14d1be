"""The generated inputs: the same from the same seed, of the promised shape."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from tidelog.bench import graphs, inputs
from tidelog.bench.graphs import Rows
from tidelog.bench.ontology import ID, ONTOLOGY, VOCABULARY
from tidelog.bench.university import university
from tidelog.bench.workloads import WORKLOADS, Workload


def is_set(rows: Rows) -> bool:
    return len(np.unique(rows, axis=0)) == len(rows)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_the_same_parameters_give_the_same_files(workload: Workload, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        workload.write(tmp_path / name, "tiny", {})
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in files)


def test_settings_replace_the_parameters_of_a_size(tmp_path: Path) -> None:
    chain = next(workload for workload in WORKLOADS if workload.name == "chain")
    assert chain.write(tmp_path, "tiny", {"nodes": 5, "unknown": 1}) == {"nodes": 5}
    assert (tmp_path / "edge.csv").read_text().split() == ["0,1", "1,2", "2,3", "3,4"]
    assert (tmp_path / "source.lp").read_text() == "source(0).\n"


def test_a_random_graph_has_as_many_edges_as_asked_for() -> None:
    edges = graphs.random_graph(nodes=50, edges=200)["edge"]
    assert len(edges) == 200
    assert is_set(edges)
    assert edges.min() >= 0
    assert edges.max() < 50


def test_parents_are_one_generation_up() -> None:
    rows = graphs.family(people=100, generations=5)["parent"]
    assert is_set(rows)
    assert (rows[:, 0] // 20 == rows[:, 1] // 20 + 1).all()


def test_pointer_statements_name_variables_of_the_program() -> None:
    relations = graphs.pointers(variables=120)
    assert set(relations) == {"address_of", "assign", "load", "store"}
    assert all(is_set(rows) and rows.min() >= 0 and rows.max() < 120 for rows in relations.values())


def test_a_university_says_nothing_twice_and_everything_has_a_name() -> None:
    data = university(universities=2, departments=4)
    assert is_set(data.triples)
    assert (data.triples[: len(ONTOLOGY)] == ONTOLOGY).all()
    terms = data.terms().to_pylist()
    assert len(terms) == data.triples.max() + 1 == len(set(terms))
    assert terms[: len(VOCABULARY)] == [f"<{iri}>" for iri in VOCABULARY]


def test_everything_in_a_university_belongs_somewhere() -> None:
    triples = university(universities=1, departments=4).triples[len(ONTOLOGY) :]
    subjects, words, objects = triples.T
    students = subjects[(words == ID["type"]) & np.isin(objects, [ID["GraduateStudent"], ID["UndergraduateStudent"]])]
    assert np.array_equal(np.sort(students), np.sort(subjects[words == ID["memberOf"]]))
    departments = subjects[(words == ID["type"]) & (objects == ID["Department"])]
    assert np.array_equal(np.sort(objects[words == ID["headOf"]]), departments)


def test_lines_are_ntriples_whatever_the_portion() -> None:
    data = university(universities=1, departments=1)
    whole = b"".join(data.lines())
    assert b"".join(data.lines(step=100)) == whole
    lines = whole.decode().splitlines()
    assert len(lines) == len(data.triples)
    assert all(line.startswith("<") and line.endswith(" .") for line in lines)


def test_a_given_file_and_its_ontology_become_one(tmp_path: Path) -> None:
    data, ontology = tmp_path / "data.nt.gz", tmp_path / "ontology.ttl"
    data.write_bytes(gzip.compress(b"<http://e/a> <http://e/p> <http://e/b> ."))
    ontology.write_text("@prefix e: <http://e/> . e:p a e:Property .")
    inputs.write_triples(tmp_path, inputs.given_triples(data, ontology))
    text = (tmp_path / "triple.nt").read_text()
    assert [line.split()[1] for line in text.split("\n") if line] == [
        "<http://e/p>",
        "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
    ]
