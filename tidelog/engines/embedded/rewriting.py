"""`rewriting` on tables: the maintenance program of the rules, evaluated in an overlay of the store.

The overlay reads the old facts where they are and has tables of its own for the maintenance predicates, so that nothing of the
materialisation changes until P+ and P- are known; they are then handed over like any algorithm's changes.

Ranks do not stay valid: the program says nothing of proofs. They are restored when somebody needs them.
"""

from __future__ import annotations

from tidelog.engines.embedded.algebra import EmbeddedAlgebra
from tidelog.engines.embedded.batches import make_explicit
from tidelog.engines.embedded.sets import FactSet, RowSet, as_rows
from tidelog.facts.kernel import Mask, Rows, sorted_unique
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.maintain.algebra import Update
from tidelog.maintain.evaluation import evaluate, hand_over
from tidelog.maintain.rewriting import Kind, Names, volz, with_given
from tidelog.program.stratify import stratify


def rewriting(algebra: EmbeddedAlgebra, update: Update) -> None:
    """Maintain by the maintenance program of Volz et al., for one update."""
    rules = [rule for stratum in algebra.strata.strata for rule in stratum.rules]
    names = Names.apart_from(algebra.store.tables)
    program = volz(with_given(rules, names), names)
    overlay = algebra.overlay(stratify(program.rules))
    _load(overlay, algebra, update, names, {rule.head.predicate for rule in rules})
    evaluate(overlay, program)
    minus = _facts(overlay, algebra, names, Kind.MINUS) | _gone(overlay, algebra.facts(update.delete), names)
    hand_over(algebra, update, minus, _facts(overlay, algebra, names, Kind.PLUS))


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
