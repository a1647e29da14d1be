"""Tidelog keeps the conclusions of a rule set true while the facts change.

    import tidelog as tl

    mat = tl.Materialisation("path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .")
    changes = mat.update(insert={"edge": [("a", "b"), ("b", "c")]})
    ("a", "c") in mat["path"]

The names below are all there is to the public face; they are loaded when first used, so that importing is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.changes import Changes
    from tidelog.continuous import Answer, ContinuousQuery
    from tidelog.errors import DataError, LimitExceeded, MissingExtra, Problem, ProgramError, SetupError, TidelogError
    from tidelog.follow import growing, windowed
    from tidelog.materialisation import Materialisation
    from tidelog.program import Program
    from tidelog.proof import Absence, Proof
    from tidelog.relation import Relation
    from tidelog.stream.windows import Window
    from tidelog.terms import BlankNode, Iri, Literal, Term

__version__ = "0.1.0"

_HOMES = {
    "tidelog.changes": ("Changes",),
    "tidelog.continuous": ("Answer", "ContinuousQuery"),
    "tidelog.errors": ("DataError", "LimitExceeded", "MissingExtra", "Problem", "ProgramError", "SetupError", "TidelogError"),
    "tidelog.follow": ("growing", "windowed"),
    "tidelog.materialisation": ("Materialisation",),
    "tidelog.program": ("Program",),
    "tidelog.proof": ("Absence", "Proof"),
    "tidelog.relation": ("Relation",),
    "tidelog.spark.options": ("Spark",),
    "tidelog.stream.windows": ("Window",),
    "tidelog.terms": ("BlankNode", "Iri", "Literal", "Term"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Absence",
    "Answer",
    "BlankNode",
    "Changes",
    "ContinuousQuery",
    "DataError",
    "Iri",
    "LimitExceeded",
    "Literal",
    "Materialisation",
    "MissingExtra",
    "Problem",
    "Program",
    "ProgramError",
    "Proof",
    "Relation",
    "SetupError",
    "Spark",
    "Term",
    "TidelogError",
    "Window",
    "growing",
    "windowed",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'tidelog' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
