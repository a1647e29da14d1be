"""Random continuous queries, and triples that they find something in."""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal

from tests.sparql import Triple
from tidelog.terms import RDF, Iri, Literal, Term

SUBJECTS: list[Term] = [Iri(f"http://e/s{number}") for number in range(3)]
PREDICATES: list[Term] = [Iri(f"http://e/p{number}") for number in range(2)]
VALUES: list[Term] = [1, 2, 3, 2.0, Decimal("2.5"), -1, "a", "b", True, Literal("a", RDF + "langString", "en")]
"""Not `false`, which pyoxigraph does not order before `true`."""
DISTINCT: list[Term] = [value for value in VALUES if not isinstance(value, bool | float)]
"""Those of them that Python tells apart."""
_NAMES = ["?x", "?y", "?z", "?w", "_:b", "[]"]
_CONSTANTS = [":s0", ":s1", "1", "2", "2.5", '"a"', "true"]


def triple(rng: random.Random, values: list[Term] = VALUES) -> Triple:
    subject, predicate = rng.choice(SUBJECTS), rng.choice(PREDICATES)
    return subject, predicate, rng.choice(SUBJECTS if rng.random() < 0.5 else values)


@dataclass(frozen=True, slots=True)
class Sketch:
    """The parts of a random query."""

    select: str
    where: str
    output: str

    def text(self, windows: str, every: str = "") -> str:
        return (
            f"PREFIX : <http://e/> REGISTER {self.output} q {every} AS SELECT {self.select} {windows} WHERE {{ {self.where} }}"
        )


def sketch(rng: random.Random, windows: tuple[str, ...] = ()) -> Sketch:
    """A query with patterns in the default graph, or in windows with names and perhaps in the default graph, too."""
    blocks, bound = [], set[str]()
    for window in windows or ("",):
        patterns, names = block(rng)
        inside = f"{patterns} {conditions(rng, sorted(names))}"
        blocks.append(f"WINDOW {window} {{ {inside} }}" if window else inside)
        bound |= names
    if windows and rng.random() < 0.5:
        blocks.append(f"?x ?static {term(rng, object_=True).replace('_:b', '?o')}")
        bound |= {"?x", "?static"}
    if not bound:
        return sketch(rng, windows)
    chosen = rng.sample(sorted(bound), rng.randint(1, len(bound)))
    select = rng.choice(["", "", "DISTINCT "]) + rng.choice([" ".join(chosen), "*"])
    output = rng.choice(["QUERY", "RSTREAM", "ISTREAM", "DSTREAM"])
    return Sketch(select, f"{' '.join(blocks)} {conditions(rng, sorted(bound))}", output)


def block(rng: random.Random) -> tuple[str, set[str]]:
    """Triple patterns, and the variables in them."""
    patterns: list[str] = []
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        verb = rng.choice([":p0", ":p1", "?p"])
        more = f" ; {rng.choice([':p0', ':p1'])} {term(rng, object_=True)}" if rng.random() < 0.2 else ""
        patterns.append(f"{term(rng)} {verb} {term(rng, object_=True)}{more} .")
    text = " ".join(patterns).replace("_:b", f"_:b{rng.randrange(10**9)}")
    return text, {word for word in text.split() if word.startswith("?")}


def term(rng: random.Random, *, object_: bool = False) -> str:
    if rng.random() < 0.85:
        return rng.choice(_NAMES[:3] if rng.random() < 0.7 else _NAMES)
    return rng.choice(_CONSTANTS if object_ else _CONSTANTS[:2])


def conditions(rng: random.Random, names: list[str]) -> str:
    """Perhaps a FILTER about these variables."""
    if not names or rng.random() < 0.6:
        return ""
    return f"FILTER ({condition(rng, names, 2)}) "


def condition(rng: random.Random, names: list[str], depth: int) -> str:
    kind = rng.random() if depth else 1
    if kind < 0.2:
        return f"({condition(rng, names, depth - 1)} && {condition(rng, names, depth - 1)})"
    if kind < 0.5:
        return f"({condition(rng, names, depth - 1)} || {condition(rng, names, depth - 1)})"
    name, other = rng.choice(names), rng.choice(names)
    if rng.random() < 0.2:
        return f"{name} {rng.choice(['IN', 'NOT IN'])} (1, :s0, 2.5)"
    if rng.random() < 0.4:  # pyoxigraph finds that :a <= :a, where there is no order
        return f"{name} {rng.choice(['=', '!=', '<', '>'])} {other}"
    operator = rng.choice(["=", "!=", "<", "<=", ">", ">="])
    return f"{name} {operator} {rng.choice(['2', '-1.5', '1e0 + 1', f'{other} * 2', f'-{other}'])}"
