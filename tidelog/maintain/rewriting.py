"""Maintenance as a program: rules are rewritten to rules that compute the update, and those are evaluated like any others.

The declarative variant of DRed. Staudt, Jarke: Incremental maintenance of externally materialized views (1996), as told in
Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited (2019), Example 13; Volz, Staab, Motik:
Incrementally maintaining materializations of ontologies stored in logic databases (2005), whose rewriting functions are here
named as in Table 2 of Barbieri, Braga, Ceri, Della Valle, Grossniklaus: Incremental reasoning on streams and rich background
knowledge (2010).

    paper                  here
    P                      the old materialisation
    P^Del, P^Ins           `p__del`, `p__ins`: overdeleted; inserted, or derived from what was
    P^Red                  `p__red`: overdeleted, and derivable from what is new
    P^New                  `p__new`: the new materialisation
    P+, P-                 `p__plus`, `p__minus`: the net changes (Volz alone)
    T_e                    `t__given`: the explicit facts of a predicate that rules derive as well
    Pi^del, Pi^red, Pi^ins `deletion`, `rederivation`, `insertion`, each with its part of `copying`

Invariants, for what the program derives from the old facts with E- in `del` and E+ in `ins`: P^Del holds only old facts, among
them all that are lost; P^New is (P - P^Del) | P^Red | P^Ins; so P+ and P- are disjoint from P^New & P and exact.

Cost: P^New is a copy of the materialisation, so no update costs less than that; an instance of a rule with k changed body
atoms is considered k times (Examples 14, 15), a fact is rederived in every way there is (Example 16), insertion goes on
through facts that hold already, and overdeletion passes through all strata before anything is rederived (Example 17).
`maintain.dred` is the cure; this is the yardstick.

Deviations. Negation, which the sources lack: a negated atom is deleted where its atom is inserted and inserted where it
is deleted (Example 18), and the rest of the rule says whether that is so in the end:

    H :- B, ~C    gives    H__del :- C__ins, B, ~C    and    H__ins :- C__del, B__new, ~C__new

C is of a lower stratum than H and everything about it is known before: the program is stratified as the rules are. The
functions on predicates are applied to the most general atoms of each predicate instead, so that this holds for stratification
over atoms too. Where a condition calculates a value that the atom to be met has (`H :- B, ?n = ?m + 1` meets `H__del(?n)`),
`?n = ...` would compare it by value and no longer calculate it: a helping predicate has the calculated values then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from tidelog.plan.planner import definitions
from tidelog.program.classes import Pattern, pattern
from tidelog.program.normal import CoreRule, atom_variables, variable_names
from tidelog.syntax.ast import Atom, Negation, Rule, Variable
from tidelog.syntax.formatter import format_rule

Rules: TypeAlias = tuple[CoreRule, ...]


class Kind(Enum):
    """The maintenance predicates; the value is how their names end."""

    GIVEN = "given"
    DEL = "del"
    RED = "red"
    INS = "ins"
    NEW = "new"
    PLUS = "plus"
    MINUS = "minus"
    MET = "met"
    """The instances of a rule whose calculated values are known, waiting to meet the change."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the maintenance predicates are called."""

    separator: str = "__"

    @classmethod
    def apart_from(cls, predicates: Iterable[str]) -> Names:
        """Names that none of the predicates has."""
        taken, separator = list(predicates), "__"
        while any(f"{separator}{kind.value}" in name for name in taken for kind in Kind):
            separator += "_"
        return cls(separator)

    def of(self, predicate: str, kind: Kind) -> str:
        return f"{predicate}{self.separator}{kind.value}"

    def atom(self, atom: Atom, kind: Kind) -> Atom:
        return replace(atom, predicate=self.of(atom.predicate, kind))


@dataclass(frozen=True, slots=True)
class MaintenanceProgram:
    """The rewritten rules, by what they do."""

    names: Names
    deletion: Rules
    rederivation: Rules
    insertion: Rules
    copying: Rules
    """What puts P^New together."""
    net: Rules = ()
    """What tells the net changes."""

    @property
    def rules(self) -> Rules:
        return self.deletion + self.rederivation + self.insertion + self.copying + self.net


