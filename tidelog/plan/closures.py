"""Rules that close a relation: transitively, or symmetrically and transitively; recognised from the rules alone.

    r(?x, ?z) :- r(?x, ?y), r(?y, ?z) .        transitive
    r(?y, ?x) :- r(?x, ?y) .                   and symmetric

`r(?x, ?y)` may be any atom of two variables and constants, such as `[?x, partOf, ?y]`. Together with symmetry, the two atoms
of a transitive rule may stand either way round, and a rule for `r(?x, ?x)` over `r` alone says nothing new.

Whatever else derives r, or is given, are its *edges*: r is their closure. So every other rule must derive facts of that atom
and of no other, and must not ask r for more edges, which would have to be known before r. A rule for `r(?x, ?x)` may do
anything: such an edge adds no other.

Linear rules, r(?x, ?z) :- r(?x, ?y), edge(?y, ?z), are left to join plans, which already consider few instances of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tidelog.program.classes import Pattern, pattern
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification, stratify
from tidelog.syntax.ast import Atom, AtomTerm, Variable


@dataclass(frozen=True, slots=True)
class Closure:
    """A relation that some rules close."""

    atom: Atom
    """The head of `step`: the relation's pattern."""
    symmetric: bool
    step: CoreRule
    """A transitive rule."""
    rules: tuple[CoreRule, ...]
    """All rules that say no more than that the relation is closed."""
    others: tuple[CoreRule, ...]
    """The rules that derive edges."""

    def of(self, first: AtomTerm, second: AtomTerm) -> Atom:
        """The atom of the relation with these ends."""
        return instance(self.atom, dict(zip(ends(self.atom), (first, second), strict=True)))

    def through(self, first: AtomTerm, middle: AtomTerm, last: AtomTerm) -> tuple[Atom, Atom]:
        """The body of the transitive rule for the way from the first to the last."""
        start, end = ends(self.atom)
        (between,) = {name for atom in self.step.positive for name in ends(atom)} - {start, end}
        names = {start: first, between: middle, end: last}
        return instance(self.step.positive[0], names), instance(self.step.positive[1], names)


def closures(rules: Sequence[CoreRule], *, single: bool = False) -> list[Closure]:
    """The closures among rules; `single` as in `stratify`.

    A symmetric one stands between two strata, its edges below it, so that it is none where strata are to be few.
    """
    by_pattern: dict[Pattern, list[CoreRule]] = defaultdict(list)
    for rule in rules:
        if is_relation(rule.head) and _is_over_itself(rule):
            by_pattern[pattern(rule.head)].append(rule)
    heads = _Heads(rules)
    candidates = [found for own in by_pattern.values() if (found := _closure(own, heads)) is not None]
    candidates = [closure for closure in candidates if not (single and closure.symmetric)]
    strata = stratify(rules) if candidates else None
    return [closure for closure in candidates if strata and _edges_come_first(closure, strata)]


def is_relation(atom: Atom) -> bool:
    """Whether an atom has two variables, each once."""
    names = [term.name for term in atom.terms if isinstance(term, Variable)]
    return len(names) == 2 and names[0] != names[1]


def ends(atom: Atom) -> tuple[str, str]:
    """The names of the two variables."""
    first, second = (term.name for term in atom.terms if isinstance(term, Variable))
    return first, second


def instance(atom: Atom, names: dict[str, AtomTerm]) -> Atom:
    return Atom(atom.predicate, tuple(names[term.name] if isinstance(term, Variable) else term for term in atom.terms))


def ends_of(atom: Atom, relation: Atom) -> tuple[AtomTerm, AtomTerm]:
    """The two terms of an atom that stand where the relation has its variables."""
    first, second = (mine for mine, its in zip(atom.terms, relation.terms, strict=True) if isinstance(its, Variable))
    return first, second


def _is_over_itself(rule: CoreRule) -> bool:
    """Whether the body has atoms of the head's pattern, and nothing else."""
    own = pattern(rule.head)
    return bool(rule.positive) and not rule.negative and not rule.conditions and all(pattern(a) == own for a in rule.positive)


