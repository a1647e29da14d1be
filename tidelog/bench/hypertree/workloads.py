"""What the benchmark of complex rules is about: rules, generators, and the factors to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tidelog.bench.graphs import Relations
from tidelog.bench.hypertree import data, rules
from tidelog.errors import SetupError
from tidelog.program import Program


@dataclass(frozen=True)
class Workload:
    """Rules, facts by scale, and how many times faster `combined` is to be than `standard`."""

    name: str
    title: str
    rules: str
    generate: Callable[[float], Relations]
    factor: float
    """The target for materialisation; at 1, the two are to take the same time."""
    repeat: int = 1

    @cached_property
    def program(self) -> Program:
        return Program.parse(self.rules)

    @cached_property
    def derived(self) -> tuple[str, ...]:
        """The predicates of heads: what all systems must agree on."""
        return tuple(sorted({rule.head.predicate for rule in self.program.core}))


def _share(whole: int, scale: float, least: int = 1) -> int:
    return max(least, round(whole * scale))


def _expressions(scale: float) -> Relations:
    return data.expressions(_share(300, scale, 2), _share(3000, min(scale, 0.1), 3), 5)


def _simple(scale: float) -> Relations:
    known = {atom.predicate for rule in Program.parse(rules.CAMPUS_SIMPLE).core for atom in rule.positive}
    return {name: rows for name, rows in _campus(scale).items() if name in known}


def _campus(scale: float) -> Relations:
    return data.campus(8 if scale >= 0.1 else 2, _share(20, scale))


WORKLOADS: tuple[Workload, ...] = (
    Workload(
        "PossibleCollaborator",
        "the example of the paper's section 3, k = 300",
        rules.COLLABORATORS,
        lambda scale: data.collaborators(_share(1000, scale, 4), _share(3000, min(scale, 0.1))),
        50,
    ),
    Workload("Exp", "expressions, 300 values, depth 5: three rules of nine atoms", rules.EXPRESSIONS, _expressions, 50),
    Workload(
        "Campus L+C", "universities: simple rules and 16 complex ones", rules.CAMPUS_SIMPLE + rules.CAMPUS_COMPLEX, _campus, 50
    ),
    Workload(
        "Society",
        "a skewed graph: cycles, cliques, petals, flowers",
        rules.SOCIETY,
        lambda scale: data.society(_share(50_000, scale, 300)),
        100,
    ),
    Workload("Campus L", "universities: simple rules only", rules.CAMPUS_SIMPLE, _simple, 1, repeat=5),
)


def find_workload(name: str) -> Workload:
    for workload in WORKLOADS:
        if workload.name == name:
            return workload
    raise SetupError(f"no workload of complex rules is called {name!r}")
