"""Theorems 12, 19 and 25 of Motik, Nenov, Piro, Horrocks (2019): no rule instance is considered twice where once is enough.

The theorems are held against every single instance on the algebra of `tests.naive_algebra`. The embedded engine only counts, so
its counts are compared: with those of the naive algebra where nothing is left to chance, else with the number of all instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generators import Case, cases
from tests.mirror import facts_of
from tests.naive_algebra import Algorithm, Considered, Instance, NaiveMaterialisation, pairs
from tests.oracle import Facts, from_scratch
from tests.paper import Phases
from tests.strategies import STRATEGIES
from tests.updates import Update, rule_text
from tidelog import Materialisation, Program
from tidelog.maintain.dred import dred
from tidelog.maintain.fbf import fbf
from tidelog.maintain.ranked import ranked

both_strata = st.sampled_from(["granular", "single"])
one_answer_or_all = st.booleans()


@given(case=cases(max_updates=2), strata=both_strata, frugal=one_answer_or_all)
def test_theorem_19(case: Case, strata: str, frugal: bool) -> None:
    mat = watched(case, strata, frugal=frugal)
    for update in case.updates:
        check_theorem_25(mat, dred, update)
        check_facts(mat)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(case=cases(max_updates=2), strata=both_strata, frugal=one_answer_or_all)
def test_theorem_25(case: Case, strategy: str, strata: str, frugal: bool) -> None:
    mat = watched(case, strata, frugal=frugal)
    for update in case.updates:
        check_theorem_25(mat, partial(fbf, abort=STRATEGIES[strategy]), update)
        check_facts(mat)


@given(case=cases(max_updates=2), strata=both_strata)
def test_ranked_maintenance_deletes_and_adds_without_repetition(case: Case, strata: str) -> None:
    """In the phase "backward" it may ask for a witness of the same fact again; the others are as DRed's."""
    mat = watched(case, strata)
    for update in case.updates:
        old = mat.instances()
        considered = mat.update(ranked, insert=update.insert, delete=update.delete)
        assert no_repetition(entry for entry in considered if entry.phase == "deletion") <= old
        assert no_repetition(entry for entry in considered if entry.phase == "addition") <= mat.instances()
        check_facts(mat)


@pytest.mark.parametrize("algorithm", ["dred", "ranked"])
@given(case=cases(max_updates=3), strata=both_strata)
def test_the_engine_considers_as_many_instances_as_the_naive_algebra(case: Case, algorithm: str, strata: str) -> None:
    naive, mat = watched(case, strata), engine(case, algorithm, strata)
    for update in case.updates:
        considered = naive.update({"dred": dred, "ranked": ranked}[algorithm], insert=update.insert, delete=update.delete)
        changes = mat.update(insert=update.insert, delete=update.delete)
        assert Phases.of(changes.statistics.instances_by_phase) == phases(considered)


@given(case=cases(max_updates=3), strata=both_strata)
def test_the_bounds_of_theorems_12_19_and_25_on_the_engine(case: Case, strata: str) -> None:
    naive = watched(case, strata)
    mats = {algorithm: engine(case, algorithm, strata) for algorithm in ("dred", "bf", "counting")}
    for update in case.updates:
        before = naive.instances()
        naive.update(dred, insert=update.insert, delete=update.delete)
        old, new = len(before), len(naive.instances())
        done = {
            algorithm: Phases.of(mat.update(insert=update.insert, delete=update.delete).statistics.instances_by_phase)
            for algorithm, mat in mats.items()
        }
        assert done["dred"].deletion <= old
        assert done["dred"].backward + done["dred"].addition <= new
        assert done["bf"].deletion <= old
        assert done["bf"].forward + done["bf"].addition <= new
        assert done["bf"].backward <= len(recursive(naive, before))
        assert done["counting"].deletion <= old
        assert done["counting"].addition <= new


@given(case=cases(max_updates=3), strata=both_strata)
def test_propositions_27_and_32(case: Case, strata: str) -> None:
    """Counting is optimal if nothing recurs; the others are if no instance stops firing and every deleted fact vanishes.

    Proposition 32 leaves out the second condition; the proof of Proposition 29 has the counterexample.
    """
    naive = watched(case, strata)
    mats = {algorithm: engine(case, algorithm, strata) for algorithm in ("dred", "bf", "ranked", "counting")}
    nothing_recurs = not any(stratum.recursive for stratum in naive.strata.strata)
    mats["counting"].update()
    for update in case.updates:
        old, explicit = naive.instances(), naive.explicit
        naive.update(dred, insert=update.insert, delete=update.delete)
        new = naive.instances()
        increasing = old <= new and (explicit - naive.explicit).isdisjoint(naive.facts)
        for algorithm, mat in mats.items():
            changes = mat.update(insert=update.insert, delete=update.delete)
            if nothing_recurs if algorithm == "counting" else increasing:
                assert changes.statistics.instances == len(old ^ new), algorithm
            assert facts_of(mat) == facts_of(mats["dred"])


def check_theorem_25(mat: NaiveMaterialisation, algorithm: Algorithm, update: Update) -> None:
    """Properties (b), (c) and (d); for DRed, which does not explore, this is Theorem 19."""
    old = mat.instances()
    considered = mat.update(algorithm, insert=update.insert, delete=update.delete)
    new = mat.instances()
    deletion = [entry for entry in considered if entry.phase == "deletion"]
    exploring = [entry for entry in considered if entry.operation == "explore"]
    proving = [entry for entry in considered if entry.phase in {"forward", "backward"} and entry.operation != "explore"]
    addition = [entry for entry in considered if entry.phase == "addition"]
    assert no_repetition(deletion) <= old
    assert no_repetition(proving + addition) <= new
    assert no_repetition(proving) <= old
    assert no_repetition(exploring) <= recursive(mat, old)


def check_facts(mat: NaiveMaterialisation) -> None:
    explicit: Facts = {}
    for predicate, row in mat.explicit:
        explicit.setdefault(predicate, set()).add(row)
    visible = {fact for fact in mat.facts if fact[0] not in mat.program.hidden}
    assert visible == pairs(from_scratch(mat.program, explicit, own_facts=False))


def watched(case: Case, strata: str, *, frugal: bool = False) -> NaiveMaterialisation:
    program = Program.parse(case.text + rule_text(case.facts))
    return NaiveMaterialisation(program, single=strata == "single", frugal=frugal)


def engine(case: Case, algorithm: str, strata: str) -> Materialisation:
    return Materialisation(
        Program.parse(case.text + rule_text(case.facts)), algorithm=algorithm, strata=strata, modules="standard"
    )


def no_repetition(considered: Iterable[Considered]) -> set[Instance]:
    instances = [entry.instance for entry in considered]
    assert len(instances) == len(set(instances)), "an instance is considered twice"
    return set(instances)


def recursive(mat: NaiveMaterialisation, instances: set[Instance]) -> set[Instance]:
    rules = {mat.algebra.number_of(rule) for stratum in mat.strata.strata for rule in stratum.recursive}
    return {instance for instance in instances if instance.rule in rules}


def phases(considered: Sequence[Considered]) -> Phases:
    counts: dict[str, int] = {}
    for entry in considered:
        counts[entry.phase] = counts.get(entry.phase, 0) + 1
    return Phases.of(counts)
