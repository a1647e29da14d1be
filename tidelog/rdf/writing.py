"""Columns of ids as N-Triples (three columns) or N-Quads (four)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io import files
from tidelog.io import lines as text_lines
from tidelog.notation import ntriples
from tidelog.rdf import oxigraph
from tidelog.terms import BlankNode, Iri, Literal, Term


def write(path: Path, columns: Sequence[Ids], dictionary: Dictionary) -> None:
    """Write triples or quads; DataError for rows that RDF cannot say."""
    if len(columns) not in (3, 4):
        count = f"{len(columns)} argument{'' if len(columns) == 1 else 's'}"
        hint = "write it as CSV or Parquet, or derive triples from it: [?x, :p, ?y] :- ... ."
        raise DataError(f"RDF has triples or quads, not facts with {count}", source=str(path), hint=hint)
    shows = [_role(path, role) for role in ("subject", "predicate", "object", "graph")[: len(columns)]]
    with files.replacing(path) as file:
        text_lines.write(file, columns, dictionary, shows, "", " .\n")


def _role(path: Path, role: str) -> Callable[[Term], str]:
    """How a term is written in this place of a triple, with the blanks around it; the default graph is not written."""
    allowed: type | tuple[type, ...] = {"predicate": Iri, "object": object}.get(role, (Iri, BlankNode))
    before, after = (" " if role == "graph" else ""), (" " if role in ("subject", "predicate") else "")
    needed = "an IRI" if role == "predicate" else "an IRI or a blank node"

    def show(term: Term) -> str:
        if role == "graph" and term == oxigraph.DEFAULT_GRAPH:
            return ""
        if not isinstance(term, allowed):
            raise DataError(f"{ntriples(term)} cannot be the {role} of a triple, which is {needed}", source=str(path))
        absolute = term.value if isinstance(term, Iri) else term.datatype if isinstance(term, Literal) else None
        if absolute is not None and (problem := oxigraph.iri_problem(absolute)):
            hint = "RDF files need absolute IRIs; to make them so, declare a base in the program: @base <http://example.org/> ."
            raise DataError(f"<{absolute}> is not an absolute IRI: {problem}", source=str(path), hint=hint)
        return before + ntriples(term) + after

    return show
