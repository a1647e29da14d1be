"""Rules within windows that have names.

Such a window is a graph of its own, apart from the static triples, and the user's rules are about `triple`. What they make of
the window's triples, with the help of what is static, is in the window, too; what they make of static triples alone is not. For
a window `w`, the rule

    [?x, rdf:type, ?d] :- [?x, rdf:type, ?c], [?c, rdfs:subClassOf, ?d] .

has, besides itself, one copy for each choice of atoms that are about the window:

    w(?x, rdf:type, ?d) :- w(?x, rdf:type, ?c), [?c, rdfs:subClassOf, ?d] .
    w(?x, rdf:type, ?d) :- [?x, rdf:type, ?c], w(?c, rdfs:subClassOf, ?d) .
    w(?x, rdf:type, ?d) :- w(?x, rdf:type, ?c), w(?c, rdfs:subClassOf, ?d) .

and so has every rule about what follows from triples. What is negated must be neither static nor in the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from tidelog.errors import ProgramError
from tidelog.program import Program
from tidelog.stream.queries.tree import TRIPLE
from tidelog.syntax.ast import Atom, BodyLiteral, Negation, Rule
from tidelog.syntax.places import Text

MAX_ATOMS = 6
"""So many atoms of a rule may be about a window: a rule has two to the power of them copies."""


def lift(rules: Program, window: str) -> list[Rule]:
    """The rules as they are within a window, whose triples are facts of the predicate `window`."""
    names = {predicate: window if predicate == TRIPLE else f"{predicate} in {window}" for predicate in following(rules)}
    _check(rules, names)
    return [copy for rule in rules.rules for copy in _copies(rule, names)]


def following(rules: Program) -> list[str]:
    """The predicates that triples are facts of, or that something follows for from triples."""
    found = {TRIPLE: None}
    size = 0
    while size != len(found):
        size = len(found)
        for rule in rules.rules:
            if any(isinstance(part, Atom) and part.predicate in found for part in rule.body):
                found.update((atom.predicate, None) for atom in rule.head)
    return list(found)


def _copies(rule: Rule, names: dict[str, str]) -> Iterator[Rule]:
    """The copies of a rule, each with at least one atom that is about the window."""
    head = tuple(_lifted(atom, names) for atom in rule.head if atom.predicate in names)
    for body in product(*(_choices(part, names) for part in rule.body)):
        parts = tuple(literal for literals in body for literal in literals)
        if any(isinstance(part, Atom) and part.predicate in names.values() for part in parts):
            yield Rule(head, parts)


def _choices(part: BodyLiteral, names: dict[str, str]) -> Sequence[tuple[BodyLiteral, ...]]:
    """What may stand in a copy in the place of a part."""
    if isinstance(part, Atom) and part.predicate in names:
        return [(part,), (_lifted(part, names),)]
    if isinstance(part, Negation) and part.atom.predicate in names:
        return [(part, Negation(_lifted(part.atom, names)))]
    return [(part,)]


def _lifted(atom: Atom, names: dict[str, str]) -> Atom:
    return replace(atom, predicate=names[atom.predicate])


def _check(rules: Program, names: dict[str, str]) -> None:
    report = Text(rules.source.text, rules.source.file)
    for rule in rules.rules:
        count = sum(isinstance(part, Atom) and part.predicate in names for part in rule.body)
        if count > MAX_ATOMS:
            message = f"a rule for windows with names has at most {MAX_ATOMS} atoms about triples, and this one {count}"
            report.report("too-many", message, rule.span, "cut it in two, or use FROM STREAM in the query")
    if report.problems:
        raise ProgramError(report.sorted_problems())
