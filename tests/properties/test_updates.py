"""Maintenance: after every update of a random stream, what is kept is what would be computed from scratch.

Each example is given to all algorithms of an engine at once; a failure names the algorithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given

from tests import naive
from tests.contract.combinations import ALGORITHMS
from tests.generators import Case, cases
from tests.mirror import Mirror, explicit_of, facts_of, net, pairs, rank_in
from tests.updates import Data, Row, Update
from tidelog import Materialisation, Program

on_every_engine = pytest.mark.parametrize("engine", ALGORITHMS)


@on_every_engine
@pytest.mark.parametrize("strata", ["granular", "single"])
@given(case=cases(max_updates=5))
def test_facts_and_changes_after_every_update(case: Case, engine: str, strata: str) -> None:
    mats = empty(case, engine, strata)
    mirror = Mirror(Program.parse(case.text))
    for update in (Update(case.facts, {}), *case.updates):
        expected = mirror.update(update)
        for algorithm, mat in mats.items():
            with blaming(algorithm, update):
                mirror.check(mat, update, expected)


@on_every_engine
@pytest.mark.parametrize("strata", ["granular", "single"])
@given(case=cases(max_updates=4))
def test_every_fact_keeps_a_witness_of_lower_rank(case: Case, engine: str, strata: str) -> None:
    """What ranked maintenance rests on: a fact is explicit, or derived from facts that rank lower or are of lower strata."""
    program = Program.parse(case.text)
    for algorithm, mat in filled(case, engine, strata).items():
        for update in case.updates:
            mat.update(insert=update.insert, delete=update.delete)
            facts = facts_of(mat)
            found = naive.witnessed(program, facts, rank_in(mat), single_stratum=strata == "single")
            with blaming(algorithm, update):
                assert pairs(facts) - pairs(explicit_of(mat)) <= found


@on_every_engine
@given(case=cases(max_updates=3))
def test_a_batch_is_its_facts_one_at_a_time(case: Case, engine: str) -> None:
    for (algorithm, batch), single in zip(filled(case, engine).items(), filled(case, engine).values(), strict=True):
        for update in case.updates:
            batch.update(insert=update.insert, delete=update.delete)
            for predicate, row in each(update.delete):
                single.update(delete={predicate: [row]})
            for predicate, row in each(update.insert):
                single.update(insert={predicate: [row]})
            with blaming(algorithm, update):
                assert facts_of(batch) == facts_of(single)
                assert explicit_of(batch) == explicit_of(single)


@on_every_engine
@given(case=cases(max_updates=3))
def test_undoing_an_update_leaves_nothing_behind(case: Case, engine: str) -> None:
    """Insert what is new and delete what is there, then the other way round: back to the same facts, opposite changes."""
    for algorithm, mat in filled(case, engine).items():
        for update in case.updates:
            facts, explicit = facts_of(mat), explicit_of(mat)
            deleted = {name: [row for row in rows if row in explicit.get(name, ())] for name, rows in update.delete.items()}
            inserted = {
                name: [row for row in rows if row not in explicit.get(name, ())] for name, rows in update.insert.items()
            }
            done = mat.update(insert=inserted, delete=deleted)
            undone = mat.update(insert=deleted, delete=inserted)
            with blaming(algorithm, update):
                assert (facts_of(mat), explicit_of(mat)) == (facts, explicit)
                assert (net(undone.inserted), net(undone.deleted)) == (net(done.deleted), net(done.inserted))


@on_every_engine
@given(case=cases(max_updates=2))
def test_deleting_everything_leaves_what_needs_no_facts(case: Case, engine: str) -> None:
    rules = "\n".join(line for line in case.text.splitlines() if ":-" in line)
    for algorithm, mat in filled(case, engine).items():
        mat.update(delete=explicit_of(mat))
        with blaming(algorithm, "deleting everything"):
            assert explicit_of(mat) == {}
            assert facts_of(mat) == facts_of(Materialisation(Program.parse(rules), engine=engine))


def empty(case: Case, engine: str, strata: str = "granular") -> dict[str, Materialisation]:
    """For each algorithm a materialisation of the case's program, without the case's facts."""
    program = Program.parse(case.text)
    return {
        algorithm: Materialisation(program, engine=engine, algorithm=algorithm, strata=strata)
        for algorithm in ALGORITHMS[engine]
    }


def filled(case: Case, engine: str, strata: str = "granular") -> dict[str, Materialisation]:
    mats = empty(case, engine, strata)
    for mat in mats.values():
        mat.update(insert=case.facts)
    return mats


def each(data: Data) -> list[tuple[str, Row]]:
    return [(predicate, row) for predicate, rows in data.items() for row in rows]


@contextmanager
def blaming(algorithm: str, update: Update | str) -> Iterator[None]:
    """Notes on a failure which algorithm it was, at which update."""
    try:
        yield
    except Exception as error:
        error.add_note(f"algorithm {algorithm}, update {update}")
        raise
