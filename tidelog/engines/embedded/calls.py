"""What is asked when rules are applied, in the terms of `maintain.algebra`, and how rule instances are given one by one.

The paper on hypertree decompositions (Zhang, Hu, Nenov, Horrocks, 2023) has a module for each rule that adds, deletes and
rederives. Here adding and deleting are the same question about other sets, asked of rules as they are laid out (`plan.layout`):

    paper                here
    Add^r(I, Delta+)     `Standard.apply` with what was added in `call.changed` (and what vanished from negated atoms)
    Del^r(I, Delta-)     `Standard.apply` with what is deleted in `call.changed`
    Red^r(I, Delta)      `Standard.provable`, and `instances_of` for searches that follow instances backwards
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tidelog.engines.embedded.compiler import Keep
from tidelog.engines.embedded.sets import FactSet, Ranks
from tidelog.facts.kernel import Rows
from tidelog.facts.table import Table
from tidelog.maintain.sets import SetExpression

Instances: TypeAlias = tuple[Table, Rows, list[tuple[Table, Rows]], Ranks]
"""Rule instances: their heads, the body facts of the heads' stratum, and the ranks those give."""


@dataclass(frozen=True, slots=True)
class Call:
    """The sets of one call of the algebra, in the terms of `Algebra.derive`.

    Positive body atoms are matched in `positive`, those of the head's own stratum in `own`, negated ones must not be in
    `negative`. With `changed` or `vanished`, only instances count that have a positive atom in the one or a negated atom in the
    other; with neither, all do. `ranked` asks for ranks with the heads, `expiring` for expiries, too.
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
