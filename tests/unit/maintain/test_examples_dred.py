"""Examples 13 to 18 (section 6): delete and rederive, and what earlier versions of it did twice.

The published maintenance programs (rules (86) to (128)) are tested with the rewriting; here it is Algorithm 4.
"""

from __future__ import annotations

import pytest

from tests.mirror import net
from tests.paper import FACTS, POSITIVE_FACTS, POSITIVE_RULES, RULES, Phases, as_on_paper, considered, maintained
from tidelog.materialisation import ALGORITHMS

K = 6
"""The k of examples 16 and 17."""

FUNNEL = " ".join(f"+t_e(a{i}, b) +b_e(a{i})" for i in range(1, K + 1)) + " +t_e(b, c)"
LINE = " ".join(f"+t_e(a{i}, a{i + 1})" for i in range(1, K)) + " +b_e(a1) +r(a1, a2) +a_n(a1)"
UPDATES = {
    "13": (POSITIVE_FACTS, "-a_n(b) +a(b)"),
    "14": (POSITIVE_FACTS, "-a_n(b) -r(b, e)"),
    "15": (POSITIVE_FACTS, "+a(b) +s(b, h)"),
    "16": (FUNNEL, "-b_e(a1)"),
    "17": (LINE, "-a_n(a1)"),
}


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("example", UPDATES)
def test_every_algorithm_gets_it_right(example: str, algorithm: str, strata: str) -> None:
    facts, update = UPDATES[example]
    maintained(algorithm, POSITIVE_RULES, facts, update, strata)


@pytest.mark.parametrize("strata", ["granular", "single"])
def test_example_13(strata: str) -> None:
    """Overdeletion by (76) to (80), one-step rederivation by (81); then (79) and (80) again, and (82) to (85)."""
    assert considered("dred", POSITIVE_RULES, POSITIVE_FACTS, "-a_n(b) +a(b)", strata) == Phases(
        deletion=5, backward=1, addition=2 + 4
    )


def test_example_13_changes() -> None:
    _, changes = maintained("dred", POSITIVE_RULES, POSITIVE_FACTS, "-a_n(b) +a(b)")
    assert net(changes.deleted) == {"a_n": {("b",)}, "t": {("b", "e")}, "b": {("e",)}}
    assert net(changes.inserted) == {"a": {("b",)}, "t": {("b", "f")}, "b": {("f",), ("g",)}}


def test_example_14() -> None:
    """Both body facts of (76) are deleted; the instance is still considered once, not twice."""
    assert considered("dred", POSITIVE_RULES, POSITIVE_FACTS, "-a_n(b) -r(b, e)") == Phases(deletion=5, backward=1, addition=2)


def test_example_15() -> None:
    """Both body facts of S(b,h), A(b) -> T(b,h) are new; the instance is considered once. Then B(h), and (82) to (85)."""
    assert considered("dred", POSITIVE_RULES, POSITIVE_FACTS, "+a(b) +s(b, h)") == Phases(addition=2 + 4)


def test_example_16() -> None:
    """B(a1), B(b), B(c) are overdeleted. B(b) is rederived in one step, B(c) from it in the insertion step and only there.

    The paper stops at the first of the k - 1 instances of (131) that rederive B(b); the engine, which asks for a whole set of
    facts at once, looks them all up. Each is considered once, so the bounds of Theorem 19 stand.
    """
    assert considered("dred", POSITIVE_RULES, FUNNEL, "-b_e(a1)") == Phases(deletion=3, backward=K - 1, addition=1)
    assert as_on_paper("dred", POSITIVE_RULES, FUNNEL, "-b_e(a1)") == Phases(deletion=3, backward=1, addition=1)


def test_example_17() -> None:
    """T(a1,a2) is deleted and rederived in its own stratum, so that no B is touched; on one stratum all but B(a1) are."""
    assert considered("dred", POSITIVE_RULES, LINE, "-a_n(a1)") == Phases(deletion=1, backward=1)
    assert considered("dred", POSITIVE_RULES, LINE, "-a_n(a1)", "single") == Phases(deletion=K, backward=1, addition=K - 1)


def test_example_18() -> None:
    """The update of example 13 with negation: the insertion of A(b) deletes, by (15); nothing else differs."""
    assert considered("dred", RULES, FACTS, "+a(b)") == Phases(deletion=5, backward=1, addition=6)
