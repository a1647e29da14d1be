"""Rule instances on their way to the driver: statements for them, and what their rows say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

from tidelog.engines.spark.facts import Expiries, Few, TooLarge
from tidelog.engines.spark.matching import Bindings, Matcher
from tidelog.engines.spark.tables import Row, Tables
from tidelog.engines.spark.terms import Terms
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, Constant

Fact: TypeAlias = tuple[str, Row]


@dataclass(frozen=True, slots=True)
class Instances:
    """The statement for the instances of one rule from one pivot."""

    rule: CoreRule
    found: Bindings


def scanned(tables: Tables, instances: Iterable[Instances]) -> int:
    """How many rows of runs a look for instances goes past."""
    atoms = (atom for one in instances for atom in (*one.rule.positive, *one.rule.negative))
    return sum(tables[atom.predicate].stored for atom in atoms)


def heads_sql(matcher: Matcher, instances: Sequence[Instances], *, expiring: bool = False) -> str:
    """The heads of instances, with the number of their statement, the rank they give, and perhaps the expiry."""
    expiry = ", q.ex AS e" if expiring else ""
    width = head_width(matcher.tables, instances)
    parts = []
    for tag, one in enumerate(instances):
        terms = matcher.terms_sql(one.rule.head, one.found.names)
        terms += ["0L"] * (width - len(terms))
        columns = ", ".join(f"{term} AS h{i}" for i, term in enumerate(terms))
        parts.append(f"SELECT {tag} AS tag, {columns}, q.rk + 1 AS k{expiry} FROM ({one.found.sql}) q")
    return f"SELECT * FROM ({' UNION ALL '.join(parts)})"


def head_width(tables: Tables, instances: Sequence[Instances]) -> int:
    """How many columns the widest head has."""
    return max(len(tables[one.rule.head.predicate].columns) for one in instances)


def lowest(tables: Tables, instances: Sequence[Instances], rows: Iterable[Sequence[int]]) -> dict[str, Few]:
    """The facts that instances derive, each with its lowest rank."""
    found: dict[str, Few] = defaultdict(dict)
    shapes = [(found[p], len(tables[p].columns)) for p in (one.rule.head.predicate for one in instances)]
    k = 1 + head_width(tables, instances)
    for row in rows:
        few, width = shapes[row[0]]
        head, rank = tuple(row[1 : 1 + width]), row[k]
        if rank < few.get(head, rank + 1):
            few[head] = rank
    return found


def latest(
    tables: Tables, instances: Sequence[Instances], rows: Iterable[Sequence[float]]
) -> tuple[dict[str, Few], dict[str, Expiries]]:
    """The facts that instances derive, each with its latest expiry and the lowest rank that comes with this."""
    found: dict[str, Few] = defaultdict(dict)
    expiries: dict[str, Expiries] = defaultdict(dict)
    shapes = [(p, len(tables[p].columns)) for p in (one.rule.head.predicate for one in instances)]
    k = 1 + head_width(tables, instances)
    for row in rows:
        predicate, width = shapes[int(row[0])]
        few, until = found[predicate], expiries[predicate]
        head, rank, expiry = cast(Row, tuple(row[1 : 1 + width])), int(row[k]), row[k + 1]
        if head not in few or (expiry, -rank) > (until[head], -few[head]):
            few[head], until[head] = rank, expiry
    return found, expiries


class Grounded(NamedTuple):
    """A rule instance in the driver."""

    rule: CoreRule
    head: Fact
    body: tuple[Fact, ...]
    """The facts of its positive atoms, in their order."""
    rank: int
    """The highest of the body facts of the head's own stratum."""


def grounded(matcher: Matcher, instances: Sequence[Instances], few: int) -> list[Grounded]:
    """All instances, each with its body facts; `TooLarge` if they are more than the driver takes."""
    if not instances:
        return []
    width = max(len(one.found.names) for one in instances)
    parts = []
    for tag, one in enumerate(instances):
        columns = [f"q.{column}" for column in one.found.names.values()] + ["0L"] * (width - len(one.found.names))
        named = "".join(f", {column} AS h{i}" for i, column in enumerate(columns))
        parts.append(f"SELECT {tag} AS tag, q.rk AS k{named} FROM ({one.found.sql}) q")
    statement = f"SELECT * FROM ({' UNION ALL '.join(parts)})"
    rows = matcher.tables.cluster.collect(statement, few, scanned=scanned(matcher.tables, instances))
    if rows is None:
        raise TooLarge
    shapes = [(one.rule, *_makers(one, matcher.terms)) for one in instances]
    found = []
    for tag, rank, *values in rows:
        rule, head, body = shapes[tag]
        found.append(Grounded(rule, head(values), tuple(atom(values) for atom in body), rank))
    return found


_Maker: TypeAlias = Callable[[Sequence[int]], Fact]


def _makers(one: Instances, terms: Terms) -> tuple[_Maker, list[_Maker]]:
    places = {name: place for place, name in enumerate(one.found.names)}
    return _maker(one.rule.head, places, terms), [_maker(atom, places, terms) for atom in one.rule.positive]


def _maker(atom: Atom, places: Mapping[str, int], terms: Terms) -> _Maker:
    """Makes the fact of an atom from the values of the rule's variables."""
    predicate = atom.predicate
    fixed = [terms.wide_one(term.value) if isinstance(term, Constant) else None for term in atom.terms]
    at = [0 if isinstance(term, Constant) else places[term.name] for term in atom.terms]
    if not fixed:
        return lambda values: (predicate, (0,))
    if all(value is None for value in fixed):
        return lambda values: (predicate, tuple([values[i] for i in at]))
    both = list(zip(fixed, at, strict=True))
    return lambda values: (predicate, tuple([values[i] if value is None else value for value, i in both]))


def heads_of(found: Iterable[Grounded]) -> dict[str, Few]:
    """The facts that instances derive, each with its lowest rank."""
    heads: dict[str, Few] = defaultdict(dict)
    for one in found:
        predicate, row = one.head
        few, rank = heads[predicate], one.rank + 1
        few[row] = min(rank, few.get(row, rank))
    return heads


def by_predicate(facts: Iterable[Fact]) -> dict[str, Few]:
    """Facts as `meet` takes them."""
    found: dict[str, Few] = defaultdict(dict)
    for predicate, row in facts:
        found[predicate][row] = 0
    return found
