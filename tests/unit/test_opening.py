"""Opening a warehouse with the embedded engine: what holds, its ranks and proofs, and what updates go on from."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import tidelog as tl
from tests.warehouses import write
from tidelog.cli import main
from tidelog.errors import DataError
from tidelog.terms import BlankNode, Iri, Literal, Term

RULES = """
    path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
    lonely(?x) :- node(?x), ~path(?x, ?x) . on :- node(_) .
"""
NODES: list[Term] = [
    "a",
    Iri("urn:b"),
    BlankNode("c"),
    Literal("d", "urn:t"),
    5,
    2**70,
    1.5,
    datetime(2024, 1, 1, tzinfo=UTC),
    True,
]
EDGES = list(zip(NODES, [*NODES[1:], NODES[3]], strict=True))


def materialised() -> tl.Materialisation:
    mat = tl.Materialisation(RULES)
    mat.update(insert={"edge": EDGES, "node": [(node,) for node in NODES], "path": [(NODES[0], NODES[2])]})
    return mat


def everything(mat: tl.Materialisation) -> dict[str, object]:
    return {p: (mat[p].sorted(), mat.explicit(p).sorted(), [mat.rank(p, f) for f in mat[p].sorted()]) for p in mat.predicates}


def test_what_holds_is_there_with_its_ranks(tmp_path: Path) -> None:
    mat = materialised()
    write(mat, tmp_path)
    opened = tl.Materialisation.open(tmp_path)
    assert everything(opened) == everything(mat)
    assert opened.statistics.instances == 0
    assert str(opened.explain("path", (NODES[0], NODES[4]))) == str(mat.explain("path", (NODES[0], NODES[4])))


@pytest.mark.parametrize("algorithm", ["ranked", "dred", "bf", "counting", "rematerialise"])
@pytest.mark.parametrize("ranks", [True, False])
def test_updates_go_on_from_there(algorithm: str, ranks: bool, tmp_path: Path) -> None:
    mat = materialised()
    write(mat, tmp_path, ranks=ranks)
    opened = tl.Materialisation.open(tmp_path, RULES, algorithm=algorithm)
    for some in (mat, opened):
        some.update(delete={"edge": EDGES[3:5], "node": [("a",)]}, insert={"edge": [(7, "a")]})
    assert {p: opened[p].sorted() for p in opened.predicates} == {p: mat[p].sorted() for p in mat.predicates}


def test_what_has_not_come_to_its_end_is_materialised_here(tmp_path: Path) -> None:
    mat = materialised()
    write(mat, tmp_path, materialised=False)
    assert everything(tl.Materialisation.open(tmp_path)) == everything(mat)


def test_closures_are_kept_from_their_edges_here_too(tmp_path: Path) -> None:
    rules = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), path(?y, ?z) ."
    mat = tl.Materialisation(rules)
    mat.update(insert={"edge": EDGES})
    write(tl.Materialisation.open(copied(mat, tmp_path / "w")), tmp_path / "again")
    opened = tl.Materialisation.open(tmp_path / "again")
    for some in (mat, opened):
        some.update(delete={"edge": EDGES[3:5]}, insert={"edge": [(7, "a")]})
    assert {p: opened[p].sorted() for p in opened.predicates} == {p: mat[p].sorted() for p in mat.predicates}


def copied(mat: tl.Materialisation, path: Path) -> Path:
    write(mat, path)
    return path


def test_earlier_versions_can_be_opened(tmp_path: Path) -> None:
    mat = materialised()
    write(mat, tmp_path)
    before = everything(mat)
    mat.update(delete={"edge": EDGES})
    write(mat, tmp_path)
    assert everything(tl.Materialisation.open(tmp_path, version=0)) == before
    assert everything(tl.Materialisation.open(tmp_path)) == everything(mat) != before


def test_another_program_is_refused_and_facts_of_the_program_are_not_added(tmp_path: Path) -> None:
    write(materialised(), tmp_path)
    with pytest.raises(DataError, match="another program: 3 rules only there"):
        tl.Materialisation.open(tmp_path, "path(?x, ?y) :- edge(?x, ?y) .")
    assert ("x", "y") not in tl.Materialisation.open(tmp_path, RULES + " edge(x, y) .")["path"]


def test_a_damaged_warehouse_is_an_error(tmp_path: Path) -> None:
    write(materialised(), tmp_path)
    (data,) = (tmp_path / "data").iterdir()
    (data / "edge.parquet").write_bytes(b"no longer")
    with pytest.raises(DataError, match=r"edge\.parquet: cannot be read"):
        tl.Materialisation.open(tmp_path)


def test_the_command_line_asks_a_warehouse(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program, warehouse = str(tmp_path / "paths.rls"), str(tmp_path / "w")
    Path(program).write_text(RULES)
    write(materialised(), tmp_path / "w")
    assert main(["query", program, "path(a, ?x), path(?x, 5)", "--warehouse", warehouse]) == 0
    assert "<urn:b>" in capfd.readouterr().out
    assert main(["explain", program, "path(a, 5)", "--warehouse", warehouse]) == 0
    assert "path(a, _:c)    (explicit)" in capfd.readouterr().out
    assert main(["query", program, "on", "--warehouse", warehouse, "--facts", "edge=x.csv"]) != 0
    assert "do not go together" in capfd.readouterr().err
