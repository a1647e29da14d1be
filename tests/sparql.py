"""The answer of a continuous query from scratch, by an independent program: pyoxigraph's SPARQL.

The query is cut down to what SPARQL has: no registration, no windows; `WINDOW :w { ... }` is `GRAPH :w { ... }` on the
contents of the window. Terms are compared by their text in N-Triples. A store of pyoxigraph does not keep `01` apart from `1`,
so data for it have canonical numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import pyoxigraph as ox

from tidelog.notation import ntriples
from tidelog.rdf import oxigraph
from tidelog.terms import XSD, Term

Triple = tuple[Term, Term, Term]
Row = tuple[str, ...]

_WINDOWS = re.compile(r"FROM\s+(?:STREAM|NAMED\s+WINDOW)\b[^\[]*\[[^\]]*\]|FROM\s+(?:<[^>]*>|:\w+)", re.IGNORECASE)
_REGISTER = re.compile(r"REGISTER\s+\w+\s+\S+\s+(?:COMPUTE\s+EVERY\s+\S+\s+)?AS\b", re.IGNORECASE)


def plain(text: str) -> str:
    """The query without what makes it continuous."""
    return re.sub(r"\bWINDOW\b", "GRAPH", _WINDOWS.sub("", _REGISTER.sub("", text)))


def answer(
    text: str, columns: Iterable[str], triples: Iterable[Triple], windows: Mapping[str, Iterable[Triple]] | None = None
) -> Counter[Row]:
    """The rows of a continuous query's answer, where this is in the default graph and in the windows with names."""
    store = ox.Store()
    store.extend(quads(triples, ox.DefaultGraph()))
    for name, inside in (windows or {}).items():
        store.add_graph(ox.NamedNode(name))
        store.extend(quads(inside, ox.NamedNode(name)))
    solutions = store.query(plain(text))
    assert isinstance(solutions, ox.QuerySolutions)
    return Counter(tuple(shown(solution[name]) for name in columns) for solution in solutions)


def quads(triples: Iterable[Triple], graph: ox.NamedNode | ox.DefaultGraph) -> list[ox.Quad]:
    """The triples as pyoxigraph reads them; those with a literal as subject are no RDF."""
    text = "".join(f"{' '.join(map(ntriples, triple))} .\n" for triple in triples)
    return [ox.Quad(*quad.triple, graph) for quad in ox.parse(text, format=ox.RdfFormat.N_TRIPLES)] if text else []


def shown(value: object) -> str:
    """A value of a row, as `rows` shows ours."""
    if isinstance(value, ox.Literal) and value.datatype.value == XSD + "double":
        return ntriples(float(value.value))
    return ntriples(oxigraph.term(value, ""))


def rows(answers: Iterable[tuple[Term, ...]]) -> Counter[Row]:
    return Counter(tuple(map(ntriples, row)) for row in answers)
