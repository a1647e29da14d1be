"""From a plan to operators: variables become slots, constants become ids, atoms find their table and index."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from tidelog.engines.embedded.intersection import Intersect, Way
from tidelog.engines.embedded.operators import (
    Absent,
    Assign,
    Compare,
    Evaluation,
    Lookup,
    Operator,
    Outputs,
    Probe,
    Scan,
    Slots,
    Source,
    Start,
)
from tidelog.engines.embedded.witnesses import Below
from tidelog.facts.index import Index
from tidelog.facts.store import Store
from tidelog.facts.table import Table
from tidelog.plan.calculated import calculated_columns
from tidelog.plan.model import Bind, Match, Place, Plan, Refuse, Role, Step, Test, Together
from tidelog.plan.planner import expression_variables, variables
from tidelog.syntax.ast import Atom, Constant, Variable

POSITIVE_ALL, POSITIVE_OUTSIDE, OWN_ALL, OWN_OUTSIDE, NEGATIVE_ALL, NEGATIVE_OUTSIDE, CHANGE = range(7)
"""The roles an atom is tested in, as numbers into `Context.tests`; `OWN` are positive atoms of the head's own stratum."""


@dataclass(slots=True)
class Compiled:
    """A plan that runs: where it starts, its operators, and the head it makes."""

    plan: Plan
    start: Start | None
    operators: Sequence[Operator]
    table: Table
    head: Sequence[Source]
    row_slots: dict[int, int]
    """For each positive atom whose rows were asked for, their slot."""
    marks: bool
    """Whether some atom is matched outside the change, or in it in the end; then it must be marked."""
    narrowing: Collection[int]
    """The operators after which fewer variables are needed than before, so that bindings may have become equal."""
    witnesses: bool
    """Whether only instances from lower ranks are found."""
    slot_count: int
    store: Store
    by: tuple[int, ...] | None = None
    """The columns of heads that a plan starts from, if not from all: then heads that are alike in these are to enter once."""

    def table_of(self, atom: Atom) -> Table:
        return self.store.tables[atom.predicate]

    def no_slots(self) -> Slots:
        """The slots of a binding of nothing."""
        return [None] * self.slot_count  # type: ignore[list-item]  # a slot is filled before it is read


HEAD = -1
"""Stands for the head where positive atoms are meant by their position."""


class Keep(Enum):
    """Which rows of a rule instance somebody wants to see."""

    NONE = "none"
    OWN = "own"
    """The body facts of the head's own stratum: ranks depend on them."""
    LOWER = "lower"
    """None, but only instances in which those of `OWN` have a lower rank than the head, which is where the plan begins."""
    ALL = "all"
    """All body facts: any may be marked."""


