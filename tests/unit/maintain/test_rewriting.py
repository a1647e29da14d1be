"""Maintenance programs: the published ones, word for word, and that what they say about an update is so.

The programs are evaluated here as what they are, ordinary programs; the embedded engine, which evaluates them beside its
tables, is held to the contract like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import pytest

from tests.contract.cases import CASES, Case
from tests.maintenance_programs import as_program, posed, texts
from tests.mirror import Mirror, explicit_of, facts_of
from tests.oracle import Facts
from tests.updates import parse_update
from tidelog import LimitExceeded, Materialisation, Program
from tidelog.maintain.rewriting import (
    Kind,
    MaintenanceProgram,
    Names,
    delta_del,
    delta_ins,
    delta_minus,
    delta_new_1,
    delta_new_2,
    delta_new_3,
    delta_plus,
    delta_red,
    general_atoms,
    names_for,
    staudt_jarke,
    volz,
    with_given,
)
from tidelog.program import CoreRule
from tidelog.syntax.formatter import format_atom

NAMES = Names()
[RULE] = Program.parse("isIn(?x, ?z) :- isIn(?x, ?y), isIn(?y, ?z) .").core
[IS_IN] = general_atoms([RULE])
TABLE_3: dict[str, tuple[list[CoreRule], str]] = {
    "New 1": ([delta_new_1(IS_IN, NAMES)], "isIn__new(?x, ?y) :- isIn(?x, ?y), ~isIn__del(?x, ?y) ."),
    "New 2": ([delta_new_2(IS_IN, NAMES)], "isIn__new(?x, ?y) :- isIn__red(?x, ?y) ."),
    "New 3": ([delta_new_3(IS_IN, NAMES)], "isIn__new(?x, ?y) :- isIn__ins(?x, ?y) ."),
    "+": ([delta_plus(IS_IN, NAMES)], "isIn__plus(?x, ?y) :- isIn__ins(?x, ?y), ~isIn(?x, ?y) ."),
    "-": (
        [delta_minus(IS_IN, NAMES)],
        "isIn__minus(?x, ?y) :- isIn__del(?x, ?y), ~isIn__ins(?x, ?y), ~isIn__red(?x, ?y) .",
    ),
    "Red": (
        list(delta_red(RULE, NAMES)),
        "isIn__red(?x, ?z) :- isIn__del(?x, ?z), isIn__new(?x, ?y), isIn__new(?y, ?z) .",
    ),
    "Del": (
        list(delta_del(RULE, NAMES)),
        """
        isIn__del(?x, ?z) :- isIn__del(?x, ?y), isIn(?y, ?z) .
        isIn__del(?x, ?z) :- isIn(?x, ?y), isIn__del(?y, ?z) .
        """,
    ),
    "Ins": (
        list(delta_ins(RULE, NAMES)),
        """
        isIn__ins(?x, ?z) :- isIn__ins(?x, ?y), isIn__new(?y, ?z) .
        isIn__ins(?x, ?z) :- isIn__new(?x, ?y), isIn__ins(?y, ?z) .
        """,
    ),
}

EXAMPLE_13 = "t(?x, ?y) :- r(?x, ?y), an(?x) . t(?x, ?y) :- s(?x, ?y), a(?x) . b(?y) :- t(?x, ?y), b(?x) ."
"""Rules (71) to (73); rules (74) and (75) are made."""
DELETION = """
    t__del(?x, ?y) :- r__del(?x, ?y), an(?x) .
    t__del(?x, ?y) :- r(?x, ?y), an__del(?x) .
    t__del(?x, ?y) :- s__del(?x, ?y), a(?x) .
    t__del(?x, ?y) :- s(?x, ?y), a__del(?x) .
    b__del(?y) :- t__del(?x, ?y), b(?x) .
    b__del(?y) :- t(?x, ?y), b__del(?x) .
    t__del(?x, ?y) :- t__given__del(?x, ?y) .
    b__del(?x) :- b__given__del(?x) .
