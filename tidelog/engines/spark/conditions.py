"""Conditions in SQL: comparing and calculating with ids.

Integers are their own ids, so Spark compares and adds them as they are. For other terms the driver lays out the *places* of
those it knows: `tidelog.facts.values` says which kind a term is of and where it stands within its kind, and a join brings that
to the rows. A number that is no such integer stands above the greatest integer below it, so numbers of all kinds compare.

While the driver knows no other numbers, nothing else is looked at. Should a calculation meet, or make, one all the same, or a
comparison a term that the driver does not know, the job fails on purpose, with `Inexact`, and the engine begins anew. From
then on it is `careful`: before a condition becomes part of a statement, a job asks for the values that need the driver, and
what they come to is laid out for the statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tidelog.engines.spark.frames import Cell, Cluster
from tidelog.engines.spark.places import INEXACT, Place, places_of, unknown
from tidelog.engines.spark.terms import Terms
from tidelog.errors import DataError, InternalError
from tidelog.facts import values
from tidelog.facts.dictionary import Ids
from tidelog.facts.kernel import Mask
from tidelog.facts.wide import WIDE
from tidelog.plan.model import Bind, Test
from tidelog.plan.planner import expression_variables
from tidelog.syntax.ast import Arithmetic, Constant, Expression, Variable

_MOST = 200_000
"""For so many different values of its variables the driver calculates an expression at a time."""
_NUMBER, _NAN = values.NUMBER, values.NAN


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison in SQL: its id, its kind, and where it stands in that kind (see `places`)."""

    id: str
    kind: str
    floor: str
    place: str


