"""What an update changes about the explicit facts: E+ and E- as sets, and, where facts have times, what these take away.

The expiry with which a fact was given is in `table.times.given`. Of a fact that is given twice the later one counts, unless
the update also deletes it: then it is given anew.
"""

from __future__ import annotations

import numpy as np

from tidelog.engines.embedded.algebra import EmbeddedAlgebra
from tidelog.engines.embedded.batches import Batch, Columns, Encoded, batch_length, intern_timed
from tidelog.engines.embedded.sets import FactSet, RowSet, among
from tidelog.facts.kernel import Mask, Rows, sorted_unique
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.facts.times import NEVER, Expiries
from tidelog.maintain.algebra import Update
from tidelog.maintain.given import Given, Timed
from tidelog.maintain.sets import EXPLICIT as E


def known(algebra: EmbeddedAlgebra, batch: Batch) -> FactSet:
    """Those facts of a batch that have a row."""
    found: dict[Table, RowSet] = {}
    for predicate, columns in batch.items():
        table = algebra.store.tables[predicate]
        rows, has_row = table.find(columns, batch_length(columns, table.arity))
        found[table] = sorted_unique(rows[has_row])
    return FactSet(algebra.bits, found)


def untimed(algebra: EmbeddedAlgebra, encoded: Encoded) -> Given[FactSet]:
    """E+ and E-, where no fact has a time: what the update really changes."""
    plus, minus, new = algebra.working("E+"), algebra.working("E-"), algebra.working("new E+")
    for predicate, columns in encoded.insert.items():
        table = algebra.store.tables[predicate]
        plus |= FactSet(algebra.bits, {table: table.intern_all(columns, batch_length(columns, table.arity))})
    minus |= known(algebra, encoded.delete) & E - plus
    new |= algebra.facts(plus - E)
    for facts in (minus, new):
        facts |= algebra.kept.shadows_of(algebra.facts(facts))
    return Given(Update(minus, new), algebra.facts(new), algebra.facts(minus))


def timed(algebra: EmbeddedAlgebra, encoded: Encoded, now: float, *, expiring: bool) -> Given[FactSet]:
    """The same at the time `now`; `expiring` as in `Timed.given`."""
    deleted = (known(algebra, encoded.delete) & E) | _for_a_time(known(algebra, encoded.timing.release) & E)
    plus, longer, shorter = algebra.empty(), algebra.empty(), algebra.empty()
    for predicate, columns in encoded.insert.items():
        table = algebra.store.tables[predicate]
        anew = deleted.parts.get(table, slice(0, 0))
        rows, more, less = _give(algebra, table, columns, encoded.timing.expiries.get(predicate), now, anew)
        plus |= FactSet(algebra.bits, {table: rows})
        longer |= FactSet(algebra.bits, {table: rows[more]})
        shorter |= FactSet(algebra.bits, {table: rows[less]})
    expired, over = _due(algebra, now)
    return Timed(plus, deleted, longer, shorter, expired, over).given(algebra, expiring=expiring)


def _for_a_time(facts: FactSet) -> FactSet:
    """Those of explicit facts that were not given for good."""
    masks: dict[Table, Mask] = {}
    for table, rows in facts:
        times = table.times
        masks[table] = times.given[rows] < NEVER if times is not None else np.zeros(len(rows), np.bool_)  # type: ignore[arg-type]
    return facts.where(masks)


def _give(
    algebra: EmbeddedAlgebra, table: Table, columns: Columns, expiries: Expiries | None, now: float, deleted: RowSet
) -> tuple[Rows, Mask, Mask]:
    """Write until when the facts of one predicate are given.

    Gives their rows, which of them are new or given for longer than before, and which for less.
    """
    rows, until = intern_timed(table, columns, batch_length(columns, table.arity), expiries, now)
    was_given, anew = table.flags[rows] & EXPLICIT != 0, among(rows, deleted)
    before = np.full(len(rows), NEVER) if table.times is None else table.times.given[rows]
    until = np.where(was_given & ~anew, np.maximum(until, before), until)
    if table.times is not None or (len(until) and until.min() < NEVER):
        algebra.sets.remember_times(table, rows)
        table.keep_times().given[rows] = until
    less = was_given & (until < before)
    return rows, ~was_given | (until > before) | less, less


def _due(algebra: EmbeddedAlgebra, now: float) -> tuple[FactSet, FactSet]:
    """The facts whose expiry has come, and those that are explicit no longer."""
    expired: dict[Table, RowSet] = {}
    over: dict[Table, RowSet] = {}
    for table in algebra.store:
        times = table.times
        if times is not None and times.runs:
            rows = times.due(now)
            flags = table.flags[rows]
            expired[table] = rows[(flags & PRESENT != 0) & (times.expiry[rows] <= now)]
            over[table] = rows[(flags & EXPLICIT != 0) & (times.given[rows] <= now)]
    return FactSet(algebra.bits, expired), FactSet(algebra.bits, over)
