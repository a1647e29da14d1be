"""Maintenance: after every update of a random stream, what is kept is what would be computed from scratch."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.contract.test_contract import COMBINATIONS
from tests.generators import Case, cases
from tests.mirror import Mirror, explicit_of, facts_of, net
from tests.updates import Data, Row, Update
from tidelog import Materialisation, Program

pytestmark = pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)


def materialisation(case: Case, engine: str, algorithm: str) -> Materialisation:
    mat = Materialisation(Program.parse(case.text), engine=engine, algorithm=algorithm)
    mat.update(insert=case.facts)
    return mat


@given(case=cases(max_updates=5))
def test_facts_and_changes_after_every_update(case: Case, engine: str, algorithm: str) -> None:
    mat = materialisation(case, engine, algorithm)
    mirror = Mirror(Program.parse(case.text), case.facts)
    mirror.compare(mat)
    for update in case.updates:
        mirror.check(mat, update)


@given(case=cases(max_updates=4))
def test_single_stratum_after_every_update(case: Case, engine: str, algorithm: str) -> None:
    program = Program.parse(case.text)
    mat = Materialisation(program, engine=engine, algorithm=algorithm, strata="single")
    mirror = Mirror(program)
    for update in (Update(case.facts, {}), *case.updates):
        mirror.check(mat, update)


@given(case=cases(max_updates=3))
def test_a_batch_is_its_facts_one_at_a_time(case: Case, engine: str, algorithm: str) -> None:
    batch, single = (materialisation(case, engine, algorithm) for _ in range(2))
    for update in case.updates:
        batch.update(insert=update.insert, delete=update.delete)
        for predicate, row in each(update.delete):
            single.update(delete={predicate: [row]})
        for predicate, row in each(update.insert):
            single.update(insert={predicate: [row]})
        assert facts_of(batch) == facts_of(single)
        assert explicit_of(batch) == explicit_of(single)


@given(case=cases(max_updates=3))
def test_undoing_an_update_leaves_nothing_behind(case: Case, engine: str, algorithm: str) -> None:
    """Insert what is new and delete what is there, then the other way round: back to the same facts, opposite changes."""
    mat = materialisation(case, engine, algorithm)
    for update in case.updates:
        facts, explicit = facts_of(mat), explicit_of(mat)
        deleted = {name: [row for row in rows if row in explicit.get(name, ())] for name, rows in update.delete.items()}
        inserted = {name: [row for row in rows if row not in explicit.get(name, ())] for name, rows in update.insert.items()}
        done = mat.update(insert=inserted, delete=deleted)
        undone = mat.update(insert=deleted, delete=inserted)
        assert (facts_of(mat), explicit_of(mat)) == (facts, explicit)
        assert (net(undone.inserted), net(undone.deleted)) == (net(done.deleted), net(done.inserted))


@given(case=cases(max_updates=2))
def test_deleting_everything_leaves_what_needs_no_facts(case: Case, engine: str, algorithm: str) -> None:
    mat = materialisation(case, engine, algorithm)
    mat.update(delete=explicit_of(mat))
    assert explicit_of(mat) == {}
    rules = "\n".join(line for line in case.text.splitlines() if ":-" in line)
    assert facts_of(mat) == facts_of(Materialisation(Program.parse(rules), engine=engine))


def each(data: Data) -> list[tuple[str, Row]]:
    return [(predicate, row) for predicate, rows in data.items() for row in rows]
