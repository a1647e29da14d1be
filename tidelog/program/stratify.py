"""Strata: an order in which rules can be applied so that what a negation asks about is settled before it is asked.

Motik, Nenov, Piro, Horrocks, "Maintenance of Datalog materialisations revisited", section 3, which stratifies *atoms* that can
unify rather than predicates, so that triples with different constants may lie in different strata.

    paper            here
    lambda(A)        Stratification.level(atom)
    Pi^s             Stratum.rules
    Pi^s_r, Pi^s_nr  Stratum.recursive, Stratum.nonrecursive
    Out^s            the instances of Stratum.atoms; Out^1 also has all facts that are instances of no atom of the program

A graph has the atom classes (see `classes`) as nodes and an edge from each body atom's class to the head's. The program is
stratifiable if no negative edge lies within a strongly connected component. A component's level is 1 plus the highest level
that leads into it: the most granular stratification by levels; with `single`, only negative edges raise the level.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from tidelog.program.classes import AtomClasses, classify
from tidelog.program.graph import components, shortest_way
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom
from tidelog.syntax.formatter import format_atom
from tidelog.syntax.places import Text

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Stratum:
    """The rules of one level, and the atoms of the program that have this level, one for each pattern."""

    index: int
    rules: tuple[CoreRule, ...]
    recursive: tuple[CoreRule, ...]
    nonrecursive: tuple[CoreRule, ...]
    atoms: tuple[Atom, ...]


@dataclass(frozen=True)
class Stratification:
    """Strata 1, 2, ...; there is always a first one, if only for facts that no rule is about."""

    strata: tuple[Stratum, ...]
    _classes: AtomClasses
    _levels: tuple[int, ...]

    def level(self, atom: Atom) -> int:
        """The level of an atom, which need not occur in the program: 1 if it shares no instance with any that does.

        An atom that meets atoms of several levels has the highest; no fact is such an atom.
        """
        return max((self._levels[number] for number in self._classes.sharing(atom)), default=1)

    def recursive_positions(self, rule: CoreRule) -> tuple[int, ...]:
        """Which of the rule's positive body atoms lie in its head's stratum."""
        level = self.level(rule.head)
        return tuple(i for i, atom in enumerate(rule.positive) if self.level(atom) == level)


@dataclass(frozen=True)
class _Graph:
    """Which class leads to which, positively or not."""

    classes: AtomClasses
    successors: list[set[int]]
    negative: dict[tuple[int, int], list[tuple[CoreRule, Atom]]]
    """The negative edges, with the rules and negated atoms they come from."""
    steps: set[tuple[int, int]]
    """The edges besides the negative ones that the higher end must lie above."""
    components: list[list[int]]
    """The strongly connected components, each before those it leads to."""
    component: list[int]
    """For each class the number of its component."""


def stratify(rules: Sequence[CoreRule], *, single: bool = False, kept: Mapping[str, str] = _NOTHING) -> Stratification:
    """The stratification of rules that `check` finds no fault with.

    The facts of predicates that are `kept` are no rule's: they depend on those of another, which are in lower strata.
    """
    graph = _graph(rules, kept)
    levels = _levels(graph, single)
    by_level: dict[int, list[CoreRule]] = defaultdict(list)
    for rule in rules:
        by_level[levels[graph.classes.of(rule.head)]].append(rule)
    atoms: dict[int, list[Atom]] = defaultdict(list)
    for number, members in enumerate(graph.classes.atoms):
        atoms[levels[number]] += members
    strata = []
    for index in range(1, max(levels, default=1) + 1):
        recursive = {
            id(rule) for rule in by_level[index] if any(levels[graph.classes.of(atom)] == index for atom in rule.positive)
        }
        strata.append(
            Stratum(
                index,
                tuple(by_level[index]),
                tuple(rule for rule in by_level[index] if id(rule) in recursive),
                tuple(rule for rule in by_level[index] if id(rule) not in recursive),
                tuple(atoms[index]),
            )
        )
    return Stratification(tuple(strata), graph.classes, tuple(levels))


def _graph(rules: Sequence[CoreRule], kept: Mapping[str, str] = _NOTHING) -> _Graph:
    classes = classify(atom for rule in rules for atom in (rule.head, *rule.positive, *rule.negative))
    successors: list[set[int]] = [set() for _ in classes.atoms]
    negative: dict[tuple[int, int], list[tuple[CoreRule, Atom]]] = defaultdict(list)
    for rule in rules:
        head = classes.of(rule.head)
        for atom in rule.positive:
            successors[classes.of(atom)].add(head)
        for atom in rule.negative:
            successors[classes.of(atom)].add(head)
            negative[classes.of(atom), head].append((rule, atom))
    of = {atom.predicate: number for number, members in enumerate(classes.atoms) for atom in members} if kept else {}
    steps = {(of[source], of[predicate]) for predicate, source in kept.items()}
    for source, target in steps:
        successors[source].add(target)
    ordered = components(successors)[::-1]
    component = [0] * len(successors)
    for number, members in enumerate(ordered):
        for member in members:
            component[member] = number
    return _Graph(classes, successors, negative, steps, ordered, component)


def _levels(graph: _Graph, single: bool) -> list[int]:
    """The level of each class: the longest way to it, counting edges between components, or only the negative ones."""
    levels = [1] * len(graph.components)
    for number, members in enumerate(graph.components):
        for member in members:
            for successor in graph.successors[member]:
                target = graph.component[successor]
                if target != number:
                    edge = member, successor
                    step = 0 if single and edge not in graph.negative and edge not in graph.steps else 1
                    levels[target] = max(levels[target], levels[number] + step)
    return [levels[number] for number in graph.component]


# Negation in a cycle


def check(rules: Sequence[CoreRule], report: Text) -> None:
    """Report each component that negation lies in, by one shortest cycle through it."""
    graph = _graph(rules)
    reported: set[int] = set()
    for (body, head), uses in sorted(graph.negative.items(), key=lambda item: _position(item[1][0][1])):
        number = graph.component[body]
        if graph.component[head] == number and number not in reported:
            reported.add(number)
            _report_cycle(graph, rules, body, head, uses[0], report)


def _position(atom: Atom) -> tuple[int, int]:
    return (atom.span.line, atom.span.column) if atom.span else (0, 0)


def _report_cycle(
    graph: _Graph, rules: Sequence[CoreRule], body: int, head: int, use: tuple[CoreRule, Atom], report: Text
) -> None:
    """The chain from the negated atom back to the head of the rule that negates it."""
    number = graph.component[body]
    way = shortest_way(head, body, lambda node: (n for n in graph.successors[node] if graph.component[n] == number))
    steps = list(pairwise(way))
    links = _links(graph, rules, set(steps))
    rule, atom = use
    chain = [f"{_show(rule.head, report)} needs ~{_show(atom, report)} ({report.place(atom.span)})"]
    for step in reversed(steps):
        maker, premise = links[step]
        if maker.source is not None:  # the rules behind hidden predicates are not the user's
            negated = "~" if premise in maker.negative else ""
            chain.append(f"{_show(maker.head, report)} needs {negated}{_show(premise, report)} ({report.place(premise.span)})")
    text = "; ".join(chain)
    predicate = rule.head.predicate
    hint = "let the negated predicate not depend on the rule's head, for example by splitting it into two predicates"
    report.report("negation-cycle", f"`{predicate}` depends on its own negation: {text}", atom.span, hint)


def _links(
    graph: _Graph, rules: Sequence[CoreRule], steps: set[tuple[int, int]]
) -> dict[tuple[int, int], tuple[CoreRule, Atom]]:
    """For each step between classes a rule that makes it, with the body atom it starts from."""
    links: dict[tuple[int, int], tuple[CoreRule, Atom]] = {}
    for rule in rules:
        head = graph.classes.of(rule.head)
        for atom in (*rule.positive, *rule.negative):
            step = graph.classes.of(atom), head
            if step in steps:
                links.setdefault(step, (rule, atom))
    return links


def _show(atom: Atom, report: Text) -> str:
    """An atom as the user wrote it, which matters where a hidden predicate stands in its place."""
    return report.between(atom.span) or format_atom(atom)
