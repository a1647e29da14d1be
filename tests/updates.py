"""Updates in the tests: as data and as text, `-edge(a, b) +edge(b, c) +[a, rdf:type, c]`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tidelog.program import Program
from tidelog.syntax.ast import Constant
from tidelog.syntax.formatter import format_fact
from tidelog.terms import Term

Row = tuple[Term, ...]
Data = dict[str, list[Row]]
SIGN = re.compile(r"(?:^|\s+)([+-])(?=[^\W\d]|[\[<])")


@dataclass(frozen=True)
class Update:
    """What one update inserts and deletes; deletions come first, so a fact in both is there afterwards."""

    insert: Data
    delete: Data

    def __str__(self) -> str:
        return " ".join(
            f"{sign}{format_fact(predicate, row)}"
            for sign, data in (("-", self.delete), ("+", self.insert))
            for predicate, rows in data.items()
            for row in rows
        )


def parse_update(text: str, prefixes: Mapping[str, str] | None = None) -> Update:
    _, *parts = SIGN.split(text.strip())
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    insert, delete = ([fact for sign, fact in pairs if sign == wanted] for wanted in "+-")
    return Update(parse_facts(insert, prefixes), parse_facts(delete, prefixes))


def parse_facts(facts: Iterable[str], prefixes: Mapping[str, str] | None = None) -> Data:
    """Ground atoms in rule text as data, in their order."""
    declared = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in (prefixes or {}).items())
    program = Program.parse(declared + "\n".join(f"{fact} ." for fact in facts))
    return grouped(
        (atom.predicate, tuple(term.value for term in atom.terms if isinstance(term, Constant))) for atom in program.facts
    )


def grouped(facts: Iterable[tuple[str, Row]]) -> Data:
    data: Data = {}
    for name, row in facts:
        data.setdefault(name, []).append(row)
    return data


def rule_text(data: Data) -> str:
    """Facts as they would stand in a program."""
    return "".join(f"\n{format_fact(predicate, row)} ." for predicate, rows in data.items() for row in rows)
