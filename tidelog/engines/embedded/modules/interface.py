"""What a rule module is, and which module is in charge of which rule.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs (2022), as the framework of Algorithm 2 of Zhang, Hu, Nenov,
Horrocks: Enhancing Datalog Reasoning with Hypertree Decompositions (2023). A module offers three things for its rules:

    paper                here
    Add^r(I, Delta+)     `derive` with what was added in `call.changed` (and what vanished from negated atoms)
    Del^r(I, Delta-)     `derive` with what is deleted in `call.changed`: the very same question about other sets
    Red^r(I, Delta)      `provable`, and `instances_of` for searches that follow instances backwards

Modules stand below the algebra: `EmbeddedAlgebra.derive` hands each module its share of the rules of a call, so that no
algorithm knows of them and every algorithm works with every module. The sets of a call are expressions over the flags of
rows, as everywhere (`I - (D - A)`); a module that keeps facts of its own keeps them in tables with the same flags.

What a module must hold to:

- `derive` gives the head of every rule instance that the call asks for, and of no other; several instances with one head may
  be given once. Ranks that it gives with heads are those of an instance: 1 + the highest of its body facts of the stratum.
- `provable` likewise: some instance, and with `from_lower_ranks` only one whose premises rank below the fact.
- What it keeps belongs to the update: `begin`, then `keep` or `restore`, each of which may come again after an interruption.
- It makes no rows in tables of the store other than by the `Heads` it is given.

Marks (`maintain.marking`) pass through rule instances with all their body facts: those of `standard`. Other modules pass none
on, which is no mistake, since marks are hints.

Counting needs rule instances one by one; `EmbeddedAlgebra.apply` therefore always asks `standard`, whoever is in charge, and
`statistics.notes` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from tidelog.engines.embedded.compiler import Keep
from tidelog.engines.embedded.heads import Heads
from tidelog.engines.embedded.sets import FactSet, Ranks
from tidelog.facts.kernel import Rows
from tidelog.facts.table import Table
from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule

Instances: TypeAlias = tuple[Table, Rows, list[tuple[Table, Rows]], Ranks]
"""Rule instances: their heads, the body facts of the heads' stratum, and the ranks those give."""


@dataclass(frozen=True, slots=True)
class Call:
    """The sets of one call of the algebra, in the terms of `Algebra.derive`.

    Positive body atoms are matched in `positive`, those of the head's own stratum in `own`, negated ones must not be in
    `negative`. With `changed` or `vanished`, only instances count that have a positive atom in the one or a negated atom in the
    other; with neither, all do. `ranked` asks for ranks with the heads, `expiring` for expiries, too, which
    only `standard` knows.
    """

    positive: SetExpression
    negative: SetExpression
    own: SetExpression
    changed: FactSet | None = None
    vanished: FactSet | None = None
    ranked: bool = False
    expiring: bool = False
    rows: Keep = Keep.NONE
    """The body facts whose rows somebody wants to see; those that ranks depend on are always among them."""

    @property
    def keep(self) -> Keep:
        if self.expiring:
            return Keep.ALL
        return Keep.OWN if self.ranked and self.rows is Keep.NONE else self.rows

    @property
    def everywhere(self) -> bool:
        """Whether all instances count, not only those that a change enters."""
        return self.changed is None and self.vanished is None


class RuleModule(Protocol):
    """Finds rule instances for the rules it is in charge of."""

    @property
    def name(self) -> str: ...

    def derive(self, rules: Sequence[CoreRule], call: Call, heads: Heads) -> None:
        """Give the heads of the instances that the call asks for, by `Heads.take` or `Heads.take_facts`."""
        ...

    def provable(self, rules: Sequence[CoreRule], facts: FactSet, call: Call, proved: Heads, *, from_lower_ranks: bool) -> None:
        """Give those of the facts that an instance derives, by `Heads.take_rows`."""
        ...

    def instances_of(self, rules: Sequence[CoreRule], facts: FactSet, call: Call) -> Iterator[Instances]:
        """The instances that derive the facts."""
        ...

    def begin(self) -> None:
        """An update begins: what is overwritten from here on must be able to come back."""
        ...

    def keep(self) -> None:
        """The update is committed."""
        ...

    def restore(self) -> None:
        """The update failed: all is as before."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes in use by what the module keeps."""
        ...


class Modules:
    """The modules of one algebra: `standard` for every rule that no other is in charge of."""

    def __init__(self, standard: RuleModule, in_charge: Mapping[int, RuleModule] | None = None) -> None:
        self.standard = standard
        self.in_charge = dict(in_charge or {})
        """Modules by the identity of their rules."""
        self.all = list({id(module): module for module in (standard, *self.in_charge.values())}.values())
        self._parts: dict[int, list[tuple[RuleModule, Sequence[CoreRule]]]] = {}

    def parts(self, rules: Sequence[CoreRule]) -> list[tuple[RuleModule, Sequence[CoreRule]]]:
        """The rules of a call by the modules in charge; by identity, so the rules must live as long as the algebra."""
        parts = self._parts.get(id(rules))
        if parts is None:
            parts = self._parts[id(rules)] = self._split(rules)
        return parts

    def _split(self, rules: Sequence[CoreRule]) -> list[tuple[RuleModule, Sequence[CoreRule]]]:
        if not any(id(rule) in self.in_charge for rule in rules):
            return [(self.standard, rules)] if rules else []
        of = [(self.in_charge.get(id(rule), self.standard), rule) for rule in rules]
        parts = [(module, tuple(rule for other, rule in of if other is module)) for module in self.all]
        return [(module, some) for module, some in parts if some]

    def begin(self) -> None:
        for module in self.all:
            module.begin()

    def keep(self) -> None:
        for module in self.all:
            module.keep()

    def restore(self) -> None:
        for module in self.all:
            module.restore()

    @property
    def nbytes(self) -> int:
        return sum(module.nbytes for module in self.all)
