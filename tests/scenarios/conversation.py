"""Conversations with a materialisation, as text: rules first, then commands, each with its answer indented beneath.

    path(?x, ?y) :- edge(?x, ?y) .

    +edge(a, b) -edge(b, c)      one update: deletions, then insertions; the answer is what appeared and what vanished
    at 2 +edge(a, b) until 12    time moves on, then an update, of what holds until some time; without `until` for good
    expiry path(a, b)            until when a fact holds if only time moves on
    ? path(a, ?x)                a query; the answer is one line for each match, or yes or no
    explain path(a, b)           a proof, or why there is none
    facts path                   the facts of a predicate, explicit ones marked
    rank path(a, b)              the rank of a fact
    strata                       the rules by strata
    check                        what is wrong with the program

Lines that start with `%` are for the reader. A line of `====` starts another conversation with other rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import inf

from tests.updates import Row, parse_facts, parse_update
from tidelog import Changes, Materialisation, Program
from tidelog.errors import TidelogError
from tidelog.syntax.formatter import format_fact, format_rule, format_term
from tidelog.terms import Term

INDENT = "    "
SEPARATOR = "===="
WORDS = {"at", "expiry", "explain", "facts", "rank", "strata", "check"}


def replay(text: str) -> str:
    """The text with every answer replaced by the one that Tidelog gives now."""
    return f"{SEPARATOR}".join("\n".join(replay_part(part.split("\n"))) for part in text.split(SEPARATOR))


def replay_part(lines: list[str]) -> Iterator[str]:
    first = next((i for i, line in enumerate(lines) if is_command(line)), len(lines))
    yield from lines[:first]
    conversation = Conversation("\n".join(lines[:first]))
    for line in lines[first:]:
        if line.startswith(INDENT):
            continue
        assert is_command(line) or not line or line.startswith("%"), f"neither a command nor a comment: {line}"
        yield line
        if is_command(line):
            yield from (f"{INDENT}{answer}".rstrip() for answer in conversation.say(line))


def is_command(line: str) -> bool:
    return line.startswith(("+", "-", "?")) or line.partition(" ")[0] in WORDS


class Conversation:
    """One program, and the materialisation that the commands talk to."""

    def __init__(self, rules: str) -> None:
        self.rules = rules

    @cached_property
    def program(self) -> Program:
        return Program.parse(self.rules.strip("\n"))

    @cached_property
    def mat(self) -> Materialisation:
        return Materialisation(self.program)

    def say(self, command: str) -> list[str]:
        word, _, rest = command.partition(" ")
        try:
            if command.startswith(("+", "-")):
                return list(self.update(command))
            if word == "?":
                return list(self.query(rest))
            return list(getattr(self, word)(rest))
        except TidelogError as error:
            return str(error).splitlines()

    def update(self, command: str) -> Iterator[str]:
        update = parse_update(command, self.program.prefixes)
        yield from self.told(self.mat.update(insert=update.insert, delete=update.delete))

    def at(self, command: str) -> Iterator[str]:
        time, _, command = command.partition(" ")
        facts, _, until = command.partition(" until ")
        update = parse_update(facts, self.program.prefixes)
        changes = self.mat.advance(float(time), update.insert, update.delete, expires=float(until) if until else None)
        yield from self.told(changes)

    def expiry(self, fact: str) -> Iterator[str]:
        expiry = self.mat.expiry(*self.fact(fact))
        yield "it does not hold" if expiry is None else "never" if expiry == inf else f"{expiry:g}"

    def told(self, changes: Changes) -> Iterator[str]:
        lines = self.changed("- ", changes.deleted) + self.changed("+ ", changes.inserted)
        yield from lines or ["nothing changes"]

    def changed(self, sign: str, relations: Mapping[str, Iterable[Row]]) -> list[str]:
        return sorted(sign + self.text(predicate, row) for predicate, rows in relations.items() for row in rows)

    def query(self, text: str) -> Iterator[str]:
        answers = self.mat.query(text)
        if not answers.arity:
            yield "yes" if len(answers) else "no"
            return
        names = answers.column_names
        lines = [", ".join(f"?{name} = {self.term(value)}" for name, value in zip(names, row, strict=True)) for row in answers]
        yield from sorted(lines) or ["no"]

    def explain(self, fact: str) -> Iterator[str]:
        yield from str(self.mat.explain(*self.fact(fact))).splitlines()

    def rank(self, fact: str) -> Iterator[str]:
        yield str(self.mat.rank(*self.fact(fact)))

    def facts(self, predicate: str) -> Iterator[str]:
        explicit = set(self.mat.explicit(predicate))
        yield from sorted(self.text(predicate, row) + ("  explicit" if row in explicit else "") for row in self.mat[predicate])

    def strata(self, _: str) -> Iterator[str]:
        for stratum in self.program.stratify().strata:
            yield f"stratum {stratum.index}" if stratum.rules else f"stratum {stratum.index}: no rules"
            for rule in stratum.rules:
                recursive = "  recursive" if rule in stratum.recursive else ""
                source = format_rule(rule.source, self.program.prefixes) if rule.source else f"(for {rule.head.predicate})"
                yield f"  {source}{recursive}"

    def check(self, _: str) -> Iterator[str]:
        count = len(self.program.stratify().strata)
        yield f"{len(self.program.rules)} rules, {count} strata"

    def fact(self, text: str) -> tuple[str, Row]:
        [(predicate, [row])] = parse_facts([text], self.program.prefixes).items()
        return predicate, row

    def term(self, term: Term) -> str:
        return format_term(term, self.program.prefixes)

    def text(self, predicate: str, row: Row) -> str:
        return format_fact(predicate, row, self.program.prefixes)
