"""The algebra of `tidelog.maintain.algebra` on plain Python sets, so that an algorithm can be watched while it runs.

Every rule instance that is considered is written down: under which phase, by which operation, in which order. The theorems of
the paper speak of exactly that. Rules are matched by `tests.naive`, slowly and without a doubt.

Where the embedded engine works a set at a time it looks up all instances that derive a fact; the paper stops at the first that
will do. `frugal=True` counts as the paper does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests import naive
from tests.naive import Binding, ground
from tests.oracle import Row, explicit_facts
from tidelog.maintain.algebra import Passing, Statistics, Trace, Upcoming, Update
from tidelog.maintain.seminaive import seminaive
from tidelog.maintain.sets import EXPLICIT, PRESENT, Difference, Intersection, Named, SetExpression, Union, Working
from tidelog.program import CoreRule, Program
from tidelog.program.stratify import Stratification, Stratum
from tidelog.syntax.ast import Atom, Constant
from tidelog.terms import Term

Fact = tuple[str, Row]
Expression = SetExpression
Algorithm = Callable[["NaiveAlgebra", Update], None]


class Instance(NamedTuple):
    """A ground rule instance, distinct from all others by the rule and the values of its variables."""

    rule: int
    values: tuple[tuple[str, Term], ...]
    head: Fact
    body: tuple[Fact, ...]


class Considered(NamedTuple):
    """That an instance was considered, and where."""

    phase: str
    operation: str
    instance: Instance


class NaiveFacts:
    """A set of facts, each with the rank of its lowest derivation (0 if nobody asked)."""

    def __init__(self, algebra: NaiveAlgebra, ranks: Mapping[Fact, int]) -> None:
        self.algebra, self.ranks = algebra, dict(ranks)

    def __len__(self) -> int:
        return len(self.ranks)

    def __bool__(self) -> bool:
        return bool(self.ranks)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.ranks)

    def __or__(self, other: NaiveFacts) -> NaiveFacts:
        ranks = dict(self.ranks)
        for fact, rank in other.ranks.items():
            ranks[fact] = min(rank, ranks.get(fact, rank))
        return NaiveFacts(self.algebra, ranks)

    def __sub__(self, other: Expression | NaiveFacts) -> NaiveFacts:
        without = set(other) if isinstance(other, NaiveFacts) else self.algebra.members(other)
        return NaiveFacts(self.algebra, {fact: rank for fact, rank in self.ranks.items() if fact not in without})

    def __and__(self, other: Expression) -> NaiveFacts:
        within = self.algebra.members(other)
        return NaiveFacts(self.algebra, {fact: rank for fact, rank in self.ranks.items() if fact in within})


class NaiveAlgebra:
    """One materialisation as two sets of facts, with the ranks of those that hold."""

    def __init__(self, strata: Stratification, explicit: Iterable[Fact], *, frugal: bool = False) -> None:
        self.strata = strata
        self.frugal = frugal
        self.statistics = Statistics()
        self.phase = "forward"
        self.ranks_hold = True
        self.sets: dict[str, set[Fact]] = {PRESENT.name: set(explicit), EXPLICIT.name: set(explicit)}
        self.ranks: dict[Fact, int] = {}
        self.considered: list[Considered] = []
        self._numbers: dict[int, int] = {}

    @property
    def trace(self) -> Trace[NaiveFacts]:
        raise NotImplementedError("the traces of counting are tested against `tests.traces`")

    # Sets

    def members(self, expression: Expression) -> set[Fact]:
        if isinstance(expression, Named):
            return self.sets[expression.name]
        assert isinstance(expression, Union | Difference | Intersection)
        left, right = self.members(expression.left), self.members(expression.right)
        if isinstance(expression, Union):
            return left | right
        return left - right if isinstance(expression, Difference) else left & right

    def stages(self, update: Update | None = None, *changes: Working) -> Iterator[Stratum]:
        yield from self.strata.strata

    def working(self, name: str) -> Working:
        self.sets[name] = set()
        return Working(name, self.add)

    def empty(self) -> NaiveFacts:
        return NaiveFacts(self, {})

    def facts(self, expression: Expression) -> NaiveFacts:
        return NaiveFacts(self, dict.fromkeys(self.members(expression), 0))

    def within(self, facts: NaiveFacts | Expression, stratum: Stratum) -> NaiveFacts:
        held = facts if isinstance(facts, NaiveFacts) else self.facts(facts)
        return NaiveFacts(self, {fact: rank for fact, rank in held.ranks.items() if self._level(fact) == stratum.index})

    def add(self, name: str, facts: NaiveFacts) -> None:
        self.sets[name] = self.sets[name] | set(facts)

    def set_ranks(self, facts: NaiveFacts, rank: int | None = None) -> None:
        self.ranks.update(facts.ranks if rank is None else dict.fromkeys(facts, rank))

    def commit(self, *, deleted: Expression, inserted: Expression) -> None:
        self.sets[PRESENT.name] = (self.members(PRESENT) - self.members(deleted)) | self.members(inserted)

    def end_round(self, facts: NaiveFacts) -> None:
        self.statistics.rounds += 1

    # Marks

    def upcoming(self) -> Upcoming[NaiveFacts] | None:
        return None

    def shared(self, facts: NaiveFacts) -> NaiveFacts:
        return self.empty()

    def keep_marks(self, waiting: NaiveFacts, returning: NaiveFacts) -> None:
        assert not waiting
        assert not returning

    # Rules

    def derive(
        self,
        rules: Sequence[CoreRule],
        positive: Expression,
        negative: Expression | None = None,
        *,
        own: Expression | None = None,
        changed: NaiveFacts | Expression | None = None,
        vanished: NaiveFacts | Expression | None = None,
        outside: Expression | None = None,
        from_lower_ranks: bool = False,
        ranked: bool = False,
        passing: Passing | None = None,
    ) -> NaiveFacts:
        assert passing is None, "marks are tested on the engines"
        every = changed is None and vanished is None
        plus, minus = self._held(changed), self._held(vanished)
        skip = set() if outside is None else self.members(outside)
        found = self.empty()
        for rule in rules:
            for instance, above in self._instances(rule, positive, positive if negative is None else negative, own):
                if every or self._touches(rule, instance, plus, minus):
                    self.consider("derive", instance)
                    lower = not self.strata.recursive_positions(rule) or above <= self.ranks.get(instance.head, 0)
                    if instance.head not in skip and (lower or not from_lower_ranks):
                        found = found | NaiveFacts(self, {instance.head: above if ranked else 0})
        return found

    def provable(
        self,
        facts: NaiveFacts,
        rules: Sequence[CoreRule],
        positive: Expression,
        negative: Expression,
        *,
        from_lower_ranks: bool = False,
        ranked: bool = False,
        passing: Passing | None = None,
    ) -> NaiveFacts:
        assert passing is None, "marks are tested on the engines"
        proved = self.empty()
        for instance, above, recursive in self.instances_of(facts, rules, positive, negative):
            if self.frugal and instance.head in proved.ranks:
                continue
            if from_lower_ranks and recursive and above > self.ranks.get(instance.head, 0):
                continue  # who looks for body facts of lower rank does not see this one
            self.consider("provable", instance)
            proved = proved | NaiveFacts(self, {instance.head: above if ranked else 0})
        return proved

    def instances_of(
        self, facts: NaiveFacts, rules: Sequence[CoreRule], positive: Expression, negative: Expression
    ) -> Iterator[tuple[Instance, int, list[Fact]]]:
        """The instances that derive the facts, with the rank they give and their body facts of the head's own stratum."""
        for rule in rules:
            for instance, above in self._instances(rule, positive, negative, None):
                if instance.head in facts.ranks:
                    yield instance, above, [instance.body[i] for i in self.strata.recursive_positions(rule)]

    def every_instance(self, rule: CoreRule, facts: Expression) -> Iterator[tuple[Instance, int]]:
        """The instances of a rule over some facts, each with the rank it gives its head."""
        return self._instances(rule, facts, facts, None)

    def exploration(self, rules: Sequence[CoreRule]) -> NaiveExploration:
        return NaiveExploration(self, rules)

    def _instances(
        self, rule: CoreRule, positive: Expression, negative: Expression, own: Expression | None
    ) -> Iterator[tuple[Instance, int]]:
        known, absent = self.members(positive), self.members(negative)
        own_known = known if own is None else self.members(own)
        recursive = self.strata.recursive_positions(rule)
        for binding in naive.bindings(naive.body_of(rule), table(known | own_known), table(absent)):
            instance = self._instance(rule, binding)
            premises = instance.body[: len(rule.positive)]
            if all(fact in (own_known if i in recursive else known) for i, fact in enumerate(premises)):
                yield instance, 1 + max((self.ranks.get(premises[i], 0) for i in recursive), default=0)

    def _instance(self, rule: CoreRule, binding: Binding) -> Instance:
        body = tuple(ground(atom, binding) for atom in (*rule.positive, *rule.negative))
        return Instance(self.number_of(rule), tuple(sorted(binding.items())), ground(rule.head, binding), body)

    def number_of(self, rule: CoreRule) -> int:
        """Which rule of this algebra it is."""
        return self._numbers.setdefault(id(rule), len(self._numbers))

    def _touches(self, rule: CoreRule, instance: Instance, changed: set[Fact], vanished: set[Fact]) -> bool:
        split = len(rule.positive)
        return not (changed.isdisjoint(instance.body[:split]) and vanished.isdisjoint(instance.body[split:]))

    def consider(self, operation: str, instance: Instance) -> None:
        self.considered.append(Considered(self.phase, operation, instance))

    def _held(self, facts: NaiveFacts | Expression | None) -> set[Fact]:
        return set() if facts is None else set(facts) if isinstance(facts, NaiveFacts) else self.members(facts)

    def _level(self, fact: Fact) -> int:
        return self.strata.level(Atom(fact[0], tuple(Constant(value) for value in fact[1])))


