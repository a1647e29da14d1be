"""A rule's plan as one SQL statement: bindings travel through joins, one nested query for each step.

An atom is matched in a set expression as the runs tell it, corrected by what the driver knows better: rows that the runs have
and the set has not are refused after the join, when few are left, and rows that only the driver knows are added. Small sides
are broadcast, so that the runs stay where they are. Whether a ground atom is absent is asked with the bindings as the hash
table and the runs read past it; there Spark still moves both.

    columns of bindings    v0, v1, ...   the rule's variables, in the order they are bound
                           rk            the highest rank of the body facts of the head's own stratum so far
                           ex            where expiries are asked for: the earliest of the body facts so far; rk then speaks
                                         of those with this very expiry only
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.engines.spark.conditions import Conditions
from tidelog.engines.spark.facts import Few, Part
from tidelog.engines.spark.frames import Cell, Frame
from tidelog.engines.spark.tables import FOREVER, Row, State, Table, Tables
from tidelog.engines.spark.terms import Terms
from tidelog.engines.spark.truth import Bits, Truth
from tidelog.facts.times import NEVER
from tidelog.maintain.sets import SetExpression
from tidelog.plan.model import Bind, Match, Plan, Refuse, Role, Test
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, AtomTerm, Constant, Variable

BROADCAST = 200_000
"""A side of so many rows is sent to all executors rather than partitioned like the other."""


@dataclass(frozen=True, slots=True)
class Call:
    """What rules are applied to; see `tidelog.maintain.algebra.Algebra.derive`."""

    positive: SetExpression
    negative: SetExpression
    own: SetExpression
    changed: Mapping[str, Part] = field(default_factory=dict)
    vanished: Mapping[str, Part] = field(default_factory=dict)
    heads: Mapping[str, Few] = field(default_factory=dict)
    """The facts that a plan from the head starts from."""
    ranked: bool = False
    expiring: bool = False

    @property
    def annotations(self) -> list[str]:
        """The columns of facts that matter."""
        return ["r", "e"] if self.expiring else ["r"]


_START = {False: "SELECT 0 AS rk", True: f"SELECT 0 AS rk, {FOREVER} AS ex"}
"""The bindings before the first step, without and with expiries."""


@dataclass(slots=True)
class Bindings:
    """The rows so far."""

    sql: str
    names: dict[str, str]
    """The columns of variables."""
    rows: float
    """About how many."""


class Matcher:
    """Makes statements for the plans of one algebra."""

    def __init__(
        self, tables: Tables, bits: Bits, terms: Terms, conditions: Conditions, recursive: Callable[[CoreRule], tuple[int, ...]]
    ) -> None:
        self.tables, self.bits, self.terms, self.conditions = tables, bits, terms, conditions
        self.recursive = recursive

    def bindings(self, plan: Plan, call: Call) -> Bindings | None:
        """The instances of a rule from its pivot; None if there cannot be any."""
        recursive = frozenset(self.recursive(plan.rule))
        found: Bindings | None = Bindings(_START[call.expiring], {}, 1)
        for step in plan.steps:
            assert found is not None
            match step:
                case Match():
                    found = self._match(step, found, call, step.position in recursive)
                case Refuse():
                    found = self._refuse(step, found, call)
                case Test():
                    found.sql = self.conditions.test(step, found.sql, found.names)
                case Bind():
                    column = f"v{len(found.names)}"
                    found.sql = self.conditions.bind(step, found.sql, found.names, column)
                    found.names[step.variable] = column
            if found is None:
                return None
        return found

    def terms_sql(self, atom: Atom, names: Mapping[str, str], prefix: str = "q.") -> list[str]:
        """The terms of an atom under bindings; an atom without terms is about 0."""
        return [self._term_sql(term, names, prefix) for term in atom.terms] or ["0L"]

    def _term_sql(self, term: AtomTerm, names: Mapping[str, str], prefix: str) -> str:
        return f"{self.terms.wide_one(term.value)}L" if isinstance(term, Constant) else f"{prefix}{names[term.name]}"

    # Positive atoms

    def _match(self, step: Match, q: Bindings, call: Call, own: bool) -> Bindings | None:
        table, atom = self.tables[step.atom.predicate], step.atom
        ranked = own and call.ranked
        if step.role is Role.CHANGE:
            source = self._in_change(step, table, call, own)
        else:
            expression = call.own if own else call.positive
            outside = call.changed.get(table.predicate) if step.role is Role.OUTSIDE else None
            source = self._in_set(atom, table, self.bits.truth(expression), outside, ranked, call.expiring)
        return None if source is None else self._join(q, source, atom, table, ranked, call)

    def _in_change(self, step: Match, table: Table, call: Call, own: bool) -> _Source | None:
        if step.position is not None:
            part = call.changed.get(table.predicate)
        else:
            part = call.heads.get(table.predicate) or call.vanished.get(table.predicate)
        if not part:
            return None
        counts = step.position is not None  # until when a negated fact held says nothing of what follows now
        if isinstance(part, Frame):
            times = "e" if counts else f"{FOREVER} AS e"
            columns = [*table.columns, *(("r", times) if call.expiring else ("0 AS r",))]
            return _Source(f"SELECT {', '.join(columns)} FROM {part.name}", [], [], part.rows)
        rows = self._instances(step.atom, part)
        states = [table.met[row] for row in rows]
        if counts or not call.expiring:
            here = [self._here(row, s.rank if own else 0, s, call.expiring) for row, s in zip(rows, states, strict=True)]
        else:
            here = [(*row, 0, NEVER) for row in rows]
        return _Source(None, here, [], len(rows)) if rows else None

    def _here(self, row: Row, rank: int, state: State, expiring: bool) -> tuple[Cell, ...]:
        return (*row, rank, state.expiry) if expiring else (*row, rank)

    def _in_set(
        self, atom: Atom, table: Table, truth: Truth, outside: Part | None, ranked: bool, expiring: bool = False
    ) -> _Source | None:
        stored = truth.stored()
        without = outside if isinstance(outside, Frame) else None
        runs = None if stored is None else table.runs_sql(without)
        few = outside if isinstance(outside, dict) else {}
        here, gone = [], []
        for row in self._instances(atom, table.met):
            state = table.met[row]
            now = truth[state.flags] and row not in few
            then = stored is not None and state.stored is not None and truth[state.stored[0]]
            moved = state.stored is not None and (
                (ranked and state.rank != state.stored[1]) or (expiring and state.expiry != state.stored[2])
            )
            if then and (moved or not now):
                gone.append(row)
            if now and (moved or not then):
                here.append(self._here(row, state.rank, state, expiring))
        if runs is None and not here:
            return None
        where = "" if stored in (None, "true") else f" WHERE {stored}"
        sql = None if runs is None else f"SELECT * FROM {runs} b{where}"
        return _Source(sql, here, gone, len(here) + (0 if runs is None else table.stored))

    def _instances(self, atom: Atom, rows: Mapping[Row, object]) -> list[Row]:
        """Those of the driver's facts that are instances of an atom."""
        fixed = [(i, self.terms.wide_one(t.value)) for i, t in enumerate(atom.terms) if isinstance(t, Constant)]
        first: dict[str, int] = {}
        equal = [
            (first[t.name], i) for i, t in enumerate(atom.terms) if isinstance(t, Variable) and first.setdefault(t.name, i) != i
        ]
        if not fixed and not equal:
            return list(rows)
        return [row for row in rows if all(row[i] == v for i, v in fixed) and all(row[i] == row[j] for i, j in equal)]

    def _join(self, q: Bindings, source: _Source, atom: Atom, table: Table, ranked: bool, call: Call) -> Bindings:
        """Join bindings with the facts of a source, on what is bound."""
        names, on, new = dict(q.names), [], []
        for column, term in enumerate(atom.terms):
            if isinstance(term, Variable) and term.name not in names:
                names[term.name] = f"v{len(names)}"
                new.append((column, term.name))
            elif isinstance(term, Constant):
                on.append(f"t.c{column} = {self.terms.wide_one(term.value)}L")
            else:
                at = next((f"t.c{i}" for i, name in new if name == term.name), f"q.{names[term.name]}")
                on.append(f"t.c{column} = {at}")
        relation = self._relation(source, table, call)
        taken = [f"q.{column}" for column in q.names.values()] + [f"t.c{i} AS {names[name]}" for i, name in new]
        rank = _combined(ranked, call.expiring)
        if q.sql == _START[call.expiring]:
            rank = f"{'t.r' if ranked else '0'} AS rk" + (", t.e AS ex" if call.expiring else "")
            where = f" WHERE {' AND '.join(on)}" if on else ""
            sql = f"SELECT {', '.join([*taken, rank])} FROM {relation} t{where}"
        else:
            small = "t" if source.rows <= min(q.rows, BROADCAST) else "q" if q.rows <= BROADCAST else ""
            hint = f"/*+ BROADCAST({small}) */ " if small else ""
            condition = " AND ".join(on) or "true"
            sql = f"SELECT {hint}{', '.join([*taken, rank])} FROM ({q.sql}) q JOIN {relation} t ON {condition}"
        if source.gone:
            minus = self.tables.cluster.rows(table.columns, table.types(), source.gone)
            ground = zip(table.columns, self.terms_sql(atom, names), strict=True)
            refused = " AND ".join(f"m.{column} = {term}" for column, term in ground)
            if source.here:  # of a fact that is given anew, only the new row counts
                stored = _Source(source.sql, [], source.gone, source.rows)
                anew = _Source(None, source.here, [], len(source.here))
                sql = " UNION ALL ".join(self._join(q, one, atom, table, ranked, call).sql for one in (stored, anew))
            else:
                sql = f"SELECT /*+ BROADCAST(m) */ q.* FROM ({sql}) q LEFT ANTI JOIN {minus} m ON {refused}"
        return Bindings(sql, names, max(q.rows, source.rows) if not q.names else max(q.rows, 1))

    def _relation(self, source: _Source, table: Table, call: Call) -> str:
        parts = []
        if source.sql is not None:
            parts.append(source.sql)
        if source.here:
            types = table.types("int", *(["double"] if call.expiring else []))
            rows = self.tables.cluster.rows([*table.columns, *call.annotations], types, source.here)
            parts.append(f"SELECT * FROM {rows}")
        columns = ", ".join([*table.columns, *call.annotations])
        return f"({' UNION ALL '.join(f'SELECT {columns} FROM ({part})' for part in parts)})"

    # Negated atoms

    def _refuse(self, step: Refuse, q: Bindings, call: Call) -> Bindings | None:
        """The bindings for which a ground atom is neither in I- nor, if that is asked, in N."""
        atom, table = step.atom, self.tables[step.atom.predicate]
        truth = self.bits.truth(call.negative)
        source = self._in_set(atom, table, truth, None, False)
        vanished = call.vanished.get(table.predicate) if step.role is Role.OUTSIDE else None
        here = [row[: len(table.columns)] for row in source.here] if source is not None else []
        if isinstance(vanished, Frame):
            raise NotImplementedError
        here += list(self._instances(atom, vanished)) if vanished else []
        sql = q.sql
        ground = dict(zip(table.columns, self.terms_sql(atom, q.names), strict=True))
        if here:
            rows = self.tables.cluster.rows(table.columns, table.types(), list(dict.fromkeys(here)))
            sql = f"SELECT /*+ BROADCAST(m) */ q.* FROM ({sql}) q LEFT ANTI JOIN {rows} m ON {_equal('m', ground)}"
        if source is not None and source.sql is not None:
            sql = self._absent(sql, source, table, ground)
        return Bindings(sql, q.names, q.rows)

    def _absent(self, sql: str, source: _Source, table: Table, ground: Mapping[str, str]) -> str:
        """The bindings become the hash table, the runs are scanned past it; what the driver knows to be gone does not count."""
        gone, missing = "", "t.r IS NULL"
        if source.gone:
            rows = self.tables.cluster.rows(table.columns, table.types(), source.gone)
            gone = f" LEFT JOIN (SELECT *, true AS gone FROM {rows}) m ON {_equal('m', ground)}"
            missing = "(t.r IS NULL OR m.gone)"
        if all(term.startswith("q.") for term in ground.values()):  # without constants the runs lie where they are wanted
            sql = self.tables.cluster.spread(sql, [term.removeprefix("q.") for term in ground.values()])
        stored = f"LEFT JOIN ({source.sql}) t ON {_equal('t', ground)}"
        return f"SELECT /*+ SHUFFLE_HASH(q) */ q.* FROM ({sql}) q {stored}{gone} WHERE {missing}"


@dataclass(slots=True)
class _Source:
    """The facts that an atom is matched in: rows of the runs, without some, and rows that the driver adds."""

    sql: str | None
    here: Sequence[tuple[Cell, ...]]
    gone: Sequence[Row]
    rows: int


def _equal(relation: str, ground: Mapping[str, str]) -> str:
    return " AND ".join(f"{relation}.{column} = {term}" for column, term in ground.items())


def _combined(ranked: bool, expiring: bool) -> str:
    """The annotations of bindings joined with a fact."""
    if not expiring:
        return f"{'greatest(q.rk, t.r)' if ranked else 'q.rk'} AS rk"
    own = "IF(t.e <= q.ex, t.r, 0)" if ranked else "0"
    return f"greatest(IF(q.ex <= t.e, q.rk, 0), {own}) AS rk, least(q.ex, t.e) AS ex"