class Compiler:
    """Compiles plans for one store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def compile(
        self, plan: Plan, own: Collection[int] = (), keep_rows: Collection[int] = (), *, witnesses: bool = False
    ) -> Compiled:
        """`own` are the positive atoms of the head's own stratum.

        `keep_rows` are the positive atoms whose matched rows the caller wants to see, `HEAD` for the head itself. With
        `witnesses`, own atoms match only facts of lower rank than the head's; `keep_rows` must have all of these.
        """
        return _Compilation(self.store, plan, own, keep_rows, witnesses).result()


class _Compilation:
    def __init__(self, store: Store, plan: Plan, own: Collection[int], keep_rows: Collection[int], witnesses: bool) -> None:
        self.store = store
        self.own = own
        self.witnesses = witnesses
        self.plan = plan
        names = sorted({name for step in plan.steps for name in _names(step)} | variables(plan.rule.head))
        self.slot_of = {name: slot for slot, name in enumerate(names)}
        self.row_slots = {position: len(names) + i for i, position in enumerate(sorted(keep_rows))}
        self.slot_count = len(names) + len(self.row_slots)
        self.live = self._live_after()

    def _live_after(self) -> list[set[str]]:
        """For each step, the variables that something after it reads."""
        live = set(variables(self.plan.rule.head))
        after: list[set[str]] = []
        for step in reversed(self.plan.steps):
            after.append(set(live))
            live |= _names(step)
        return after[::-1]

    def result(self) -> Compiled:
        plan = self.plan
        known: set[str] = set()
        kept: list[int] = []
        start: Start | None = None
        operators: list[Operator] = []
        narrowing: set[int] = set()
        for number, step in enumerate(plan.steps):
            needed, begun = self.live[number], known & (self.live[number - 1] if number else set())
            live = [self.slot_of[name] for name in sorted(known & needed)] + kept
            if isinstance(step, Together):
                operators.append(self._together(step, known, needed, kept))
                kept += [slot for way in step.ways for slot in self._kept(way)]
                known |= step.binds
            elif isinstance(step, Match):
                if step.role is Role.CHANGE and start is None:
                    start = self._start(step, needed)
                else:
                    operators.append(self._match(step, known, needed, live))
                known |= variables(step.atom)
                operators += self._below(step, [*(self.slot_of[name] for name in sorted(known & needed)), *kept])
                kept += self._kept(step)
            else:
                operators.append(self._filter(step, live))
                known |= {step.variable} if isinstance(step, Bind) else set()
            if (begun | _names(step)) - needed:
                narrowing.add(len(operators) - 1)
        head = [self._source(term) for term in plan.rule.head.terms]
        by = self._starts_by()
        marks = by is not None or any(_is_outside(step) for step in plan.steps)
        return Compiled(
            plan,
            start,
            operators,
            self._table(plan.rule.head),
            head,
            self.row_slots,
            marks,
            narrowing,
            self.witnesses,
            self.slot_count,
            self.store,
            by,
        )

    def _starts_by(self) -> tuple[int, ...] | None:
        """The columns of the head that the plan starts from; None if these are all."""
        rule, first = self.plan.rule, self.plan.steps[0] if self.plan.steps else None
        if self.plan.pivot.place is not Place.HEAD or not isinstance(first, Match) or first.atom == rule.head:
            return None
        return tuple(column for column in range(len(rule.head.terms)) if column not in calculated_columns(rule))

    def _below(self, step: Match, live: Sequence[int]) -> list[Operator]:
        """What drops a match that is of no witness."""
        if not self._must_be_lower(step):
            return []
        head = self._table(self.plan.rule.head)
        return [Below(self._table(step.atom), self._row_slot(step), head, self.row_slots[HEAD], live)]

    def _kept(self, step: Match) -> list[int]:
        """The slot of the row, if somebody reads it later."""
        slot = self._row_slot(step)
        return [] if slot < 0 or self._must_be_lower(step) else [slot]

    def _must_be_lower(self, step: Match) -> bool:
        return self.witnesses and step.position is not None and step.position in self.own

    def _filter(self, step: Step, live: Sequence[int]) -> Operator:
        if isinstance(step, Refuse):
            role = NEGATIVE_OUTSIDE if step.role is Role.OUTSIDE else NEGATIVE_ALL
            return Absent(self._table(step.atom), [self._source(term) for term in step.atom.terms], live, role)
        if isinstance(step, Bind):
            return Assign(self.slot_of[step.variable], self._evaluation(step.expression), live)
        assert isinstance(step, Test)
        comparison = step.comparison
        left, right = self._evaluation(comparison.left), self._evaluation(comparison.right)
        return Compare(comparison.operator, left, right, step.identical, live)

    def _start(self, step: Match, needed: set[str]) -> Start:
        constants = [
            (column, self._constant(term)) for column, term in enumerate(step.atom.terms) if isinstance(term, Constant)
        ]
        return Start(self._outputs(step, set(), needed), constants, self.slot_count)

    def _match(self, step: Match, known: set[str], needed: set[str], live: Sequence[int]) -> Operator:
        table = self._table(step.atom)
        role = CHANGE
        if step.role is not Role.CHANGE:
            role = (OWN_ALL if step.position in self.own else POSITIVE_ALL) + (step.role is Role.OUTSIDE)
        outputs = self._outputs(step, known, needed)
        source_of = {column: self._source(step.atom.terms[column]) for column in step.bound}
        if not step.bound and table.arity:
            return Scan(outputs, live, role)
        if len(step.bound) == table.arity:
            return Lookup(table, [source_of[c] for c in range(table.arity)], live, role, outputs.row_slot)
        index = choose_index(table, step.bound, step.atom)
        used = [column for column in index.columns if column in step.bound]
        checks = [] if index.exact else list(source_of.items())
        return Probe(index, [source_of[column] for column in used], outputs, checks, live, role)

    def _together(self, step: Together, known: set[str], needed: set[str], kept: Sequence[int]) -> Intersect:
        """A way for each atom to begin with: what it reads and what is needed afterwards stays live on the way."""
        reads = set().union(*(variables(way.atom) for way in step.ways))
        before = [self.slot_of[name] for name in sorted(known & (needed | reads))]
        after = [self.slot_of[name] for name in sorted((known | step.binds) & (needed | reads))]
        left = [self.slot_of[name] for name in sorted((known | step.binds) & needed)]
        ways = []
        for first in step.ways:
            rows = list(kept)
            probe = self._match(first, known, needed | reads, [*before, *rows])
            assert isinstance(probe, Probe)
            operators = self._below(first, [*after, *rows])
            rows += self._kept(first)
            others = [replace(way, bound=tuple(range(len(way.atom.terms)))) for way in step.ways if way is not first]
            for other in others:
                live = [*(left if other is others[-1] else after), *rows]
                operators += [self._match(other, known | step.binds, needed, live), *self._below(other, live)]
                rows += self._kept(other)
            ways.append(Way(probe, operators))
        return Intersect(ways, [*before, *kept])

    def _outputs(self, step: Match, known: set[str], needed: set[str]) -> Outputs:
        columns: list[tuple[int, int]] = []
        equal: list[tuple[int, int]] = []
        first: dict[str, int] = {}
        for column, term in enumerate(step.atom.terms):
            if not isinstance(term, Variable) or term.name in known:
                continue
            if term.name in first:
                equal.append((first[term.name], column))
                continue
            first[term.name] = column
            if term.name in needed:
                columns.append((column, self.slot_of[term.name]))
        return Outputs(self._table(step.atom), tuple(columns), tuple(equal), self._row_slot(step))

    def _row_slot(self, step: Match) -> int:
        is_head = step.position is None and self.plan.pivot.place is Place.HEAD and step.atom == self.plan.rule.head
        position = HEAD if is_head else step.position
        return -1 if position is None else self.row_slots.get(position, -1)

    def _table(self, atom: Atom) -> Table:
        return self.store.table(atom.predicate, len(atom.terms))

    def _constant(self, term: Constant) -> int:
        return self.store.dictionary.encode_one(term.value)

    def _source(self, term: Variable | Constant) -> Source:
        return Source(constant=self._constant(term)) if isinstance(term, Constant) else Source(slot=self.slot_of[term.name])

    def _evaluation(self, expression: object) -> Evaluation:
        return Evaluation(self.store.dictionary, expression, self.slot_of)  # type: ignore[arg-type]


def _is_outside(step: Step) -> bool:
    """Whether an atom is matched outside the change."""
    if isinstance(step, Together):
        return any(way.role is Role.OUTSIDE for way in step.ways)
    return isinstance(step, Match | Refuse) and step.role is Role.OUTSIDE


def _names(step: Step) -> set[str]:
    if isinstance(step, Together):
        return set(step.binds)
    if isinstance(step, Match | Refuse):
        return variables(step.atom)
    if isinstance(step, Bind):
        return expression_variables(step.expression) | {step.variable}
    return expression_variables(step.comparison.left) | expression_variables(step.comparison.right)


def choose_index(table: Table, bound: tuple[int, ...], atom: Atom) -> Index:
    """The index that answers a probe on these columns (some, not all), shared between probes where one order serves both."""
    if len(bound) == 1:
        column = bound[0]
        for columns in table.indexed():
            if len(columns) == 2 and columns[0] == column:
                return table.index(columns)
        other = next(c for c in range(table.arity) if c != column)
        return table.index((column, other))
    if len(bound) == 2:
        # A constant first: then the same index serves probes on the constant alone.
        a, b = sorted(bound, key=lambda c: not isinstance(atom.terms[c], Constant))
        return table.index((b, a)) if (b, a) in table.indexed() else table.index((a, b))
    return table.index(bound)
