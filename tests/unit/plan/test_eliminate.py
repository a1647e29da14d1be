"""Splitting rules by eliminating variables."""

from __future__ import annotations

from tidelog import Program
from tidelog.plan.eliminate import Expected, eliminate
from tidelog.plan.nodes import NodeRules
from tidelog.plan.split import How, best_split
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom
from tidelog.syntax.formatter import format_atom

HEXAGON = "x(?u, ?w) :- in(?p, ?u), of(?p, ?v), in(?q, ?v), of(?q, ?w), in(?r, ?w), of(?r, ?u) ."


class People:
    """A hundred thousand people, each in one of ten places and of another."""

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        return 1e5 / (1e5 if 0 in bound else 1) / (10 if 1 in bound else 1)

    def largest(self) -> float:
        return 1e5


def test_a_cycle_of_people_becomes_one_of_places() -> None:
    (rule,) = Program.parse(HEXAGON).core
    made = eliminate(rule, Expected(People()), NodeRules({"x", "in", "of"}))
    assert text(made.rule) == "x(?u, ?w) :- x__1(?w, ?u), x__1(?v, ?w), x__1(?u, ?v)"
    assert [text(node) for node in made.nodes.rules.values()] == ["x__1(?u, ?v) :- in(?p, ?u), of(?p, ?v)"]
    assert made.total < 1e6


def test_nodes_on_trial_leave_no_trace() -> None:
    (rule,) = Program.parse(HEXAGON).core
    nodes = NodeRules({"x", "in", "of"})
    eliminate(rule, Expected(People()), nodes)
    assert not nodes.rules
    split = best_split(rule, Expected(People()), nodes)
    assert split is not None
    assert split.pays
    assert split.how is How.ELIMINATION
    assert not nodes.rules


def test_what_the_head_and_conditions_need_stays() -> None:
    (rule,) = Program.parse("x(?u) :- in(?p, ?u), of(?p, ?v), in(?q, ?v), of(?q, ?w), ~in(?q, ?w), ?u < ?v .").core
    made = eliminate(rule, Expected(People()), NodeRules({"x", "in", "of"}))
    assert made.rule.negative == rule.negative
    assert made.rule.conditions == rule.conditions
    assert text(made.rule) == "x(?u) :- x__1(?u, ?v), in(?q, ?v), of(?q, ?w)"


def text(rule: CoreRule) -> str:
    return f"{format_atom(rule.head, {})} :- {', '.join(format_atom(atom, {}) for atom in rule.positive)}"
