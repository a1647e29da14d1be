"""Rule instances on their way to the driver: statements for them, and what their rows say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tidelog.engines.spark.facts import Few
from tidelog.engines.spark.matching import Bindings, Matcher
from tidelog.engines.spark.tables import Tables
from tidelog.program.normal import CoreRule


@dataclass(frozen=True, slots=True)
class Instances:
    """The statement for the instances of one rule from one pivot."""

    rule: CoreRule
    found: Bindings


def scanned(tables: Tables, instances: Iterable[Instances]) -> int:
    """How many rows of runs a look for instances goes past."""
    atoms = (atom for one in instances for atom in (*one.rule.positive, *one.rule.negative))
    return sum(tables[atom.predicate].stored for atom in atoms)


def heads_sql(matcher: Matcher, instances: Sequence[Instances]) -> str:
    """The heads of instances, with the number of their statement and the rank they give."""
    width = head_width(matcher.tables, instances)
    parts = []
    for tag, one in enumerate(instances):
        terms = matcher.terms_sql(one.rule.head, one.found.names)
        terms += ["0L"] * (width - len(terms))
        columns = ", ".join(f"{term} AS h{i}" for i, term in enumerate(terms))
        parts.append(f"SELECT {tag} AS tag, {columns}, q.rk + 1 AS k FROM ({one.found.sql}) q")
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