class Conditions:
    """The conditions of rules."""

    def __init__(self, terms: Terms, cluster: Cluster) -> None:
        self.terms, self.cluster = terms, cluster
        self._known = -1
        self._places: str | None = None
        self._of: dict[int, Place] = {}

    def test(self, step: Test, source: str, names: Mapping[str, str]) -> str:
        """The rows of `source` for which a comparison holds; `names` are the columns of variables."""
        comparison = step.comparison
        joined, (left, right) = self._sides(source, names, comparison.left, comparison.right)
        if step.identical:
            return f"SELECT q.* FROM {joined} WHERE {left.id} = {right.id}"
        return f"SELECT q.* FROM {joined} WHERE {_compared(comparison.operator, left, right)}"

    def bind(self, step: Bind, source: str, names: Mapping[str, str], column: str) -> str:
        """The rows of `source` with the value of an expression, where it has one."""
        joined, (side,) = self._sides(source, names, step.expression)
        return f"SELECT * FROM (SELECT q.*, {side.id} AS {column} FROM {joined}) q WHERE {column} IS NOT NULL"

    def _sides(self, source: str, names: Mapping[str, str], *expressions: Expression) -> tuple[str, list[Side]]:
        """`source` as q, joined with what is known of terms; and what the expressions are there."""
        columns = [names[name] for name in sorted(set().union(*map(expression_variables, expressions)))]
        for constant in (constant for one in expressions for constant in _constants(one)):
            self.terms.wide_one(constant.value)
        self._learn()
        calculated: list[Mapping[tuple[int, ...], int | None]] = []
        if any(isinstance(one, Arithmetic) for one in expressions):
            self.terms.careful |= any(kind == _NUMBER for kind, _, _ in self._of.values())
        if self.terms.careful:
            self._meet(source, columns)
            calculated = [self._calculate(one, source, names) for one in expressions]
        self._learn()
        joined, sides = self._joined(source, columns), []
        for number, one in enumerate(expressions):
            if not isinstance(one, Arithmetic):
                sides.append(self._term(one, names))
            elif not self.terms.careful:
                sides.append(_native(self._integer(one, names)))
            else:
                relation = f"w{number}"
                on, side = self._looked_up(one, names, relation, calculated[number])
                joined, sides = f"{joined}{on}", [*sides, side]
        return joined, sides

    def _term(self, one: Variable | Constant, names: Mapping[str, str]) -> Side:
        if isinstance(one, Constant):
            wide = self.terms.wide_one(one.value)
            kind, floor, place = (_NUMBER, wide, 0) if wide < WIDE else self._of[wide]
            return Side(f"{wide}L", str(kind), f"{floor}L", f"{place}L")
        column = names[one.name]
        small = f"q.{column} < {WIDE}L"
        if self._places is None:
            return Side(f"q.{column}", f"IF({small}, {_NUMBER}, NULL)", f"q.{column}", "0L")
        own = ((str(_NUMBER), "kind"), (f"q.{column}", "floor"), ("0L", "place"))
        return Side(f"q.{column}", *(f"IF({small}, {value}, p_{column}.{name})" for value, name in own))

    # Calculating

    def _integer(self, one: Expression, names: Mapping[str, str]) -> str:
        """The value of an expression over integers, as SQL knows it; NULL, or else a refusal, where it is no small one."""
        careful = self.terms.careful
        if isinstance(one, Variable):
            column = f"q.{names[one.name]}"
            return f"IF({column} < {WIDE}L, {column}, NULL)" if careful else column
        if isinstance(one, Constant):
            wide = self.terms.wide_one(one.value)
            return f"{wide}L" if wide < WIDE or not careful else "CAST(NULL AS BIGINT)"
        a, b = self._integer(one.left, names), self._integer(one.right, names)
        if careful:
            return _tried(one.operator, a, b)
        return self._demanded(one, a, b, names)

    def _demanded(self, one: Arithmetic, a: str, b: str, names: Mapping[str, str]) -> str:
        """The same where nothing but small integers is expected; NULL for what has no result: no number, a division by zero."""
        result = f"{a} {one.operator} {b}"
        if one.operator == "/":
            checked = f"CASE WHEN {b} = 0L THEN NULL WHEN {a} % {b} = 0L THEN {a} DIV {b} ELSE {INEXACT} END"
        else:
            checked = f"IF(({result}) BETWEEN {-WIDE}L AND {WIDE - 1}L, {result}, {INEXACT})"
        sides = [self._term(side, names) for side in (one.left, one.right) if not isinstance(side, Arithmetic)]
        none = " OR ".join([f"{side.kind} NOT IN ({_NUMBER}, {_NAN})" for side in sides] + [f"{a} IS NULL OR {b} IS NULL"])
        return f"(CASE WHEN {a} < {WIDE}L AND {b} < {WIDE}L THEN {checked} WHEN {none} THEN NULL ELSE {INEXACT} END)"

    def _calculate(self, one: Expression, source: str, names: Mapping[str, str]) -> Mapping[tuple[int, ...], int | None]:
        """What an expression comes to for the values of its variables with which SQL cannot calculate."""
        if not isinstance(one, Arithmetic):
            return {}
        variables = sorted(expression_variables(one))
        columns = [names[name] for name in variables]
        if not columns:
            rows: Sequence[Sequence[int]] = [()]
        else:
            self._learn()
            kinds = [self._term(Variable(name), names).kind for name in variables]
            wanted = " AND ".join(
                [f"{self._integer(one, names)} IS NULL", *(f"{kind} IN ({_NUMBER}, {_NAN})" for kind in kinds)]
            )
            selected = ", ".join(f"q.{column}" for column in columns)
            rows = self._asked(f"SELECT DISTINCT {selected} FROM {self._joined(source, columns)} WHERE {wanted}")
        ids = {name: self.terms.narrow(np.array([row[i] for row in rows], np.int64)) for i, name in enumerate(variables)}
        results, valid = self._value(one, ids, len(rows))
        wide = self.terms.wide(results).tolist()
        return {tuple(row): w if v else None for row, w, v in zip(rows, wide, valid.tolist(), strict=True)}

    def _value(self, one: Expression, ids: Mapping[str, Ids], length: int) -> tuple[Ids, Mask]:
        """The ids of an expression's values, and for which rows there is one."""
        if isinstance(one, Arithmetic):
            (left, there), (right, here) = (self._value(side, ids, length) for side in (one.left, one.right))
            found, valid = values.arithmetic(self.terms.dictionary, one.operator, left, right)
            return found, valid & there & here
        every: Mask = np.ones(length, np.bool_)
        if isinstance(one, Variable):
            return ids[one.name], every
        return np.full(length, self.terms.dictionary.encode_one(one.value), np.uint32), every

    def _looked_up(
        self, one: Arithmetic, names: Mapping[str, str], relation: str, calculated: Mapping[tuple[int, ...], int | None]
    ) -> tuple[str, Side]:
        """A join with what the driver has calculated, and the value of an expression with that."""
        native = self._integer(one, names)
        columns = [names[name] for name in sorted(expression_variables(one))]
        if not calculated:
            return "", _native(native)
        rows: list[tuple[Cell, ...]] = [(*row, wide, *self._place(wide)) for row, wide in calculated.items()]
        types = ["bigint"] * len(columns) + ["bigint", "int", "bigint", "bigint"]
        table = self.cluster.rows([*columns, "id", "kind", "floor", "place"], types, rows)
        on = " AND ".join(f"{relation}.{column} = q.{column}" for column in columns) or "true"
        side = Side(
            f"coalesce({native}, {relation}.id)",
            f"IF({native} IS NOT NULL, {_NUMBER}, {relation}.kind)",
            f"coalesce({native}, {relation}.floor)",
            f"IF({native} IS NOT NULL, 0L, {relation}.place)",
        )
        return f" LEFT JOIN {table} {relation} ON {on}", side

    def _place(self, wide: int | None) -> tuple[Cell, ...]:
        if wide is None:
            return None, None, None
        return (_NUMBER, wide, 0) if wide < WIDE else self._of[wide]

    # What the driver knows

    def _joined(self, source: str, columns: Sequence[str]) -> str:
        """`source` as q, with the places of the terms in some columns."""
        joined = f"({source}) q"
        for column in columns if self._places is not None else ():
            joined = f"{joined} LEFT JOIN {self._places} p_{column} ON p_{column}.id = q.{column}"
        return joined

    def _meet(self, source: str, columns: Sequence[str]) -> None:
        """Have the driver know all terms of some columns."""
        if self.terms.lookup is None or not columns:  # then there are no terms that it does not know
            return
        self._learn()
        asked = [f"SELECT q.{column} AS id FROM ({source}) q WHERE q.{column} >= {WIDE}L" for column in columns]
        statement = f"SELECT DISTINCT q.id FROM ({' UNION ALL '.join(asked)}) q"
        if self._places is not None:
            statement += f" LEFT ANTI JOIN {self._places} p ON p.id = q.id"
        try:
            self.terms.narrow(np.array([row[0] for row in self._asked(statement)], np.int64))
        except InternalError:
            raise unknown() from None

    def _asked(self, statement: str) -> list[tuple[int, ...]]:
        rows = self.cluster.collect(statement, _MOST, scanned=_MOST)
        if rows is None:
            what = f"a condition needs the driver for more than {_MOST:,} different values at a time"
            raise DataError(what, hint="integers of up to 62 bits do not; or let the embedded engine keep this materialisation")
        return [tuple(row) for row in rows]

    def _learn(self) -> None:
        """Lay out the places of the terms that the driver knows, if it knows more than last time."""
        wide, ids = self.terms.known()
        if len(wide) == self._known:
            return
        self._known = len(wide)
        others = wide >= WIDE
        self._of = dict(zip(wide[others].tolist(), places_of(self.terms.dictionary, ids[others]), strict=True))
        if self._places is not None:
            self.cluster.retire(self._places)
        self._places = None
        if self._of:
            kinds, floors, places = zip(*self._of.values(), strict=True)
            columns = {"kind": pa.array(kinds, pa.int32()), "floor": pa.array(floors), "place": pa.array(places)}
            table = pa.table({"id": pa.array(list(self._of)), **columns})
            self._places = self.cluster.view(self.cluster.session.createDataFrame(table))


