"""RDF files of every syntax, as columns of ids.

N-Triples and N-Quads are read by `tidelog.rdf.lines`. The other syntaxes pyoxigraph parses, and it writes what it parsed as
N-Quads straight away: their text then takes the same way, which is faster than looking at each term in Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyoxigraph as ox

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io import files
from tidelog.io.bad_rows import BadRows
from tidelog.io.files import Progress
from tidelog.rdf import lines


@dataclass(frozen=True, slots=True)
class Syntax:
    name: str
    extensions: tuple[str, ...]
    format: ox.RdfFormat


SYNTAXES = {
    syntax.name: syntax
    for syntax in (
        Syntax("ntriples", (".nt",), ox.RdfFormat.N_TRIPLES),
        Syntax("nquads", (".nq",), ox.RdfFormat.N_QUADS),
        Syntax("turtle", (".ttl", ".turtle"), ox.RdfFormat.TURTLE),
        Syntax("trig", (".trig",), ox.RdfFormat.TRIG),
        Syntax("rdfxml", (".rdf", ".owl", ".xml", ".rdfs"), ox.RdfFormat.RDF_XML),
        Syntax("jsonld", (".jsonld",), ox.RdfFormat.JSON_LD),
    )
}
_BATCH = 200_000


def syntax_of(path: Path) -> Syntax | None:
    """The syntax that a file's name says it has; a final `.gz` does not count."""
    name = path.name.lower().removesuffix(".gz")
    return next((syntax for syntax in SYNTAXES.values() if name.endswith(syntax.extensions)), None)


def named_syntax(path: Path) -> Syntax:
    """The syntax that a file's name says it has; DataError if it says none."""
    syntax = syntax_of(path)
    if syntax is None:
        known = ", ".join(extension for known in SYNTAXES.values() for extension in known.extensions)
        raise DataError("the name does not say which RDF syntax this is", source=str(path), hint=f"known endings: {known}")
    return syntax


def read(
    path: Path,
    dictionary: Dictionary,
    *,
    syntax: Syntax | None = None,
    base: str | None = None,
    arity: int | None = 3,
    bad_rows: BadRows,
    progress: Progress | None = None,
) -> list[Ids]:
    """The columns subject, predicate, object (arity 3; of all graphs) and graph (arity 4) of an RDF file.

    Blank nodes are this file's own: their labels get a prefix that no other file's have. Quads outside any named graph
    have the string "default" for their graph.
    """
    if arity not in (None, 3, 4):
        raise DataError(f"RDF has triples or quads, a predicate with {arity} arguments cannot hold them", source=str(path))
    syntax = syntax or named_syntax(files.check(path))
    scope, own = dictionary.fresh_scope(), syntax.name in ("ntriples", "nquads")
    blocks = files.line_blocks(path) if own else _as_quads(path, syntax, base)
    quads = syntax.name != "ntriples"
    collecting = bad_rows if own else BadRows("skip")
    columns = lines.read(str(path), blocks, dictionary, quads=quads, scope=scope, bad_rows=collecting, progress=progress)
    if not own:
        for bad in collecting:  # their lines are those of the N-Quads, which nobody has seen
            bad_rows.report(str(path), 0, bad.reason, bad.text)
    return columns[: arity or 3]


def _as_quads(path: Path, syntax: Syntax, base: str | None) -> Iterator[bytes]:
    """The content in N-Quads, in blocks."""
    data = files.read_bytes(path)
    try:
        parsed = ox.parse(data, format=syntax.format, base_iri=base or path.resolve().as_uri())
        while block := ox.serialize(islice(parsed, _BATCH), format=ox.RdfFormat.N_QUADS):
            yield block
    except SyntaxError as error:
        hint = f"{syntax.name} cannot be read on after an error, so bad rows cannot be skipped"
        raise DataError(lines.explained(error), source=str(path), row=error.lineno, hint=hint) from None
    except ValueError as error:
        raise DataError(str(error), source=str(path)) from error
