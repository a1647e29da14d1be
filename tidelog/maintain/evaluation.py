"""Evaluating a maintenance program (`maintain.rewriting`): `maintain.seminaive`, with rule instances counted by phase.

The algebra is one of the maintenance predicates, in which the old facts are present beside what the update says. Rules that
merely copy facts count as neither deletion nor addition, and what they find is no progress.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tidelog.maintain.algebra import Algebra, F, Update
from tidelog.maintain.rewriting import MaintenanceProgram
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.program.normal import CoreRule

Parts = Sequence[tuple[str, list[CoreRule]]]
"""Rules by the phase that their instances are counted under."""


def evaluate(algebra: Algebra[F], program: MaintenanceProgram) -> None:
    """Derive all that the program derives."""
    phase_of = _phases(program)
    # All at once: the algebra knows rules by identity, so they must live as long as it does.
    strata = [(_parts(s.nonrecursive, phase_of), _parts(s.recursive, phase_of)) for s in algebra.strata.strata]
    for nonrecursive, recursive in strata:
        algebra.add(I.name, _apply(algebra, nonrecursive))
        delta = _apply(algebra, recursive)
        while delta:
            algebra.add(I.name, delta)
            delta = _apply(algebra, recursive, delta)


def _phases(program: MaintenanceProgram) -> dict[int, str]:
    named = {"deletion": program.deletion, "backward": program.rederivation, "addition": program.insertion}
    return {id(rule): phase for phase, rules in named.items() for rule in rules}


def _parts(rules: Sequence[CoreRule], phase_of: Mapping[int, str]) -> Parts:
    parts: dict[str, list[CoreRule]] = defaultdict(list)
    for rule in rules:
        parts[phase_of.get(id(rule), "forward")].append(rule)
    return list(parts.items())


def _apply(algebra: Algebra[F], parts: Parts, changed: F | None = None) -> F:
    """What the rules derive that is not there; only what is no mere copy counts as found."""
    found, copies = algebra.empty(), algebra.empty()
    for algebra.phase, rules in parts:
        new = algebra.derive(rules, I, changed=changed, outside=I)
        if algebra.phase == "forward":
            copies = copies | new
        else:
            found = found | new
    if found:
        algebra.end_round(found)
    return found | copies


def hand_over(algebra: Algebra[F], update: Update, minus: F, plus: F) -> None:
    """Commit P- and P+, and what the update itself brings; with `minus` goes what it takes away."""
    deleted, inserted = algebra.working("D"), algebra.working("A")
    deleted |= minus
    inserted |= plus | (algebra.facts(update.insert) - I)
    algebra.ranks_hold = False
    algebra.commit(deleted=deleted, inserted=inserted)
