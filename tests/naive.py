"""The meaning of rules, as plainly as it can be said: try every substitution.

Two uses: a second opinion on the oracle (the two must agree before either judges an engine), and counting the ground rule
instances that fire, which an engine must consider exactly once each. Slow on purpose: nothing here is worth a doubt.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from tests.oracle import Facts, Row, explicit_facts, without_empty
from tidelog.program import CoreRule, Program
from tidelog.syntax.ast import Arithmetic, Atom, AtomTerm, Comparison, Expression, Negation, Rule, Variable
from tidelog.terms import Term

Binding = dict[str, Term]
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
CALCULATE: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
NUMBERS = (int, float, Decimal)


class Body(NamedTuple):
    positive: Sequence[Atom]
    negative: Sequence[Atom]
    conditions: Sequence[Comparison]


Rules = Sequence[tuple[Sequence[Atom], Body]]


def rules_of(program: Program) -> Rules:
    return [(rule.head, body_of(rule)) for rule in program.rules]


def body_of(rule: Rule | CoreRule) -> Body:
    if isinstance(rule, CoreRule):
        return Body(rule.positive, rule.negative, rule.conditions)
    return Body(
        [literal for literal in rule.body if isinstance(literal, Atom)],
        [literal.atom for literal in rule.body if isinstance(literal, Negation)],
        [literal for literal in rule.body if isinstance(literal, Comparison)],
    )


class Table:
    """Facts, with what is needed to look them up by the values of some positions."""

    def __init__(self, facts: Mapping[str, Iterable[Row]]) -> None:
        self.facts = {predicate: set(rows) for predicate, rows in facts.items()}
        self.groups: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def matching(self, atom: Atom, binding: Binding) -> Sequence[Row]:
        """The facts that agree with the atom on its constants and bound variables."""
        bound = tuple(i for i, term in enumerate(atom.terms) if not isinstance(term, Variable) or term.name in binding)
        if (atom.predicate, bound) not in self.groups:
            group: dict[Row, list[Row]] = defaultdict(list)
            for row in self.facts.get(atom.predicate, ()):
                group[tuple(row[i] for i in bound)].append(row)
            self.groups[atom.predicate, bound] = group
        return self.groups[atom.predicate, bound].get(tuple(value_of(atom.terms[i], binding) for i in bound), ())


def materialise(program: Program, facts: Mapping[str, Iterable[Row]], *, own_facts: bool = True) -> Facts:
    """The materialisation, by alternating between too much and too little until they meet; no strata needed.

    With negation tested against too little, too much is derived, and the other way round. Stratified programs meet.
    """
    explicit = without_empty(explicit_facts(program, facts) if own_facts else facts)
    rules = rules_of(program)
    little, much = explicit, fixpoint(rules, explicit, {})
    while little != much:
        little = fixpoint(rules, explicit, much)
        much = fixpoint(rules, explicit, little)
    return {predicate: much.get(predicate, set()) for predicate in {*program.arities, *facts}}


def fixpoint(rules: Rules, explicit: Facts, absent_from: Facts) -> Facts:
    """Everything that follows when `~F` is taken to hold exactly if F is not in `absent_from`."""
    facts, negated = explicit, Table(absent_from)
    while (more := one_round(rules, facts, negated)) != facts:
        facts = more
    return facts


def one_round(rules: Rules, facts: Facts, negated: Table) -> Facts:
    """The facts, and everything that one application of a rule adds to them."""
    known = Table(facts)
    more = {predicate: set(rows) for predicate, rows in facts.items()}
    for head, body in rules:
        for binding in bindings(body, known, negated):
            for predicate, row in (ground(atom, binding) for atom in head):
                more.setdefault(predicate, set()).add(row)
    return more


def instances(program: Program, facts: Mapping[str, Iterable[Row]], *, own_facts: bool = True) -> int:
    """How many instances of the core rules fire over the materialisation; a rule with two head atoms counts as two."""
    return sum(derivations(program, facts, own_facts=own_facts).values())


def derivations(program: Program, facts: Mapping[str, Iterable[Row]], *, own_facts: bool = True) -> dict[tuple[str, Row], int]:
    """For every derived fact, hidden ones included, the number of core rule instances that derive it."""
    table = Table(with_hidden(program, materialise(program, facts, own_facts=own_facts)))
    counts: dict[tuple[str, Row], int] = defaultdict(int)
    for rule in program.core:
        for binding in bindings(body_of(rule), table, table):
            counts[ground(rule.head, binding)] += 1
    return counts


def with_hidden(program: Program, facts: Facts) -> Facts:
    """A materialisation, and the facts of the hidden predicates that stand for anonymous variables under negation."""
    rules = [((rule.head,), body_of(rule)) for rule in program.core if rule.head.predicate in program.hidden]
    return fixpoint(rules, facts, {})


def witnessed(
    program: Program, facts: Facts, rank: Callable[[str, Row], int], *, single_stratum: bool = False
) -> set[tuple[str, Row]]:
    """The facts with a witness: a rule instance over `facts` whose body facts in the head's own stratum rank lower."""
    strata = program.stratify(single=single_stratum)
    table = Table(with_hidden(program, facts))
    found = set()
    for rule in program.core:
        own = [rule.positive[i] for i in strata.recursive_positions(rule)]
        for binding in bindings(body_of(rule), table, table) if rule.head.predicate not in program.hidden else ():
            head = ground(rule.head, binding)
            if all(rank(*ground(atom, binding)) < rank(*head) for atom in own):
                found.add(head)
    return found


