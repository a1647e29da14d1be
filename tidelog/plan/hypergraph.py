"""The hypergraph of a rule body: its variables are the vertices, its positive atoms the edges; sets of either are bit masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tidelog.plan.planner import variables
from tidelog.syntax.ast import Atom


class Hypergraph:
    """Atoms and their variables: atom i is the bit `1 << i` of a set of atoms, and variables have bits in the same way."""

    def __init__(self, atoms: Sequence[Atom]) -> None:
        self.atoms = tuple(atoms)
        self.names = sorted({name for atom in atoms for name in variables(atom)})
        self._number = {name: number for number, name in enumerate(self.names)}
        self.edges = [self.mask(variables(atom)) for atom in atoms]
        """For each atom its variables."""

    @cached_property
    def all_atoms(self) -> int:
        return (1 << len(self.atoms)) - 1

    def mask(self, names: Iterable[str]) -> int:
        """Variables as a mask; names that no atom has are left out."""
        return sum(1 << self._number[name] for name in set(names) if name in self._number)

    def variables(self, atoms: int) -> int:
        """The variables of some atoms."""
        found = 0
        for atom in members(atoms):
            found |= self.edges[atom]
        return found

    def inside(self, atoms: int, variables: int) -> int:
        """Those of the atoms all of whose variables are among these."""
        return sum(1 << atom for atom in members(atoms) if not self.edges[atom] & ~variables)

    def components(self, atoms: int, separator: int) -> list[int]:
        """The atoms not inside the separator, as sets connected by variables outside it."""
        left = [(1 << atom, self.edges[atom] & ~separator) for atom in members(atoms) if self.edges[atom] & ~separator]
        found: list[tuple[int, int]] = []
        for atom, reach in left:
            apart: list[tuple[int, int]] = []
            for other, other_reach in found:
                if other_reach & reach:
                    atom, reach = atom | other, reach | other_reach
                else:
                    apart.append((other, other_reach))
            found = [*apart, (atom, reach)]
        return [component for component, _ in found]

    def names_of(self, variables: int) -> frozenset[str]:
        return frozenset(self.names[number] for number in members(variables))


def members(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
