"""Random programs with closures, transitive and symmetric, over given and derived edges, with streams of updates.

Some only look like closures: their edges depend on them, or their rules are those of another relation.
"""

from __future__ import annotations

import re
from random import Random

from hypothesis import strategies as st

from tests.generators import Case
from tests.updates import Row, Update, grouped
from tidelog import Program

SYMMETRIC = "r(?y, ?x) :- r(?x, ?y) ."
TRANSITIVE = ("r(?x, ?z) :- r(?x, ?y), r(?y, ?z) .", "r(?a, ?c) :- r(?b, ?c), r(?a, ?b) .")
EITHER_WAY = ("r(?x, ?z) :- r(?x, ?y), r(?z, ?y) .", "r(?a, ?c) :- r(?b, ?a), r(?b, ?c) .")
OTHERS = (
    "r(?x, ?y) :- e(?x, ?y) .",
    "r(?x, ?y) :- f(?x, ?y), ~g(?x, ?y) .",
    "r(1, ?y) :- e(?y, ?y) .",
    "r(?x, ?x) :- r(?x, _) .",
    "r(?x, ?x) :- n(?x) .",
    "r(?x, ?y) :- s(?x, ?y) .",
    "e(?x, ?y) :- f(?x, ?z), e(?z, ?y) .",
    "s(?x, ?y) :- r(?x, ?y), e(?y, ?x) .",
    "s(?x, ?z) :- s(?x, ?y), s(?y, ?z) .",
    "n(?x) :- s(?x, _) .",
    "lonely(?x) :- n(?x), ~r(?x, ?x) .",
    "apart(?x, ?y) :- n(?x), n(?y), ~r(?x, ?y) .",
)
GIVEN = ("r", "r", "r", "e", "e", "f", "f", "g", "n", "s")


def cases(max_updates: int = 5) -> st.SearchStrategy[Case]:
    return st.integers(0, 2**32).map(lambda seed: made(seed, max_updates))


def made(seed: int, max_updates: int) -> Case:
    random = Random(seed)
    symmetric = random.random() < 0.65
    first = [SYMMETRIC, random.choice(TRANSITIVE + EITHER_WAY)] if symmetric else [random.choice(TRANSITIVE)]
    text = "\n".join([*first, *random.sample(OTHERS, random.randint(0, 5))])
    as_triples = random.random() < 0.3
    if as_triples:
        text = re.sub(r"\b([refgs])\(([^,()]+), ([^,()]+)\)", r"[\2, \1, \3]", text)
    known = Program.parse(text).arities
    nodes = random.choice((4, 6, 9))

    def some(count: int) -> list[tuple[str, Row]]:
        found = [_fact(random, nodes, as_triples) for _ in range(count)]
        return [fact for fact in found if fact[0] in known]

    start = some(random.randint(0, 14))
    present = set(start)
    updates = []
    for _ in range(random.randint(1, max_updates)):
        gone = random.sample(sorted(present, key=repr), min(len(present), random.randint(0, 4))) + some(random.randint(0, 1))
        come = some(random.randint(0, 4))
        present = present - set(gone) | set(come)
        updates.append(Update(grouped(come), grouped(gone)))
    return Case(text, grouped(start), tuple(updates))


def _fact(random: Random, nodes: int, as_triples: bool) -> tuple[str, Row]:
    predicate, x, y = random.choice(GIVEN), random.randrange(nodes), random.randrange(nodes)
    if predicate == "n":
        return predicate, (x,)
    return ("triple", (x, predicate, y)) if as_triples else (predicate, (x, y))
