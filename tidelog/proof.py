"""Why a fact holds, and why one does not.

A fact that holds is explicit or has a witness: a rule instance whose body facts of the fact's own stratum all have a lower
rank. Following witnesses down therefore ends at explicit facts; each fact on the way is proved once. For a fact that does
not hold, every rule that could derive it is followed through its body up to the first part that fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tidelog.engines.embedded.engine import EmbeddedEngine
from tidelog.errors import InternalError
from tidelog.facts.kernel import Ids
from tidelog.facts.table import EXPLICIT, PRESENT
from tidelog.plan.planner import definitions
from tidelog.program import CoreRule, Program
from tidelog.program.normal import atom_variables, variable_names, variables
from tidelog.query import solve
from tidelog.syntax import ast
from tidelog.syntax.formatter import format_fact, format_literal, format_rule, format_term
from tidelog.terms import Term

Bindings: TypeAlias = Mapping[str, Term]

_PRINTED = 2000
"""How many lines of a proof are printed before it is cut."""


class Fact(NamedTuple):
    """A predicate and its terms; to Python `1`, `1.0` and `True` are equal, yet facts about them are not the same."""

    predicate: str
    terms: tuple[Term, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and len(other) == 2 and self._identity() == Fact(*other)._identity()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.predicate, tuple(term if term == term else None for term in self.terms)))  # NaN is one term

    def _identity(self) -> tuple[str, tuple[ast.Constant, ...]]:
        return self.predicate, tuple(map(ast.Constant, self.terms))


@dataclass(frozen=True, slots=True)
class Step:
    """How one fact is proved: by a rule from premises, or, without a rule, because it is explicit."""

    fact: Fact
    rule: ast.Rule | None = None
    premises: tuple[Fact, ...] = ()
    conditions: tuple[str, ...] = ()
    """The negated atoms and comparisons of the rule instance, as text."""


@dataclass(frozen=True)
class Proof:
    """A proof of a fact: a step for it and for each fact below."""

    fact: Fact
    steps: Mapping[Fact, Step]
    prefixes: Mapping[str, str] = field(repr=False)
    holds = True

    def __str__(self) -> str:
        lines: list[str] = []
        for depth, step, again in self._walk():
            if len(lines) >= _PRINTED:  # a step may take several lines
                lines.append(
                    f"... cut after {_PRINTED:,} lines; the proof has {len(self.steps):,} facts, to_dict() gives them all"
                )
                break
            lines.append("  " * depth + self._line(step, again))
            if not again:
                lines += ["  " * (depth + 1) + condition for condition in step.conditions]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Proof of {format_fact(*self.fact, self.prefixes)}: {len(self.steps):,} facts>"

    def _line(self, step: Step, again: bool) -> str:
        text = format_fact(*step.fact, self.prefixes)
        if step.rule is None:
            return f"{text}    (explicit)"
        return f"{text}    (proved above)" if again else f"{text}    by {format_rule(step.rule, self.prefixes)}"

    def _walk(self) -> Iterator[tuple[int, Step, bool]]:
        """Depth first, each derived fact followed only where it is met first."""
        seen: set[Fact] = set()
        stack = [(0, self.fact)]
        while stack:
            depth, fact = stack.pop()
            again = fact in seen
            seen.add(fact)
            yield depth, self.steps[fact], again
            if not again:
                stack += [(depth + 1, premise) for premise in reversed(self.steps[fact].premises)]

    def to_mermaid(self) -> str:
        """The proof as a Mermaid flowchart, premises above what they prove."""
        number = {fact: f"f{i}" for i, fact in enumerate(self.steps)}
        lines = ["flowchart TD"]
        for fact, name in number.items():
            label = format_fact(*fact, self.prefixes).replace('"', "#quot;")
            shape = f'["{label}"]' if self.steps[fact].rule else f'(["{label}"])'
            lines.append(f"    {name}{shape}")
        for fact, step in self.steps.items():
            lines += [f"    {number[premise]} --> {number[fact]}" for premise in dict.fromkeys(step.premises)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The proof as plain data: for each fact, the rule and the premises it follows from, or that it is explicit."""

        def text(fact: Fact) -> str:
            return format_fact(*fact, self.prefixes)

        return {
            "fact": text(self.fact),
            "holds": True,
            "steps": [
                {"fact": text(step.fact), "explicit": True}
                if step.rule is None
                else {
                    "fact": text(step.fact),
                    "explicit": False,
                    "rule": format_rule(step.rule, self.prefixes),
                    "premises": [text(premise) for premise in step.premises],
                    "conditions": list(step.conditions),
                }
                for step in self.steps.values()
            ],
        }


