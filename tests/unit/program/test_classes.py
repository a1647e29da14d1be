"""Atom classes agree with the definition: the transitive closure of sharing a ground instance, by comparing all pairs."""

from __future__ import annotations

from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.program.classes import classify
from tidelog.syntax.ast import Atom, AtomTerm, Constant, Variable

TERMS: st.SearchStrategy[AtomTerm] = st.sampled_from(
    [Variable("x"), Variable("y"), Variable("z"), Variable("_"), Constant("a"), Constant("b"), Constant(1), Constant(True)]
)
ATOMS = st.integers(0, 3).flatmap(lambda arity: st.builds(Atom, st.sampled_from(["p", "q"]), st.tuples(*[TERMS] * arity)))
DOMAIN = ["a", "b", 1, True, "c", "d", "e"]
"""The constants of the atoms, and three more: enough to tell apart any three variables."""


def instances(atom: Atom) -> set[tuple[object, ...]]:
    """The ground instances of an atom over the domain."""
    names = [f"_{i}" if t == Variable("_") else t.name if isinstance(t, Variable) else None for i, t in enumerate(atom.terms)]
    different = sorted({name for name in names if name is not None})
    found: set[tuple[object, ...]] = set()
    for values in product(DOMAIN, repeat=len(different)):
        binding = dict(zip(different, values, strict=True))
        row = [binding[n] if n is not None else t.value for n, t in zip(names, atom.terms, strict=True)]  # type: ignore[union-attr]
        found.add((atom.predicate, *((type(value), value) for value in row)))
    return found


@given(st.lists(ATOMS, max_size=7), ATOMS)
@settings(max_examples=150, deadline=None)
def test_classes_are_what_the_definition_says(atoms: list[Atom], other: Atom) -> None:
    classes = classify(atoms)
    ground = [instances(atom) for atom in atoms]
    group = list(range(len(atoms)))
    for i, j in combinations(range(len(atoms)), 2):
        if ground[i] & ground[j]:
            group = [group[i] if number == group[j] else number for number in group]
    for i, j in combinations(range(len(atoms)), 2):
        assert (classes.of(atoms[i]) == classes.of(atoms[j])) == (group[i] == group[j])
    sharing = {classes.of(atom) for atom, its in zip(atoms, ground, strict=True) if its & instances(other)}
    assert classes.sharing(other) == sharing


def test_renamed_atoms_are_one() -> None:
    x, y, anonymous = Variable("x"), Variable("y"), Variable("_")
    classes = classify([Atom("p", (x, y)), Atom("p", (y, x)), Atom("p", (anonymous, anonymous)), Atom("p", (x, x))])
    assert [len(members) for members in classes.atoms] == [2]
