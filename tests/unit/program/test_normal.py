"""Core form: one head atom, no anonymous variables, hidden predicates for `_` under negation."""

from __future__ import annotations

from tidelog.program import CoreRule, Program
from tidelog.syntax.formatter import format_atom, format_literal


def shown(rule: CoreRule) -> str:
    parts = [
        *map(format_atom, rule.positive),
        *(f"~{format_atom(atom)}" for atom in rule.negative),
        *map(format_literal, rule.conditions),
    ]
    return f"{format_atom(rule.head)} :- {', '.join(parts)}"


def core(text: str) -> list[str]:
    return [shown(rule) for rule in Program.parse(text).core]


def test_each_head_atom_is_a_rule() -> None:
    assert core("p(?x), q(?y) :- ?x < ?y, r(?x, ?y), ~s(?x) .") == [
        "p(?x) :- r(?x, ?y), ~s(?x), ?x < ?y",
        "q(?y) :- r(?x, ?y), ~s(?x), ?x < ?y",
    ]


def test_anonymous_variables_get_names_of_their_own() -> None:
    assert core("p(?_1) :- q(?_1, _, _), r(_) .") == ["p(?_1) :- q(?_1, ?_2, ?_3), r(?_4)"]


def test_anonymous_variables_under_negation() -> None:
    program = Program.parse("p(?x) :- q(?x), ~r(?x, _) .\ns(?y) :- q(?y), ~r(?y, _), ~r(_, ?y) .\nt() :- ~r(_, _), ~r(a, _) .")
    assert [shown(rule) for rule in program.core] == [
        "p(?x) :- q(?x), ~r__any_1(?x)",
        "s(?y) :- q(?y), ~r__any_1(?y), ~r__any_2(?y)",
        "t() :- ~r__any_3(), ~r__any_4()",
        "r__any_1(?x) :- r(?x, ?_1)",
        "r__any_2(?y) :- r(?_1, ?y)",
        "r__any_3() :- r(?_1, ?_2)",
        "r__any_4() :- r(a, ?_1)",
    ]
    assert program.hidden == {f"r__any_{i}" for i in range(1, 5)}


def test_repeated_variables_under_negation() -> None:
    assert core("p(?x) :- q(?x), ~r(?x, ?x, _) .")[1] == "r__any_1(?x) :- r(?x, ?x, ?_1)"


def test_hidden_names_avoid_the_programs_own() -> None:
    program = Program.parse("r__any_1(?x) :- q(?x), ~r(?x, _) .")
    assert program.hidden == {"r__any_2"}


def test_core_rules_know_the_rule_they_come_from() -> None:
    program = Program.parse("p(?x) :- q(?x), ~r(?x, _) .")
    assert [rule.source for rule in program.core] == [program.rules[0], None]
