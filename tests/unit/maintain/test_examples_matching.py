"""Examples 37 and 38 (section 9): few rule instances, found by way of many partial matches."""

from __future__ import annotations

import pytest

from tests.mirror import net
from tests.paper import Phases, considered, maintained
from tidelog.materialisation import ALGORITHMS

N = 20

JOIN = "a(?x1) :- r(?x1, ?x2), s(?x2, ?x3), t(?x3, ?x4) ."
JOIN_FACTS = "+r(a, b1) +t(c, d) " + " ".join(f"+s(b{i}, c)" for i in range(1, N + 1))
SELF_JOIN = "s(?y1, ?y2) :- r(?x, ?y1), r(?x, ?y2) ."
SELF_JOIN_FACTS = " ".join(f"+r(a{i}, b) +r(a{i}, c{i})" for i in range(1, N + 1))
SELF_JOIN_UPDATE = " ".join(f"-r(a{i}, c{i})" for i in range(1, N + 1))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_example_37(algorithm: str) -> None:
    _, changes = maintained(algorithm, JOIN, JOIN_FACTS, "-t(c, d)")
    assert net(changes.deleted) == {"a": {("a",)}, "t": {("c", "d")}}


@pytest.mark.parametrize("algorithm", ["dred", "bf", "ranked"])
def test_example_37_has_one_instance(algorithm: str) -> None:
    assert considered(algorithm, JOIN, JOIN_FACTS, "-t(c, d)") == Phases(deletion=1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_example_38(algorithm: str) -> None:
    """S(b,b) stays, other than the paper says: R(a_i,b) twice still derives it."""
    mat, changes = maintained(algorithm, SELF_JOIN, SELF_JOIN_FACTS, SELF_JOIN_UPDATE)
    assert set(mat["s"]) == {("b", "b")}
    assert len(changes.deleted["s"]) == 3 * N


@pytest.mark.parametrize("algorithm", ["dred", "bf", "ranked"])
def test_example_38_proves_nothing_backwards(algorithm: str) -> None:
    """Three instances for each i stop firing, and no instance of the old materialisation proves their heads again."""
    assert considered(algorithm, SELF_JOIN, SELF_JOIN_FACTS, SELF_JOIN_UPDATE) == Phases(deletion=3 * N)