@dataclass(frozen=True, slots=True)
class Attempt:
    """How far one rule gets towards a fact: the parts of its body that hold together, and the first that fails then."""

    rule: ast.Rule
    holding: tuple[str, ...]
    example: Bindings
    failing: str


@dataclass(frozen=True)
class Absence:
    """Why a fact does not hold: what each rule that could derive it lacks."""

    fact: Fact
    attempts: tuple[Attempt, ...]
    prefixes: Mapping[str, str] = field(repr=False)
    holds = False

    def __repr__(self) -> str:
        return f"<Absence of {format_fact(*self.fact, self.prefixes)}: {len(self.attempts):,} rules fail>"

    def __str__(self) -> str:
        text = format_fact(*self.fact, self.prefixes)
        lines = [
            f"{text} does not hold: it is not explicit, and "
            + ("no rule derives it:" if self.attempts else "no rule has such a head.")
        ]
        for attempt in self.attempts:
            lines.append(f"  {format_rule(attempt.rule, self.prefixes)}")
            lines += [f"    holds: {part}" for part in attempt.holding]
            if attempt.example:
                found = ", ".join(f"?{name} = {format_term(value, self.prefixes)}" for name, value in attempt.example.items())
                lines.append(f"           for example with {found}")
            lines.append(f"    fails: {attempt.failing}")
        return "\n".join(lines)

    def to_mermaid(self) -> str:
        label = format_fact(*self.fact, self.prefixes).replace('"', "#quot;")
        lines = ["flowchart TD", f'    f0["{label} does not hold"]']
        for number, attempt in enumerate(self.attempts, 1):
            lines.append(f'    f{number}["fails: {attempt.failing.replace(chr(34), "#quot;")}"] -.-x f0')
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "fact": format_fact(*self.fact, self.prefixes),
            "holds": False,
            "attempts": [
                {
                    "rule": format_rule(attempt.rule, self.prefixes),
                    "holding": list(attempt.holding),
                    "example": {name: format_term(value, self.prefixes) for name, value in attempt.example.items()},
                    "failing": attempt.failing,
                }
                for attempt in self.attempts
            ],
        }


Explanation: TypeAlias = Proof | Absence


def explain(engine: EmbeddedEngine, program: Program, predicate: str, terms: tuple[Term, ...]) -> Explanation:
    """A proof of a fact, or the reasons why there is none."""
    fact = Fact(predicate, tuple(terms))
    with engine.work:
        explaining = _Explaining(engine, program)
        return explaining.proof(fact) if explaining.flags(fact) & PRESENT else explaining.absence(fact)


