"""Dead rows and terms are left behind, and nobody notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tidelog as tl
from tests.generators import Case, cases
from tests.mirror import Mirror
from tests.streams import at_once
from tests.updates import Update
from tidelog.cli.feed import Csv, Parquet
from tidelog.engines.embedded import engine

PATHS = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) . base(0, 1.5) ."
Written = dict[str, dict[str, list[tuple[Any, ...]]]]


def passing_by(count: int) -> Iterator[Written]:
    """Each update inserts a chain of new terms and takes the one before away."""
    before: list[tuple[Any, ...]] = []
    for n in range(count):
        chain: list[tuple[Any, ...]] = [(tl.Iri(f"http://x/{n}"), f"{n}"), (f"{n}", n + 0.5), (n + 0.5, n)]
        yield {"insert": {"edge": chain}, "delete": {"edge": before}}
        before = chain


@pytest.fixture
def mat() -> tl.Materialisation:
    mat = tl.Materialisation(PATHS)
    mat._engine.dead_rows = 20
    return mat


@pytest.mark.parametrize("algorithm", ["auto", "ranked", "dred", "bf", "counting", "bf-marking"])
def test_a_stream_that_passes_by_leaves_nothing(algorithm: str, mat: tl.Materialisation) -> None:
    mat.algorithm = algorithm
    edges, every = mat["edge"], []
    for n, changes in enumerate(mat.follow(passing_by(60))):
        every.append(changes)
        assert len(mat) == 3 + 6 + 1
        assert sum(table.count for table in mat._engine.store) <= 9 + 20 + 3 * 9
        assert len(mat._engine.dictionary) <= 2 * 20 + 6
        assert edges.sorted()[-1] == (tl.Iri(f"http://x/{n}"), f"{n}")
        assert (f"{n}", n + 0.5) in edges
        assert (f"{n - 1}", n - 0.5) not in edges
        assert list(mat["base"]) == [(0, 1.5)]
    for n, changes in enumerate(every):  # what was told before is as it was
        assert ("path", (tl.Iri(f"http://x/{n}"), n)) in [(name, fact) for sign, name, fact in changes if sign > 0]
        assert len(changes.inserted.explicit["edge"]) == 3
        assert all(str(n - 1) in str(fact[0]) for fact in changes.deleted.explicit["edge"])


def test_ranks_and_proofs_move_along(mat: tl.Materialisation) -> None:
    mat.algorithm = "ranked"
    for _ in mat.follow(passing_by(30)):
        pass
    facts = [(tl.Iri("http://x/29"), last) for last in ("29", 29.5, 29)]
    before = [mat.rank("path", fact) for fact in facts]
    mat._engine.dead_rows = 0
    mat._engine.tidy()
    assert sum(table.count for table in mat._engine.store) == len(mat)
    assert [mat.rank("path", fact) for fact in facts] == before
    assert before[0] < before[1] < before[2]
    assert "edge" in str(mat.explain("path", facts[-1]))
    assert mat.query("path(?x, 29)").sorted()[-1] == (tl.Iri("http://x/29"),)


def test_times_move_along() -> None:
    mat = tl.Materialisation(PATHS)
    mat._engine.dead_rows = 10
    for now in range(1, 40):
        mat.advance(now, insert={"edge": [(f"{now}", f"{now + 1}")]}, expires=now + 3)
        assert sorted(int(a) for a, _ in mat["edge"]) == [n for n in range(now - 2, now + 1) if n > 0]
        assert mat.expiry("edge", (f"{now}", f"{now + 1}")) == now + 3
        assert sum(table.count for table in mat._engine.store) <= 10 + 10 + 10 + 9
    assert mat.advance(100).deleted["path"].sorted()[0] == ("37", "38")


def test_complex_rules_move_along() -> None:
    mat = tl.Materialisation("tri(?x, ?y, ?z) :- e(?x, ?y), e(?y, ?z), e(?z, ?x) .", modules="hypertree")
    mat._engine.dead_rows = 10
    for n in range(30):
        cycle = [(f"{n} {a}", f"{n} {(a + 1) % 3}") for a in range(3)]
        mat.update(insert={"e": cycle}, delete={"e": list(mat["e"])})
        assert len(mat["tri"]) == 3
    assert sum(table.count for table in mat._engine.store) < 60


def test_an_update_that_was_looked_at_before_is_still_understood() -> None:
    mat = tl.Materialisation(PATHS, algorithm="bf-marking")
    mat._engine.dead_rows = 5
    marked = Counter[bool]()
    for n, changes in enumerate(mat.follow(at_once(list(passing_by(40))))):
        assert sorted(map(str, (fact[1] for fact in mat["edge"]))) == sorted([f"{n}", f"{n + 0.5}", f"{n}"])
        marked[changes.statistics.marked_explicit > 0] += 1
    assert marked[True] > 30
    assert sum(table.count for table in mat._engine.store) < 60


def test_tables_of_changes_have_the_terms_of_their_time(mat: tl.Materialisation, tmp_path: Path) -> None:
    feeds = [kind(tmp_path, {"path": mat["path"]}) for kind in (Csv, Parquet)]
    for changes in mat.follow(passing_by(20)):
        for feed in feeds:
            feed.write(changes)
    for feed in feeds:
        feed.close()
    lines = (tmp_path / "path.csv").read_text().splitlines()[1:]
    rows = pq.read_table(tmp_path / "path.parquet").to_pylist()
    assert len(lines) == len(rows) == 20 * 6 + 19 * 6
    for n in range(20):
        told = [line for line in lines if line.startswith(f"{n + 1},1,") and line.endswith(f",{n}")]
        assert any(f"http://x/{n}" in line for line in told)
        assert any(row["update"] == n + 1 and row["change"] == 1 and f"http://x/{n}" in str(row["c0"]) for row in rows)


@given(case=cases(max_updates=5), algorithm=st.sampled_from(("ranked", "dred", "bf", "counting", "dred-marking", "auto")))
def test_moving_before_every_update(case: Case, algorithm: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "is_due", lambda store, least: True)
        mirror = Mirror(tl.Program.parse(case.text))
        mat = tl.Materialisation(case.text, algorithm=algorithm, marks="shared")
        for update in (Update(case.facts, {}), *case.updates):
            mirror.check(mat, update, mirror.update(update))
