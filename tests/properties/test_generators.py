"""The random programs, data and updates really contain what makes maintenance hard, each in a healthy share.

A property tested only on easy cases says nothing. The shares are of 300 cases; thresholds are about half of what was measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import Phase, given, settings

from tests import naive, oracle
from tests.generators import Case, cases
from tests.oracle import Facts
from tests.updates import Row, Update
from tidelog.program import Program
from tidelog.syntax.ast import Arithmetic, Atom, Comparison, Constant, Negation, Rule, Variable

CASES = 300
SHARES = {
    "negation": 0.4,
    "negation that blocks": 0.2,
    "recursive rule": 0.6,
    "recursive rule that fires": 0.5,
    "nonlinear recursion": 0.3,
    "mutual recursion": 0.06,
    "several strata with rules": 0.5,
    "three rounds": 0.08,
    "cycle in the data": 0.3,
    "fact with two derivations": 0.5,
    "fact explicit and derived": 0.5,
    "derives anything": 0.6,
    "arity 0": 0.1,
    "arity 3 or more": 0.25,
    "triples": 0.2,
    "negation between triples": 0.07,
    "constant in a body": 0.2,
    "constant in a head": 0.3,
    "repeated variable in an atom": 0.15,
    "anonymous variable under negation": 0.12,
    "several heads": 0.15,
    "rule without positive atoms": 0.015,
    "comparison": 0.15,
    "assignment": 0.04,
    "deletes an explicit fact": 0.5,
    "deletes an absent fact": 0.4,
    "inserts and deletes one fact": 0.25,
    "update that removes a derived fact": 0.25,
    "update that adds a derived fact": 0.25,
    "insertion that deletes": 0.012,
    "deletion that inserts": 0.02,
}


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    seen: Counter[str] = Counter()

    @settings(max_examples=CASES, phases=(Phase.generate,), derandomize=True, database=None)
    @given(cases(max_updates=4))
    def collect(case: Case) -> None:
        seen.update(set(traits(case)))
        seen["cases"] += 1

    collect()
    return seen


@pytest.mark.parametrize("trait", SHARES)
def test_enough_cases_have_it(counts: Counter[str], trait: str) -> None:
    assert counts[trait] >= SHARES[trait] * counts["cases"]


def traits(case: Case) -> Iterator[str]:
    program = Program.parse(case.text)
    yield from (trait for rule in program.rules for trait in rule_traits(rule))
    yield from recursion_traits(program)
    yield from data_traits(program, case)
    yield from update_traits(program, case)


def rule_traits(rule: Rule) -> Iterator[str]:
    positive = [literal for literal in rule.body if isinstance(literal, Atom)]
    negative = [literal.atom for literal in rule.body if isinstance(literal, Negation)]
    conditions = [literal for literal in rule.body if isinstance(literal, Comparison)]
    atoms = [*rule.head, *positive, *negative]
    found = {
        "negation": negative,
        "negation between triples": negative and {"triple"} == {atom.predicate for atom in atoms},
        "triples": any(atom.predicate == "triple" for atom in atoms),
        "constant in a body": any(isinstance(term, Constant) for atom in positive for term in own_terms(atom)),
        "constant in a head": any(isinstance(term, Constant) for atom in rule.head for term in own_terms(atom)),
        "repeated variable in an atom": any(repeats(atom) for atom in positive),
        "anonymous variable under negation": any(Variable("_") in atom.terms for atom in negative),
        "several heads": len(rule.head) > 1,
        "rule without positive atoms": not positive,
        "comparison": any(condition.operator != "=" for condition in conditions),
        "assignment": any(isinstance(condition.right, Arithmetic) and condition.operator == "=" for condition in conditions),
        "arity 0": any(not atom.terms for atom in atoms),
        "arity 3 or more": any(len(atom.terms) >= 3 and atom.predicate != "triple" for atom in atoms),
    }
    yield from (trait for trait, holds in found.items() if holds)


def own_terms(atom: Atom) -> list[Variable | Constant]:
    """The terms of an atom, without the constants that only make it a triple."""
    if atom.predicate != "triple":
        return list(atom.terms)
    return [atom.terms[0]] if atom.terms[1] == Constant("type") else [atom.terms[0], atom.terms[2]]


def repeats(atom: Atom) -> bool:
    names = [term.name for term in atom.terms if isinstance(term, Variable) and term.name != "_"]
    return len(names) > len(set(names))


def recursion_traits(program: Program) -> Iterator[str]:
    stratification = program.stratify()
    if sum(bool(stratum.rules) for stratum in stratification.strata) > 1:
        yield "several strata with rules"
    for stratum in stratification.strata:
        for rule in stratum.recursive:
            yield "recursive rule"
            positions = stratification.recursive_positions(rule)
            if len(positions) > 1:
                yield "nonlinear recursion"
            if any(rule.positive[i].predicate != rule.head.predicate for i in positions):
                yield "mutual recursion"


def data_traits(program: Program, case: Case) -> Iterator[str]:
    explicit = oracle.explicit_facts(program, case.facts)
    facts = naive.materialise(program, case.facts)
    counts = naive.derivations(program, case.facts)
    recursive = {rule.head.predicate for stratum in program.stratify().strata for rule in stratum.recursive}
    found = {
        "derives anything": facts_of(facts) - facts_of(explicit),
        "cycle in the data": any(has_cycle(rows) for rows in edges(explicit)),
        "fact with two derivations": any(count > 1 for count in counts.values()),
        "fact explicit and derived": counts.keys() & facts_of(explicit),
        "recursive rule that fires": any(predicate in recursive for predicate, _ in counts),
        "three rounds": rounds(program, explicit, facts) >= 3,
        "negation that blocks": facts_of(without_negation(program, explicit)) != facts_of(facts),
    }
    yield from (trait for trait, holds in found.items() if holds)


def update_traits(program: Program, case: Case) -> Iterator[str]:
    explicit = facts_of(oracle.explicit_facts(program, case.facts))
    before = facts_of(naive.materialise(program, case.facts))
    for update in case.updates:
        inserted, deleted = rows_of(update)
        explicit = (old := explicit) - deleted | inserted
        after = facts_of(naive.materialise(program, grouped(explicit), own_facts=False))
        found = {
            "deletes an explicit fact": old & deleted,
            "deletes an absent fact": deleted - before,
            "inserts and deletes one fact": inserted & deleted,
            "update that removes a derived fact": before - after - old,
            "update that adds a derived fact": after - before - explicit,
            "insertion that deletes": not deleted & old and before - after,
            "deletion that inserts": inserted <= old and after - before,
        }
        yield from (trait for trait, holds in found.items() if holds)
        before = after


def rows_of(update: Update) -> tuple[set[tuple[str, Row]], set[tuple[str, Row]]]:
    both = (update.insert, update.delete)
    inserted, deleted = ({(name, row) for name, rows in data.items() for row in rows} for data in both)
    return inserted, deleted


def facts_of(facts: Facts) -> set[tuple[str, Row]]:
    return {(predicate, row) for predicate, rows in facts.items() for row in rows}


def grouped(facts: set[tuple[str, Row]]) -> Facts:
    return {predicate: {row for name, row in facts if name == predicate} for predicate in {name for name, _ in facts}}


def without_negation(program: Program, explicit: Facts) -> Facts:
    """What would follow if all negated atoms were left out."""
    rules = [(head, body._replace(negative=())) for head, body in naive.rules_of(program)]
    return naive.fixpoint(rules, explicit, {})


def rounds(program: Program, explicit: Facts, facts: Facts) -> int:
    """How many times all rules must be applied until nothing new follows."""
    count, negated = 0, naive.Table(facts)
    while (more := naive.one_round(naive.rules_of(program), explicit, negated)) != explicit:
        count, explicit = count + 1, more
    return count


def edges(facts: Facts) -> Iterator[set[Row]]:
    for predicate, rows in facts.items():
        if predicate == "triple":
            names = {row[1] for row in rows} - {"type"}
            for name in names:
                yield {(row[0], row[2]) for row in rows if row[1] == name}
        else:
            yield {row for row in rows if len(row) == 2}


def has_cycle(rows: set[Row]) -> bool:
    """Whether something is left when nodes without a way out are dropped again and again; loops do not count."""
    rows = {row for row in rows if row[0] != row[1]}
    while rows and (kept := {row for row in rows if any(row[1] == other[0] for other in rows)}) != rows:
        rows = kept
    return bool(rows)
