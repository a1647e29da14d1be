"""The inputs in the proofs of Propositions 27 to 36 (section 8), with their numbers of rule instances.

Some of the published numbers are one too high: they count the deletion of an explicit fact as if it took an instance. Each test
then says which. FBF is `bf` here, since section 8 assumes that it never aborts a branch.
"""

from __future__ import annotations

import pytest

from tests.mirror import net
from tests.paper import STEP, Phases, as_on_paper, chain, considered, firing, maintained
from tidelog.materialisation import ALGORITHMS

N = 8

TWO_WAYS = "p(?x) :- q(?x) . p(?x) :- r(?x) ."


def test_proposition_28_dred_and_fbf_are_not_optimal_on_nonrecursive_programs() -> None:
    """One instance stops firing; a second one, which proves P(a) again, is considered by both."""
    assert considered("dred", TWO_WAYS, "+q(a) +r(a)", "-q(a)") == Phases(deletion=1, backward=1)
    assert considered("bf", TWO_WAYS, "+q(a) +r(a)", "-q(a)") == Phases(deletion=1, forward=1)


def test_proposition_27_counting_is_optimal_on_nonrecursive_programs() -> None:
    assert considered("counting", TWO_WAYS, "+q(a) +r(a)", "-q(a)").total == 1


@pytest.mark.parametrize("i", range(2, N + 1))
@pytest.mark.parametrize("strata", ["granular", "single"])
def test_proposition_29(i: int, strata: str) -> None:
    """B(a_i) goes and still follows from B(a_{i-1}).

    DRed: n - i instances to overdelete, one to rederive B(a_i), n - i to insert the rest. The paper says 2(n - i + 1).
    FBF: i - 1 backwards to B(a_1), i - 1 forwards from there, and the one from B(a_i) to the unchecked B(a_{i+1}), if i < n.
    The paper says 2i. Either way FBF is better if i < (n + 1)/2, and worse if i is above.
    """
    facts, update = f"+b(a1) +b(a{i}) {chain(N)}", f"-b(a{i})"
    dred, bf = (considered(algorithm, STEP, facts, update, strata) for algorithm in ("dred", "bf"))
    assert dred == Phases(deletion=N - i, backward=1, addition=N - i)
    if strata == "granular":
        assert bf == Phases(backward=i - 1, forward=i - 1 + (i < N))
        assert (bf.total < dred.total) == (i < (N + 1) / 2)
        assert (bf.total > dred.total) == (i > (N + 1) / 2)
    else:
        assert (bf.deletion, bf.addition, bf.backward) == (0, 0, i - 1)
    assert as_on_paper("dred", STEP, facts, update, strata) == dred


@pytest.mark.parametrize("algorithm", ["dred", "bf", "ranked"])
def test_proposition_29_insertion(algorithm: str) -> None:
    """Adding B(a_i), which holds, takes DRed and FBF no instance at all."""
    assert considered(algorithm, STEP, f"+b(a1) {chain(N)}", "+b(a3)") == Phases()


@pytest.mark.parametrize("i", range(2, N + 1))
def test_proposition_29_counting(i: int) -> None:
    """Each instance after a_i is moved from one round to another, which takes it away and adds it: 2(n - i)."""
    facts = f"+b(a1) {chain(N)}"
    assert considered("counting", STEP, facts, f"+b(a{i})").total == 2 * (N - i)
    assert considered("counting", STEP, f"{facts} +b(a{i})", f"-b(a{i})").total == 2 * (N - i)


@pytest.mark.parametrize("strata", ["granular", "single"])
def test_proposition_30(strata: str) -> None:
    """FBF considers all instances of the old materialisation backwards, in vain, and then all of them to delete."""
    facts, update = f"+b(a1) +b(a{N}) {chain(N)}", f"-b(a1) -b(a{N})"
    everything = firing(STEP, facts)
    assert everything == N - 1
    for count in (considered, as_on_paper):
        assert count("bf", STEP, facts, update, strata) == Phases(deletion=everything, backward=everything)
        assert count("dred", STEP, facts, update, strata) == Phases(deletion=everything)


INCREASING = (
    (STEP, f"+b(a1) {chain(N)}", f"+t(a{N}, a1) +b(a5) +t(a3, a1)"),
    (TWO_WAYS, "+q(a)", "+r(a) +q(b)"),
    ("p(?x) :- q(?x), ~r(?x) .", "+q(a) +r(a) +q(b)", "-r(a)"),
)


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize("algorithm", ["dred", "bf", "fbf", "ranked"])
@pytest.mark.parametrize(("rules", "facts", "update"), INCREASING)
def test_proposition_32(rules: str, facts: str, update: str, algorithm: str, strata: str) -> None:
    """Where no instance stops firing, only those that begin are considered, whatever the strata."""
    new = firing(rules, facts, update) - firing(rules, facts)
    assert considered(algorithm, rules, facts, update, strata) == Phases(addition=new)


