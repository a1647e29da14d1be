"""Examples 13 to 17 (section 6.1) on the maintenance program: what the paper says it considers in vain.

`test_examples_dred.py` has the same updates on the algorithm that does not.
"""

from __future__ import annotations

import pytest

from tests import naive
from tests.maintenance_programs import as_program, posed
from tests.mirror import Mirror
from tests.paper import POSITIVE_RULES, Phases, considered
from tests.unit.maintain.test_examples_dred import UPDATES, K
from tests.updates import Row, parse_update
from tidelog import Program
from tidelog.maintain.rewriting import names_for, volz


def derivations(example: str) -> dict[tuple[str, Row], int]:
    """How often each fact of the maintenance program is derived, by brute force."""
    program = Program.parse(POSITIVE_RULES)
    names = names_for(program.core)
    given, update = (parse_update(text) for text in UPDATES[example])
    mirror = Mirror(program, given.insert)
    before = {predicate: set(rows) for predicate, rows in mirror.explicit.items()}, mirror.facts
    mirror.update(update)
    return naive.derivations(as_program(volz(program.core, names).rules, {}), posed(program, names, *before, mirror.explicit))


def considered_by(example: str) -> Phases:
    """What the embedded engine counts; the paper does not count copying, which is all the forward phase is here."""
    return considered("rewriting", POSITIVE_RULES, *UPDATES[example])._replace(forward=0)


def test_example_13() -> None:
    """Overdeletion by (76) to (80); rederivation by (81), (79), (80); insertion by (82) to (85).

    In one program the three go hand in hand: B(g), once inserted, rederives B(c) a third time. And where the paper has
    insertion stop at B(c), which holds already, its rule (117) does not ask: B(d) and again B(c) are `ins` as well.
    """
    counts = derivations("13")
    assert counts["b__red", ("c",)] + counts["b__red", ("d",)] == 3 + 1
    assert considered_by("13") == Phases(deletion=5, backward=3 + 1, addition=4 + 2)


def test_example_14() -> None:
    """T(b,e) is overdeleted twice, since both body facts of (76) are deleted."""
    assert derivations("14")["t__del", ("b", "e")] == 2
    assert considered_by("14").deletion == considered_by("13").deletion + 1


def test_example_15() -> None:
    """T(b,h) is inserted twice, since both body facts are new."""
    counts = derivations("15")
    assert (counts["t__ins", ("b", "h")], counts["t__ins", ("b", "f")]) == (2, 1)


def test_example_16() -> None:
    """B(b) is rederived by all k - 1 instances of (131), B(c) by (132)."""
    counts = derivations("16")
    assert (counts["b__red", ("b",)], counts["b__red", ("c",)]) == (K - 1, 1)
    assert considered_by("16") == Phases(deletion=3, backward=K - 1 + 1)


def test_example_17() -> None:
    """T(a1,a2) is overdeleted and, whatever the strata, every B(ai) but the first; all come back."""
    counts = derivations("17")
    assert {(name, row) for name, row in counts if name.endswith("__del")} == {
        ("t__del", ("a1", "a2")),
        *(("b__del", (f"a{i}",)) for i in range(2, K + 1)),
    }
    assert considered_by("17") == Phases(deletion=K, backward=K)


@pytest.mark.parametrize("example", UPDATES)
def test_the_engine_considers_each_instance_of_the_program_once(example: str) -> None:
    counts = derivations(example)
    rules = {kind: sum(n for (name, _), n in counts.items() if name.endswith(f"__{kind}")) for kind in ("del", "red", "ins")}
    phases = considered_by(example)
    assert (phases.deletion, phases.backward, phases.addition) == tuple(rules.values())


@pytest.mark.parametrize("example", UPDATES)
def test_the_materialisation_is_copied(example: str) -> None:
    """Rules (95) to (102), the overhead that Gupta et al. avoid: every fact that stays is considered."""
    program, given = Program.parse(POSITIVE_RULES), parse_update(UPDATES[example][0])
    size = sum(map(len, naive.materialise(program, given.insert).values()))
    phases = considered("rewriting", POSITIVE_RULES, *UPDATES[example])
    assert phases.forward >= size - phases.deletion