"""
"""Rules (86) to (93), where (93) is printed with two variables for the unary B; (94) is the update."""
SURVIVING = """
    a__new(?x) :- a(?x), ~a__del(?x) .
    an__new(?x) :- an(?x), ~an__del(?x) .
    b__new(?x) :- b(?x), ~b__del(?x) .
    r__new(?x, ?y) :- r(?x, ?y), ~r__del(?x, ?y) .
    s__new(?x, ?y) :- s(?x, ?y), ~s__del(?x, ?y) .
    t__new(?x, ?y) :- t(?x, ?y), ~t__del(?x, ?y) .
    t__given__new(?x, ?y) :- t__given(?x, ?y), ~t__given__del(?x, ?y) .
    b__given__new(?x) :- b__given(?x), ~b__given__del(?x) .
"""
"""Rules (95) to (102)."""
REDERIVATION = """
    t__red(?x, ?y) :- t__del(?x, ?y), r__new(?x, ?y), an__new(?x) .
    t__red(?x, ?y) :- t__del(?x, ?y), s__new(?x, ?y), a__new(?x) .
    b__red(?y) :- b__del(?y), t__new(?x, ?y), b__new(?x) .
    t__red(?x, ?y) :- t__del(?x, ?y), t__given__new(?x, ?y) .
    b__red(?x) :- b__del(?x), b__given__new(?x) .
"""
"""Rules (103) to (107), where (106) and (107) are printed with `T_e^del` and `B_e^del` for the facts to rederive."""
REDERIVED = """
    t__new(?x, ?y) :- t__red(?x, ?y) .
    b__new(?x) :- b__red(?x) .
    t__given__new(?x, ?y) :- t__given__red(?x, ?y) .
    b__given__new(?x) :- b__given__red(?x) .
"""
"""Rules (108) to (111)."""
INSERTION = """
    t__ins(?x, ?y) :- r__ins(?x, ?y), an__new(?x) .
    t__ins(?x, ?y) :- r__new(?x, ?y), an__ins(?x) .
    t__ins(?x, ?y) :- s__ins(?x, ?y), a__new(?x) .
    t__ins(?x, ?y) :- s__new(?x, ?y), a__ins(?x) .
    b__ins(?y) :- t__ins(?x, ?y), b__new(?x) .
    b__ins(?y) :- t__new(?x, ?y), b__ins(?x) .
    t__ins(?x, ?y) :- t__given__ins(?x, ?y) .
    b__ins(?x) :- b__given__ins(?x) .
"""
"""Rules (112) to (119), where (118) and (119) are printed with variables that do not fit; (120) is the update."""
INSERTED = """
    a__new(?x) :- a__ins(?x) .
    an__new(?x) :- an__ins(?x) .
    b__new(?x) :- b__ins(?x) .
    r__new(?x, ?y) :- r__ins(?x, ?y) .
    s__new(?x, ?y) :- s__ins(?x, ?y) .
    t__new(?x, ?y) :- t__ins(?x, ?y) .
    t__given__new(?x, ?y) :- t__given__ins(?x, ?y) .
    b__given__new(?x) :- b__given__ins(?x) .