@dataclass
class NaiveExploration:
    """Instances that wait to be followed, those from lower ranks first."""

    algebra: NaiveAlgebra
    rules: Sequence[CoreRule]
    waiting: list[tuple[int, Instance, list[Fact]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.waiting)

    def add(self, facts: NaiveFacts, positive: Expression, negative: Expression) -> None:
        for instance, above, recursive in self.algebra.instances_of(facts, self.rules, positive, negative):
            self.waiting.append((above, instance, recursive))
            if not self.algebra.frugal:
                self.algebra.consider("explore", instance)
        self.waiting.sort(key=lambda entry: entry[0])

    def next(self, proved: Expression, checked: Expression, most: int) -> NaiveFacts:
        done, seen = self.algebra.members(proved), self.algebra.members(checked)
        followed: dict[Fact, int] = {}
        found: dict[Fact, int] = {}
        left = []
        for entry in self.waiting:
            _, instance, recursive = entry
            if instance.head in done or (seen.issuperset(recursive) and not self.algebra.frugal):
                continue
            followed[instance.head] = followed.get(instance.head, 0) + 1
            if followed[instance.head] > (1 if self.algebra.frugal else most):
                left.append(entry)
                continue
            if self.algebra.frugal:
                self.algebra.consider("explore", instance)
            found.update(dict.fromkeys(recursive, 0))
        self.waiting = left
        return NaiveFacts(self.algebra, {fact: 0 for fact in found if fact not in seen})

    def open(self) -> NaiveFacts:
        return NaiveFacts(self.algebra, {instance.head: 0 for _, instance, _ in self.waiting})


def table(facts: Iterable[Fact]) -> naive.Table:
    rows: dict[str, list[Row]] = {}
    for predicate, row in facts:
        rows.setdefault(predicate, []).append(row)
    return naive.Table(rows)


class NaiveMaterialisation:
    """A program and its facts, kept up to date by an algorithm that is watched."""

    def __init__(
        self, program: Program, facts: Mapping[str, Iterable[Row]] | None = None, *, single: bool = False, frugal: bool = False
    ) -> None:
        self.program = program
        self.strata = program.stratify(single=single)
        explicit = explicit_facts(program, facts or {})
        self.algebra = NaiveAlgebra(self.strata, pairs(explicit), frugal=frugal)
        seminaive(self.algebra)

    @property
    def facts(self) -> set[Fact]:
        return self.algebra.members(PRESENT)

    @property
    def explicit(self) -> set[Fact]:
        return self.algebra.members(EXPLICIT)

    def update(
        self,
        algorithm: Algorithm,
        *,
        insert: Mapping[str, Iterable[Row]] | None = None,
        delete: Mapping[str, Iterable[Row]] | None = None,
    ) -> list[Considered]:
        """Update by an algorithm; gives the rule instances it considered, in order."""
        algebra = self.algebra
        algebra.considered = []
        plus, minus = pairs(insert or {}), pairs(delete or {})
        algebra.sets |= {"E+": plus - self.explicit, "E-": (minus & self.explicit) - plus}
        algorithm(algebra, Update(Named("E-"), Named("E+")))
        algebra.sets[EXPLICIT.name] = (self.explicit - algebra.sets["E-"]) | algebra.sets["E+"]
        return algebra.considered

    def instances(self) -> set[Instance]:
        """All rule instances that fire now."""
        return {
            instance
            for stratum in self.strata.strata
            for rule in stratum.rules
            for instance, _ in self.algebra.every_instance(rule, PRESENT)
        }


def pairs(facts: Mapping[str, Iterable[Row]]) -> set[Fact]:
    return {(predicate, tuple(row)) for predicate, rows in facts.items() for row in rows}