class _Heads:
    """Rules by the constants of their heads, so that thousands of closures among thousands of rules are found in no time."""

    def __init__(self, rules: Sequence[CoreRule]) -> None:
        self.rules = rules
        self._by_places: dict[tuple[str, int, tuple[int, ...]], dict[tuple[AtomTerm, ...] | None, list[CoreRule]]] = {}

    def meeting(self, relation: Atom) -> list[CoreRule]:
        """The rules whose heads may have a fact in common with a relation."""
        places = tuple(place for place, term in enumerate(relation.terms) if not isinstance(term, Variable))
        key = relation.predicate, len(relation.terms), places
        if key not in self._by_places:
            found = self._by_places[key] = defaultdict(list)
            for rule in self.rules:
                if (rule.head.predicate, len(rule.head.terms)) == key[:2]:
                    terms = tuple(rule.head.terms[place] for place in places)
                    found[None if any(isinstance(term, Variable) for term in terms) else terms].append(rule)
        by_terms = self._by_places[key]
        some = by_terms.get(tuple(relation.terms[place] for place in places), [])
        return some + [rule for rule in by_terms.get(None, ()) if _may_meet(rule.head, relation)]


def _closure(own: Sequence[CoreRule], heads: _Heads) -> Closure | None:
    """What the rules over one relation alone make it."""
    atom = own[0].head
    symmetric = any(_is_symmetric(rule) for rule in own)
    steps = [rule for rule in own if _is_transitive(rule, either_way=symmetric)]
    if not steps:
        return None
    implied = [rule for rule in own if rule in steps or _is_symmetric(rule) or _says_nothing(rule)]
    meeting = heads.meeting(atom)
    if symmetric:
        implied += [rule for rule in meeting if _is_reflexive(rule, atom)]
    taken = {id(rule) for rule in implied}
    deriving = [rule for rule in meeting if id(rule) not in taken]
    if any(not _is_instance(rule.head, atom) for rule in deriving):
        return None
    others = tuple(rule for rule in deriving if len(set(ends_of(rule.head, atom))) == 2)
    return Closure(steps[0].head, symmetric, steps[0], tuple(implied), others)


def _is_symmetric(rule: CoreRule) -> bool:
    return len(rule.positive) == 1 and ends(rule.positive[0]) == ends(rule.head)[::-1]


def _says_nothing(rule: CoreRule) -> bool:
    return len(rule.positive) == 1 and ends(rule.positive[0]) == ends(rule.head)


def _is_transitive(rule: CoreRule, *, either_way: bool) -> bool:
    """Whether the body goes from one end of the head to the other by one more node."""
    if len(rule.positive) != 2:
        return False
    start, end = ends(rule.head)
    a, b = (ends(atom) for atom in rule.positive)
    middle = {*a, *b} - {start, end}
    if len(middle) != 1:
        return False
    (between,) = middle
    if either_way:
        return {frozenset(a), frozenset(b)} == {frozenset((start, between)), frozenset((between, end))}
    return {a, b} == {(start, between), (between, end)}


def _is_reflexive(rule: CoreRule, relation: Atom) -> bool:
    """Whether a rule says of a node of the relation that it is related to itself."""
    if rule.negative or rule.conditions or not _is_instance(rule.head, relation) or len(rule.positive) != 1:
        return False
    (atom,) = rule.positive
    node, other = ends_of(rule.head, relation)
    return node == other and pattern(atom) == pattern(relation) and isinstance(node, Variable) and node.name in ends(atom)


def _may_meet(atom: Atom, relation: Atom) -> bool:
    """Whether two atoms may have a fact in common, as far as their constants tell."""
    return (atom.predicate, len(atom.terms)) == (relation.predicate, len(relation.terms)) and all(
        mine == its or isinstance(mine, Variable) or isinstance(its, Variable)
        for mine, its in zip(atom.terms, relation.terms, strict=True)
    )


def _is_instance(atom: Atom, relation: Atom) -> bool:
    """Whether all facts of the atom are facts of the relation."""
    return (atom.predicate, len(atom.terms)) == (relation.predicate, len(relation.terms)) and all(
        isinstance(its, Variable) or mine == its for mine, its in zip(atom.terms, relation.terms, strict=True)
    )


def _edges_come_first(closure: Closure, strata: Stratification) -> bool:
    """Whether what the edges follow from can be known before the relation."""
    bodies = (atom for rule in closure.others for atom in (*rule.positive, *rule.negative))
    return all(strata.level(atom) < strata.level(closure.atom) for atom in bodies)
