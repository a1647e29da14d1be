"""The copies that rules have for a window with a name, as rule text."""

from __future__ import annotations

from tidelog.program import Program
from tidelog.stream.queries.lifting import following, lift
from tidelog.syntax.ast import Source
from tidelog.syntax.formatter import format_source


def lifted(rules: str) -> list[str]:
    return format_source(Source(tuple(lift(Program.parse(rules), "w")))).splitlines()


def test_every_choice_of_atoms_but_none() -> None:
    assert lifted("[?x, type, ?d] :- [?x, type, ?c], [?c, below, ?d] .") == [
        "w(?x, type, ?d) :- [?x, type, ?c], w(?c, below, ?d) .",
        "w(?x, type, ?d) :- w(?x, type, ?c), [?c, below, ?d] .",
        "w(?x, type, ?d) :- w(?x, type, ?c), w(?c, below, ?d) .",
    ]


def test_what_follows_from_triples_is_within_the_window_too() -> None:
    rules = "near(?x, ?y) :- [?x, near, ?y] . far(?x) :- node(?x), near(?x, ?y), ?y != 1 . node(1) . other(?x) :- node(?x) ."
    assert following(Program.parse(rules)) == ["triple", "near", "far"]
    assert lifted(rules) == [
        "<near in w>(?x, ?y) :- w(?x, near, ?y) .",
        "<far in w>(?x) :- node(?x), <near in w>(?x, ?y), ?y != 1 .",
    ]


def test_what_is_negated_is_neither_static_nor_in_the_window() -> None:
    assert lifted("lonely(?x) :- [?x, type, person], ~[?x, knows, _] .")[0].split(":-")[1] == (
        " w(?x, type, person), ~[?x, knows, _], ~w(?x, knows, _) ."
    )


def test_rules_about_something_else_have_no_copies() -> None:
    assert lifted("p(?x) :- q(?x), ~[?x, a, b] .") == []
