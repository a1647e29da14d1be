"""What an update changes about the explicit facts where facts hold for a time: E+ and E-, and what time takes away.

A fact that is given twice holds until the later time, unless the update also deletes it: then it is given anew. What is due
is asked of the runs in one job, which goes past all facts that hold for a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from tidelog.engines.spark.facts import Expiries, FactSet, Few, TooLarge
from tidelog.engines.spark.frames import literal
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.tables import FOREVER, Tables
from tidelog.engines.spark.truth import EXPLICIT, PRESENT
from tidelog.facts.times import NEVER
from tidelog.maintain.algebra import Update
from tidelog.maintain.given import Given, Timed
from tidelog.maintain.sets import EXPLICIT as E

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra


class Change(NamedTuple):
    """An update's facts in the driver."""

    insert: Mapping[str, Few]
    delete: Mapping[str, Few]
    release: Mapping[str, Few]
    expiries: Mapping[str, Expiries]
    """Until when inserted facts hold, each the longest time it is given; what is not here holds for good."""


def untimed(algebra: SparkAlgebra, change: Change) -> Given[FactSet]:
    """E+ and E-, where no fact has a time: what the update really changes."""
    plus, minus = algebra.working("E+"), algebra.working("E-")
    insert = algebra.known(change.insert)
    plus |= insert - E
    minus |= (algebra.known(change.delete) & E) - insert
    update = Update(minus, plus)
    return Given(update, algebra.facts(plus), algebra.facts(minus))


def timed(algebra: SparkAlgebra, change: Change, now: float, *, expiring: bool) -> Given[FactSet]:
    """The same at the time `now`; `expiring` as in `Timed.given`."""
    insert = {p: {row: 0 for row in few if _until(change, p, row) > now} for p, few in change.insert.items()}
    plus, tables = algebra.known(insert), algebra.tables
    released = (algebra.known(change.release) & E).where(lambda p, row: tables[p].met[row].given < NEVER)
    deleted = (algebra.known(change.delete) & E) | released
    longer, shorter = _give(algebra, plus, deleted, change)
    expired, over = _due(algebra, now)
    return Timed(plus, deleted, longer, shorter, expired, over).given(algebra, expiring=expiring)


def _until(change: Change, predicate: str, row: tuple[int, ...]) -> float:
    return change.expiries.get(predicate, {}).get(row, NEVER)


def _give(algebra: SparkAlgebra, plus: FactSet, deleted: FactSet, change: Change) -> tuple[FactSet, FactSet]:
    """Write until when facts are given; which of them are new or given for another time than before, and which for less."""
    anew = dict(deleted.few())
    more: dict[str, Few] = {}
    less: dict[str, Few] = {}
    for predicate, few in plus.few():
        met = algebra.tables[predicate].met
        for row in few:
            state, until = met[row], _until(change, predicate, row)
            was_given, before = bool(state.flags & EXPLICIT), state.given
            if was_given and row not in anew.get(predicate, {}):
                until = max(until, before)
            algebra.overwrite(state)
            state.given = until
            if was_given and until < before:
                less.setdefault(predicate, {})[row] = 0
            if not was_given or until != before:
                more.setdefault(predicate, {})[row] = 0
    return FactSet(algebra, more), FactSet(algebra, less)


def _due(algebra: SparkAlgebra, now: float) -> tuple[FactSet, FactSet]:
    """The facts whose expiry has come, and those that are explicit no longer."""
    _meet_due(algebra.tables, now, algebra.few)
    expired: dict[str, Few] = {}
    over: dict[str, Few] = {}
    for predicate, table in algebra.tables.items():
        expired[predicate] = {r: 0 for r, s in table.met.items() if s.flags & PRESENT and s.expiry <= now}
        over[predicate] = {r: 0 for r, s in table.met.items() if s.flags & EXPLICIT and s.given <= now}
    return FactSet(algebra, expired), FactSet(algebra, over)


def _meet_due(tables: Tables, now: float, few: int) -> None:
    """Meet all facts that may be due by what the runs say of them."""
    moment = literal(now, "double")
    asked = {p: table for p, table in tables.items() if any(run.times != (FOREVER, FOREVER) for run in table.runs)}
    if not asked:
        return
    width = max(len(table.columns) for table in asked.values())
    parts = []
    for tag, table in enumerate(asked.values()):
        columns = [*table.columns, *["0L"] * (width - len(table.columns))]
        named = ", ".join(f"{column} AS h{i}" for i, column in enumerate(columns))
        parts.append(f"SELECT {tag} AS tag, {named} FROM {table.runs_sql()} WHERE e <= {moment} OR (x AND g <= {moment})")
    scanned = sum(table.stored for table in asked.values())
    rows = tables.cluster.collect(f"SELECT * FROM ({' UNION ALL '.join(parts)})", few, scanned=scanned)
    if rows is None:
        raise TooLarge
    names, found = list(asked), dict[str, Few]()
    for row in rows:
        predicate = names[row[0]]
        found.setdefault(predicate, {})[tuple(row[1 : 1 + len(asked[predicate].columns)])] = 0
    meet(tables, found)
