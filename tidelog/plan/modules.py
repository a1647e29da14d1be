"""Which rule module takes which rule: decided from the rules alone, before there are any facts.

A *module* evaluates some rules in a way of its own (after Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs,
2022): it has others evaluated in their place, which `plan.layout` makes, so that every algorithm maintains them. `standard`
leaves rules as they are. A recogniser says which rules a module fits, and why. Users choose among `MODULES`: one module for
whatever it can take, or `combined`, which sends each rule to the module that fits it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.plan.closures import Closure, closures
from tidelog.program.normal import CoreRule
from tidelog.syntax.formatter import format_atom

STANDARD, COMBINED, HYPERTREE = "standard", "combined", "hypertree"
TRANSITIVE, SYMMETRIC = "transitive", "symmetric-transitive"


@dataclass(frozen=True, slots=True)
class Taken:
    """Rules that go to a module, together, and the reason in words."""

    module: str
    rules: tuple[CoreRule, ...]
    reason: str


Recogniser: TypeAlias = Callable[[Sequence[CoreRule], bool], Sequence[Taken]]
"""Gives the rules that a module can take among some; told, too, whether strata are as few as can be."""


def transitive(rules: Sequence[CoreRule], single: bool) -> list[Taken]:
    """Transitive closures: see `tidelog.plan.closing` for what becomes of them."""
    return [taken for taken in _closures(rules, single) if taken.module == TRANSITIVE]


def symmetric(rules: Sequence[CoreRule], single: bool) -> list[Taken]:
    """Symmetric and transitive closures, likewise."""
    return [taken for taken in _closures(rules, single) if taken.module == SYMMETRIC]


def _closures(rules: Sequence[CoreRule], single: bool) -> list[Taken]:
    taken = []
    for closure in closures(rules, single=single):
        module, kind = (SYMMETRIC, "symmetric and transitive") if closure.symmetric else (TRANSITIVE, "transitive")
        taken.append(Taken(module, closure.rules, f"`{format_atom(closure.atom)}` is the {kind} closure of its edges"))
    return taken


MODULES: Mapping[str, tuple[Recogniser, ...]] = {
    COMBINED: (_closures,),
    HYPERTREE: (),
    STANDARD: (),
    SYMMETRIC: (symmetric,),
    TRANSITIVE: (transitive,),
}
"""The choices, each with the recognisers that are asked, in this order; a rule goes to the first that takes it."""


ELSEWHERE = (COMBINED, STANDARD)
"""The choices for engines whose rules are evaluated by joins alone: there the two are the same."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What goes to modules other than `standard`."""

    choice: str
    taken: tuple[Taken, ...]

    def of(self, rule: CoreRule) -> Taken | None:
        """What a rule was taken as; None if `standard` evaluates it."""
        return next((taken for taken in self.taken if any(rule is one for one in taken.rules)), None)


EVERYTHING_STANDARD = Assignment(STANDARD, ())


def assign(rules: Sequence[CoreRule], choice: str = COMBINED, *, single: bool = False) -> Assignment:
    """Share out rules among the modules of a choice; `single` as in `stratify`."""
    taken: list[Taken] = []
    rest = list(rules)
    for recognise in MODULES[choice]:
        found = recognise(rest, single)
        taken += found
        gone = {id(rule) for one in found for rule in one.rules}
        rest = [rule for rule in rest if id(rule) not in gone]
    return Assignment(choice, tuple(taken))


def closures_in(rules: Sequence[CoreRule], assignment: Assignment, *, single: bool = False) -> list[tuple[Closure, Taken]]:
    """The closures that an assignment takes, each with what it is taken as."""
    found = closures(rules, single=single) if assignment.taken else []
    return [(closure, taken) for closure in found if (taken := assignment.of(closure.step)) is not None]
