"""`rewriting` on Spark: the maintenance program of the rules, evaluated in tables beside those of the materialisation.

Its predicates are read and written like any others: where they outgrow the driver they are frames, and P^New always is a copy
of the materialisation. What changes in the end must fit the driver, as with every algorithm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from tidelog.engines.spark.facts import FactSet, Few, TooLarge
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.tables import Table
from tidelog.engines.spark.truth import PRESENT, STATE
from tidelog.maintain.algebra import Update
from tidelog.maintain.evaluation import evaluate, hand_over
from tidelog.maintain.rewriting import Kind, Names, volz, with_given
from tidelog.program.stratify import stratify

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra


def rewriting(algebra: SparkAlgebra, update: Update) -> None:
    """Maintain by the maintenance program of Volz et al., for one update."""
    rules = [rule for stratum in algebra.strata.strata for rule in stratum.rules]
    names = Names.apart_from(algebra.tables)
    program = volz(with_given(rules, names), names)
    derived = {rule.head.predicate for rule in rules}
    overlay = algebra.overlay(stratify(program.rules))
    arities = {atom.predicate: len(atom.terms) for r in program.rules for atom in (r.head, *r.positive, *r.negative)}
    for predicate, arity in arities.items():
        overlay.tables.add(predicate, arity)
    try:
        _load(overlay, algebra, update, names, derived)
        evaluate(overlay, program)
        minus = _facts(overlay, algebra, names, Kind.MINUS) | _gone(overlay, algebra.facts(update.delete), names)
        hand_over(algebra, update, minus, _facts(overlay, algebra, names, Kind.PLUS))
    finally:
        for predicate in overlay.tables.keys() - algebra.tables.keys():
            overlay.tables[predicate].release()


def _load(overlay: SparkAlgebra, algebra: SparkAlgebra, update: Update, names: Names, derived: Collection[str]) -> None:
    """The update as facts of P^Del and P^Ins; the explicit facts of derived predicates as those of P_e."""
    for kind, facts in ((Kind.DEL, update.delete), (Kind.INS, update.insert)):
        for predicate, few in algebra.facts(facts).few():
            told = names.of(predicate, Kind.GIVEN) if predicate in derived else predicate
            _show(overlay.tables.add(names.of(told, kind), algebra.tables[predicate].arity), few)
    for predicate in derived:
        table = algebra.tables[predicate]
        given = overlay.tables.add(names.of(predicate, Kind.GIVEN), table.arity)
        if table.runs:
            statement = f"SELECT {', '.join(table.columns)} FROM ({table.now_sql(explicit=True)})"
            given.append(table.cluster.hold(table.cluster.sql(statement)), explicit=True, rank=0)
        else:
            _show(given, (row for row, state in table.met.items() if state.flags & STATE == STATE))


def _show(table: Table, rows: Iterable[tuple[int, ...]]) -> None:
    for row in rows:
        table.meet(row).flags = STATE


def _facts(overlay: SparkAlgebra, algebra: SparkAlgebra, names: Names, kind: Kind) -> FactSet:
    """The facts of one kind of maintenance predicates."""
    found: dict[str, Few] = {}
    for predicate in algebra.tables:
        marked = overlay.tables.get(names.of(predicate, kind))
        if marked is not None:
            found[predicate] = dict.fromkeys(_rows(marked, overlay.few), 0)
    return algebra.known(found)


def _rows(table: Table, few: int) -> Iterable[tuple[int, ...]]:
    if not table.runs:
        return [row for row, state in table.met.items() if state.flags & PRESENT]
    columns = ", ".join(table.columns)
    rows = table.cluster.collect(f"SELECT {columns} FROM ({table.now_sql()})", few, scanned=table.stored)
    if rows is None:
        raise TooLarge
    return map(tuple, rows)


def _gone(overlay: SparkAlgebra, facts: FactSet, names: Names) -> FactSet:
    """Those of E- that no rule gives back; rules may not even speak of them, and then P- does not either."""
    parts: dict[str, Few] = {}
    for predicate, few in facts.few():
        back = [names.of(predicate, kind) for kind in (Kind.RED, Kind.INS) if names.of(predicate, kind) in overlay.tables]
        meet(overlay.tables, dict.fromkeys(back, few))
        parts[predicate] = {row: 0 for row in few if not any(overlay.flags((p, row)) & PRESENT for p in back)}
    return FactSet(algebra=facts.algebra, parts=parts)
