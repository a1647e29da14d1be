"""Relations, as a caller sees them."""

from __future__ import annotations

from decimal import Decimal
from itertools import permutations

import pytest

from tidelog import BlankNode, DataError, Iri, Literal, Materialisation
from tidelog.terms import XSD, Term


@pytest.mark.parametrize("given", [*permutations([1, 1.0, Decimal(1), True])])
def test_the_order_depends_on_nothing_but_the_facts(given: list[Term]) -> None:
    mat = Materialisation("q(?x) :- p(?x) .")
    mat.update(insert={"p": list(given)})
    assert [repr(value) for (value,) in mat["p"].sorted()] == ["1", "Decimal('1')", "1.0", "True"]


def test_numbers_of_all_types_are_ordered_by_value() -> None:
    mat = Materialisation("q(?x) :- p(?x) .")
    mat.update(insert={"p": [Decimal("10.5"), 9.5, 10, Decimal("9.25"), "8"]})
    assert [value for (value,) in mat["p"].sorted()] == [Decimal("9.25"), 9.5, 10, Decimal("10.5"), "8"]


def test_facts_are_ordered_by_their_first_column_first() -> None:
    mat = Materialisation("q(?x, ?y) :- p(?x, ?y) .")
    mat.update(insert={"p": [("b", 10), (2, "b"), ("a", 3), (10, 1), (2, "a"), ("a", 20)]})
    assert mat["p"].sorted() == [(2, "a"), (2, "b"), (10, 1), ("a", 3), ("a", 20), ("b", 10)]


TERMS: list[Term] = [1, "1", True, Decimal("1.5"), Iri("http://x/a"), BlankNode("b"), Literal("01", XSD + "integer"), 2**70]


def test_a_relation_is_data_for_another_materialisation() -> None:
    """Its terms come through as they are; an Arrow table would have strings for IRIs."""
    mat = Materialisation("q(?x, ?x) :- p(?x) . some :- p(_) .")
    mat.update(insert={"p": TERMS})
    other = Materialisation("one(?x) :- p(?x) . two(?x, ?y) :- q(?x, ?y) . none :- some .")
    other.update(insert={"p": mat["p"], "q": mat["q"], "some": mat["some"]})
    assert set(map(repr, other["one"])) == set(map(repr, mat["p"]))
    assert set(map(repr, other["two"])) == set(map(repr, mat["q"]))
    assert () in other["none"]
    mat.update(delete={"p": mat["p"]})
    assert len(mat) == 0


def test_a_fact_has_as_many_terms_as_its_predicate() -> None:
    mat = Materialisation("q(?x, b) :- p(?x) .")
    mat.update(insert={"p": ["a"]})
    for ask in (mat["q"].__contains__, lambda fact: mat.explain("q", fact), lambda fact: mat.rank("q", fact)):
        with pytest.raises(DataError, match="q has 2 columns"):
            ask(("a", "b", "c"))
    assert mat.explain("p", "a").holds


def test_reprs_are_short() -> None:
    mat = Materialisation("q(?x) :- p(?x), ~r(?x) . p(a) .")
    assert repr(mat.program) == "<Program: 1 rules and 1 facts of 3 predicates>"
    assert repr(mat.explain("q", ("a",))) == "<Proof of q(a): 2 facts>"
    assert repr(mat.explain("q", ("b",))) == "<Absence of q(b): 1 rules fail>"
