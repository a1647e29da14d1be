"""Random stratified programs, data and update streams, for Hypothesis.

A case is made from one random number, in four steps: a *signature* (predicates with an arity and a level), rules, facts,
updates. Then Hypothesis says for each rule and each fact whether it is kept: nearly always when it looks for a failure, and as
rarely as possible when it shrinks one. (Drawing every detail by itself gives many copies of few cases.)

A rule's positive atoms are taken from the head's level or below, its negated atoms from strictly below, so every program is
stratified by construction. In the style `triples` the unary and binary predicates are written as triples with a constant in
them, `[?x, p1, ?y]` and `[?x, type, p2]`: then only stratification over atoms, not predicates, accepts the negation.

The domain is tiny, so that data has cycles and facts have several derivations; `test_generators.py` holds the shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter

from tests.updates import Data, Row, Update, grouped
from tidelog.syntax.formatter import format_term
from tidelog.terms import Term

DOMAIN: tuple[Term, ...] = ("a", 1, "b", 2, "1")
CONSTANTS = tuple(format_term(value) for value in DOMAIN)
NUMBERS = tuple(format_term(value) for value in DOMAIN if isinstance(value, int))
T = TypeVar("T")
VARIABLES = ("?x", "?y", "?z", "?w")
BODY_TERMS = (*VARIABLES, *VARIABLES, *VARIABLES, "_", *CONSTANTS[:2])
LEVELS = (0, 1, 1, 1, 2, 2, 3, 4)
ARITIES = (2, 2, 2, 2, 1, 1, 1, 3, 3, 0, 4, 5)


@dataclass(frozen=True)
class Case:
    """One program with its facts and a stream of updates."""

    text: str
    facts: Data
    updates: tuple[Update, ...] = field(default=())

    def __repr__(self) -> str:
        return "\n".join(["Case:", self.text, str(Update(self.facts, {})), *map(str, self.updates)])

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        """How Hypothesis shows a failing case."""
        printer.text(repr(self))


@dataclass(frozen=True)
class Predicate:
    name: str
    arity: int
    level: int
    as_triple: bool = False

    def atom(self, terms: Sequence[str]) -> str:
        if not self.as_triple:
            return f"{self.name}({', '.join(terms)})"
        if self.arity == 1:
            return f"[{terms[0]}, type, {self.name}]"
        return f"[{terms[0]}, {self.name}, {terms[1]}]"

    def fact(self, row: Row) -> tuple[str, Row]:
        """How the fact is stored: the predicate's name and the row."""
        if not self.as_triple:
            return self.name, row
        return "triple", ((row[0], "type", self.name) if self.arity == 1 else (row[0], self.name, row[1]))

    def occurs_in(self, text: str) -> bool:
        """Whether a program knows where the facts of this predicate are stored; it takes no others."""
        return "[" in text or "triple(" in text if self.as_triple else f"{self.name}(" in text


Signature = Sequence[Predicate]
THINNED = 100
ANY_TRIPLE = Predicate("triple", 3, 0)