def bindings(body: Body, known: Table, negated: Table) -> Iterator[Binding]:
    for binding in joined(body.positive, known, {}):
        complete = holds(body.conditions, binding)
        if complete is not None and not any(negated.matching(atom, complete) for atom in body.negative):
            yield complete


def joined(atoms: Sequence[Atom], known: Table, binding: Binding) -> Iterator[Binding]:
    if not atoms:
        yield binding
        return
    for row in known.matching(atoms[0], binding):
        extended = extend(atoms[0], row, binding)
        if extended is not None:
            yield from joined(atoms[1:], known, extended)


def extend(atom: Atom, row: Row, binding: Binding) -> Binding | None:
    extended = dict(binding)
    for term, value in zip(atom.terms, row, strict=True):
        if isinstance(term, Variable) and term.name != "_" and extended.setdefault(term.name, value) != value:
            return None
    return extended


def holds(conditions: Sequence[Comparison], binding: Binding) -> Binding | None:
    """The binding with its assignments added, or None if a condition fails."""
    waiting, binding = list(conditions), dict(binding)
    while waiting:
        ready = next(condition for condition in waiting if is_ready(condition, binding))
        waiting.remove(ready)
        left, right = (evaluate(side, binding) for side in (ready.left, ready.right))
        if left is None and isinstance(ready.left, Variable) and ready.left.name not in binding and right is not None:
            binding[ready.left.name] = right
        elif left is None or right is None or not compare(ready.operator, left, right):
            return None
    return binding


def is_ready(condition: Comparison, binding: Binding) -> bool:
    assigns = condition.operator == "=" and isinstance(condition.left, Variable)
    return variables(condition.right) <= set(binding) and (assigns or variables(condition.left) <= set(binding))


def variables(expression: Expression) -> set[str]:
    if isinstance(expression, Arithmetic):
        return variables(expression.left) | variables(expression.right)
    return {expression.name} if isinstance(expression, Variable) else set()


def evaluate(expression: Expression, binding: Binding) -> Term | None:
    if not isinstance(expression, Arithmetic):
        return value_of(expression, binding) if variables(expression) <= set(binding) else None
    left, right = evaluate(expression.left, binding), evaluate(expression.right, binding)
    if type(left) is not int or type(right) is not int:
        return None
    return CALCULATE[expression.operator](left, right)


def compare(symbol: str, left: Term, right: Term) -> bool:
    """Numbers by value, strings and booleans among their own kind; other pairs are only equal if identical."""
    numeric = all(isinstance(value, NUMBERS) and not isinstance(value, bool) for value in (left, right))
    if not numeric and type(left) is not type(right):
        return symbol == "!="
    return COMPARE[symbol](left, right)


def ground(atom: Atom, binding: Binding) -> tuple[str, Row]:
    return atom.predicate, tuple(value_of(term, binding) for term in atom.terms)


def value_of(term: AtomTerm, binding: Binding) -> Term:
    return binding[term.name] if isinstance(term, Variable) else term.value
