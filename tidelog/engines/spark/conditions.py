"""Conditions in SQL: comparing and calculating with ids.

Integers are their own ids, so Spark compares and adds them as they are. For other terms the driver lays out the *places* of
those it knows: `tidelog.facts.values` says which kind a term is of and where it stands within its kind, and a join brings that
to the rows. What would need more (numbers that are not integers, integers beyond 62 bits, terms that the driver has never seen)
is refused while the job runs: the job fails, with a sentence that says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tidelog.engines.spark.frames import REFUSED, Cluster
from tidelog.engines.spark.terms import Terms
from tidelog.facts import values
from tidelog.facts.wide import WIDE
from tidelog.plan.model import Bind, Test
from tidelog.plan.planner import expression_variables
from tidelog.syntax.ast import Arithmetic, Constant, Expression, Variable

_NUMBERS = "the Spark engine compares and calculates with integers of up to 62 bits, not with other numbers"
_UNKNOWN = "the Spark engine compares terms other than integers only if the driver has met them"
_NONE, _NUMBER, _NAN = values.NONE, values.NUMBER, values.NAN


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its id, its kind, and its place in that kind, in SQL."""

    id: str
    kind: str
    place: str


class Conditions:
    """The conditions of rules, as far as SQL can say them."""

    def __init__(self, terms: Terms, cluster: Cluster) -> None:
        self.terms, self.cluster = terms, cluster
        self._known = -1
        self._places: str | None = None
        self._of: dict[int, tuple[int, int]] = {}

    def test(self, step: Test, source: str, names: Mapping[str, str]) -> str:
        """The rows of `source` for which a comparison holds; `names` are the columns of variables."""
        comparison = step.comparison
        joined = self._joined(source, names, comparison.left, comparison.right)
        left, right = self._side(comparison.left, names), self._side(comparison.right, names)
        if step.identical:
            return f"SELECT q.* FROM {joined} WHERE {left.id} = {right.id}"
        return f"SELECT q.* FROM {joined} WHERE {_compared(comparison.operator, left, right)}"

    def bind(self, step: Bind, source: str, names: Mapping[str, str], column: str) -> str:
        """The rows of `source` with the value of an expression, where it has one."""
        joined = self._joined(source, names, step.expression)
        side = self._side(step.expression, names)
        return f"SELECT * FROM (SELECT q.*, {side.id} AS {column} FROM {joined}) q WHERE {column} IS NOT NULL"

    def _side(self, expression: Expression, names: Mapping[str, str]) -> Side:
        self._learn()
        if isinstance(expression, Variable):
            name = names[expression.name]
            if self._places is None:
                return Side(f"q.{name}", f"IF(q.{name} < {WIDE}L, {_NUMBER}, NULL)", "NULL")
            return Side(f"q.{name}", f"IF(q.{name} < {WIDE}L, {_NUMBER}, p_{name}.kind)", f"p_{name}.place")
        if isinstance(expression, Constant):
            wide = self.terms.wide_one(expression.value)
            self._learn()
            kind, place = (_NUMBER, 0) if wide < WIDE else self._of[wide]
            return Side(f"{wide}L", str(kind), f"{place}L")
        value = self._calculated(expression, names)
        return Side(value, f"IF({value} IS NULL, NULL, {_NUMBER})", "NULL")

    def _calculated(self, expression: Arithmetic, names: Mapping[str, str]) -> str:
        """NULL where there is no result: an operand that is no number, a division by zero."""
        sides = [self._side(side, names) for side in (expression.left, expression.right)]
        a, b = (side.id for side in sides)
        result = f"{a} {expression.operator} {b}"
        if expression.operator == "/":
            result = f"CASE WHEN {b} = 0L THEN NULL WHEN {a} % {b} = 0L THEN {a} DIV {b} ELSE {_refuse(_NUMBERS)} END"
        checked = f"IF(({result}) BETWEEN {-WIDE}L AND {WIDE - 1}L, {result}, {_refuse(_NUMBERS)})"
        if expression.operator == "/":
            checked = result
        none = " OR ".join(f"{side.id} IS NULL OR {side.kind} NOT IN ({_NUMBER}, {_NAN})" for side in sides)
        unknown = " OR ".join(f"{side.kind} IS NULL" for side in sides)
        return (
            f"(CASE WHEN {a} < {WIDE}L AND {b} < {WIDE}L THEN {checked} WHEN {none} THEN NULL"
            f" WHEN {unknown} THEN {_refuse(_UNKNOWN)} ELSE {_refuse(_NUMBERS)} END)"
        )

    def _joined(self, source: str, names: Mapping[str, str], *expressions: Expression) -> str:
        """`source` as q, with the places of the terms of all variables."""
        self._learn()
        joined = f"({source}) q"
        if self._places is not None:
            for name in sorted(set().union(*map(expression_variables, expressions))):
                column = names[name]
                joined = f"{joined} LEFT JOIN {self._places} p_{column} ON p_{column}.id = q.{column}"
        return f"{joined}" if self._places is None else joined

    def _learn(self) -> None:
        """Lay out the places of the terms that the driver knows, if it knows more than last time."""
        wide, ids = self.terms.known()
        if len(wide) == self._known:
            return
        self._known = len(wide)
        others = wide >= WIDE
        kinds, places = values.ranked(self.terms.dictionary, ids[others])
        terms, kinds = wide[others], kinds.astype(np.int32)
        self._of = dict(zip(terms.tolist(), zip(kinds.tolist(), places.tolist(), strict=True), strict=True))
        table = pa.table({"id": pa.array(terms), "kind": pa.array(kinds), "place": pa.array(places)})
        if self._places is not None:
            self.cluster.retire(self._places)
        self._places = self.cluster.view(self.cluster.session.createDataFrame(table)) if self._of else None


def _compared(operator: str, left: Side, right: Side) -> str:
    """A comparison as `tidelog.facts.values` explains it."""
    integers = f"{left.id} < {WIDE}L AND {right.id} < {WIDE}L"
    none = f"{left.id} IS NULL OR {right.id} IS NULL"
    unknown = f"{left.kind} IS NULL OR {right.kind} IS NULL"
    numbers = f"{left.kind} = {_NUMBER} AND {right.kind} = {_NUMBER}"
    if operator in ("=", "!="):
        equal = (
            f"CASE WHEN {none} THEN NULL WHEN {integers} THEN {left.id} = {right.id} WHEN {unknown} THEN {_refuse(_UNKNOWN)}"
            f" WHEN {left.id} = {right.id} THEN {left.kind} <> {_NAN}"
            f" WHEN {numbers} THEN {_refuse(_NUMBERS)} ELSE false END"
        )
        return f"({equal})" if operator == "=" else f"NOT ({equal})"
    return (
        f"(CASE WHEN {none} THEN false WHEN {integers} THEN {left.id} {operator} {right.id} WHEN {unknown} THEN"
        f" {_refuse(_UNKNOWN)} WHEN {left.kind} <> {right.kind} OR {left.kind} IN ({_NONE}, {_NAN}) THEN false"
        f" WHEN {numbers} THEN {_refuse(_NUMBERS)} ELSE {left.place} {operator} {right.place} END)"
    )


def _refuse(why: str) -> str:
    return f"raise_error('{REFUSED}{why}')"
