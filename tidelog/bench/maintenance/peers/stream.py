"""Pathway: a dataflow over changing tables, recursion by `iterate`.

Rules of one or two atoms become selections and joins; each derived table is made distinct, as Datalog means it. Univ-L is
written by hand, as one would: joins with the closed ontology, no iteration. The first materialisation is that of a run on a
table at rest; updates go in as a stream, each after the answer to the one before it, and last until their count is out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.bench import dialects
from tidelog.bench.graphs import Rows
from tidelog.bench.maintenance.instances import Instance
from tidelog.bench.maintenance.job import DELETE, INSERT
from tidelog.bench.maintenance.peers import Outcome
from tidelog.bench.ontology import ID, ONTOLOGY
from tidelog.syntax.ast import Atom, Rule, Variable

if TYPE_CHECKING:
    import pandas as pd

Table = Any


def measure(instance: Instance, rows: Rows, samples: Sequence[Rows]) -> Outcome:
    import pandas as pd

    columns = [f"c{place}" for place in range(rows.shape[1])]
    first = _at_rest(instance, pd.DataFrame(rows, columns=columns))
    return first, _stream(instance, rows, samples, columns)


def _at_rest(instance: Instance, frame: pd.DataFrame) -> float:
    import pathway as pw

    started = time.perf_counter()
    _Counts(pw, instance, pw.debug.table_from_pandas(frame))
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    seconds = time.perf_counter() - started
    pw.internals.parse_graph.G.clear()
    return seconds


def _stream(instance: Instance, rows: Rows, samples: Sequence[Rows], columns: Sequence[str]) -> list[tuple[str, float, int]]:
    import pathway as pw

    found: list[tuple[str, float, int]] = []

    class Updates(pw.io.python.ConnectorSubject):
        def run(self) -> None:
            self.send(rows, self.next, len(rows))
            for sample in samples:
                for kind, send, left in ((DELETE, self.delete, len(rows) - len(sample)), (INSERT, self.next, len(rows))):
                    started = time.perf_counter()
                    self.send(sample, send, left)
                    found.append((kind, time.perf_counter() - started, counts.facts))

        def send(self, facts: Rows, by: Callable[..., None], left: int) -> None:
            for row in facts.tolist():
                by(**dict(zip(columns, row, strict=True)))
            self.commit()
            counts.wait(left)

        @property
        def _deletions_enabled(self) -> bool:
            return True

    schema = pw.schema_builder({name: pw.column_definition(dtype=int, primary_key=True) for name in columns})
    table = pw.io.python.read(Updates(), schema=schema, autocommit_duration_ms=None)
    counts = _Counts(pw, instance, table)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    return found


class _Counts:
    """How many facts there are, and how many are given, which tells that an update is through."""

    def __init__(self, pw: Any, instance: Instance, given: Table) -> None:
        tables = _university(pw, given) if instance.name == "Univ-L" else _tables(pw, instance, given)
        counts = [table.reduce(part=place, n=pw.reducers.count()) for place, table in enumerate([given, *tables])]
        pw.io.subscribe(counts[0].concat_reindex(*counts[1:]), on_change=self._changed, on_time_end=self._ended)
        self._now: dict[int, int] = {}
        self._ends = threading.Condition()

    @property
    def facts(self) -> int:
        return sum(count for part, count in self._now.items() if part)

    def wait(self, given: int) -> None:
        with self._ends:
            self._ends.wait_for(lambda: self._given == given)

    _given = -1

    def _changed(self, key: object, row: dict[str, int], time: int, is_addition: bool) -> None:
        if is_addition:
            self._now[row["part"]] = row["n"]

    def _ended(self, time: int) -> None:
        with self._ends:
            self._given = self._now.get(0, 0)
            self._ends.notify_all()


def _tables(pw: Any, instance: Instance, given: Table) -> list[Table]:
    """The given table where it is not derived, and the derived one (the instances have one derived predicate)."""
    rules = dialects.parse(instance.rules)
    (head,) = {rule.head[0].predicate for rule in rules}
    explicit = instance.predicate

    def step(derived: Table, given: Table) -> dict[str, Table]:
        named = {explicit: given, head: derived}
        parts = [_rule(rule, named) for rule in rules]
        return {"derived": _distinct(pw, [given, *parts] if head == explicit else parts)}

    if not any(dialects.occurrences(rule, head) for rule in rules):
        return [given, _distinct(pw, [_rule(rule, {explicit: given}) for rule in rules])]
    derived = pw.iterate(step, derived=pw.iterate_universe(_distinct(pw, [given])), given=given).derived
    return [derived] if head == explicit else [given, derived]


def _rule(rule: Rule, named: dict[str, Table]) -> Table:
    left, *rest = dialects.body(rule)
    first = named[left.predicate]
    if not rest:
        return first.select(**{f"c{p}": _column(first, left, term) for p, term in enumerate(rule.head[0].terms)})
    (right,) = rest
    second = named[right.predicate].copy()
    shared = [term for term in left.terms if isinstance(term, Variable) and term in right.terms]
    joined = first.join(second, *(_column(first, left, term) == _column(second, right, term) for term in shared))
    heads = {
        f"c{p}": _column(first, left, term) if term in left.terms else _column(second, right, term)
        for p, term in enumerate(rule.head[0].terms)
    }
    return joined.select(**heads)


def _column(table: Table, atom: Atom, term: object) -> Any:
    return table[f"c{atom.terms.index(term)}"]


def _distinct(pw: Any, tables: Sequence[Table]) -> Table:
    first, *rest = tables
    union = first.concat_reindex(*rest) if rest else first
    names = union.column_names()
    return union.groupby(*(union[name] for name in names)).reduce(*(union[name] for name in names))


def _university(pw: Any, given: Table) -> list[Table]:
    kind = ID["type"]
    above_property, above_class = (_closed(pw, ID[axiom]) for axiom in ("subPropertyOf", "subClassOf"))
    domain, range_ = (_pairs(pw, ONTOLOGY[ONTOLOGY[:, 1] == ID[axiom]][:, [0, 2]]) for axiom in ("domain", "range"))
    every = given.join(above_property, given.c1 == above_property.a).select(given.c0, c1=above_property.b, c2=given.c2)
    typed = every.filter(pw.this.c1 == kind).select(pw.this.c0, pw.this.c2)
    left = every.join(domain, every.c1 == domain.a).select(every.c0, c2=domain.b)
    right = every.join(range_, every.c1 == range_.a).select(c0=every.c2, c2=range_.b)
    types = typed.concat_reindex(left, right)
    classes = types.join(above_class, types.c2 == above_class.a).select(types.c0, c1=kind, c2=above_class.b)
    return [_distinct(pw, [every, classes])]


def _pairs(pw: Any, rows: Rows) -> Table:
    import pandas as pd

    return pw.debug.table_from_pandas(pd.DataFrame(rows, columns=["a", "b"]))


def _closed(pw: Any, axiom: int) -> Table:
    """Each word of the vocabulary with all that is above it, itself too."""
    size = max(ID.values()) + 1
    above = np.eye(size, dtype=bool)
    edges = ONTOLOGY[ONTOLOGY[:, 1] == axiom]
    above[edges[:, 0], edges[:, 2]] = True
    for _ in range(size.bit_length()):
        above = above @ above
    return _pairs(pw, np.argwhere(above))
