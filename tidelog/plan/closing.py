"""Closures as rules that consider few instances: each is rewritten over its edges, which get a hidden predicate of their own.

The edges of a relation r are its given facts and what rules other than the closure's derive. They are collected in `e`:

    r(?x, ?y) :- body .            becomes    e(?x, ?y) :- body .
    a given fact r(a, b)           is, too,   a given fact e(a, b)        (a `Shadow`)

A transitive r is then closed edge by edge, with as many instances as it has facts times edges of a node, where the rule as it
was written has as many as r has pairs of facts that meet:

    r(?x, ?y) :- e(?x, ?y) .
    r(?x, ?z) :- e(?y, ?z), r(?x, ?y), r(?y, ?z) .

A symmetric and transitive r is a clique for each connected component of e, and a component is told by little: a spanning tree.
`up(?x, ?p)` says that p is x's parent, `root(?x, ?c)` that c is the root of x's tree; a root is its own. Nobody derives these;
they are given facts that the engine keeps (a `Forest`). From them r has about one instance for each fact:

    r(?x, ?y) :- e(?x, ?y) .
    r(?y, ?x) :- e(?x, ?y), r(?x, ?y) .
    r(?x, ?c) :- root(?x, ?c), up(?x, ?p), r(?x, ?p), r(?p, ?c) .       up the tree,
    r(?c, ?x) :- root(?x, ?c), up(?x, ?p), r(?c, ?p), r(?p, ?x) .       down the tree,
    r(?c, ?c) :- root(?x, ?c), up(?x, ?c), r(?c, ?x), r(?x, ?c) .
    r(?x, ?z) :- root(?x, ?c), root(?z, ?c), r(?x, ?c), r(?c, ?z) .     and through the root.

Every rule for r here is one of the rules as written with more in its body. So whoever maintains these rules, by whatever
algorithm, maintains r; a witness by them is a witness by the program; and proofs need not know of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from tidelog.plan.closures import Closure, ends_of
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, Variable

X, Y, Z, P, C = (Variable(name) for name in "xyzpc")


@dataclass(frozen=True, slots=True)
class Shadow:
    """The given facts of a relation are given facts of `edges`, too."""

    relation: Atom
    edges: str


@dataclass(frozen=True, slots=True)
class Forest:
    """The spanning trees of the components of `edges`, as given facts that the engine keeps."""

    edges: str
    up: str
    root: str


@dataclass(frozen=True, slots=True)
class Closed:
    """What is evaluated in place of rules among which there are closures."""

    heads: Mapping[int, Atom]
    """By the identity of rules that derive edges: the head that they get."""
    gone: Collection[int]
    """The rules that others stand for, by identity."""
    rules: tuple[CoreRule, ...]
    """Those others."""
    shadows: tuple[Shadow, ...]
    forests: tuple[Forest, ...]

    def over_edges(self, rules: Sequence[CoreRule]) -> list[CoreRule]:
        """The rules that stay, those that derive edges with the heads that they get."""
        heads = self.heads
        stay = (rule for rule in rules if id(rule) not in self.gone)
        return [replace(rule, head=heads[id(rule)]) if id(rule) in heads else rule for rule in stay]

    @property
    def hidden(self) -> dict[str, int]:
        """The hidden predicates, with how many columns each has."""
        names = [shadow.edges for shadow in self.shadows]
        return dict.fromkeys([*names, *(name for forest in self.forests for name in (forest.up, forest.root))], 2)

    @property
    def kept(self) -> dict[str, str]:
        """The predicates whose facts the engine keeps, each with the one that they depend on."""
        return {name: forest.edges for forest in self.forests for name in (forest.up, forest.root)}


def close(closures: Sequence[Closure], taken: Collection[str]) -> Closed:
    """Rewrite closures; `taken` are the names of predicates that others have."""
    names = _names(taken)
    heads: dict[int, Atom] = {}
    gone: set[int] = set()
    rules: list[CoreRule] = []
    shadows: list[Shadow] = []
    forests: list[Forest] = []
    for closure in closures:
        edges, up, root = (f"{closure.atom.predicate}__{part}_{number}" for part, number in next(names))
        gone |= {id(rule) for rule in closure.rules}
        heads |= {id(rule): Atom(edges, ends_of(rule.head, closure.atom)) for rule in closure.others}
        shadows.append(Shadow(closure.atom, edges))
        if closure.symmetric:
            forests.append(Forest(edges, up, root))
            rules += _cliques(closure, edges, up, root)
        else:
            rules += _ways(closure, edges)
    return Closed(heads, gone, tuple(rules), tuple(shadows), tuple(forests))


def _ways(closure: Closure, edges: str) -> Iterator[CoreRule]:
    yield _rule(closure, closure.of(X, Y), Atom(edges, (X, Y)))
    yield _rule(closure, closure.of(X, Z), Atom(edges, (Y, Z)), *closure.through(X, Y, Z))


def _cliques(closure: Closure, edges: str, up: str, root: str) -> Iterator[CoreRule]:
    def rule(head: Atom, *body: Atom) -> CoreRule:
        return _rule(closure, head, *body)

    of, through = closure.of, closure.through
    yield rule(of(X, Y), Atom(edges, (X, Y)))
    yield rule(of(Y, X), Atom(edges, (X, Y)), of(X, Y))
    yield rule(of(X, C), Atom(root, (X, C)), Atom(up, (X, P)), *through(X, P, C))
    yield rule(of(C, X), Atom(root, (X, C)), Atom(up, (X, P)), *through(C, P, X))
    yield rule(of(C, C), Atom(root, (X, C)), Atom(up, (X, C)), *through(C, X, C))
    yield rule(of(X, Z), Atom(root, (X, C)), Atom(root, (Z, C)), *through(X, C, Z))


def _rule(closure: Closure, head: Atom, *body: Atom) -> CoreRule:
    return CoreRule(head, body, (), (), closure.step.source)


def _names(taken: Collection[str]) -> Iterator[tuple[tuple[str, int], ...]]:
    """For one closure after another the hidden predicates' parts of names, with a number that keeps them apart from all."""
    parts = ("edges", "up", "root")
    numbers = {name.rpartition("_")[2] for name in taken if any(f"__{part}_" in name for part in parts)}
    for number in count(1):
        if str(number) not in numbers:
            yield tuple((part, number) for part in parts)
