"""Examples 20 to 24 (section 7): look for another proof before deleting."""

from __future__ import annotations

from math import factorial

import pytest

from tests.mirror import net
from tests.paper import POSITIVE_FACTS, POSITIVE_RULES, STEP, Phases, as_on_paper, considered, maintained
from tidelog.materialisation import ALGORITHMS

N = 5
EXAMPLE_20 = "-a_n(b) +a(b)"
EXAMPLE_22 = "+b(a) +b(b) +t(a, b) +t(b, c) +t(c, b) +t(c, d) +t(d, e)"
EXAMPLE_23 = "+b(a1) " + " ".join(f"+t(a{i}, a{j})" for i in range(1, N + 1) for j in range(1, N + 1))
EXAMPLE_24 = f"{EXAMPLE_22} +b(c)"


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("facts", "update", "deleted"),
    [
        (EXAMPLE_22, "-b(b)", {}),
        (EXAMPLE_23, "-b(a1)", {"b": {(f"a{i}",) for i in range(1, N + 1)}}),
        (EXAMPLE_24, "-b(b) -b(c)", {}),
    ],
    ids=["22", "23", "24"],
)
def test_every_algorithm_gets_it_right(
    facts: str, update: str, deleted: dict[str, set[tuple[str]]], algorithm: str, strata: str
) -> None:
    _, changes = maintained(algorithm, STEP, facts, update, strata)
    assert net(changes.deleted) == deleted
    assert not changes.inserted


def test_examples_20_and_21() -> None:
    """DRed overdeletes B(c) and B(d) by (78) and (79), B(d) supporting B(c) by (80); FBF proves B(c) and stops at (78).

    Backwards from B(c) there are (80) and (81), from B(b) (136); and (79), when B(d) is reached through (80).
    """
    dred = considered("dred", POSITIVE_RULES, POSITIVE_FACTS, EXAMPLE_20)
    bf = considered("bf", POSITIVE_RULES, POSITIVE_FACTS, EXAMPLE_20)
    assert (dred.deletion, bf.deletion) == (5, 3)
    assert (dred.addition, bf.addition) == (2 + 4, 4)
    assert bf.backward <= 4
    assert as_on_paper("bf", POSITIVE_RULES, POSITIVE_FACTS, EXAMPLE_20).backward <= bf.backward


def test_example_22() -> None:
    """DRed overdeletes B(b), B(c), B(d), B(e) and brings all back. FBF deletes nothing: (141) proves B(b) from B(a).

    The paper looks at (141) and, unless it comes first, at (142); the engine looks up both at once.
    """
    assert considered("dred", STEP, EXAMPLE_22, "-b(b)") == Phases(deletion=4, backward=1, addition=4)
    bf = considered("bf", STEP, EXAMPLE_22, "-b(b)")
    assert (bf.deletion, bf.addition, bf.backward) == (0, 0, 2)
    paper = as_on_paper("bf", STEP, EXAMPLE_22, "-b(b)")
    assert (paper.deletion, paper.addition) == (0, 0)
    assert paper.backward in {1, 2}


def test_example_23() -> None:
    """Each fact is checked once: n^2 instances, where plain backward chaining would make (n - 1)! recursive calls."""
    bf = considered("bf", STEP, EXAMPLE_23, "-b(a1)")
    assert bf == Phases(deletion=N**2, backward=N**2)
    assert as_on_paper("bf", STEP, EXAMPLE_23, "-b(a1)") == bf
    assert bf.backward < factorial(N - 1) + N**2
    assert considered("rematerialise", STEP, EXAMPLE_23, "+b(a2)") == Phases(forward=N**2)


def test_example_24() -> None:
    """B(b) and B(c) hold each other up while they are checked; both follow from B(a) once that is proved.

    Backwards: (141), (142), (144). Forwards from B(a), B(b), B(c), which are checked: to B(b), B(c), B(b) and B(d); B(d) was
    not checked, so nothing follows from it and B(e) is never reached.
    """
    assert considered("bf", STEP, EXAMPLE_24, "-b(b) -b(c)") == Phases(backward=3, forward=4)
    assert considered("dred", STEP, EXAMPLE_24, "-b(b) -b(c)") == Phases(deletion=4, backward=1, addition=4)
