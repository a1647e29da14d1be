"""Relations, as a caller sees them."""

from __future__ import annotations

from decimal import Decimal
from itertools import permutations

import pytest

from tidelog import Materialisation


@pytest.mark.parametrize("given", [*permutations([1, 1.0, Decimal(1), True])])
def test_the_order_depends_on_nothing_but_the_facts(given: list[object]) -> None:
    mat = Materialisation("q(?x) :- p(?x) .")
    mat.update(insert={"p": list(given)})
    assert [repr(value) for (value,) in mat["p"].sorted()] == ["1", "Decimal('1')", "1.0", "True"]


def test_numbers_of_all_types_are_ordered_by_value() -> None:
    mat = Materialisation("q(?x) :- p(?x) .")
    mat.update(insert={"p": [Decimal("10.5"), 9.5, 10, Decimal("9.25"), "8"]})
    assert [value for (value,) in mat["p"].sorted()] == [Decimal("9.25"), 9.5, 10, Decimal("10.5"), "8"]
