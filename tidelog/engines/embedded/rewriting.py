"""`rewriting` on tables: the maintenance program of the rules, evaluated in an overlay of the store.

The overlay reads the old facts where they are and has tables of its own for the maintenance predicates, so that nothing of the
materialisation changes until P+ and P- are known; they are then handed over like any algorithm's changes.

Ranks do not stay valid: the program says nothing of proofs. They are restored when somebody needs them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tidelog.engines.embedded.algebra import EmbeddedAlgebra
from tidelog.engines.embedded.batches import make_explicit
from tidelog.engines.embedded.sets import FactSet, RowSet, as_rows
from tidelog.facts.kernel import Mask, Rows, sorted_unique
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.maintain.algebra import Update
from tidelog.maintain.rewriting import Kind, MaintenanceProgram, Names, volz, with_given
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import stratify

Parts = Sequence[tuple[str, list[CoreRule]]]
"""Rules by the phase that their instances are counted under."""


def rewriting(algebra: EmbeddedAlgebra, update: Update) -> None:
    """Maintain by the maintenance program of Volz et al., for one update."""
    rules = [rule for stratum in algebra.strata.strata for rule in stratum.rules]
    names = Names.apart_from(algebra.store.tables)
    program = volz(with_given(rules, names), names)
    overlay = algebra.overlay(stratify(program.rules))
    _load(overlay, algebra, update, names, {rule.head.predicate for rule in rules})
    _evaluate(overlay, program)
    _hand_over(overlay, algebra, update, names)


def _load(overlay: EmbeddedAlgebra, algebra: EmbeddedAlgebra, update: Update, names: Names, derived: set[str]) -> None:
    """The update as facts of P^Del and P^Ins; the explicit facts of derived predicates as those of P_e."""

    def add(predicate: str, table: Table, rows: RowSet) -> None:
        overlay.store.table(predicate, table.arity)
        make_explicit(overlay.store, {predicate: [column[rows] for column in table.columns]})

    for kind, facts in ((Kind.DEL, update.delete), (Kind.INS, update.insert)):
        for table, rows in algebra.facts(facts):
            predicate = table.predicate
            add(names.of(names.of(predicate, Kind.GIVEN) if predicate in derived else predicate, kind), table, rows)
    for predicate in derived:
        table = algebra.store.tables[predicate]
        given = table.facts(EXPLICIT)
        if len(given):
            add(names.of(predicate, Kind.GIVEN), table, given)


# Evaluating


def _evaluate(overlay: EmbeddedAlgebra, program: MaintenanceProgram) -> None:
    """`maintain.seminaive`, with rule instances counted by phase."""
    phase_of = _phases(program)
    # All at once: the algebra knows rules by identity, so they must live as long as it does.
    strata = [(_parts(s.nonrecursive, phase_of), _parts(s.recursive, phase_of)) for s in overlay.strata.strata]
    for nonrecursive, recursive in strata:
        overlay.add(I.name, _apply(overlay, nonrecursive))
        delta = _apply(overlay, recursive)
        while delta:
            overlay.add(I.name, delta)
            delta = _apply(overlay, recursive, delta)


def _phases(program: MaintenanceProgram) -> dict[int, str]:
    named = {"deletion": program.deletion, "backward": program.rederivation, "addition": program.insertion}
    return {id(rule): phase for phase, rules in named.items() for rule in rules}


def _parts(rules: Sequence[CoreRule], phase_of: Mapping[int, str]) -> Parts:
    parts: dict[str, list[CoreRule]] = defaultdict(list)
    for rule in rules:
        parts[phase_of.get(id(rule), "forward")].append(rule)
    return list(parts.items())


def _apply(overlay: EmbeddedAlgebra, parts: Parts, changed: FactSet | None = None) -> FactSet:
    """What the rules derive that is not there; only what is no mere copy counts as found."""
    found, copies = overlay.empty(), overlay.empty()
    for overlay.phase, rules in parts:
        new = overlay.derive(rules, I, changed=changed, outside=I)
        if overlay.phase == "forward":
            copies = copies | new
        else:
            found = found | new
    if found:
        overlay.end_round(found)
    return found | copies


# Handing over


def _hand_over(overlay: EmbeddedAlgebra, algebra: EmbeddedAlgebra, update: Update, names: Names) -> None:
    """P- and P+, and what the update itself takes away and brings."""
    deleted, inserted = algebra.working("D"), algebra.working("A")
    deleted |= _facts(overlay, algebra, names, Kind.MINUS) | _gone(overlay, algebra.facts(update.delete), names)
    new = algebra.facts(update.insert) - I
    inserted |= _facts(overlay, algebra, names, Kind.PLUS) | new
    algebra.ranks_hold = False
    algebra.commit(deleted=deleted, inserted=inserted)


def _facts(overlay: EmbeddedAlgebra, algebra: EmbeddedAlgebra, names: Names, kind: Kind) -> FactSet:
    """The facts of one kind of maintenance predicates."""
    found: dict[Table, Rows] = {}
    for table in algebra.store:
        marked = overlay.store.tables.get(names.of(table.predicate, kind))
        rows = None if marked is None else marked.facts()
        if marked is not None and rows is not None and len(rows):
            found[table] = sorted_unique(table.intern_each([column[rows] for column in marked.columns], len(rows)))
    return FactSet(algebra.bits, found)


def _gone(overlay: EmbeddedAlgebra, facts: FactSet, names: Names) -> FactSet:
    """Those of E- that no rule gives back; rules may not even speak of them, and then P- does not either."""
    parts: dict[Table, Rows] = {}
    for table, some in facts:
        rows = as_rows(some)
        back = _among(overlay, table, rows, names, Kind.RED) | _among(overlay, table, rows, names, Kind.INS)
        parts[table] = rows[~back]
    return FactSet(facts.bits, parts)


def _among(overlay: EmbeddedAlgebra, table: Table, rows: Rows, names: Names, kind: Kind) -> Mask:
    """Which of the rows are facts of the maintenance predicate of this kind."""
    marked = overlay.store.table(names.of(table.predicate, kind), table.arity)
    found, known = marked.find([column[rows] for column in table.columns], len(rows))
    known[known] = marked.flags[found[known]] & PRESENT != 0
    return known
