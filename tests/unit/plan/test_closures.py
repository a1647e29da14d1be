"""Which rules are closures, and what becomes of them."""

from __future__ import annotations

import pytest

from tidelog import Materialisation, Program
from tidelog.engines.embedded.batches import Held
from tidelog.engines.embedded.engine import EmbeddedEngine
from tidelog.errors import SetupError
from tidelog.facts.table import EXPLICIT
from tidelog.plan.closures import closures
from tidelog.plan.layout import with_closures
from tidelog.plan.modules import COMBINED, STANDARD, SYMMETRIC, TRANSITIVE, assign
from tidelog.syntax.ast import Rule
from tidelog.syntax.formatter import format_rule

T = "r(?x, ?z) :- r(?x, ?y), r(?y, ?z) . "
S = "r(?y, ?x) :- r(?x, ?y) . "


def found(text: str, *, single: bool = False) -> list[tuple[bool, int, int]]:
    """For each closure whether it is symmetric, and how many rules say so and how many derive its edges."""
    return [(c.symmetric, len(c.rules), len(c.others)) for c in closures(Program.parse(text).core, single=single)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (T, [(False, 1, 0)]),
        ("r(?x, ?z) :- r(?y, ?z), r(?x, ?y) .", [(False, 1, 0)]),
        (T + S, [(True, 2, 0)]),
        (S + "r(?x, ?z) :- r(?x, ?y), r(?z, ?y) .", [(True, 2, 0)]),
        (T + S + "r(?x, ?x) :- r(?x, _) . r(?x, ?x) :- r(_, ?x) .", [(True, 4, 0)]),
        (T + S + "r(?x, ?x) :- person(?x) .", [(True, 2, 0)]),
        (T + "r(?x, ?y) :- e(?x, ?y) . r(a, b) :- e(_, _) . r(?x, ?y), q(?x) :- f(?y, ?x) .", [(False, 1, 3)]),
        ("[?x, p, ?z] :- [?x, p, ?y], [?y, p, ?z] . [?x, p, ?y] :- [?x, q, ?y] .", [(False, 1, 1)]),
        ("a(1, ?x, ?z) :- a(1, ?x, ?y), a(1, ?y, ?z) . a(2, ?x, ?z) :- a(1, ?x, ?z) .", [(False, 1, 0)]),
        (T + T.replace("r(", "s(") + "s(?x, ?y) :- r(?x, ?y) .", [(False, 1, 0), (False, 1, 1)]),
    ],
)
def test_closures_are_recognised(text: str, expected: list[tuple[bool, int, int]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        S,
        "r(?x, ?z) :- r(?x, ?y), r(?z, ?y) .",  # not transitive by itself
        "r(?x, ?z) :- r(?x, ?y), e(?y, ?z) . r(?x, ?y) :- e(?x, ?y) .",  # linear
        "r(?x, ?z) :- r(?x, ?y), r(?y, ?z), ?x != ?z .",
        "r(?x, ?z) :- r(?x, ?y), r(?y, ?z), ~e(?x, ?z) .",
        "r(?x, ?y) :- r(?x, ?x), r(?x, ?y) .",
        T + "r(?x, ?y) :- r(?x, ?z), e(?z, ?y) .",  # edges by way of the relation itself,
        T + "r(?x, ?y) :- q(?x, ?y) . q(?x, ?y) :- r(?y, ?x), e(?x, ?y) .",  # even by a detour
        "[?x, p, ?z] :- [?x, p, ?y], [?y, p, ?z] . [?x, ?q, ?y] :- [?x, ?p, ?y], sub(?p, ?q) .",  # edges among other facts
    ],
)
def test_what_only_looks_like_a_closure_is_not(text: str) -> None:
    assert found(text) == []


def test_symmetric_closures_need_a_stratum_of_their_own() -> None:
    assert found(T + S, single=True) == []
    assert found(T, single=True) == [(False, 1, 0)]


def test_each_choice_takes_its_kind() -> None:
    rules = Program.parse(T + S + T.replace("r(", "q(")).core
    modules = {
        choice: [taken.module for taken in assign(rules, choice).taken]
        for choice in (COMBINED, SYMMETRIC, TRANSITIVE, STANDARD)
    }
    assert modules == {
        COMBINED: [SYMMETRIC, TRANSITIVE],
        SYMMETRIC: [SYMMETRIC],
        TRANSITIVE: [TRANSITIVE],
        STANDARD: [],
    }


def written(text: str) -> list[str]:
    """The rules that are evaluated."""
    program = Program.parse(text)
    layout = with_closures(program, assign(program.core), False)
    rules = [rule for stratum in layout.strata.strata for rule in stratum.rules]
    return [format_rule(Rule((rule.head,), rule.positive)).replace("\n    ", " ") for rule in rules]


def test_a_transitive_closure_goes_edge_by_edge() -> None:
    assert written("[?x, p, ?z] :- [?x, p, ?y], [?y, p, ?z] . [?x, p, ?y] :- e(?y, ?x) .") == [
        "triple__edges_1(?x, ?y) :- e(?y, ?x) .",
        "[?x, p, ?y] :- triple__edges_1(?x, ?y) .",
        "[?x, p, ?z] :- triple__edges_1(?y, ?z), [?x, p, ?y], [?y, p, ?z] .",
    ]