class _Explaining:
    def __init__(self, engine: EmbeddedEngine, program: Program) -> None:
        self.engine = engine
        self.program = program
        self.positions = {id(rule): engine.strata.recursive_positions(rule) for rule in program.core}

    def ids(self, fact: Fact) -> list[int]:
        return [self.engine.dictionary.encode_one(term) for term in fact[1]]

    def flags(self, fact: Fact) -> int:
        return self.engine.flags_of(fact[0], self.ids(fact))

    def proof(self, fact: Fact) -> Proof:
        steps: dict[Fact, Step] = {}
        stack = [fact]
        while stack:
            goal = stack.pop()
            if goal not in steps:
                steps[goal] = self.step(goal)
                stack += reversed(steps[goal].premises)
        return Proof(fact, steps, self.program.prefixes)

    def step(self, fact: Fact) -> Step:
        if self.flags(fact) & EXPLICIT:
            return Step(fact)
        for rule in self.program.core:
            if rule.source is None or rule.head.predicate != fact[0]:
                continue
            found = self.witness(rule, fact)
            if found is not None:
                premises = tuple(_ground(atom, found) for atom in rule.positive)
                return Step(fact, rule.source, premises, self.conditions(rule, found))
        raise InternalError(f"{format_fact(*fact)} holds without being explicit and without a witness")

    def conditions(self, rule: CoreRule, bindings: Bindings) -> tuple[str, ...]:
        assert rule.source is not None
        parts = (part for part in rule.source.body if not isinstance(part, ast.Atom))
        return tuple(format_literal(_substitute(part, bindings), self.program.prefixes) for part in parts)

    def witness(self, rule: CoreRule, fact: Fact) -> Bindings | None:
        """The variables of an instance that derives the fact from lower ranks, the lowest in the part searched.

        Where facts have expiries, all that the instance is made of must hold as long as the fact, and ranks count among facts
        of one expiry.
        """
        place = self.engine.place_of(fact[0], self.ids(fact))
        assert place is not None
        expiry, rank = place
        for names, columns, length in self.instances(rule, fact):
            highest = np.full(length, -1)
            for position, atom in enumerate(rule.positive):
                found = self._columns(atom, names, columns, length)
                expiries, ranks = self.engine.places(atom.predicate, found)
                if position in self.positions[id(rule)]:
                    highest = np.maximum(highest, np.where(expiries > expiry, -1, ranks))
                highest = np.where(expiries < expiry, rank, highest)
            best = int(np.argmin(highest))
            if highest[best] < rank:
                return self._binding(names, columns, best)
        return None

    def instances(self, rule: CoreRule, fact: Fact) -> Iterator[tuple[list[str], list[Ids], int]]:
        """The instances of a rule whose head is the fact: all variables of the rule, with the values they take."""
        bound = _unify(rule.head, fact[1])
        if bound is None:
            return
        # A variable that the body computes stays, and is compared by identity at the end.
        computed = {name: bound[name] for name in definitions(rule).values() if name in bound}
        fixed = {name: value for name, value in bound.items() if name not in computed}
        body = [_substitute(part, fixed) for part in (*rule.positive, *map(ast.Negation, rule.negative), *rule.conditions)]
        for names, columns, length in self.solutions(body):
            keep = np.ones(length, np.bool_)
            for name, value in computed.items():
                keep &= columns[names.index(name)] == np.uint32(self.engine.dictionary.encode_one(value))
            if keep.any():
                some = [column[keep] for column in columns]
                count = int(np.count_nonzero(keep))
                constants = [np.full(count, self.engine.dictionary.encode_one(value), np.uint32) for value in fixed.values()]
                yield [*names, *fixed], [*some, *constants], count

    def solutions(self, body: list[ast.BodyLiteral]) -> Iterator[tuple[list[str], list[Ids], int]]:
        """The variables of a body without anonymous ones, with the values for which it holds."""
        names = sorted(variable_names(ast.Rule((), tuple(body))))
        core = CoreRule(
            ast.Atom("?", tuple(ast.Variable(name) for name in names)),
            tuple(part for part in body if isinstance(part, ast.Atom)),
            tuple(part.atom for part in body if isinstance(part, ast.Negation)),
            tuple(part for part in body if isinstance(part, ast.Comparison)),
        )
        for columns, length in solve(self.engine, core):
            yield names, columns, length

    def _columns(self, atom: ast.Atom, names: list[str], columns: list[Ids], length: int) -> list[Ids]:
        encode = self.engine.dictionary.encode_one
        return [
            columns[names.index(term.name)]
            if isinstance(term, ast.Variable)
            else np.full(length, encode(term.value), np.uint32)
            for term in atom.terms
        ]

    def _binding(self, names: list[str], columns: list[Ids], row: int) -> Bindings:
        return {name: self.engine.dictionary.decode_one(int(column[row])) for name, column in zip(names, columns, strict=True)}

    def absence(self, fact: Fact) -> Absence:
        attempts = []
        for rule in self.program.core:
            if rule.source is not None and rule.head.predicate == fact[0]:
                bound = _unify(rule.head, fact[1])
                if bound is not None:
                    attempts.append(self.attempt(rule, bound, fact))
        return Absence(fact, tuple(attempts), self.program.prefixes)

    def attempt(self, rule: CoreRule, bound: Bindings, fact: Fact) -> Attempt:
        assert rule.source is not None
        prefixes = self.program.prefixes
        computed = set(definitions(rule).values())
        fixed = {name: value for name, value in bound.items() if name not in computed}
        parts = _in_order_of_use(rule)
        shown = [format_literal(_substitute(part, fixed), prefixes) for part in parts]
        example: Bindings = {}
        for count in range(1, len(parts) + 1):
            found = next(self.solutions([_substitute(part, fixed) for part in parts[:count]]), None)
            if found is None:
                return Attempt(rule.source, tuple(shown[: count - 1]), example, shown[count - 1])
            names, columns, _ = found
            example = {name: value for name, value in self._binding(names, columns, 0).items() if not name.startswith("_")}
        head = ", ".join(f"?{name} = {format_term(bound[name], prefixes)}" for name in sorted(computed & bound.keys()))
        return Attempt(rule.source, tuple(shown), example, head or format_fact(*fact, prefixes))


