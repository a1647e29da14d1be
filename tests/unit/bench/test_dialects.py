"""The rules of a workload as the peers read them."""

from __future__ import annotations

import pytest

from tidelog.bench import dialects

CLOSURE = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."


def test_nemo_reads_triple_atoms_as_triples_with_whole_iris() -> None:
    text = dialects.nemo("[?x, rdf:type, ?d] :- [?c, rdfs:subClassOf, ?d], [?x, rdf:type, ?c] .")
    assert text == (
        "triple(?x, <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>, ?d) :- "
        "triple(?c, <http://www.w3.org/2000/01/rdf-schema#subClassOf>, ?d), "
        "triple(?x, <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>, ?c) .\n"
    )


def test_clingo_has_capital_variables() -> None:
    assert dialects.clingo("p(?x, 1) :- q(?x) .") == "p(Vx, 1) :- q(Vx) .\n"


def test_sql_says_linear_recursion_in_one_query() -> None:
    assert dialects.query(CLOSURE, "path") == (
        "WITH RECURSIVE path(c0, c1) AS ((SELECT t0.c0 AS c0, t0.c1 AS c1 FROM edge AS t0) "
        "UNION SELECT t0.c0 AS c0, t1.c1 AS c1 FROM path AS t0, edge AS t1 WHERE t1.c0 = t0.c1)"
    )


@pytest.mark.parametrize(
    "rules",
    [
        "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), path(?y, ?z) .",
        f"{CLOSURE} path(?y, ?x) :- path(?x, ?y) .",
        "path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .",
    ],
    ids=["nonlinear", "two recursive rules", "no start"],
)
def test_sql_cannot_say_other_recursion(rules: str) -> None:
    assert dialects.query(rules, "path") is None


def test_a_delta_stands_in_for_one_atom() -> None:
    (rule,) = dialects.parse("p(?x) :- p(?x), p(?x), q(?x, 3) .")
    assert dialects.occurrences(rule, "p") == [0, 1]
    assert dialects.select(rule, 1) == (
        "SELECT t0.c0 AS c0 FROM p AS t0, delta AS t1, q AS t2 WHERE t1.c0 = t0.c0 AND t2.c0 = t0.c0 AND t2.c1 = 3"
    )


@pytest.mark.parametrize(
    "rule",
    [
        "p(?x) :- q(?x), ~r(?x) .",
        "p(?x) :- q(?x), ?x > 1 .",
        "p(?x), q(?x) :- r(?x) .",
        "p(a) :- q(1) .",
    ],
)
def test_what_no_workload_needs_is_refused(rule: str) -> None:
    with pytest.raises(NotImplementedError):
        dialects.clingo(rule)
