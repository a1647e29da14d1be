"""Facts that hold for a time: after every step of a random stream, what is kept is what would be computed."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.combinations import ALGORITHMS
from tests.faults import fault
from tests.generators import Case, cases
from tests.mirror import explicit_of, facts_of
from tests.properties.test_updates import blaming
from tests.timed import TimedMirror, seeds, times_for
from tidelog import Materialisation, Program

strata = st.sampled_from(["granular", "single"])
THAT_EXPIRE = ("auto", "expiry")
"""The algorithms that look after expiries; to the others a fact that expires is one that is deleted."""


@given(case=cases(max_updates=6), seed=seeds, strata=strata)
def test_facts_and_changes_after_every_step(case: Case, seed: int, strata: str) -> None:
    program = Program.parse(case.text)
    mats = {name: Materialisation(program, algorithm=name, strata=strata) for name in ALGORITHMS["embedded"]}
    mirror = TimedMirror(program)
    for step in times_for(case, seed):
        expected = mirror.step(step)
        for algorithm, mat in mats.items():
            with blaming(algorithm, step.update):
                mirror.check(mat, step, expected)


@given(case=cases(max_updates=6), seed=seeds, strata=strata)
def test_expiries_are_the_best_of_the_earliest(case: Case, seed: int, strata: str) -> None:
    program = Program.parse(case.text)
    mat, mirror = Materialisation(program, algorithm="expiry", strata=strata), TimedMirror(program)
    for step in times_for(case, seed):
        mirror.check(mat, step, mirror.step(step))
        for (predicate, row), expiry in mirror.expiries().items():
            assert mat.expiry(predicate, row) == expiry, f"{predicate}{row}"


@given(case=cases(max_updates=6), seed=seeds, data=st.data())
def test_any_algorithm_may_follow_any_other(case: Case, seed: int, data: st.DataObject) -> None:
    program = Program.parse(case.text)
    mat, mirror = Materialisation(program), TimedMirror(program)
    mat._engine.dead_rows = data.draw(st.sampled_from([0, 1 << 18]))  # facts move to a new store at once, or never
    for step in times_for(case, seed):
        mat.algorithm = data.draw(st.sampled_from([*THAT_EXPIRE, *THAT_EXPIRE, *ALGORITHMS["embedded"]]))
        mirror.check(mat, step, mirror.step(step))


@given(case=cases(max_updates=4), seed=seeds)
def test_every_fact_has_a_proof_whatever_expires(case: Case, seed: int) -> None:
    program = Program.parse(case.text)
    mat, mirror = Materialisation(program, algorithm="expiry"), TimedMirror(program)
    for step in times_for(case, seed):
        mirror.check(mat, step, mirror.step(step))
        for predicate, rows in mirror.facts.items():
            for row in rows:
                proof = mat.explain(predicate, row)
                assert proof.holds


@settings(max_examples=max(8, settings().max_examples // 5))
@given(
    case=cases(max_updates=4),
    seed=seeds,
    place=st.floats(0, 1),
    algorithm=st.sampled_from(["expiry", "ranked", "rematerialise"]),
)
def test_a_step_that_is_stopped_is_as_if_it_had_not_begun(case: Case, seed: int, place: float, algorithm: str) -> None:
    program = Program.parse(case.text)
    mat, mirror = Materialisation(program, algorithm=algorithm), TimedMirror(program)
    for step in times_for(case, seed):
        before = state_of(mat)
        with fault(KeyboardInterrupt, at=1 + int(place * 1500)), suppress(KeyboardInterrupt):
            step.apply(mat)
        expected = mirror.step(step)
        if state_of(mat) == before:
            mirror.check(mat, step, expected)
        assert (facts_of(mat), explicit_of(mat), mat.now) == (mirror.facts, mirror.explicit, step.now)
        for (predicate, row), expiry in mirror.expiries().items():
            assert mat.expiry(predicate, row) == expiry


def state_of(mat: Materialisation) -> tuple[object, ...]:
    """All that an update may change: facts, which are explicit, how long they hold, and the time."""
    facts = facts_of(mat)
    expiries = {(predicate, row): mat.expiry(predicate, row) for predicate, rows in facts.items() for row in rows}
    return facts, explicit_of(mat), expiries, mat.now