def _native(value: str) -> Side:
    """A value that is an integer of up to 62 bits, or NULL."""
    return Side(value, f"IF({value} IS NULL, NULL, {_NUMBER})", value, "0L")


def _constants(one: Expression) -> list[Constant]:
    if isinstance(one, Arithmetic):
        return _constants(one.left) + _constants(one.right)
    return [one] if isinstance(one, Constant) else []


def _tried(operator: str, a: str, b: str) -> str:
    """The result for two integers where it is one of up to 62 bits, else NULL."""
    if operator == "/":
        return f"(CASE WHEN {b} <> 0L AND {a} % {b} = 0L THEN {a} DIV {b} END)"
    result = f"{_TRY[operator]}({a}, {b})"
    return f"(CASE WHEN {result} BETWEEN {-WIDE}L AND {WIDE - 1}L THEN {result} END)"


_TRY = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}


def _compared(operator: str, left: Side, right: Side) -> str:
    """A comparison as `tidelog.facts.values` explains it."""
    none = f"{left.id} IS NULL OR {right.id} IS NULL"
    unknown = f"{left.kind} IS NULL OR {right.kind} IS NULL"
    at_once = f"{left.id} < {WIDE}L AND {right.id} < {WIDE}L"
    level = f"{left.floor} = {right.floor}"
    if operator in ("=", "!="):
        numbers = f"{left.kind} = {_NUMBER} AND {right.kind} = {_NUMBER}"
        equal = (
            f"CASE WHEN {none} THEN NULL WHEN {at_once} THEN {left.id} = {right.id} WHEN {unknown} THEN {INEXACT}"
            f" WHEN {numbers} THEN {level} AND {left.place} = {right.place}"
            f" ELSE {left.id} = {right.id} AND {left.kind} <> {_NAN} END"
        )
        return f"({equal})" if operator == "=" else f"NOT ({equal})"
    strictly = operator[0]
    return (
        f"(CASE WHEN {none} THEN false WHEN {at_once} THEN {left.id} {operator} {right.id} WHEN {unknown} THEN {INEXACT}"
        f" WHEN {left.kind} <> {right.kind} OR {left.kind} IN ({values.NONE}, {_NAN}) THEN false"
        f" ELSE {left.floor} {strictly} {right.floor} OR ({level} AND {left.place} {operator} {right.place}) END)"
    )