def _in_order_of_use(rule: CoreRule) -> list[ast.BodyLiteral]:
    """The body, atoms in the order of the text, everything else as soon as its variables are known."""
    waiting: list[ast.BodyLiteral] = [*map(ast.Negation, rule.negative), *rule.conditions]
    defined = definitions(rule)
    known: set[str] = set()
    ordered: list[ast.BodyLiteral] = []

    def place() -> None:
        for part in list(waiting):
            if _needs(part) - {defined.get(part, "") if isinstance(part, ast.Comparison) else ""} <= known:
                known.update(_needs(part))
                waiting.remove(part)
                ordered.append(part)
                place()
                return

    place()
    for atom in rule.positive:
        ordered.append(atom)
        known.update(variable.name for variable in atom_variables(atom))
        place()
    return ordered + waiting


def _needs(part: ast.BodyLiteral) -> set[str]:
    if isinstance(part, ast.Comparison):
        return {variable.name for side in (part.left, part.right) for variable in variables(side)}
    atom = part.atom if isinstance(part, ast.Negation) else part
    return {variable.name for variable in atom_variables(atom)}


def _unify(head: ast.Atom, terms: tuple[Term, ...]) -> Bindings | None:
    """The head's variables for which it is the fact; None if there are none."""
    bound: dict[str, Term] = {}
    for own, term in zip(head.terms, terms, strict=True):
        if isinstance(own, ast.Variable):
            if ast.Constant(bound.setdefault(own.name, term)) != ast.Constant(term):
                return None
        elif own != ast.Constant(term):
            return None
    return bound


def _ground(atom: ast.Atom, bindings: Bindings) -> Fact:
    terms = (bindings[term.name] if isinstance(term, ast.Variable) else term.value for term in atom.terms)
    return Fact(atom.predicate, tuple(terms))


def _substitute(part: Any, bindings: Bindings) -> Any:
    """The same part of a body with values in place of variables."""
    if isinstance(part, ast.Variable):
        return ast.Constant(bindings[part.name]) if part.name in bindings else part
    if isinstance(part, ast.Atom):
        return ast.Atom(part.predicate, tuple(_substitute(term, bindings) for term in part.terms))
    if isinstance(part, ast.Negation):
        return ast.Negation(_substitute(part.atom, bindings))
    if isinstance(part, ast.Arithmetic | ast.Comparison):
        return type(part)(part.operator, _substitute(part.left, bindings), _substitute(part.right, bindings))
    return part
