"""Looking for witnesses: instances whose body facts of the head's stratum have a lower rank than the head.

A fact may have thousands of instances and few witnesses among them. A body fact whose rank is too high shows at once that it
is of none, before the other atoms are matched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tidelog.engines.embedded.operators import Bindings, Context, Slots, selected
from tidelog.facts.table import Table


@dataclass(frozen=True, slots=True)
class Below:
    """Keep the bindings in which an atom has matched a fact of lower rank than the head's."""

    table: Table
    row_slot: int
    head: Table
    head_slot: int
    live: Sequence[int]

    def apply(self, length: int, slots: Slots, context: Context) -> Bindings:
        lower = self.table.rank[slots[self.row_slot]] < self.head.rank[slots[self.head_slot]]
        kept = int(np.count_nonzero(lower))
        return (length, slots) if kept == length else (kept, selected(slots, self.live, lower))