"""
"""Rules (121) to (128)."""

Rewriter = Callable[[Sequence[CoreRule], Names], MaintenanceProgram]


def lines(expected: str) -> list[str]:
    return [line.strip() for line in expected.strip().splitlines()]


# The published programs


@pytest.mark.parametrize("function", TABLE_3)
def test_table_3(function: str) -> None:
    made, expected = TABLE_3[function]
    assert texts(made) == lines(expected)


def test_table_3_is_the_whole_program() -> None:
    whole = [line for _, expected in TABLE_3.values() for line in lines(expected)]
    assert sorted(texts(volz([RULE]).rules)) == sorted(whole)


def test_example_13() -> None:
    made = staudt_jarke(Program.parse(EXAMPLE_13).core)
    assert texts(made.deletion) == lines(DELETION)
    assert texts(made.rederivation) == lines(REDERIVATION)
    assert texts(made.insertion) == lines(INSERTION)
    assert sorted(texts(made.copying)) == sorted(lines(SURVIVING) + lines(REDERIVED) + lines(INSERTED))
    assert made.net == ()


def test_explicit_facts_are_split_off() -> None:
    """Rules (74) and (75)."""
    rules = Program.parse(EXAMPLE_13).core
    assert texts(with_given(rules, NAMES)[len(rules) :]) == ["t(?x, ?y) :- t__given(?x, ?y) .", "b(?x) :- b__given(?x) ."]


def test_volz_and_staudt_jarke_delete_rederive_and_insert_alike() -> None:
    rules = Program.parse(EXAMPLE_13).core
    ours, theirs = volz(with_given(rules, NAMES), NAMES), staudt_jarke(rules, NAMES)
    assert (ours.deletion, ours.rederivation, ours.insertion) == (theirs.deletion, theirs.rederivation, theirs.insertion)
    assert set(theirs.copying) < set(ours.copying)


# What the sources do not have


def test_a_negated_atom_is_deleted_where_its_atom_is_inserted() -> None:
    """Rule (133), which asks for a rule instance that really fired; and its mirror image."""
    [rule] = Program.parse("t(?x, ?y) :- r(?x, ?y), ~a(?x) .").core
    assert texts(list(delta_del(rule, NAMES))) == [
        "t__del(?x, ?y) :- r__del(?x, ?y), ~a(?x) .",
        "t__del(?x, ?y) :- a__ins(?x), r(?x, ?y), ~a(?x) .",
    ]
    assert texts(list(delta_ins(rule, NAMES))) == [
        "t__ins(?x, ?y) :- r__ins(?x, ?y), ~a__new(?x) .",
        "t__ins(?x, ?y) :- a__del(?x), r__new(?x, ?y), ~a__new(?x) .",
    ]
    assert texts(list(delta_red(rule, NAMES))) == ["t__red(?x, ?y) :- t__del(?x, ?y), r__new(?x, ?y), ~a__new(?x) ."]


def test_calculated_values_are_not_compared() -> None:
    """`?n = ?m + 1` gives ?n its value, unless an atom has one already: then 2 = 2.0 would do."""
    [rule] = Program.parse("h(?x, ?n) :- e(?x, ?m), ?n = ?m + 1, ~c(?n) .").core
    assert texts(list(delta_red(rule, NAMES, 7))) == [
        "h__red__met_7(?x, ?n) :- h__del(?x, ?n_any), e__new(?x, ?m), ~c__new(?n), ?n = ?m + 1 .",
        "h__red(?x, ?n) :- h__del(?x, ?n), h__red__met_7(?x, ?n) .",
    ]
    assert texts(list(delta_del(rule, NAMES, 7))) == [
        "h__del(?x, ?n) :- e__del(?x, ?m), ~c(?n), ?n = ?m + 1 .",
        "h__del__met_7_1(?x, ?n) :- c__ins(?n_any), e(?x, ?m), ~c(?n), ?n = ?m + 1 .",
        "h__del(?x, ?n) :- c__ins(?n), h__del__met_7_1(?x, ?n) .",
    ]


def test_equal_numbers_are_different_facts() -> None:
    mat = Materialisation(
        "h(?x, ?n) :- e(?x, ?m), ?n = ?m + 1 . free(?x) :- e(?x, ?m), ?n = ?m + 1, ~c(?n) .", algorithm="rewriting"
    )
    mat.update(insert={"e": [("a", 1)], "h": [("a", 2.0), ("a", Decimal("2.5"))], "c": [(2.0,)]})
    changes = mat.update(delete={"h": [("a", 2.0)]})
    assert [list(changes.deleted[p]) for p in ("h", "free")] == [[("a", 2.0)], []]
    assert not mat.update(delete={"c": [(2.0,)]}).inserted["free"]
    assert list(mat.update(insert={"c": [(2,)]}).deleted["free"]) == [("a",)]


def test_predicates_of_the_rules_are_not_taken() -> None:
    program = Program.parse("p(?x) :- p__del(?x) . p__del___new(?x) :- p(?x) .")
    assert names_for(program.core).of("p", Kind.DEL) == "p____del"
    mat = Materialisation(program, algorithm="rewriting")
    assert list(mat.update(insert={"p__del": [(1,)]}).inserted["p__del___new"]) == [(1,)]


def test_general_atoms() -> None:
    rules = Program.parse("p(?a, ?b) :- p(?b, 1), q(?a, ?a), q(?c, ?c), q(?b, 2), w(?a, ?b, ?c, ?d) .").core
    assert [format_atom(atom) for atom in general_atoms(rules)] == [
        "p(?x, ?y)",
        "q(?x, ?x)",
        "q(?x, 2)",
        "w(?x1, ?x2, ?x3, ?x4)",
    ]


# What they say is so


def whole_volz(rules: Sequence[CoreRule], names: Names) -> MaintenanceProgram:
    return volz(with_given(rules, names), names)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("rewriter", [whole_volz, staudt_jarke])
def test_the_program_computes_the_update(case: Case, rewriter: Rewriter) -> None:
    program = Program.parse(case.program)
    names = names_for(program.core)
    made = rewriter(program.core, names)
    rules = as_program(made.rules, program.prefixes)
    mirror = Mirror(program)
    for step in (case.facts, *case.updates):
        old = {predicate: set(rows) for predicate, rows in mirror.explicit.items()}, mirror.facts
        plus, minus = mirror.update(parse_update(step, program.prefixes))
        expected = {Kind.NEW: mirror.facts, **({Kind.PLUS: plus, Kind.MINUS: minus} if made.net else {})}
        result = evaluated(rules, posed(program, names, *old, mirror.explicit))
        for predicate in {rule.head.predicate for rule in program.core} - program.hidden:
            for kind, facts in expected.items():
                assert result.get(names.of(predicate, kind), set()) == facts.get(predicate, set())


def evaluated(rules: Program, facts: Facts) -> Facts:
    mat = Materialisation(rules)
    mat.update(insert={predicate: sorted(rows, key=repr) for predicate, rows in facts.items() if predicate in rules.arities})
    return facts_of(mat)


def test_strata_over_atoms_stay_strata() -> None:
    """On predicates, the triples would depend on their own negation."""
    rules = Program.parse("[?x, lonely, yes] :- [?x, name, ?n], ~[?x, knows, ?x] . [?x, knows, ?y] :- [?y, knows, ?x] .").core
    made = volz(with_given(rules, NAMES), NAMES)
    assert as_program(made.rules, {}).stratify().strata
    assert "triple(?x, ?y, ?z)" not in "".join(texts(made.copying))


# On the embedded engine


def test_nothing_of_an_update_that_fails_is_kept() -> None:
    mat = Materialisation("n(?y) :- n(?x), ?y = ?x + 1, go(?x) . go(?x) :- n(?x), on() .", algorithm="rewriting", max_facts=50)
    mat.update(insert={"n": [(1,), (2,)]}, delete={"n": [(3,)]})
    before = facts_of(mat), explicit_of(mat)
    with pytest.raises(LimitExceeded):
        mat.update(insert={"on": [()]}, delete={"n": [(2,)]})
    assert (facts_of(mat), explicit_of(mat)) == before
    assert set(mat.update(delete={"n": [(2,)]}).deleted["n"]) == {(2,)}


def test_copies_do_not_count_towards_the_limit() -> None:
    mat = Materialisation("p(?x) :- e(?x) . q(?x) :- p(?x), f(?x) .", algorithm="rewriting", max_facts=30)
    mat.update(insert={"e": [(i,) for i in range(10)]})
    mat.update(insert={"e": [(i,) for i in range(10, 20)]})
    assert len(mat.update(insert={"f": [(1,)]}).inserted["q"]) == 1
