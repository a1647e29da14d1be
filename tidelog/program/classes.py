"""Which atoms can share facts.

Two atoms *share an instance* if, their variables renamed apart, they unify. Stratification must treat such atoms alike, and so
their transitive closure: an *atom class*. `p(?x, a)` and `p(b, ?y)` share `p(b, a)`; `p(?x, a)` and `p(?x, b)` share nothing.

Comparing all pairs of a program with ten thousand triple patterns is out of the question, and not needed. Atoms are grouped by
*shape*: the positions that hold constants, and which positions hold the same variable. For two shapes it is fixed which
positions must agree (the *blocks*: positions linked by a shared variable on either side); two atoms of these shapes unify
exactly if they have the same constants on the blocks that have constants on both sides, and no block of either has two
different constants. So one hash table for each pair of shapes finds all unifying atoms, in time linear in the atoms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tidelog.syntax.ast import Atom, Constant, Variable

Shape = tuple[int, ...]
"""For each position: -1 for a constant, else the number of its variable, numbered from 0 by first occurrence."""
Values = tuple[Constant | None, ...]
Pattern = tuple[str, Shape, Values]
"""An atom up to the names of its variables."""


def pattern(atom: Atom) -> Pattern:
    """What an atom is apart from the names of its variables; `_` differs from every other variable."""
    numbers: dict[Hashable, int] = {}
    shape: list[int] = []
    for position, term in enumerate(atom.terms):
        if isinstance(term, Variable):
            name: Hashable = position if term.name == "_" else term.name
            shape.append(numbers.setdefault(name, len(numbers)))
        else:
            shape.append(-1)
    return atom.predicate, tuple(shape), tuple(term if isinstance(term, Constant) else None for term in atom.terms)


@dataclass(slots=True)
class AtomClasses:
    """Atom classes, numbered from 0 in the order in which their first atoms occur."""

    numbers: dict[Pattern, int]
    atoms: list[list[Atom]]
    """The atoms of each class, one for each pattern."""
    _shapes: dict[tuple[str, int], list[tuple[Shape, list[Values]]]] = field(default_factory=dict)
    _tables: dict[tuple[str, Shape, Shape], dict[Hashable, list[Values]]] = field(default_factory=dict)

    def of(self, atom: Atom) -> int:
        """The class of an atom that occurs in the program."""
        return self.numbers[pattern(atom)]

    def sharing(self, atom: Atom) -> set[int]:
        """The classes of the atoms that share an instance with `atom`, which need not occur in the program."""
        predicate, shape, values = key = pattern(atom)
        if key in self.numbers:
            return {self.numbers[key]}
        found: set[int] = set()
        for other, members in self._shapes.get((predicate, len(shape)), ()):
            meeting = _meeting(shape, other)
            mine = meeting.key(0, values)
            if mine is not None:
                table = self._table(predicate, shape, other, members, meeting)
                found |= {self.numbers[predicate, other, theirs] for theirs in table.get(mine, ())}
        return found

    def _table(
        self, predicate: str, shape: Shape, other: Shape, members: list[Values], meeting: _Meeting
    ) -> dict[Hashable, list[Values]]:
        place = predicate, shape, other
        if place not in self._tables:
            table = self._tables[place] = defaultdict(list)
            for theirs in members:
                if (key := meeting.key(1, theirs)) is not None:
                    table[key].append(theirs)
        return self._tables[place]


def classify(atoms: Iterable[Atom]) -> AtomClasses:
    """The classes of these atoms."""
    examples: dict[Pattern, Atom] = {}
    for atom in atoms:
        examples.setdefault(pattern(atom), atom)
    patterns = list(examples)
    index = {key: number for number, key in enumerate(patterns)}
    union = _UnionFind(len(patterns))
    shapes: dict[tuple[str, int], dict[Shape, list[Values]]] = defaultdict(lambda: defaultdict(list))
    for predicate, shape, values in patterns:
        shapes[predicate, len(shape)][shape].append(values)
    for (predicate, _), groups in shapes.items():
        _unite(predicate, groups, index, union)
    return _collect(patterns, examples, union, {place: list(groups.items()) for place, groups in shapes.items()})


def _unite(predicate: str, groups: dict[Shape, list[Values]], index: dict[Pattern, int], union: _UnionFind) -> None:
    """Unite the atoms of one predicate that share instances; distinct atoms of one shape never do."""
    shapes = list(groups)
    for general in shapes:
        if len(set(general)) == len(general) and -1 not in general:
            # All variables, all different: everything of this predicate shares an instance with it.
            first = index[predicate, general, groups[general][0]]
            for shape in shapes:
                for values in groups[shape]:
                    union.unite(first, index[predicate, shape, values])
            return
    for i, left in enumerate(shapes):
        for right in shapes[i + 1 :]:
            for a, b in _meetings(left, groups[left], right, groups[right]):
                union.unite(index[predicate, left, a], index[predicate, right, b])


def _meetings(left: Shape, ours: list[Values], right: Shape, theirs: list[Values]) -> Iterator[tuple[Values, Values]]:
    """Enough pairs of unifying atoms of two shapes to connect all that unify."""
    meeting = _meeting(left, right)
    table: dict[Hashable, list[Values]] = defaultdict(list)
    for values in ours:
        if (key := meeting.key(0, values)) is not None:
            table[key].append(values)
    united: set[Hashable] = set()
    for values in theirs:
        key = meeting.key(1, values)
        if key is not None and key in table:
            yield table[key][0], values
            if key not in united:
                united.add(key)
                for other in table[key][1:]:
                    yield other, values


@dataclass(frozen=True, slots=True)
class _Meeting:
    """How atoms of two shapes meet: for each side, the positions with constants of each block, and of the shared blocks."""

    blocks: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    shared: tuple[tuple[int, ...], tuple[int, ...]]

    def key(self, side: int, values: Values) -> Hashable | None:
        """The constants that the other side must have too; None if the atom unifies with none of the other shape."""
        for block in self.blocks[side]:
            first = values[block[0]]
            if any(values[position] != first for position in block[1:]):
                return None
        return tuple(values[position] for position in self.shared[side])


def _meeting(left: Shape, right: Shape) -> _Meeting:
    union = _UnionFind(len(left))
    for shape in (left, right):
        first: dict[int, int] = {}
        for position, number in enumerate(shape):
            if number >= 0:
                union.unite(first.setdefault(number, position), position)
    blocks: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for position in range(len(left)):
        for side, shape in enumerate((left, right)):
            if shape[position] < 0:
                blocks[union.find(position)][side].append(position)
    shared = [block for block in blocks.values() if block[0] and block[1]]
    several = [tuple(tuple(block[side]) for block in blocks.values() if len(block[side]) > 1) for side in (0, 1)]
    return _Meeting((several[0], several[1]), (tuple(b[0][0] for b in shared), tuple(b[1][0] for b in shared)))


def _collect(
    patterns: Sequence[Pattern],
    examples: dict[Pattern, Atom],
    union: _UnionFind,
    shapes: dict[tuple[str, int], list[tuple[Shape, list[Values]]]],
) -> AtomClasses:
    numbers: dict[int, int] = {}
    atoms: list[list[Atom]] = []
    classes: dict[Pattern, int] = {}
    for position, key in enumerate(patterns):
        root = union.find(position)
        if root not in numbers:
            numbers[root] = len(atoms)
            atoms.append([])
        classes[key] = numbers[root]
        atoms[numbers[root]].append(examples[key])
    return AtomClasses(classes, atoms, shapes)


class _UnionFind:
    def __init__(self, size: int) -> None:
        self.parent = list(range(size))

    def find(self, item: int) -> int:
        parent = self.parent
        while parent[item] != item:
            parent[item] = item = parent[parent[item]]
        return item

    def unite(self, a: int, b: int) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[max(a, b)] = min(a, b)
