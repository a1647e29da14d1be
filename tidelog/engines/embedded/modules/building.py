"""From an assignment of rules to the modules that evaluate them in the embedded engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tidelog.engines.embedded.modules.interface import Modules, RuleModule
from tidelog.plan.modules import Assignment, Taken

if TYPE_CHECKING:
    from tidelog.engines.embedded.algebra import EmbeddedAlgebra

Build: TypeAlias = "Callable[[EmbeddedAlgebra, Sequence[Taken]], RuleModule]"

BUILDERS: Mapping[str, Build] = {}
"""How each module other than `standard` is made, from the algebra it works in and all that it takes."""


def build(algebra: EmbeddedAlgebra, assignment: Assignment) -> Modules:
    """The modules of an algebra, each in charge of its rules."""
    by_name: dict[str, list[Taken]] = {}
    for taken in assignment.taken:
        if taken.module in BUILDERS:  # others change the rules before they come here: see `plan.layout`
            by_name.setdefault(taken.module, []).append(taken)
    in_charge: dict[int, RuleModule] = {}
    for name, some in by_name.items():
        module = BUILDERS[name](algebra, some)
        in_charge |= {id(rule): module for taken in some for rule in taken.rules}
    return Modules(algebra.standard, in_charge)