def volz(rules: Sequence[CoreRule], names: Names | None = None) -> MaintenanceProgram:
    """The maintenance program of Table 2, with seven predicates. No fact may be explicit and derived: see `with_given`.

    >>> from tidelog import Program
    >>> [rule] = Program.parse("in(?x, ?z) :- in(?x, ?y), in(?y, ?z) .").core
    >>> print(*map(text, volz([rule]).insertion), sep="\\n")
    in__ins(?x, ?z) :- in__ins(?x, ?y), in__new(?y, ?z) .
    in__ins(?x, ?z) :- in__new(?x, ?y), in__ins(?y, ?z) .
    """
    names = names or names_for(rules)
    atoms = general_atoms(rules)
    return MaintenanceProgram(
        names,
        _each(delta_del, rules, names),
        _each(delta_red, rules, names),
        _each(delta_ins, rules, names),
        tuple(delta(atom, names) for delta in (delta_new_1, delta_new_2, delta_new_3) for atom in atoms),
        tuple(delta(atom, names) for delta in (delta_plus, delta_minus) for atom in atoms),
    )


def staudt_jarke(rules: Sequence[CoreRule], names: Names | None = None) -> MaintenanceProgram:
    """The programs Pi^del, Pi^red and Pi^ins of Example 13, explicit facts split off; P^New is the whole answer."""
    names = names or names_for(rules)
    derived = {rule.head.predicate for rule in rules}
    derived |= {names.of(predicate, Kind.GIVEN) for predicate in derived}
    split = with_given(rules, names)
    atoms = general_atoms(split)
    rederived = [atom for atom in atoms if atom.predicate in derived]
    copying = [(delta_new_1, atoms), (delta_new_2, rederived), (delta_new_3, atoms)]
    return replace(volz(split, names), copying=tuple(delta(P, names) for delta, some in copying for P in some), net=())


def with_given(rules: Sequence[CoreRule], names: Names) -> Rules:
    """The rules and, for each predicate that they derive, one that copies its explicit facts: rules (74) and (75)."""
    derived = {rule.head.predicate for rule in rules}
    copied = [atom for atom in general_atoms(rules) if atom.predicate in derived]
    return (*rules, *(CoreRule(atom, (names.atom(atom, Kind.GIVEN),), (), ()) for atom in copied))


# Rewriting predicates


def delta_new_1(P: Atom, names: Names) -> CoreRule:
    """`P__new :- P, ~P__del`."""
    return CoreRule(names.atom(P, Kind.NEW), (P,), (names.atom(P, Kind.DEL),), ())


def delta_new_2(P: Atom, names: Names) -> CoreRule:
    """`P__new :- P__red`."""
    return CoreRule(names.atom(P, Kind.NEW), (names.atom(P, Kind.RED),), (), ())


def delta_new_3(P: Atom, names: Names) -> CoreRule:
    """`P__new :- P__ins`."""
    return CoreRule(names.atom(P, Kind.NEW), (names.atom(P, Kind.INS),), (), ())


def delta_plus(P: Atom, names: Names) -> CoreRule:
    """`P__plus :- P__ins, ~P`."""
    return CoreRule(names.atom(P, Kind.PLUS), (names.atom(P, Kind.INS),), (P,), ())


def delta_minus(P: Atom, names: Names) -> CoreRule:
    """`P__minus :- P__del, ~P__ins, ~P__red`."""
    kept = (names.atom(P, Kind.INS), names.atom(P, Kind.RED))
    return CoreRule(names.atom(P, Kind.MINUS), (names.atom(P, Kind.DEL),), kept, ())


# Rewriting rules


def delta_red(rule: CoreRule, names: Names, number: int = 1) -> Iterator[CoreRule]:
    """`H__red :- H__del, B1__new, ..., Bn__new`; a rule's number sets its helping predicate apart from others'."""
    new = _in_new(names.atom(rule.head, Kind.RED), rule, names)
    yield from _meet(names.atom(rule.head, Kind.DEL), new, names, f"{number}")


def delta_del(rule: CoreRule, names: Names, number: int = 1) -> Iterator[CoreRule]:
    """For each i: `H__del :- B1, ..., Bi__del, ..., Bn`; for each negated C: `H__del :- C__ins, B1, ..., Bn, ~C`."""
    old = replace(rule, head=names.atom(rule.head, Kind.DEL))
    yield from _changed(rule, old, Kind.DEL, Kind.INS, names, number)


def delta_ins(rule: CoreRule, names: Names, number: int = 1) -> Iterator[CoreRule]:
    """For each i: `H__ins :- B1__new, ..., Bi__ins, ..., Bn__new`; for each negated C: `H__ins :- C__del, ..., ~C__new`."""
    new = _in_new(names.atom(rule.head, Kind.INS), rule, names)
    yield from _changed(rule, new, Kind.INS, Kind.DEL, names, number)