def test_a_symmetric_closure_goes_up_and_down_a_tree() -> None:
    assert written(S + "r(?x, ?z) :- r(?x, ?y), r(?z, ?y) .") == [
        "r(?x, ?y) :- r__edges_1(?x, ?y) .",
        "r(?y, ?x) :- r__edges_1(?x, ?y), r(?x, ?y) .",
        "r(?x, ?c) :- r__root_1(?x, ?c), r__up_1(?x, ?p), r(?x, ?p), r(?c, ?p) .",
        "r(?c, ?x) :- r__root_1(?x, ?c), r__up_1(?x, ?p), r(?c, ?p), r(?x, ?p) .",
        "r(?c, ?c) :- r__root_1(?x, ?c), r__up_1(?x, ?c), r(?c, ?x), r(?c, ?x) .",
        "r(?x, ?z) :- r__root_1(?x, ?c), r__root_1(?z, ?c), r(?x, ?c), r(?z, ?c) .",
    ]


def test_hidden_names_are_nobody_else_s() -> None:
    program = Program.parse(T + "r__edges_1(?x, ?y) :- r(?x, ?y) .")
    assert set(with_closures(program, assign(program.core), False).hidden) == {"r__edges_2"}


def test_a_clique_has_about_one_instance_for_each_fact() -> None:
    nodes = 60
    edges = [(node // 2, node) for node in range(1, nodes)]
    mat = Materialisation(T + S)
    statistics = mat.update(insert={"r": edges}).statistics
    assert len(mat["r"]) == nodes * nodes
    assert statistics.instances < 1.2 * nodes * nodes


def test_a_path_has_an_instance_for_each_fact_and_edge() -> None:
    nodes = 60
    mat = Materialisation(T)
    statistics = mat.update(insert={"r": [(node, node + 1) for node in range(nodes)]}).statistics
    assert len(mat["r"]) == nodes * (nodes + 1) // 2
    assert statistics.instances == len(mat["r"])


def test_statistics_say_which_module_took_which_rules() -> None:
    mat = Materialisation(T + S)
    assert mat.statistics.notes == ["symmetric-transitive: `r(?x, ?z)` is the symmetric and transitive closure of its edges"]
    mat.algorithm = "rewriting"
    (note,) = mat.update(insert={"r": [(1, 2)]}).statistics.notes
    assert note.startswith("dred instead of rewriting")


def test_a_broken_clique_says_exactly_what_is_gone() -> None:
    mat = Materialisation(T + S)
    mat.update(insert={"r": [(1, 2), (2, 3), (3, 1), (3, 4), (5, 4)]})
    assert not mat.update(delete={"r": [(2, 3)]}).deleted
    gone = set(mat.update(delete={"r": [(3, 4)]}).deleted["r"])
    assert gone == {(a, b) for a in (1, 2, 3) for b in (4, 5)} | {(b, a) for a in (1, 2, 3) for b in (4, 5)}


def test_closures_of_facts_that_are_given_for_a_time() -> None:
    """A tree shows one way between two nodes, and another may last longer: then the rules are evaluated as written."""
    mat = Materialisation(T + S)
    mat.update(insert={"r": [(1, 2), (2, 3)]})
    mat.update(insert={"r": [(1, 4), (4, 3)]}, expires=10)
    mat.update(delete={"r": [(2, 3)]})
    assert len(mat["r"]) == 16
    assert set(mat.advance(10).deleted["r"]) == {(a, b) for a in range(1, 5) for b in range(1, 5)} - {
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    }
    assert set(mat.explicit("r")) == {(1, 2)}


@pytest.mark.parametrize("algorithm", ["auto", "counting", "bf"])
def test_explicit_facts_are_counted_without_those_that_are_kept(algorithm: str) -> None:
    mat = Materialisation(T + S + "r(1, 2) .", algorithm=algorithm)
    assert mat._engine.explicit == 1
    mat.update(insert={"r": [(2, 3), (4, 5)]})
    assert mat._engine.explicit == 3
    mat.update(delete={"r": [(1, 2), (2, 3), (4, 5)]})
    assert (mat._engine.explicit, len(mat)) == (0, 0)


def test_the_spark_engine_refuses_modules_by_name() -> None:
    """Before a session is started: the answer costs nothing."""
    with pytest.raises(SetupError, match="the module symmetric-transitive does not run on the Spark engine"):
        Materialisation(T + S, engine="spark", modules=SYMMETRIC)


def test_who_goes_on_from_other_facts_has_closures_as_they_were_written() -> None:
    """Their ranks are by the program's rules, and need not be by those over edges."""
    rules = T + S + "r(?x, ?y) :- e(?x, ?y) ."
    there = Materialisation(rules, modules=STANDARD)
    there.update(insert={"r": [(1, 2), (2, 3)], "e": [(3, 4), (4, 1)]})
    engine, here = there._engine, Materialisation(rules, algorithm="ranked")
    assert isinstance(engine, EmbeddedEngine)
    assert isinstance(here._engine, EmbeddedEngine)
    held = {}
    for name in ("r", "e"):
        table = engine.table(name)
        rows = table.facts()
        held[name] = Held([column[rows] for column in table.columns], table.flags[rows] & EXPLICIT != 0, table.rank[rows])
    here._engine.dictionary = engine.dictionary
    here._engine.restore(held)
    for gone in ({"e": [(4, 1)]}, {"r": [(2, 3)]}, {"e": [(3, 4)]}, {"r": [(1, 2)]}):
        assert set(here.update(delete=gone).deleted["r"]) == set(there.update(delete=gone).deleted["r"])
    assert not len(here)
