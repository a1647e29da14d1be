"""Files that a program imports and exports: one call for every format.

The format and the options stand in the program (`@import p :- csv { resource = "p.csv", format = (int, string) } .`), or, for a
file named on the command line, the format follows from the name's ending.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io import cells, delimited, files, parquet
from tidelog.io.bad_rows import BadRows
from tidelog.io.files import Progress
from tidelog.io.rows import Layout
from tidelog.syntax.ast import Import, Resource

_TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_RDF = {"rdf", "ntriples", "nquads", "turtle", "trig", "rdfxml", "jsonld"}
_OPTIONS = {
    "csv": {"format", "delimiter", "ignore_headers"},
    "tsv": {"format", "delimiter", "ignore_headers"},
    "parquet": {"format"},
    **{syntax: {"base"} for syntax in sorted(_RDF)},
}


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that a file's name says it has: `csv`, `tsv`, `parquet` or an RDF syntax."""
    from tidelog.rdf import documents

    name = Path(path).name.lower().removesuffix(".gz")
    found = _TABLES.get(Path(name).suffix)
    syntax = documents.syntax_of(Path(path)) if found is None else None
    if found is None and syntax is None:
        hint = "known endings: .csv .tsv .parquet .nt .nq .ttl .trig .rdf .owl .jsonld, the text ones also with .gz"
        raise DataError("the name does not say which format this is", source=str(path), hint=hint)
    return found or (syntax.name if syntax is not None else "")


def read_files(predicate: str, paths: Sequence[Path], dictionary: Dictionary, *, arity: int, bad_rows: BadRows) -> list[Ids]:
    """The columns of files that hold facts of a predicate, one after another; their names say their formats."""
    if not arity:
        raise DataError(f"{predicate} has no columns, so no file can hold it", source=str(paths[0]))
    parts = [read(Import(predicate, format_of(path), str(path)), dictionary, arity=arity, bad_rows=bad_rows) for path in paths]
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def paths_in(data: object) -> list[Path]:
    """The files, if what a caller hands over are files: one path, or a list of paths."""
    if isinstance(data, Path):
        return [data]
    if isinstance(data, list | tuple) and all(isinstance(path, Path) for path in data):
        return list(data)
    return []


def read(
    resource: Resource,
    dictionary: Dictionary,
    *,
    arity: int | None,
    directory: str | os.PathLike[str] | None = None,
    bad_rows: BadRows | None = None,
    progress: Progress | None = None,
) -> list[Ids]:
    """The columns of a file as ids: all of its rows (without the bad ones, if those are skipped), or a DataError."""
    path, bad_rows = files.resolve(resource.path, directory), BadRows() if bad_rows is None else bad_rows
    _check_options(resource, path)
    options = resource.options
    if resource.format in _RDF:
        from tidelog.rdf import documents

        syntax, base = documents.SYNTAXES.get(resource.format), options.get("base")
        base = base if base is None else str(base)
        return documents.read(path, dictionary, syntax=syntax, base=base, arity=arity, bad_rows=bad_rows, progress=progress)
    files.check(path)
    types = _types(resource, path)
    if resource.format == "parquet":
        columns = parquet.read(path, dictionary, types=types, arity=arity, bad_rows=bad_rows)
    else:
        layout = Layout(_delimiter(resource, path), types, bool(options.get("ignore_headers", False)))
        columns = delimited.read(path, dictionary, layout, arity=arity, bad_rows=bad_rows)
    if progress is not None and columns:
        progress(len(columns[0]), len(columns[0]))
    return columns


def write(
    resource: Resource,
    columns: Sequence[Ids],
    dictionary: Dictionary,
    *,
    directory: str | os.PathLike[str] | None = None,
    names: Sequence[str] | None = None,
) -> Path:
    """Write columns of ids to a file, which is replaced only when the new one is complete; returns its path.

    `names` are those of the columns, for formats that have names.
    """
    path = files.resolve(resource.path, directory)
    _check_options(resource, path)
    kind = resource.format if resource.format != "rdf" else format_of(path)
    if kind == "parquet":
        parquet.write(path, columns, dictionary, names=names)
    elif kind in ("csv", "tsv"):
        delimited.write(path, columns, dictionary, delimiter=_delimiter(resource, path))
    elif kind in ("ntriples", "nquads"):
        from tidelog.rdf import writing

        writing.write(path, columns, dictionary)
    else:
        raise DataError(f"cannot write {kind}", source=str(path), hint="write csv, tsv, parquet, ntriples or nquads")
    return path


# --- options ----------------------------------------------------------------------------------------------------------


def _check_options(resource: Resource, path: Path) -> None:
    allowed = _OPTIONS.get(resource.format)
    if allowed is None:
        raise DataError(f"unknown format {resource.format!r}", source=str(path), hint=f"formats: {', '.join(_OPTIONS)}")
    for name in resource.options:
        if name not in allowed:
            hint = f"{resource.format} has the options resource, {', '.join(sorted(allowed))}"
            raise DataError(f"unknown option {name!r}", source=str(path), hint=hint)


def _types(resource: Resource, path: Path) -> tuple[str, ...] | None:
    given: Any = resource.options.get("format")
    if given is None:
        return None
    types = (given,) if isinstance(given, str) else tuple(given)
    for kind in types:
        if kind not in cells.TYPES and kind != cells.SKIP:
            hint = f"types: {', '.join([*cells.TYPES, cells.SKIP])}"
            raise DataError(f"unknown column type {kind!r}", source=str(path), hint=hint)
    return types


def _delimiter(resource: Resource, path: Path) -> str:
    given = resource.options.get("delimiter", "\t" if resource.format == "tsv" else ",")
    if not isinstance(given, str) or len(given) != 1 or not given.isascii() or given in '"\r\n':
        raise DataError(f"the delimiter {given!r} is not one ASCII character", source=str(path))
    return given
