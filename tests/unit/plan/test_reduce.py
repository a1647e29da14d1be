"""The full reducer as rules: a join whose tuples dangle begins nothing that it gives up, however the change comes in."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog import Materialisation, Program
from tidelog.cli.check import as_written
from tidelog.facts.statistics import StoreStatistics
from tidelog.plan.layout import Layout, lay_out
from tidelog.plan.modules import assign
from tidelog.syntax.formatter import format_rule

CHAIN = "out(?a, ?e) :- p(?a, ?b), q(?b, ?c), r(?c, ?d), s(?d, ?e) ."
Edges = dict[str, np.ndarray[tuple[int, int], np.dtype[np.int64]]]


def layers(nodes: int, each: int, partners: int) -> Edges:
    """Four layers of random edges; of what the third leads to, the fourth knows but a few."""
    rng = np.random.default_rng(5)
    found = {name: np.unique(rng.integers(0, nodes, (nodes * each, 2)), axis=0) for name in "pqrs"}
    found["r"][found["r"][:, 1] >= partners, 1] += 10 * nodes
    return found


def laid_out(rules: str, facts: Edges) -> Layout:
    program = Program.parse(rules)
    mat = Materialisation(program, modules="standard")
    mat.update(insert=facts)
    return lay_out(program, assign(program.core), False, StoreStatistics(mat._engine.embedded().store))


def text(layout: Layout) -> set[str]:
    rules = [rule for stratum in layout.strata.strata for rule in stratum.rules]
    return {format_rule(as_written(rule), {}) for rule in rules}


@pytest.mark.parametrize("change", ["p", "q", "r", "s"])
def test_bindings_are_few_wherever_a_change_comes_in(change: str) -> None:
    facts = layers(2000, 10, 10)
    gone = {change: facts[change][::100]}
    bindings, answers = {}, []
    for modules in ("standard", "combined"):
        mat = Materialisation(CHAIN, modules=modules)
        first, deletion, insertion = (mat.update(**step) for step in ({"insert": facts}, {"delete": gone}, {"insert": gone}))
        bindings[modules] = [step.statistics.bindings for step in (first, deletion, insertion)]
        answers.append((len(first.inserted["out"]), set(deletion.deleted["out"]), set(insertion.inserted["out"])))
    assert answers[0] == answers[1]
    fewer = [many / few for few, many in zip(bindings["combined"], bindings["standard"], strict=True)]
    assert fewer[0] > 10
    assert fewer[1] > 5
    assert fewer[2] > 0.5  # looking up what leads somewhere takes bindings, too


def test_semijoins_stand_on_the_side_of_values_that_lead_nowhere() -> None:
    assert text(laid_out(CHAIN, layers(1000, 8, 8))) >= {
        "out__2(?d) :- s(?d, ?e) .",
        "out__3(?c) :- r(?c, ?d), out__2(?d) .",
        "out__4(?b) :- q(?b, ?c), out__3(?c) .",
    }


@pytest.mark.parametrize(
    ("rules", "facts"),
    [
        (CHAIN, layers(1000, 8, 1000)),  # whatever is reached has a partner
        (CHAIN, layers(60, 2, 2)),  # so few that any join is done in no time
        (CHAIN.replace("out", "p"), layers(1000, 8, 8)),  # recursive
        ("out(?a, ?b) :- p(?a, ?b), q(?b, ?c), r(?d, ?e), s(?e, ?f) .", layers(30, 2, 1)),
    ],
)
def test_what_has_nothing_to_lose_is_left_alone(rules: str, facts: Edges) -> None:
    assert not laid_out(rules, facts).hidden


def test_what_derived_predicates_lack_is_not_known_yet() -> None:
    made = text(laid_out(CHAIN + " s(?x, ?y) :- t(?x, ?y) .", layers(1000, 8, 8)))
    assert not any("s(" in rule for rule in made if rule.startswith("out__"))
