"""Random programs with cyclic bodies: cycles, cliques, petals and flowers, some of them recursive, with streams of updates.

Facts are edges between few nodes, so that cycles close; negated atoms, comparisons and sums are sprinkled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from hypothesis import strategies as st

from tests.generators import Case
from tests.updates import Data, Row, Update, grouped
from tidelog import Program

NODES = 4
GIVEN = ("e", "f", "g")
SHAPES = ("cycle", "clique", "petal", "flower", "chorded")


def cases(max_updates: int = 4) -> st.SearchStrategy[Case]:
    return st.integers(0, 2**32).map(lambda seed: made(seed, max_updates))


def made(seed: int, max_updates: int) -> Case:
    random = Random(seed)
    rules = [_rule(random, number) for number in range(random.randint(1, 3))]
    text = "\n".join([*rules, "marked(?x) :- f(?x, ?x), e(?x, _), g(?x, _) ."])
    known = Program.parse(text).arities
    facts = _facts(random, 30, known)
    present = {(predicate, row) for predicate, rows in facts.items() for row in rows}
    updates = []
    for _ in range(random.randint(1, max_updates)):
        gone = random.sample(sorted(present), min(len(present), random.randint(0, 4)))
        come = _facts(random, random.randint(0, 4), known)
        present = present - set(gone) | {(predicate, row) for predicate, rows in come.items() for row in rows}
        updates.append(Update(come, grouped(gone)))
    return Case(text, facts, tuple(updates))


def shape(kind: str, random: Random) -> list[tuple[str, str]]:
    """The edges of a body between variables."""
    if kind == "clique":
        return [(f"?v{i}", f"?v{j}") for i in range(4) for j in range(i)]
    if kind == "petal":
        return [pair for i in range(random.randint(2, 3)) for pair in (("?v0", f"?u{i}"), (f"?u{i}", "?v1"))]
    if kind == "flower":
        return [("?v0", "?v1"), ("?v1", "?v2"), ("?v2", "?v0"), ("?v0", "?v3"), ("?v3", "?v4"), ("?v4", "?v0")]
    length = random.randint(3, 6)
    cycle = [(f"?v{i}", f"?v{(i + 1) % length}") for i in range(length)]
    return [*cycle, ("?v0", "?v2")] if kind == "chorded" else cycle


def _rule(random: Random, number: int) -> str:
    edges = shape(random.choice(SHAPES), random)
    names = sorted({name for edge in edges for name in edge})
    # A rule may use the heads of those before it, and its own.
    predicates = [*GIVEN, *GIVEN, *GIVEN, *(f"h{n}" for n in range(number + 1))]
    body = [f"{random.choice(predicates)}({a}, {b})" if random.random() < 0.97 else f"r({a}, {b}, {b})" for a, b in edges]
    x, y, a, b = (random.choice(names) for _ in range(4))
    if random.random() < 0.3:
        body.append(f"~g({a}, {b})")
    if random.random() < 0.3:
        body.append(f"{a} {random.choice(['<', '!=', '='])} {b}")
    if random.random() < 0.2:
        body.append(f"marked({a})")
    if random.random() < 0.15:
        body[0] = f"e({edges[0][0]}, 1)"
        body.append(f"f({edges[0][1]}, {edges[0][0]})")
    if random.random() < 0.2:
        return f"sums(?s) :- {', '.join(body)}, ?s = {x} + {y} ."
    return f"h{number}({x}, {y}) :- {', '.join(body)} ."


def _facts(random: Random, count: int, known: Mapping[str, int]) -> Data:
    facts: list[tuple[str, Row]] = []
    for _ in range(count):
        predicate = random.choice([name for name in (*GIVEN * 3, "h0", "h0", "h1", "h2", "r", "r") if name in known])
        row = (random.randrange(NODES), random.randrange(NODES))
        facts.append((predicate, (*row, row[1]) if predicate == "r" else row))
    return grouped(facts)
