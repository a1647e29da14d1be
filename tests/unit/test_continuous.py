"""Continuous queries from Python: what goes in, what comes out, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import tidelog as tl
from tidelog.terms import Iri, Term

E = "http://e/"
P, Q = Iri(E + "p"), Iri(E + "q")
START = "PREFIX : <http://e/> REGISTER "
STREAM = "FROM STREAM :s [RANGE 10s STEP 5s]"


def at(time: float, *triples: tuple[Term, Term, Term]) -> dict[str, Any]:
    return {"time": time, "insert": {"triple": list(triples)}}


def told(query: tl.ContinuousQuery, events: Any, **options: Any) -> list[tuple[float | None, list[tuple[Term, ...]]]]:
    return [(answer.time, answer.rows.sorted()) for answer in query.follow(events, **options)]


def asked(output: str, select: str, where: str = "?x :p ?y", **options: Any) -> tl.ContinuousQuery:
    return tl.ContinuousQuery(f"{START}{output} q AS SELECT {select} {STREAM} WHERE {{ {where} }}", **options)


EVENTS = [at(1, ("a", P, 1), ("a", P, 2)), at(7, ("b", P, 3)), at(13, ("b", P, 4)), at(21, ("c", Q, 5))]


def test_the_whole_answer_comes_at_each_slide() -> None:
    assert told(asked("QUERY", "?x ?y"), EVENTS) == [
        (5, [("a", 1), ("a", 2)]),
        (10, [("a", 1), ("a", 2), ("b", 3)]),
        (15, [("b", 3), ("b", 4)]),
        (20, [("b", 4)]),
        (25, []),
    ]


def test_a_row_is_there_once_for_each_solution() -> None:
    assert told(asked("RSTREAM", "?x"), EVENTS)[:3] == [
        (5, [("a",), ("a",)]),
        (10, [("a",), ("a",), ("b",)]),
        (15, [("b",), ("b",)]),
    ]
    assert told(asked("RSTREAM", "DISTINCT ?x"), EVENTS)[:3] == [(5, [("a",)]), (10, [("a",), ("b",)]), (15, [("b",)])]


def test_what_comes_and_what_goes() -> None:
    assert told(asked("ISTREAM", "?x"), EVENTS) == [(5, [("a",), ("a",)]), (10, [("b",)]), (15, [("b",)]), (20, []), (25, [])]
    assert told(asked("DSTREAM", "?x"), EVENTS) == [(5, []), (10, []), (15, [("a",), ("a",)]), (20, [("b",)]), (25, [("b",)])]
    assert told(asked("ISTREAM", "DISTINCT ?x"), EVENTS)[:3] == [(5, [("a",)]), (10, [("b",)]), (15, [])]


def test_an_answer_has_all_three() -> None:
    answers = list(asked("ISTREAM", "?x ?y").follow(EVENTS))
    assert [(list(a.rows), list(a.inserted), list(a.deleted)) for a in answers[3:4]] == [([], [], [("b", 3)])]
    assert answers[0].rows.column_names == ("x", "y")
    assert answers[0].rows.to_arrow().to_pydict() == {"x": ["a", "a"], "y": [1, 2]}
    assert repr(answers[3]) == "<Answer at 20.0: <q/2: 0 facts>>"


def test_compute_every_says_when() -> None:
    text = f"{START}QUERY q COMPUTE EVERY 4s AS SELECT ?y {STREAM} WHERE {{ ?x :p ?y }}"
    assert told(tl.ContinuousQuery(text), EVENTS) == [
        (8, [(1,), (2,)]),
        (12, [(1,), (2,), (3,)]),
        (16, [(3,), (4,)]),
        (20, [(4,)]),
        (24, [(4,)]),
        (28, []),
    ]


def test_compute_every_needs_times() -> None:
    query = tl.ContinuousQuery(f"{START}QUERY q COMPUTE EVERY 4s AS SELECT * FROM STREAM :s [TRIPLES 2] {{ ?x :p ?y }}")
    with pytest.raises(tl.DataError, match="COMPUTE EVERY needs events with a time"):
        told(query, [{"insert": {"triple": [("a", P, 1)]}}])


def test_the_last_triples_need_no_times() -> None:
    query = tl.ContinuousQuery(f"{START}QUERY q AS SELECT ?y FROM STREAM :s [TRIPLES 2] {{ ?x :p ?y }}")
    events = [{"insert": {"triple": [("a", P, number)]}} for number in range(4)]
    assert told(query, events) == [(None, [(0,)]), (None, [(0,), (1,)]), (None, [(1,), (2,)]), (None, [(2,), (3,)])]


def test_terms_that_python_takes_for_equal() -> None:
    rows = [answer.rows for answer in asked("RSTREAM", "?y").follow([at(1, ("a", P, 1), ("a", P, True), ("a", P, 1.0))])]
    assert sorted(map(repr, rows[0])) == ["(1,)", "(1.0,)", "(True,)"]


def test_a_pattern_without_variables() -> None:
    assert told(asked("RSTREAM", "*", ":a :p 1"), [at(1, (Iri(E + "a"), P, 1))])[0] == (5, [()])


def test_events_may_be_late() -> None:
    events = [at(7, ("a", P, 1)), at(4, ("a", P, 2)), at(20, ("a", P, 3)), at(8, ("a", P, 4))]
    late: list[Any] = []
    assert told(asked("ISTREAM", "?y"), events, lateness="5s", late=late.append) == [
        (5, [(2,)]), (10, [(1,)]), (15, []), (20, [(3,)])
    ]  # fmt: skip
    assert late == [events[3]]


# --- rules, graphs, streams -------------------------------------------------------------------------------------------


def test_rules_make_triples_of_what_streams_have() -> None:
    rules = "[?room, <http://e/p>, ?t] :- reading(?s, ?t), at(?s, ?room) . at(s1, attic) . at(s2, cellar) ."
    query = asked("ISTREAM", "?x ?y", rules=rules)
    events = [{"time": 1, "insert": {"reading": [("s1", 30), ("s2", 12)]}}, {"time": 12, "insert": {"reading": [("s1", 31)]}}]
    assert told(query, events)[0] == (5, [("attic", 30), ("cellar", 12)])
    assert query.materialisation.explain("q", ("attic", 31)).holds


def test_rules_hold_within_windows_that_have_names() -> None:
    rules = "[?x, <http://e/p>, ?z] :- [?x, <http://e/q>, ?y], [?y, <http://e/q>, ?z] ."
    text = f"{START}RSTREAM q AS SELECT ?x ?z FROM NAMED WINDOW :w ON :s [RANGE PT10S STEP PT5S] {{ WINDOW :w {{ ?x :p ?z }} }}"
    query = tl.ContinuousQuery(text, rules=rules)
    query.update(insert={"triple": [("b", Q, "c"), ("c", Q, "d")]})
    assert told(query, [at(1, ("a", Q, "b")), at(2, ("d", Q, "e"))]) == [(5, [("a", "c"), ("c", "e")])]
    assert ("b", P, "d") in query.materialisation["triple"]


def test_what_is_beside_the_windows_may_change() -> None:
    text = f"{START}ISTREAM q AS SELECT ?x ?y FROM :g {STREAM} {{ ?x :p ?y . ?x :q ?z }}"
    query = tl.ContinuousQuery(text, graphs={E + "g": [("a", Q, 1), ("b", Q, 1)]})

    def events() -> Iterable[Any]:
        yield EVENTS[0]
        yield EVENTS[1]
        query.update(delete={"triple": [("b", Q, 1)]})
        yield EVENTS[2]

    assert told(query, events()) == [(5, [("a", 1), ("a", 2)]), (10, []), (15, [])]


def test_static_graphs_are_files(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text("<http://e/a> <http://e/q> 1 .")
    (tmp_path / "other.nt").write_text("<http://e/a> <http://e/q> <http://e/c> .\n")
    (tmp_path / "q.rq").write_text(f"{START}QUERY q AS SELECT * FROM <g.ttl> FROM <http://e/g> {STREAM} {{ ?x :q ?z ; :p ?y }}")
    query = tl.ContinuousQuery.load(tmp_path / "q.rq", graphs={"http://e/g": tmp_path / "other.nt"})
    assert told(query, [at(1, (Iri(E + "a"), P, 5))]) == [(5, [(Iri(E + "a"), 1, 5), (Iri(E + "a"), Iri(E + "c"), 5)])]


def test_several_streams_are_told_apart() -> None:
    text = (
        f"{START}RSTREAM q AS SELECT ?x FROM NAMED WINDOW :v ON :s [RANGE 10s STEP 5s] FROM NAMED WINDOW :w ON :t [TRIPLES 1]"
    )
    query = tl.ContinuousQuery(text + "{ WINDOW :v { ?x :p ?y } WINDOW :w { ?x :p ?y } }")
    streams = {E + "s": [at(1, ("a", P, 1)), at(2, ("b", P, 1))], E + "t": [at(3, ("b", P, 1)), at(6, ("a", P, 1))]}
    assert told(query, streams) == [(3, []), (5, [("b",)]), (6, [("a",)])]


def test_events_may_stand_in_a_file(tmp_path: Path) -> None:
    text = f"{START}RSTREAM q AS SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE PT5S STEP PT5S] {{ WINDOW :w {{ ?x :p ?y }} }}"
    path = tmp_path / "events.ndjson"
    path.write_text('{"time": 1, "insert": [["triple", "a", {"term": "<http://e/p>"}, 1]]}\nnonsense\n{"time": 2}\n')
    query = tl.ContinuousQuery(text, on_bad_row="skip")
    assert told(query, path) == [(5, [("a",)])]
    assert len(query.materialisation.bad_rows) == 1
    with pytest.raises(tl.DataError, match=r"events.ndjson:2"):
        told(tl.ContinuousQuery(text), path)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("q(1) .", "`q` is a predicate of the rules, too"),
        ('@import q :- csv{resource = "q.csv"} .', "`q` is a predicate of the rules, too"),
        ("p(?x) :- triple(?x, _, _, _) .", "a triple has 3 terms, but in the rules `triple` has 4"),
    ],
)
def test_names_that_clash_with_the_rules(rules: str, message: str) -> None:
    with pytest.raises(tl.ProgramError) as raised:
        asked("QUERY", "?x", rules=rules)
    assert [problem.message for problem in raised.value.problems] == [message]
    assert raised.value.problems[0].source_line.startswith(START)


def test_rules_that_no_order_suits() -> None:
    rules = "[?x, alone, true] :- [?x, knows, ?y], ~[?y, knows, _] ."
    assert asked("QUERY", "?x", "?x :alone ?y", rules=rules).program
    with pytest.raises(tl.ProgramError, match="the query is about triples of any predicate"):
        asked("QUERY", "?x", "?x ?p ?y", rules=rules)


def test_rules_too_long_for_windows_with_names() -> None:
    text = f"{START}RSTREAM q AS SELECT * FROM NAMED WINDOW :w ON :s [TRIPLES 5] {{ WINDOW :w {{ ?x :p ?z }} }}"
    rules = "p(?a) :- " + ", ".join(["[?a, b, ?c]"] * 7) + " ."
    with pytest.raises(tl.ProgramError, match="has at most 6 atoms about triples, and this one 7"):
        tl.ContinuousQuery(text, rules=rules)


def test_graphs_and_streams_that_are_missing() -> None:
    text = f"{START}QUERY q AS SELECT * FROM <http://e/g> {STREAM} {{ ?x :p ?y }}"
    with pytest.raises(tl.DataError, match="nothing is given for the graph <http://e/g>, and it is not a file"):
        tl.ContinuousQuery(text)
    with pytest.raises(tl.DataError, match="the query is not about a graph 'http://e/h'"):
        tl.ContinuousQuery(text, graphs={"http://e/g": [], "http://e/h": []})
    query = tl.ContinuousQuery(text, graphs={"http://e/g": []})
    with pytest.raises(tl.DataError, match="nothing is given for the stream <http://e/s>"):
        told(query, {"s": []})
    with pytest.raises(tl.DataError, match="the query does not look at a stream 'http://e/t'"):
        told(query, {"http://e/s": [], "http://e/t": []})
    two = f"{START}QUERY q AS SELECT * {STREAM} FROM STREAM :t [TRIPLES 1] {{ ?x :p ?y }}"
    with pytest.raises(tl.DataError, match="several streams: <http://e/s>, <http://e/t>"):
        told(tl.ContinuousQuery(two), [])


def test_windows_with_names_hold_triples_only() -> None:
    text = f"{START}RSTREAM q AS SELECT * FROM NAMED WINDOW :w ON :s [TRIPLES 5] {{ WINDOW :w {{ ?x :p ?z }} }}"
    with pytest.raises(tl.DataError, match="the windows of this query hold triples, not facts of 'reading'"):
        told(tl.ContinuousQuery(text), [{"insert": {"reading": [(1,)]}}])
