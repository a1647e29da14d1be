"""What is expected of predicates that have no facts yet: what their rules will derive, if those are taken one after the other.

A layout is chosen before anything is derived. Rules over derived predicates can be judged all the same, by the estimates
for the bodies of the rules that derive these, and so on down to what is given. Recursion is gone round a few times only,
as often as others take to become known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidelog.plan.eliminate import Expected
from tidelog.plan.estimates import Estimates
from tidelog.plan.hypergraph import Hypergraph
from tidelog.plan.planner import Statistics, variables
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, AtomTerm, Variable


def expect_derived(rules: Sequence[CoreRule], wanted: Iterable[CoreRule], statistics: Statistics) -> Expected:
    """Statistics that know what to expect of whatever the bodies of `wanted` rest on."""
    expected, below = Expected(statistics), _below(rules, wanted, statistics)
    before = -1
    while before < len(expected.nodes):
        before = len(expected.nodes)
        known: dict[str, tuple[float, tuple[float, ...]]] = {}
        for rule in below:
            if all(expected.matches(atom, ()) for atom in rule.positive):
                name, (size, columns) = rule.head.predicate, _head(rule, expected)
                more, others = known.get(name, (0.0, (0.0,) * len(columns)))
                known[name] = size + more, tuple(map(sum, zip(columns, others, strict=True)))
        expected = Expected(statistics, known)
    return expected


def _below(rules: Sequence[CoreRule], wanted: Iterable[CoreRule], statistics: Statistics) -> list[CoreRule]:
    """The rules for predicates without facts that the bodies of these rest on, directly or not."""
    deriving: dict[str, list[CoreRule]] = {}
    for rule in rules:
        deriving.setdefault(rule.head.predicate, []).append(rule)
    found: dict[int, CoreRule] = {}
    seen: set[str] = set()
    waiting = [atom for rule in wanted for atom in rule.positive]
    while waiting:
        atom = waiting.pop()
        if atom.predicate not in seen and not statistics.matches(Atom(atom.predicate, _any(len(atom.terms))), ()):
            here = deriving.get(atom.predicate, [])
            found |= {id(rule): rule for rule in here}
            waiting += [premise for rule in here for premise in rule.positive]
        seen.add(atom.predicate)
    return list(found.values())


def _any(arity: int) -> tuple[AtomTerm, ...]:
    return tuple(Variable(f"x{column}") for column in range(arity))


def _head(rule: CoreRule, expected: Expected) -> tuple[float, tuple[float, ...]]:
    """How many facts a rule is expected to derive, and how many values each column takes."""
    graph = Hypergraph(rule.positive)
    joined = Estimates(graph, expected).join(graph.all_atoms)
    calculates = not variables(rule.head) <= set(graph.names)
    size = max(1.0, joined.size if calculates else joined.projected(graph.mask(variables(rule.head))))
    return size, tuple(max(1.0, min(size, _values(term, graph, joined.distinct, size))) for term in rule.head.terms)


def _values(term: AtomTerm, graph: Hypergraph, distinct: dict[int, float], size: float) -> float:
    if not isinstance(term, Variable):
        return 1.0
    number = graph.mask((term.name,)).bit_length() - 1
    return distinct[number] if number >= 0 else size  # what is calculated may be anything
