"""The algebra that algorithms are written against, and that each engine implements.

An algorithm sees facts only through it: set expressions (`maintain.sets`), which are never copied out; small sets of facts,
which it gets from `derive` and combines; and working sets of its own, to which it adds. Nothing here knows rows or partitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification


class Facts(Protocol):
    """A set of facts that an engine holds in full, for example what one round derived."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __or__(self, other: Self) -> Self: ...


@dataclass(slots=True)
class Statistics:
    """What an algorithm did: rule instances considered, by phase; rounds; seconds."""

    algorithm: str = ""
    reason: str = ""
    instances_by_phase: dict[str, int] = field(default_factory=dict)
    rounds: int = 0
    seconds: float = 0.0
    facts: int = 0

    @property
    def instances(self) -> int:
        """Rule instances considered in all phases."""
        return sum(self.instances_by_phase.values())


class Algebra(Protocol):
    """One engine's facts of one materialisation."""

    strata: Stratification
    statistics: Statistics

    def derive(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression | None = None,
        *,
        changed: Facts | None = None,
        outside: SetExpression | None = None,
    ) -> Facts:
        """`Pi[I+, I- : P]` (equation 134) without the facts in `outside`; each rule instance once.

        Without `changed`, all instances: `Pi[I+, I-]`. `negative` is I-, the same as `positive` if left out.
        """
        ...

    def add(self, target: SetExpression, facts: Facts, *, rank: int) -> None:
        """`I := I | facts`, each of the facts with this rank."""
        ...

    def empty(self) -> Facts: ...

    def end_round(self, facts: Facts) -> None:
        """A round is over that added these facts: for statistics, progress and limits."""
        ...