def test_proposition_33_counting_is_optimal_for_insertions_only_if_nothing_recurs() -> None:
    assert considered("counting", TWO_WAYS, "+q(a)", "+r(a) +q(b)").total == 2
    facts = f"+b(a1) {chain(N)}"
    assert firing(STEP, facts, "+b(a3)") == firing(STEP, facts)
    assert considered("counting", STEP, facts, "+b(a3)").total > 0


LADDER = " ".join(f"b{i + 1}(?x) :- b{i}(?x) ." for i in range(1, N))
"""Rules (150)."""


def test_proposition_34_dred() -> None:
    """On one stratum B_2(a) to B_n(a) are overdeleted and come back; on many, B_2(a) is rederived at once.

    The paper says 2n - 2 and 2; B_2(a) comes back as an explicit fact and needs no instance, so it is one less both times.
    """
    facts, update = "+b1(a) +b2(a)", "-b1(a)"
    assert considered("dred", LADDER, facts, update, "single") == Phases(deletion=N - 1, addition=N - 2)
    assert considered("dred", LADDER, facts, update) == Phases(deletion=1)


def test_proposition_34_fbf() -> None:
    """On one stratum B_n(a) is checked down to B_1(a) and proved on the way back: n - 1 and n - 1. On many, in one step.

    The paper says two for the latter; there is one instance, and deleting an explicit fact takes none.
    """
    facts, update = f"+b1(a) +b{N}(a)", f"-b{N}(a)"
    assert considered("bf", LADDER, facts, update, "single") == Phases(backward=N - 1, forward=N - 1)
    assert considered("bf", LADDER, facts, update) == Phases(forward=1)


@pytest.mark.parametrize("i", range(2, N))
def test_proposition_34_counting(i: int) -> None:
    """On one stratum the trace moves as in Proposition 29. On many nothing is recursive, and no instance begins or stops.

    The paper speaks of one "new" instance B_i(a) -> B_{i+1}(a); it fires before the update as well.
    """
    assert considered("counting", LADDER, "+b1(a)", f"+b{i}(a)", "single").total == 2 * (N - i)
    assert considered("counting", LADDER, "+b1(a)", f"+b{i}(a)").total == 0


SEEDED = f"b(?x) :- a(?x) . {STEP}"
"""Rules (151) and (152)."""


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_proposition_35(algorithm: str, strata: str) -> None:
    _, changes = maintained(algorithm, SEEDED, f"+a(a2) +b(a1) {chain(N)}", "-a(a2)", strata)
    assert net(changes.deleted) == {"a": {("a2",)}}


def test_proposition_35_counting() -> None:
    """On one stratum both derivations of B(a2) are of one round: one instance. With A below B the later ones must move.

    The paper says 2n - 5 for the latter; n - 2 facts after a2 move, each twice, and one instance is gone: 2n - 3.
    """
    facts = f"+a(a2) +b(a1) {chain(N)}"
    assert considered("counting", SEEDED, facts, "-a(a2)", "single").total == 1
    assert considered("counting", SEEDED, facts, "-a(a2)").total == 2 * N - 3


CIRCLE = "b(?x) :- a(?x), r(?x, ?y) . a(?x) :- b(?x) ."
"""Rules (153) and (154)."""
STAR = "+a(a) +b(a) " + " ".join(f"+r(a, b{i})" for i in range(1, N + 1))


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_proposition_36(algorithm: str, strata: str) -> None:
    mat, changes = maintained(algorithm, CIRCLE, STAR, "-b(a)", strata)
    assert not changes
    assert ("a",) not in mat.explicit("b")


def test_proposition_36_fbf() -> None:
    """With R below, all n instances of (153) fire from A(a); on one stratum only those whose R(a,b_i) was checked.

    On paper that is one instance backwards, and one or n forwards; and both times (154) from B(a), which the paper leaves
    out. The engine looks up all n backwards, and a wave checks a few of the R(a,b_i) at once; still fewer than n.
    """
    assert as_on_paper("bf", CIRCLE, STAR, "-b(a)", "single") == Phases(backward=1, forward=1 + 1)
    assert as_on_paper("bf", CIRCLE, STAR, "-b(a)") == Phases(backward=1, forward=N + 1)
    single = considered("bf", CIRCLE, STAR, "-b(a)", "single")
    assert considered("bf", CIRCLE, STAR, "-b(a)") == Phases(backward=N, forward=N + 1)
    assert single.backward == N
    assert 1 + 1 <= single.forward < N + 1