def _in_new(head: Atom, rule: CoreRule, names: Names) -> CoreRule:
    """The rule with this head, its body matched in the new materialisation."""
    positive, negative = (tuple(names.atom(atom, Kind.NEW) for atom in atoms) for atoms in (rule.positive, rule.negative))
    return CoreRule(head, positive, negative, rule.conditions)


def _changed(rule: CoreRule, target: CoreRule, kind: Kind, opposite: Kind, names: Names, number: int) -> Iterator[CoreRule]:
    """The target, one body atom at a time matched in the change: `kind` for a positive one, `opposite` for a negated one."""
    for i, atom in enumerate(rule.positive):
        positive = (*target.positive[:i], names.atom(atom, kind), *target.positive[i + 1 :])
        yield CoreRule(target.head, positive, target.negative, target.conditions)
    for i, atom in enumerate(rule.negative, 1):
        yield from _meet(names.atom(atom, opposite), target, names, f"{number}_{i}")


def _meet(change: Atom, rule: CoreRule, names: Names, place: str) -> Iterator[CoreRule]:
    """`H :- change, B`; in two steps if B calculates values that the change has."""
    calculated = set(definitions(rule).values()) & {variable.name for variable in atom_variables(change)}
    if not calculated:
        yield CoreRule(rule.head, (change, *rule.positive), rule.negative, rule.conditions)
        return
    variables = tuple(dict.fromkeys([*atom_variables(rule.head), *atom_variables(change)]))
    met = Atom(f"{names.of(rule.head.predicate, Kind.MET)}_{place}", variables)
    yield CoreRule(met, (_with_any(calculated, change, rule), *rule.positive), rule.negative, rule.conditions)
    yield CoreRule(rule.head, (change, met), (), ())


def _with_any(calculated: Collection[str], change: Atom, rule: CoreRule) -> Atom:
    """The change with any values whatever where the rule calculates them."""
    taken, fresh = variable_names(as_rule(rule)), "_any"
    while any(f"{name}{fresh}" in taken for name in calculated):
        fresh += "_"
    terms = (Variable(f"{t.name}{fresh}") if isinstance(t, Variable) and t.name in calculated else t for t in change.terms)
    return replace(change, terms=tuple(terms))


# Rules and atoms


def general_atoms(rules: Iterable[CoreRule]) -> list[Atom]:
    """The most general atoms of each predicate; every fact that the rules speak of is an instance of one.

    That is `p(?x, ?y)` if some atom of `p` has variables only, all different; otherwise all atoms of `p`.
    """
    found: dict[str, dict[Pattern, Atom]] = {}
    for rule in rules:
        for atom in (rule.head, *rule.positive, *rule.negative):
            found.setdefault(atom.predicate, {}).setdefault(pattern(atom), _renamed(atom))
    return [atom for atoms in found.values() for atom in _most_general(list(atoms.values()))]


def _most_general(atoms: list[Atom]) -> list[Atom]:
    everything = [atom for atom in atoms if len(set(atom_variables(atom))) == len(atom.terms)]
    return everything or atoms


def _renamed(atom: Atom) -> Atom:
    """The atom with its variables called x, y, z or, if they are more, x1, x2, ..."""
    variables = list(dict.fromkeys(atom_variables(atom)))
    names = "xyz" if len(variables) <= 3 else [f"x{i + 1}" for i in range(len(variables))]
    new = {variable: Variable(name) for variable, name in zip(variables, names, strict=False)}
    return Atom(atom.predicate, tuple(new[term] if isinstance(term, Variable) else term for term in atom.terms))


def names_for(rules: Iterable[CoreRule]) -> Names:
    return Names.apart_from({atom.predicate for rule in rules for atom in (rule.head, *rule.positive, *rule.negative)})


def _each(delta: Callable[[CoreRule, Names, int], Iterator[CoreRule]], rules: Sequence[CoreRule], names: Names) -> Rules:
    return tuple(made for number, rule in enumerate(rules, 1) for made in delta(rule, names, number))


def text(rule: CoreRule) -> str:
    """A rule as it would be written."""
    return format_rule(as_rule(rule))


def as_rule(rule: CoreRule) -> Rule:
    return Rule((rule.head,), (*rule.positive, *(Negation(atom) for atom in rule.negative), *rule.conditions))
