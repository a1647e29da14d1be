"""What every choice of rule modules is held to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from tests import naive
from tests.contract.combinations import ALGORITHMS
from tests.generators import Case
from tests.mirror import Mirror, explicit_of, facts_of, pairs, rank_in
from tests.properties.test_updates import blaming
from tests.updates import Update
from tidelog import Materialisation, Program
from tidelog.plan.eliminate import Expected
from tidelog.plan.nodes import NodeRules
from tidelog.plan.planner import NoStatistics
from tidelog.plan.split import Split, splits
from tidelog.program.normal import CoreRule


@contextmanager
def splitting_eagerly() -> Iterator[None]:
    """Inside, whoever may split a rule does so, with as many nodes as can be, as if there were more than a handful of facts."""

    def most_nodes(rule: CoreRule, expected: Expected, nodes: NodeRules, *, if_it_pays: bool = False) -> Split | None:
        many = Expected(NoStatistics(), {name: expected.nodes[name] for name in nodes.hidden if name in expected.nodes})
        return max(splits(rule, many, nodes), key=lambda split: len(split.nodes.rules), default=None)

    with patch("tidelog.plan.layout.best_split", most_nodes):
        yield


def every_algorithm_is_right(case: Case, strata: str, modules: str) -> None:
    """After every update, what the oracle says."""
    program = Program.parse(case.text)
    mirror = Mirror(program)
    mats = {name: Materialisation(program, algorithm=name, strata=strata, modules=modules) for name in ALGORITHMS["embedded"]}
    for update in (Update(case.facts, {}), *case.updates):
        expected = mirror.update(update)
        for algorithm, mat in mats.items():
            with blaming(algorithm, update):
                mirror.check(mat, update, expected)


def ranks_are_for_the_rules_as_written(case: Case, strata: str, modules: str, algorithms: Sequence[str]) -> None:
    """Every fact has a witness of lower rank among the instances of the program's own rules, and a proof by them."""
    program = Program.parse(case.text)
    for algorithm in algorithms:
        mat = Materialisation(program, algorithm=algorithm, strata=strata, modules=modules)
        for update in (Update(case.facts, {}), *case.updates):
            mat.update(insert=update.insert, delete=update.delete)
            facts = facts_of(mat)
            found = naive.witnessed(program, facts, rank_in(mat), single_stratum=strata == "single")
            with blaming(algorithm, update):
                assert pairs(facts) - pairs(explicit_of(mat)) <= found
                for predicate, row in sorted(pairs(facts) - pairs(explicit_of(mat)), key=repr)[:3]:
                    assert mat.explain(predicate, row).holds


def nothing_hidden_shows(case: Case, modules: str) -> None:
    program = Program.parse(case.text)
    mat = Materialisation(program, modules=modules)
    for update in (Update(case.facts, {}), *case.updates):
        changes = mat.update(insert=update.insert, delete=update.delete)
        assert set(mat.predicates) <= set(program.arities)
        assert {*changes.inserted, *changes.deleted} <= set(program.arities)