@st.composite
def cases(draw: st.DrawFn, max_updates: int = 0, positive: bool = False) -> Case:
    """Without negation if `positive`: all predicates are of one level then."""
    random = Random(draw(st.integers(0, 2**40)))
    thin = Thinning(draw(st.binary(min_size=THINNED, max_size=THINNED)))
    signature = make_signature(random, levels=(0,) if positive else LEVELS)
    text = "\n".join(thin.some([make_rule(random, signature) for _ in range(random.randint(3, 7))]))
    used = [predicate for predicate in signature if predicate.occurs_in(text)]
    facts = thin.some(make_facts(random, used))
    updates = make_updates(random, used, facts, random.randint(max_updates // 2, max_updates)) if used else []
    return Case(
        text,
        grouped(facts),
        tuple(Update(grouped(thin.some(insert)), grouped(thin.some(delete))) for insert, delete in thin.some(updates)),
    )


class Thinning:
    """Leaves out what meets a small byte: little when bytes are random, everything when they are shrunk to 0.

    All bytes are one draw, because Hypothesis copies parts of an example to others of the same kind.
    """

    def __init__(self, mask: bytes) -> None:
        self.mask = iter(mask)

    def some(self, items: Sequence[T]) -> list[T]:
        return [item for item in items if next(self.mask, 255) >= 12]


def make_signature(random: Random, levels: Sequence[int]) -> Signature:
    """Some predicates; the first two are of level 0 and have many facts to start from."""
    style = random.choice(("plain", "plain", "plain", "triples", "triples", "any triple"))
    arities = [2, random.choice((1, 2)), *random.choices(ARITIES, k=random.randint(2, 4))]
    chosen = [0, 0, *random.choices(levels, k=len(arities) - 2)]
    as_triple = [style != "plain" and arity in {1, 2} for arity in arities]
    if style == "any triple":  # an atom with three variables brings all triples to one level
        chosen = [0 if triple else level for level, triple in zip(chosen, as_triple, strict=True)]
    predicates = [Predicate(f"p{i}", *rest) for i, rest in enumerate(zip(arities, chosen, as_triple, strict=True))]
    return [*predicates, ANY_TRIPLE] if style == "any triple" else predicates


def up_to(signature: Signature, level: int) -> Signature:
    return [predicate for predicate in signature if predicate.level <= level]


def make_rule(random: Random, signature: Signature) -> str:
    shape = random.choice((any_rule, any_rule, chain_rule, chain_rule, difference_rule, difference_rule))
    return shape(random, signature, random.choice(signature))


def chain_rule(random: Random, signature: Signature, head: Predicate) -> str:
    """`p(?x, ?z) :- q(?x, ?y), p(?y, ?z)` and its like, back and forth: deep recursion comes from these."""
    links = [predicate for predicate in up_to(signature, head.level) if predicate.arity in {1, 2}]
    again = [head, head] if head in links else []
    literals, at = [], 0
    for predicate in random.choices([*links, *again], k=random.randint(1, 3)):
        if predicate.arity == 1:
            literals.append(predicate.atom([VARIABLES[at]]))
        else:
            step = [VARIABLES[at], VARIABLES[at + 1]]
            literals.append(predicate.atom(step if random.random() < 0.8 else step[::-1]))
            at += 1
    bound = VARIABLES[: at + 1]
    if random.random() < 0.3:
        literals += negation(random, signature, head, bound)
    terms = {0: [], 1: [VARIABLES[at]], 2: [VARIABLES[0], VARIABLES[at]]}.get(head.arity)
    return f"{head.atom(head_terms(random, head, bound) if terms is None else terms)} :- {', '.join(literals)} ."


def difference_rule(random: Random, signature: Signature, head: Predicate) -> str:
    """`p(?x) :- q(?x, ?y), ~r(?y)` and its like, with a negated predicate of few arguments, so that updates hit it."""
    positive = random.choice(up_to(signature, head.level))
    terms = [*VARIABLES, "?x"][: positive.arity]
    few = sorted(signature, key=lambda predicate: predicate.arity)[:3]
    literals = [positive.atom(terms), *negation(random, few, head, terms)]
    return f"{head.atom(head_terms(random, head, terms))} :- {', '.join(shuffled(random, literals))} ."


def any_rule(random: Random, signature: Signature, head: Predicate) -> str:
    """Anything goes: constants, repeated variables, comparisons, arithmetic, two heads, no positive atoms, no body at all."""
    calculates = random.random() < 0.2 and head.level > 0  # from strictly below, so that numbers do not grow for ever
    readable = up_to(signature, head.level - calculates)
    positive = random.choices(readable, k=random.choice((0, 1, 1, 2, 2, 2, 3)))
    terms = [random.choices(BODY_TERMS, k=predicate.arity) for predicate in positive]
    bound = sorted({term for row in terms for term in row if term.startswith("?")})
    literals = [predicate.atom(row) for predicate, row in zip(positive, terms, strict=True)]
    if random.random() < 0.5:
        literals += negation(random, signature, head, bound)
    if bound and random.random() < 0.4:  # a rule that calculates with strings would be refused
        literals.append(comparison(random, bound, NUMBERS if calculates else CONSTANTS))
    if bound and calculates:
        literals.append(f"?n = {calculation(random, bound)}")
        bound = [*bound, "?n"]
    above = [predicate for predicate in signature if predicate.level >= head.level]
    heads = [head, *random.choices(above, k=random.random() < 0.3)]
    if not literals:
        return " . ".join(predicate.atom(head_terms(random, predicate, [])) for predicate in heads) + " ."
    atoms = ", ".join(predicate.atom(head_terms(random, predicate, bound)) for predicate in heads)
    return f"{atoms} :- {', '.join(shuffled(random, literals))} ."


def head_terms(random: Random, head: Predicate, bound: Sequence[str]) -> list[str]:
    return random.choices([*bound, *bound, *bound, random.choice(CONSTANTS)], k=head.arity)


def negation(random: Random, signature: Signature, head: Predicate, bound: Sequence[str]) -> list[str]:
    """A negated atom from strictly below the head, if there is anything."""
    below = up_to(signature, head.level - 1)
    if not below:
        return []
    predicate = random.choice(below)
    return ["~" + predicate.atom(random.choices([*bound, *bound, *bound, "_", CONSTANTS[0]], k=predicate.arity))]


def comparison(random: Random, bound: Sequence[str], constants: Sequence[str]) -> str:
    operator = random.choice(("=", "!=", "!=", "<", "<=", ">", ">="))
    return f"{random.choice(bound)} {operator} {random.choice([*bound, *constants, f'{bound[0]} + 1'])}"


def calculation(random: Random, bound: Sequence[str]) -> str:
    left, right = random.choice(bound), random.choice([*bound, "1", "2"])
    return random.choice((f"{left} + {right}", f"{left} - {right}", f"{left} * {right}", f"{left} + 1", left, "1"))


def make_facts(random: Random, signature: Signature) -> list[tuple[str, Row]]:
    facts = []
    for predicate in signature:
        least, most = (2 * min(predicate.arity, 2), 8) if predicate.level == 0 else (0, 3)
        facts += [predicate.fact(random_row(random, predicate)) for _ in range(random.randint(least, most))]
    return list(dict.fromkeys(facts))


def make_updates(
    random: Random, signature: Signature, facts: Sequence[tuple[str, Row]], count: int
) -> list[tuple[list[tuple[str, Row]], list[tuple[str, Row]]]]:
    """Updates over any predicate; deletions prefer facts that were explicit at some time, sometimes just inserted."""
    seen = list(facts)
    updates = []
    for _ in range(count):
        kind = random.choice(("insert", "delete", "both", "overlap"))
        insert = [random_fact(random, signature) for _ in range(random.randint(1, 4))] if kind != "delete" else []
        delete = [
            random.choice(seen) if seen and random.random() < 0.7 else random_fact(random, signature)
            for _ in range(random.randint(1, 4) if kind != "insert" else 0)
        ]
        if kind == "overlap":
            delete.append(insert[0])
        seen += insert
        updates.append((list(dict.fromkeys(insert)), list(dict.fromkeys(delete))))
    return updates


def random_fact(random: Random, signature: Signature) -> tuple[str, Row]:
    """Any fact, more often one with few values: there are not many of these, so it hits what rules ask for."""
    predicate = min(random.choices(signature, k=2), key=lambda predicate: predicate.arity)
    return predicate.fact(random_row(random, predicate))


def random_row(random: Random, predicate: Predicate) -> Row:
    return tuple(random.choices(DOMAIN, k=predicate.arity))


def shuffled(random: Random, items: Sequence[str]) -> list[str]:
    return random.sample(items, len(items))
