"""Writing a workload's input to files, in the format that each system reads best.

Relations of integers become `NAME.csv` (Tidelog, Nemo, DuckDB), `NAME.lp` (facts as text, for clingo) and `NAME.parquet`;
triples become `triple.nt`, and `triple.ttl` beside it, since reasonable knows Turtle alone (N-Triples is Turtle too).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from tidelog.bench.graphs import Relations, Rows
from tidelog.bench.university import University

COLUMN = "c{}"
"""How the columns of relations are named, counted from 0."""


def write(data: Relations | University, directory: Path, formats: tuple[str, ...] = ("csv", "lp")) -> None:
    """Write relations in the given formats, or triples as N-Triples."""
    if isinstance(data, University):
        write_triples(directory, data.lines())
        return
    writers = {"csv": _write_csv, "lp": _write_lp, "parquet": _write_parquet}
    for predicate, rows in data.items():
        for name in formats:
            writers[name](directory / f"{predicate}.{name}", predicate, rows)


def write_triples(directory: Path, portions: Iterator[bytes]) -> None:
    """Write portions of N-Triples lines."""
    with open(directory / "triple.nt", "wb") as file:
        file.writelines(portions)
    (directory / "triple.ttl").symlink_to("triple.nt")


def given_triples(data: Path, ontology: Path | None) -> Iterator[bytes]:
    """The lines of an N-Triples file, which may be compressed, and those of an ontology in any RDF syntax."""
    with gzip.open(data) if data.suffix == ".gz" else open(data, "rb") as file:
        while portion := file.read(1 << 24):
            yield portion
    if ontology is not None:
        yield b"\n" + _as_ntriples(ontology)


def _as_ntriples(path: Path) -> bytes:
    import pyoxigraph as ox

    known = ox.RdfFormat.from_extension(path.suffix.removeprefix("."))
    parsed = ox.parse(path=str(path), format=known or ox.RdfFormat.RDF_XML, base_iri=path.resolve().as_uri())
    return bytes(ox.serialize((quad.triple for quad in parsed), format=ox.RdfFormat.N_TRIPLES) or b"")


def _columns(rows: Rows) -> pa.Table:
    return pa.table({COLUMN.format(place): column.copy() for place, column in enumerate(rows.T)})


def _write_csv(path: Path, predicate: str, rows: Rows) -> None:
    options = pyarrow.csv.WriteOptions(include_header=False)
    pyarrow.csv.write_csv(_columns(rows), path, options)


def _write_parquet(path: Path, predicate: str, rows: Rows) -> None:
    pyarrow.parquet.write_table(_columns(rows), path)


def _write_lp(path: Path, predicate: str, rows: Rows) -> None:
    terms = pc.binary_join_element_wise(*(column.cast(pa.string()) for column in _columns(rows).columns), ",")
    facts = pc.binary_join_element_wise(f"{predicate}(", terms, ").\n", "").cast(pa.large_string())
    with open(path, "wb") as file:
        for chunk in facts.chunks:
            file.write(chunk.buffers()[2].to_pybytes())
