"""Counting (section 5), of rules as they are written.

After every update the trace is that of Algorithm 2, and what moved was moved once (Theorem 12).
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given

from tests import oracle
from tests.contract.cases import CASES
from tests.contract.cases import Case as ContractCase
from tests.generators import Case, cases
from tests.mirror import explicit_of, facts_of
from tests.oracle import Facts
from tests.paper import FACTS, RULES, considered, maintained
from tests.traces import Firing, Trace, firings, kept_trace, trace
from tests.updates import Update, parse_update, rule_text
from tidelog import Materialisation, Program
from tidelog.errors import LimitExceeded
from tidelog.maintain.algebra import Statistics
from tidelog.syntax.formatter import format_rule

CLOSURE = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."
on_all_strata = pytest.mark.parametrize("strata", ["granular", "single"])


class Watched:
    """A materialisation maintained by counting, and its trace by brute force beside it."""

    def __init__(self, program: Program, strata: str) -> None:
        self.program, self.strata = program, strata
        self.mat = Materialisation(program, algorithm="counting", strata=strata, modules="standard")
        self.explicit: Facts = oracle.explicit_facts(program, {})
        self.fired = firings(program, self.explicit, strata)
        assert kept_trace(self.mat) == trace(self.explicit, self.fired)

    def update(self, update: Update) -> tuple[set[Firing], set[Firing]]:
        """Gives the instances that had to be undone and those that had to be applied."""
        for predicate, rows in update.delete.items():
            self.explicit.setdefault(predicate, set()).difference_update(rows)
        for predicate, rows in update.insert.items():
            self.explicit.setdefault(predicate, set()).update(rows)
        before, self.fired = self.fired, firings(self.program, self.explicit, self.strata)
        changes = self.mat.update(insert=update.insert, delete=update.delete)
        undone, applied = before - self.fired, self.fired - before
        assert kept_trace(self.mat) == trace(self.explicit, self.fired)
        assert phases(changes.statistics) == {"deletion": len(undone), "addition": len(applied)}
        return undone, applied


def phases(statistics: Statistics) -> dict[str, int]:
    counts: Mapping[str, int] = statistics.instances_by_phase
    assert set(counts) <= {"deletion", "addition"}
    return {"deletion": counts.get("deletion", 0), "addition": counts.get("addition", 0)}


@on_all_strata
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_trace_and_moves_on_the_contract(case: ContractCase, strata: str) -> None:
    watched = Watched(Program.parse(case.program), strata)
    for text in (case.facts, *case.updates):
        watched.update(parse_update(text, watched.program.prefixes))


@on_all_strata
@given(case=cases(max_updates=5))
def test_trace_and_moves_after_every_update(case: Case, strata: str) -> None:
    watched = Watched(Program.parse(case.text), strata)
    for update in (Update(case.facts, {}), *case.updates):
        watched.update(update)


def test_instances_move_without_facts_appearing() -> None:
    """A longer way takes the place of a shorter one: the facts stay, what follows from them moves to later iterations."""
    watched = Watched(Program.parse(CLOSURE), "granular")
    watched.update(parse_update("+edge(a, d) +edge(d, e) +edge(e, f) +edge(a, b) +edge(b, c) +edge(c, d)"))
    undone, applied = watched.update(parse_update("-edge(a, d)"))
    moved = {(firing.rule, firing.binding) for firing in undone} & {(firing.rule, firing.binding) for firing in applied}
    assert len(moved) == 2
    undone, applied = watched.update(parse_update("+edge(a, d)"))
    assert len(undone) == 2
    assert len(applied) == 3


def test_example_7() -> None:
    """The initial trace of Figure 3: B(c) is derived in three iterations of the third stratum."""
    mat = Materialisation(RULES + rule_text(parse_update(FACTS).insert), algorithm="counting")
    kept = kept_trace(mat)
    assert of_fact(kept, "b", "c") == {3: 1, 4: 1, 5: 1}
    assert [iterations for x in "abed" for iterations in of_fact(kept, "b", x)] == [1, 2, 3, 4]
    assert of_fact(kept, "t", "b", "e") == {1: 1}


def test_example_8() -> None:
    """The updated trace of Figure 3. Undone are (15) to (17), applied (11) to (14)."""
    mat, changes = maintained("counting", RULES, FACTS, "+a(b)")
    assert phases(changes.statistics) == {"deletion": 3, "addition": 4}
    kept = kept_trace(mat)
    assert of_fact(kept, "b", "c") == {3: 1, 5: 2}
    assert of_fact(kept, "b", "g") == {4: 1}
    assert of_fact(kept, "t", "b", "e") == {}


def test_example_9() -> None:
    """The trace of Figure 4; with R(a,b) goes all that it supports, itself included."""
    symmetry, fact = "r(?y, ?x) :- r(?x, ?y) .", parse_update("+r(a, b)").insert
    mat = Materialisation(symmetry + rule_text(fact), algorithm="counting")
    assert kept_trace(mat) == {(("r", ("a", "b")), 1): 1, (("r", ("b", "a")), 2): 1, (("r", ("a", "b")), 3): 1}
    changes = mat.update(delete=fact)
    assert phases(changes.statistics) == {"deletion": 2, "addition": 0}
    assert not kept_trace(mat)


def test_example_4() -> None:
    """Neither the fact that goes nor the one that comes has ever had the other beside it."""
    assert considered("counting", "s(?x, ?z) :- r(?x, ?y), r(?y, ?z) .", "+r(b, c)", "+r(a, b) -r(b, c)").total == 0


def of_fact(kept: Trace, predicate: str, *row: str) -> dict[int, int]:
    return {iteration: count for (fact, iteration), count in sorted(kept.items()) if fact == (predicate, row)}


# More facts than brute force can follow


PROGRAMS = {
    "left-linear": CLOSURE,
    "nonlinear": "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), path(?y, ?z) .",
    "negation above": CLOSURE + " far(?x, ?y) :- path(?x, ?y), ~edge(?x, ?y) . end(?y) :- edge(_, ?y), ~edge(?y, _) .",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_trace_is_that_of_counting_anew(name: str) -> None:
    random = Random(name)
    edges = sorted({(random.randrange(60), random.randrange(60)) for _ in range(75)})
    mat = Materialisation(PROGRAMS[name], algorithm="counting")
    mat.update(insert={"edge": edges})
    for size in (1, 1, 3, 10):
        delete = random.sample(edges, size)
        insert = [(random.randrange(60), random.randrange(60)) for _ in range(size)]
        mat.update(insert={"edge": insert}, delete={"edge": delete})
        edges = sorted(set(edges) - set(delete) | set(insert))
        assert kept_trace(mat) == counted_anew(mat)


def test_counters_that_went_to_zero_are_given_back() -> None:
    mat = Materialisation(CLOSURE, algorithm="counting")
    edges = [(i, i + 1) for i in range(120)]
    mat.update(insert={"edge": edges})
    mat.update(delete={"edge": edges[1:]})
    mat.update(insert={"edge": [(500, 501)]})
    counters = mat._engine.algebra.trace.counters_of(mat._engine.table("path"))
    assert counters._used < 10
    assert kept_trace(mat) == counted_anew(mat)


def counted_anew(mat: Materialisation) -> Trace:
    text = "\n".join(format_rule(rule) for rule in mat.program.rules) + rule_text(
        {p: list(r) for p, r in explicit_of(mat).items()}
    )
    return kept_trace(Materialisation(Program.parse(text), algorithm="counting"))


# Work in proportion to the change


def chain(length: int) -> dict[str, list[tuple[Any, ...]]]:
    return {"reach": [(0,)], "next": [(i, i + 1) for i in range(length)]}


REACH = "reach(?y) :- reach(?x), next(?x, ?y) . marked(?x) :- reach(?x), mark(?x) . reach(?y) :- marked(?x), jump(?x, ?y) ."


def test_iterations_without_a_change_are_skipped() -> None:
    mat = Materialisation(REACH, algorithm="counting")
    mat.update(insert=chain(400))
    changes = mat.update(insert={"next": [(399, "end")]})
    assert set(changes.inserted["reach"]) == {("end",)}
    assert changes.statistics.rounds <= 3
    changes = mat.update(insert={"mark": [(200,), (390,)], "jump": [(390, "x")]})
    assert set(changes.inserted["reach"]) == {("x",)}
    assert changes.statistics.rounds <= 6
    assert mat.update(delete={"next": [(399, "end")], "mark": [(200,)]}).statistics.rounds <= 5


def test_a_stratum_is_left_when_old_and_new_agree() -> None:
    """A second way to the beginning, just as short: what follows from it is not looked at."""
    mat = Materialisation(REACH, algorithm="counting")
    mat.update(insert=chain(400))
    changes = mat.update(insert={"reach": [("s",)], "next": [("s", 1)]})
    assert changes.statistics.instances == 1
    assert changes.statistics.rounds <= 3


def test_nothing_as_large_as_a_table_is_made() -> None:
    """Sets like I_o and I_n would be, and so would a copy of all rounds."""
    size = 100_000
    mat = Materialisation("two(?x, ?z) :- e(?x, ?y), f(?y, ?z) . up(?x) :- two(?x, _), ~f(_, ?x) .", algorithm="counting")
    mat.update(insert={"e": [(i, i % 5000) for i in range(size)], "f": [(i, -i) for i in range(5000)]})
    for fact in range(20):  # indexes and room for new rows are made by the way, and not in each update
        mat.update(delete={"e": [(fact, fact)]})
        mat.update(insert={"e": [(fact, fact)]})
    tracemalloc.start()
    gone = mat.update(delete={"e": [(7777, 2777)]})
    back = mat.update(insert={"e": [(7777, 2777)]})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert gone.statistics.instances == back.statistics.instances == 2
    assert peak < size


# Counters come and go


def test_counters_are_built_when_they_are_asked_for() -> None:
    mat = Materialisation(CLOSURE + " edge(a, b) . edge(b, c) .")
    mat.algorithm = "counting"
    changes = mat.update(insert={"edge": [("c", "d")]})
    assert "counted first: 3 rule instances" in changes.statistics.reason
    assert changes.statistics.instances_by_phase == {"forward": 3, "addition": 3}
    assert "counted first" not in mat.update(delete={"edge": [("a", "b")]}).statistics.reason
    assert kept_trace(mat) == counted_anew(mat)


@pytest.mark.parametrize("other", ["ranked", "dred", "fbf", "bf", "rematerialise"])
def test_algorithms_take_turns(other: str) -> None:
    random = Random(other)
    mat, plain = Materialisation(PROGRAMS["nonlinear"]), Materialisation(PROGRAMS["nonlinear"])
    edges = sorted({(random.randrange(25), random.randrange(25)) for _ in range(45)})
    for one in (mat, plain):
        one.update(insert={"edge": edges})
    for step in range(12):
        mat.algorithm = random.choice(["counting", other])
        update = {"delete": {"edge": random.sample(edges, 3)}, "insert": {"edge": random.sample(edges, 2)}}
        for one in (mat, plain):
            one.update(**update)
        assert facts_of(mat) == facts_of(plain), step
        if mat.algorithm == "counting":
            assert kept_trace(mat) == counted_anew(mat)


def test_an_update_of_nothing_by_another_algorithm_keeps_the_counters() -> None:
    mat = Materialisation(CLOSURE + " edge(a, b) .", algorithm="counting")
    mat.algorithm = "dred"
    mat.update(delete={"edge": [("x", "y")]})
    assert not mat._engine.algebra.trace.stale
    mat.update(insert={"edge": [("x", "y")]})
    assert mat._engine.algebra.trace.stale


def test_ranks_after_counting() -> None:
    """0 for explicit facts, else the round: rules of lower strata 1, and so on."""
    mat = Materialisation(CLOSURE + " edge(a, b) . edge(b, c) . edge(c, d) .", algorithm="counting")
    assert [mat.rank("path", ("a", x)) for x in "bcd"] == [1, 2, 3]
    mat.update(insert={"path": [("a", "c")]})
    assert [mat.rank("path", ("a", x)) for x in "bcd"] == [1, 0, 2]
    mat.update(delete={"path": [("a", "c")]})
    assert [mat.rank("path", ("a", x)) for x in "bcd"] == [1, 2, 3]


class Stop(Exception):
    pass


def stopping(after: Sequence[int]) -> Callable[..., None]:
    """A progress report that raises at the first of these calls, once."""
    left = list(after)

    def report(*_: Any, **__: Any) -> None:
        if left:
            left[0] -= 1
            if not left[0]:
                raise Stop

    return report


@pytest.mark.parametrize("built", [True, False])
@pytest.mark.parametrize("call", range(1, 12))
def test_an_update_that_fails_leaves_the_counters(call: int, built: bool) -> None:
    facts = " edge(a, b) . edge(b, c) . edge(c, d) . edge(d, e) . edge(a, x) . edge(x, y) . edge(y, d) ."
    mat = Materialisation(CLOSURE + facts, algorithm="counting" if built else "ranked", progress=lambda *_, **__: None)
    mat.algorithm = "counting"
    before = facts_of(mat), ranks(mat)
    kept = kept_trace(mat) if built else None
    mat._report = stopping([call])
    update = {"delete": {"edge": [("b", "c"), ("d", "e")]}, "insert": {"edge": [("e", "a"), ("a", "d"), ("c", "z")]}}
    try:
        mat.update(**update)
    except Stop:
        assert (facts_of(mat), ranks(mat)) == before
        assert mat._engine.algebra.trace.stale != built
        if built:
            assert kept_trace(mat) == kept
    else:
        assert call > 5
    mat._report = None
    mat._engine.algebra._on_round = None
    mat.update(**update)
    assert kept_trace(mat) == counted_anew(mat)


def ranks(mat: Materialisation) -> dict[tuple[str, Any], int | None]:
    return {(predicate, row): mat.rank(predicate, row) for predicate, rows in facts_of(mat).items() for row in rows}


def test_a_limit_on_facts_is_one_on_new_facts() -> None:
    """Counting anew derives nothing that was not there."""
    mat = Materialisation(CLOSURE, max_facts=30, algorithm="ranked")
    for i in range(8):
        mat.update(insert={"edge": [(i, i + 1)]})
    mat.algorithm = "counting"
    mat.update(insert={"edge": [("a", "b")]})
    with pytest.raises(LimitExceeded):
        mat.update(insert={"edge": [(8, 9), (9, 0)]})
    assert kept_trace(mat) == counted_anew(mat)
