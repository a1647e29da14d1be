"""The running example of Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited (2019), and a way to
count rule instances as the paper does.

`considered` runs an update on the embedded engine, checks the answer against the oracle, and gives what the engine counted.
`as_on_paper` runs the same algorithm on plain sets, one answer at a time where the paper asks for one only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.mirror import Mirror
from tests.naive_algebra import Algorithm, NaiveMaterialisation
from tests.updates import parse_update, rule_text
from tidelog import Materialisation, Program
from tidelog.maintain.dred import dred
from tidelog.maintain.fbf import bf
from tidelog.maintain.ranked import ranked

RULES = "t(?x, ?y) :- r(?x, ?y), ~a(?x) . t(?x, ?y) :- s(?x, ?y), a(?x) . b(?y) :- t(?x, ?y), b(?x) ."
"""Rules (7) to (9)."""
FACTS = "+r(b, e) +s(b, f) +t(a, b) +t(b, c) +t(c, d) +t(d, c) +t(e, c) +t(f, g) +t(g, c) +b(a)"
"""Figure 1."""

POSITIVE_RULES = """
    t(?x, ?y) :- r(?x, ?y), a_n(?x) . t(?x, ?y) :- s(?x, ?y), a(?x) . b(?y) :- t(?x, ?y), b(?x) .
    t(?x, ?y) :- t_e(?x, ?y) . b(?x) :- b_e(?x) .
"""
"""Rules (71) to (75): `a_n` for "not a", explicit facts under names of their own."""
POSITIVE_FACTS = (
    "+r(b, e) +s(b, f) +t_e(a, b) +t_e(b, c) +t_e(c, d) +t_e(d, c) +t_e(e, c) +t_e(f, g) +t_e(g, c) +b_e(a) +a_n(b)"
)

STEP = "b(?y) :- t(?x, ?y), b(?x) ."
"""Rules (9), (73), (137) and (148) are this one."""

MAINTAINING: dict[str, Algorithm] = {"dred": dred, "bf": bf, "ranked": ranked}
"""FBF is compared with the others in the form that never aborts a branch: `bf` (section 8)."""


class Phases(NamedTuple):
    """Rule instances considered, by the paper's phases."""

    deletion: int = 0
    backward: int = 0
    forward: int = 0
    addition: int = 0

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Phases:
        assert set(counts) <= set(cls._fields), f"phases that the paper does not have: {counts}"
        return cls(**counts)

    @property
    def total(self) -> int:
        return sum(self)


def maintained(algorithm: str, rules: str, facts: str, update: str, strata: str = "granular") -> tuple[Materialisation, Any]:
    """Materialise, then update, by the rules as written; everything as the oracle says. Gives both results."""
    program = Program.parse(rules)
    given, change = parse_update(facts), parse_update(update)
    mirror = Mirror(program, given.insert)
    mirror.update(change)
    mat = Materialisation(
        Program.parse(rules + rule_text(given.insert)), algorithm=algorithm, strata=strata, modules="standard"
    )
    changes = mat.update(insert=change.insert, delete=change.delete)
    mirror.compare(mat)
    return mat, changes


def considered(algorithm: str, rules: str, facts: str, update: str, strata: str = "granular") -> Phases:
    """The rule instances that the embedded engine considers."""
    _, changes = maintained(algorithm, rules, facts, update, strata)
    return Phases.of(changes.statistics.instances_by_phase)


def as_on_paper(algorithm: str, rules: str, facts: str, update: str, strata: str = "granular") -> Phases:
    """The rule instances that the algorithm considers when it goes on as soon as one instance answers its question."""
    program = Program.parse(rules)
    mat = NaiveMaterialisation(program, parse_update(facts).insert, single=strata == "single", frugal=True)
    change = parse_update(update)
    counts: dict[str, int] = {}
    for entry in mat.update(MAINTAINING[algorithm], insert=change.insert, delete=change.delete):
        counts[entry.phase] = counts.get(entry.phase, 0) + 1
    return Phases.of(counts)


def firing(rules: str, facts: str, update: str = "", strata: str = "granular") -> int:
    """How many rule instances fire after the facts are loaded and updated, by brute force."""
    program = Program.parse(rules)
    mat = NaiveMaterialisation(program, parse_update(facts).insert, single=strata == "single")
    if update:
        change = parse_update(update)
        mat.update(dred, insert=change.insert, delete=change.delete)
    return len(mat.instances())


def chain(length: int, predicate: str = "t") -> str:
    """`+t(a1, a2) ... +t(a{n-1}, an)`."""
    return " ".join(f"+{predicate}(a{i}, a{i + 1})" for i in range(1, length))
