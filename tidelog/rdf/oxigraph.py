"""pyoxigraph's terms and ours."""

from __future__ import annotations

import pyoxigraph as ox

from tidelog.errors import DataError
from tidelog.terms import BlankNode, Iri, Term, literal

DEFAULT_GRAPH = "default"
"""The graph of quads that name none: a string, which no graph that has a name can be."""


def term(value: object, scope: str) -> Term:
    """The term of a pyoxigraph value; `scope` goes before the labels of blank nodes."""
    if isinstance(value, ox.NamedNode):
        return Iri(value.value)
    if isinstance(value, ox.Literal):
        if getattr(value, "direction", None) is not None:
            raise DataError(f"{value} has a base direction, which is not supported")
        return literal(value.value, None if value.language else value.datatype.value, value.language)
    if isinstance(value, ox.BlankNode):
        return BlankNode(scope + value.value)
    if isinstance(value, ox.DefaultGraph):
        return DEFAULT_GRAPH
    raise DataError(f"{value} is a quoted triple, which is not supported")


def iri_problem(value: str) -> str | None:
    """Why `value` is not an absolute IRI, by pyoxigraph's full check; None if it is one."""
    try:
        ox.NamedNode(value)
    except ValueError as error:
        return str(error)
    return None
