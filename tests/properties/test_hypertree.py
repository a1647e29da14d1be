"""Cyclic rules split into nodes: after every update, by every algorithm, what the oracle says; and nothing hidden shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from tests.contract.combinations import ALGORITHMS
from tests.cyclic import cases, made
from tests.generators import Case
from tests.mirror import Mirror
from tests.modules import every_algorithm_is_right, nothing_hidden_shows, ranks_are_for_the_rules_as_written
from tests.properties.test_updates import blaming
from tests.updates import Update
from tidelog import Materialisation, Program
from tidelog.plan.eliminate import Expected
from tidelog.plan.layout import lay_out
from tidelog.plan.modules import assign
from tidelog.plan.nodes import NodeRules
from tidelog.plan.planner import NoStatistics
from tidelog.plan.split import How, Split, splits
from tidelog.program.normal import CoreRule

ALL = ALGORITHMS["embedded"]
# Every example runs all algorithms, so a few say much.
few = settings(max_examples=max(4, settings().max_examples // 5))


@pytest.mark.parametrize("strata", ["granular", "single"])
@few
@given(case=cases())
def test_facts_and_changes_after_every_update(case: Case, strata: str) -> None:
    every_algorithm_is_right(case, strata, "hypertree")


@pytest.mark.parametrize("strata", ["granular", "single"])
@few
@given(case=cases(max_updates=3))
def test_ranks_hold_for_the_rules_as_they_were_written(case: Case, strata: str) -> None:
    """Ranks rise through nodes, so a witness by nodes is one by the rule: proofs need not know of nodes."""
    ranks_are_for_the_rules_as_written(case, strata, "hypertree", ("ranked", "dred", "auto"))


@few
@given(case=cases(max_updates=3))
def test_nodes_are_hidden(case: Case) -> None:
    nothing_hidden_shows(case, "hypertree")


@pytest.mark.parametrize("how", How)
@few
@given(case=cases(max_updates=3))
def test_every_way_to_split(case: Case, how: How) -> None:
    program = Program.parse(case.text)
    mirror = Mirror(program)
    with split_by(how):
        mats = {name: Materialisation(program, algorithm=name, modules="hypertree") for name in ("ranked", "bf")}
        for update in (Update(case.facts, {}), *case.updates):
            expected = mirror.update(update)
            for algorithm, mat in mats.items():
                with blaming(algorithm, update):
                    mirror.check(mat, update, expected)


@contextmanager
def split_by(how: How) -> Iterator[None]:
    """Inside, rules are split in one way, as far as they can."""

    def chosen(rule: CoreRule, expected: Expected, nodes: NodeRules, *, if_it_pays: bool = False) -> Split | None:
        return next((split for split in splits(rule, expected, nodes) if split.how is how), None)

    with patch("tidelog.plan.layout.best_split", chosen):
        yield


@few
@given(case=cases(max_updates=3))
def test_reduced_to_what_leads_somewhere(case: Case) -> None:
    """As if of all values few had a partner: whatever reduces a rule follows from its body."""
    with reducing():
        every_algorithm_is_right(case, "granular", "hypertree")


@contextmanager
def reducing() -> Iterator[None]:
    """Inside, every rule with a tree is reduced along all its edges."""
    with patch.multiple("tidelog.plan.reduce", _COMPARABLE=0.0, _FLOOR=0, _PAYS=0.0, _dangles=lambda share: True):
        yield


def test_the_generator_makes_rules_that_are_reduced() -> None:
    reduced = 0
    for seed in range(40):
        case = made(seed, 1)
        nodes = []
        for context in (nullcontext(), reducing()):
            with context:
                mat = Materialisation(Program.parse(case.text), modules="hypertree")
                mat.update(insert=case.facts)
                nodes.append(len(mat._engine.hidden))
        reduced += nodes[0] < nodes[1]
    assert reduced > 8


def test_the_generator_makes_rules_for_every_way_and_nodes_that_are_shared() -> None:
    shared = 0
    for how in How:
        with split_by(how):
            programs = [Program.parse(made(seed, 1).text) for seed in range(40)]
            layouts = [lay_out(program, assign(program.core, "hypertree"), False, NoStatistics()) for program in programs]
        assert sum(bool(layout.splits) for layout in layouts) > 12
        for layout in layouts:
            body = [atom.predicate for stratum in layout.strata.strata for rule in stratum.rules for atom in rule.positive]
            shared += len(layout.hidden) < sum(predicate in layout.hidden for predicate in body)
    assert shared > 8


def test_the_generator_makes_rules_that_are_split_and_derive() -> None:
    split = derived = 0
    for seed in range(40):
        case = made(seed, 3)
        mat = Materialisation(Program.parse(case.text), modules="hypertree")
        mat.update(insert=case.facts)
        split += bool(mat._engine.layout.splits)
        derived += any(len(mat[name]) > len(mat.explicit(name)) for name in mat.predicates if name[0] in "hs")
    assert split > 24
    assert derived > 15
