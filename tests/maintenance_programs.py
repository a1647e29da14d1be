"""Maintenance programs as ordinary programs: their text, and the facts to ask them about an update with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests import naive
from tests.oracle import Facts, without_empty
from tidelog import Program
from tidelog.maintain.rewriting import Kind, Names, text
from tidelog.program import CoreRule


def texts(rules: Sequence[CoreRule]) -> list[str]:
    return [text(rule) for rule in rules]


def as_program(rules: Sequence[CoreRule], prefixes: Mapping[str, str]) -> Program:
    return Program.parse("\n".join([*(f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items()), *texts(rules)]))


def posed(program: Program, names: Names, explicit: Facts, facts: Facts, explicit_after: Facts) -> Facts:
    """What a maintenance program is asked with: the old facts, and what changes about the explicit ones."""
    derived = {rule.head.predicate for rule in program.core}
    asked = dict(naive.with_hidden(program, facts))
    for predicate in {*explicit, *explicit_after}:
        before, after = explicit.get(predicate, set()), explicit_after.get(predicate, set())
        given = names.of(predicate, Kind.GIVEN) if predicate in derived else predicate
        asked |= {given: before, names.of(given, Kind.DEL): before - after, names.of(given, Kind.INS): after - before}
    return without_empty(asked)
