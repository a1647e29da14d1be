"""An update that is refused leaves everything as it was, and says what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.combinations import COMBINATIONS
from tests.mirror import explicit_of, facts_of
from tidelog import DataError, Materialisation

PROGRAM = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) . alone(?x) :- node(?x), ~path(?x, _) ."
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown predicate": ({"edge": [("b", "c")], "egde": [("c", "d")]}, "egde"),
    "hidden predicate": ({"path__any_1": [("c",)]}, "path__any_1"),
    "too few values": ({"edge": [("b", "c"), ("c",)]}, "edge"),
    "too many values": ({"node": [("z",)], "edge": [("b", "c", "d")]}, "edge"),
    "not a term": ({"edge": [("b", "c"), ("c", object())]}, "edge"),
    "no table at all": ({"node": [("z",)], "edge": 5}, "edge"),
    "not a mapping": ([("edge", "b", "c")], "insert"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)
@pytest.mark.parametrize("name", REFUSED)
def test_nothing_of_a_refused_update_is_kept(name: str, engine: str, algorithm: str) -> None:
    facts, culprit = REFUSED[name]
    mat = Materialisation(PROGRAM, engine=engine, algorithm=algorithm)
    mat.update(insert={"edge": [("a", "b")], "node": [("a",), ("b",)]})
    before = facts_of(mat), explicit_of(mat)
    with pytest.raises(DataError, match=culprit):
        mat.update(insert=facts, delete={"edge": [("a", "b")]})
    assert (facts_of(mat), explicit_of(mat)) == before
    changes = mat.update(insert={"edge": [("b", "c")]}, delete={"node": [("a",)]})
    assert set(changes.inserted["path"]) == {("b", "c"), ("a", "c")}
