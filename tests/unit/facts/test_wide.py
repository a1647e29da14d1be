"""Wide ids in plain numpy: the hash is xxHash64, and only integers as they are printed are their own ids."""

from __future__ import annotations

import pytest

from tidelog.facts.wide import WIDE, home_of, homes, xxhash64
from tidelog.notation import ntriples
from tidelog.terms import Iri, Literal, Term

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def test_the_hash_is_that_of_spark() -> None:
    texts = [b"", b"Spark", b"<http://example.org/a>", b"x" * 31, b"x" * 32, b"0123456789" * 10]
    signed = xxhash64(texts).astype("int64").tolist()
    # select xxhash64('') and so on, in Spark 4.2
    assert signed == [
        -7444071767201028348,
        -4294468057691064905,
        8958081700026426762,
        -1716462135722163746,
        1299777543150008824,
        6379203369694145893,
    ]


@pytest.mark.parametrize("number", [0, 7, -7, WIDE - 1, -WIDE])
def test_an_integer_is_its_own_id(number: int) -> None:
    assert home_of(ntriples(number)) == number


@pytest.mark.parametrize("term", [WIDE, -WIDE - 1, "7", Literal("07", INTEGER), Literal("-0", INTEGER), Iri("http://e.org/7")])
def test_whatever_is_no_small_integer_has_a_wide_id(term: Term) -> None:
    assert home_of(ntriples(term)) >= WIDE


def test_texts_of_all_lengths_are_hashed_together() -> None:
    texts = [ntriples("é" * length) for length in range(70)]
    assert homes(texts).tolist() == [home_of(text) for text in texts]
    assert len(set(homes(texts).tolist())) == 70


def test_of_no_terms_there_are_no_ids() -> None:
    assert homes([]).tolist() == []
