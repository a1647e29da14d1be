"""How many bindings a join is expected to have: the textbook's estimates, from the statistics that the planner has anyway.

Garcia-Molina, Ullman, Widom: Database Systems, The Complete Book, section 16.4.

    book        here
    T(R)        `size` of an atom: the facts that match its constants
    V(R, y)     `distinct`: how many values a variable takes in an atom
    R join S    T(R) T(S), divided for each shared variable by the larger V, of which the smaller one is left

V is computed from how many facts share the value of a random fact, so that a value counts as often as it occurs: skewed
columns seem to have fewer values and join to more, as they do. Of predicates that are derived and have no facts yet nothing is
known; they are taken to be as large as the largest of the body, or else of all, each column with an equal share of the values.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.plan.hypergraph import Hypergraph, members
from tidelog.plan.planner import Statistics
from tidelog.syntax.ast import Atom, Constant, Variable


@dataclass(frozen=True, slots=True)
class Joined:
    """The expected join of some atoms."""

    size: float
    work: float
    """The bindings of all joins on the way, made in the order that keeps them fewest at each step."""
    distinct: dict[int, float]
    """For each variable, by number, how many values it takes."""

    def projected(self, variables: int) -> float:
        """The expected number of different bindings of some of the variables."""
        size = 1.0
        for variable in members(variables):
            size *= self.distinct[variable]
            if size >= self.size:
                return self.size
        return size


class Estimates:
    """Estimates for the atoms of one body, each made once."""

    def __init__(self, graph: Hypergraph, statistics: Statistics) -> None:
        self.graph = graph
        self._atoms = _expected(graph, statistics)
        self._joins: dict[int, Joined] = {}

    def join(self, atoms: int) -> Joined:
        """The join of a set of atoms, greedily ordered."""
        joined = self._joins.get(atoms)
        if joined is None:
            joined = self._joins[atoms] = self._join(atoms)
        return joined

    def work_from(self, atom: int) -> float:
        """The bindings of the join of all atoms that begins with this one, as joins with a change do."""
        rest = self.graph.all_atoms & ~(1 << atom)
        return self._extend(self._atoms[atom], [self._atoms[other] for other in members(rest)]).work

    def _join(self, atoms: int) -> Joined:
        left = sorted((self._atoms[atom] for atom in members(atoms)), key=lambda one: one.size)
        return self._extend(left.pop(0), left) if left else Joined(1.0, 0.0, {})

    def _extend(self, joined: Joined, left: list[Joined]) -> Joined:
        while left:
            sizes = [_together(joined, one) for one in left]
            chosen = min(range(len(left)), key=sizes.__getitem__)
            joined = _extended(joined, left.pop(chosen), sizes[chosen])
        return joined


def _together(joined: Joined, one: Joined) -> float:
    size = joined.size * one.size
    for variable, values in one.distinct.items():
        other = joined.distinct.get(variable)
        if other is not None:
            size /= max(values, other)
    return size


def _extended(joined: Joined, one: Joined, size: float) -> Joined:
    distinct = dict(joined.distinct)
    for variable, values in one.distinct.items():
        distinct[variable] = min(values, distinct.get(variable, values))
    limit = max(1.0, size)
    return Joined(size, joined.work + size, {variable: min(values, limit) for variable, values in distinct.items()})


def _expected(graph: Hypergraph, statistics: Statistics) -> list[Joined]:
    """Each atom by itself."""
    sizes = [statistics.matches(atom, _constants(atom)) for atom in graph.atoms]
    unknown = max(sizes, default=0.0) or max(1.0, statistics.largest())
    return [
        _atom(graph, atom, size, statistics) if size else _guessed(edge, unknown)
        for atom, edge, size in zip(graph.atoms, graph.edges, sizes, strict=True)
    ]


def _guessed(edge: int, size: float) -> Joined:
    columns = edge.bit_count()
    share = size ** (1 / columns) if columns else 1.0
    return Joined(size, size, {variable: max(1.0, share) for variable in members(edge)})


def _atom(graph: Hypergraph, atom: Atom, size: float, statistics: Statistics) -> Joined:
    distinct: dict[int, float] = {}
    constants = _constants(atom)
    limit = max(1.0, size)
    for column, term in enumerate(atom.terms):
        if isinstance(term, Variable):
            variable = graph.mask((term.name,)).bit_length() - 1
            alike = statistics.matches(atom, tuple(sorted((*constants, column))))
            values = min(limit, max(1.0, size / alike)) if alike else limit
            if variable in distinct:  # the same variable twice
                size /= max(values, distinct[variable])
                values = min(values, distinct[variable])
            distinct[variable] = values
    limit = max(1.0, size)
    return Joined(size, size, {variable: min(values, limit) for variable, values in distinct.items()})


def _constants(atom: Atom) -> tuple[int, ...]:
    return tuple(column for column, term in enumerate(atom.terms) if isinstance(term, Constant))
