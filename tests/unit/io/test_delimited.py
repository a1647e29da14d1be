"""CSV and TSV: what a cell means, bad rows, and that what is written is read back."""

from __future__ import annotations

import gzip
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import STRINGS, TERMS, TRICKY, same
from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary
from tidelog.io import cells, delimited, rows
from tidelog.io.bad_rows import BadRow, BadRows
from tidelog.io.rows import Layout
from tidelog.terms import BlankNode, Iri, Term, canonical

Table = list[tuple[Term, ...]]
PLAIN = Layout()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def load(path: Path, layout: Layout = PLAIN, arity: int | None = None, bad_rows: BadRows | None = None) -> Table:
    dictionary = Dictionary()
    bad_rows = BadRows() if bad_rows is None else bad_rows
    columns = delimited.read(path, dictionary, layout, arity=arity, bad_rows=bad_rows)
    return list(zip(*map(dictionary.decode, columns), strict=True))


def load_text(folder: Path, text: str | bytes, layout: Layout = PLAIN, **more: Any) -> Table:
    path = folder / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(path, layout, **more)


def equal(left: Table, right: Table) -> bool:
    return len(left) == len(right) and all(len(a) == len(b) and all(map(same, a, b)) for a, b in zip(left, right, strict=True))


CELLS: list[tuple[str, Term]] = [
    *[("12", 12), ("-3", -3), ("0", 0), ("007", "007"), ("-0", "-0"), ("+1", "+1"), (" 1", " 1"), ("1 ", "1 "), ("1_0", "1_0")],
    *[("0x1F", "0x1F"), ("0xFFFFFFFF", "0xFFFFFFFF"), ("\u0661", "\u0661"), (str(2**80), 2**80), (str(-(2**63)), -(2**63))],
    *[
        ("1.5", 1.5),
        ("-0.0", -0.0),
        ("1e5", 1e5),
        ("1E-3", 1e-3),
        ("1.50", 1.5),
        ("1.", "1."),
        (".5", ".5"),
        ("1e999", "1e999"),
    ],
    *[
        ("inf", "inf"),
        ("nan", "nan"),
        ("true", True),
        ("false", False),
        ("True", "True"),
        ("NULL", "NULL"),
        ("", ""),
        ("a", "a"),
    ],
    *[("<http://a>", Iri("http://a")), ("<a b>", "<a b>"), ("_:b", BlankNode("b")), ("_:", "_:"), ("2024-01-01", "2024-01-01")],
]


@pytest.mark.parametrize(("cell", "term"), CELLS)
def test_a_cell_means_the_same_whatever_else_is_there(cell: str, term: Term, folder: Path) -> None:
    assert same(cells.read_any(cell), term)
    for other in ("1", "1.5", "x", "true", "<http://a>", "007"):
        assert same(load_text(folder, f"{cell},{other}\n{other},{other}\n")[0][0], term)
        assert same(load_text(folder, f"1,{cell}\n2,{cell}\n")[1][1], term)


@pytest.mark.parametrize(
    ("cell", "term"),
    [
        ('"12"', "12"),
        ('"a"@en', None),
        ('"2024-01-01"^^<http://www.w3.org/2001/XMLSchema#date>', date(2024, 1, 1)),
        ('"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', Decimal("1.5")),
        ('"a', '"a'),
        ('"a"b', '"a"b'),
    ],
)
def test_rdf_literals_in_cells(cell: str, term: Term | None, folder: Path) -> None:
    written = '"' + cell.replace('"', '""') + '"'
    found = load_text(folder, f"{written},1\n")[0][0]
    assert same(found, cells.read_any(cell))
    assert term is None or same(found, term)


@given(TERMS)
def test_a_cell_is_read_as_it_was_written(term: Term) -> None:
    assert same(cells.read_any(cells.show(term)), term)


@given(STRINGS)
def test_any_cell_is_some_term(text: str) -> None:
    assert canonical(cells.read_any(text)) is not None


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("int", {"7": 7, "007": 7, "+1": 1, "-0": 0}, ["", "a", "1.0", " 1", "1_0", "0x1", "1e3"]),
        ("integer", {"7": 7}, ["x"]),
        (
            "float",
            {"1": 1.0, ".5": 0.5, "1.": 1.0, "1e3": 1e3, "-INF": float("-inf"), "nan": float("nan")},
            ["", "a", " 1", "1_0"],
        ),
        ("double", {"1": 1.0}, ["x"]),
        ("decimal", {"1.50": Decimal("1.5"), "2": Decimal(2)}, ["", "1e3", "NaN"]),
        ("bool", {"true": True, "FALSE": False}, ["1", "yes", ""]),
        ("string", {"12": "12", "": "", "<a>": "<a>", '"q': '"q'}, []),
        ("iri", {"<http://a>": Iri("http://a"), "http://a": Iri("http://a")}, ["", "a b", "<>"]),
        ("date", {"2024-02-29": date(2024, 2, 29)}, ["2023-02-29", "20240101", "", "2024-1-1"]),
        ("datetime", {"2024-01-01 10:00": datetime(2024, 1, 1, 10)}, ["2024-01-01", "x"]),
    ],
)
def test_declared_types(kind: str, good: dict[str, Term], bad: list[str], folder: Path) -> None:
    layout = Layout(types=(kind, "any"))
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in good]
    assert equal(load_text(folder, "".join(f"{cell},1\n" for cell in quoted), layout), [(term, 1) for term in good.values()])
    for cell in bad:
        article = "an" if kind[0] in "ai" else "a"
        with pytest.raises(DataError) as caught:
            load_text(folder, f"{next(iter(good))},1\n{cell},2\n", layout)
        assert caught.value.row == 2
        assert caught.value.message == f"column 1: {cell!r} is not {article} {kind}: {f'{cell},2'!r}"


def test_layouts(folder: Path) -> None:
    assert load_text(folder, "a;b\n1;2\n", Layout(";", ignore_headers=True)) == [(1, 2)]
    assert load_text(folder, "a\tb c\n", Layout("\t")) == [("a", "b c")]
    assert load_text(folder, "1,2,3\n", Layout(types=("int", "skip", "string"))) == [(1, "3")]
    assert load_text(folder, "\ufeffa,1\r\nb,2") == [("a", 1), ("b", 2)]
    assert load_text(folder, '\n"a\nb","c ""d"""\n\n\ne,f\n') == [("a\nb", 'c "d"'), ("e", "f")]
    assert load_text(folder, "", arity=2) == []
    assert load_text(folder, "x,y\n", Layout(ignore_headers=True), arity=2) == []
    (folder / "t.csv.gz").write_bytes(gzip.compress(b"1,2\n") + gzip.compress(b"3,4\n"))
    assert load(folder / "t.csv.gz") == [(1, 2), (3, 4)]


HINT = "\n    hint: to load the other rows, skip bad rows: on_bad_row='skip', on the command line --on-bad-row skip"


@pytest.mark.parametrize(
    ("text", "bad", "good"),
    [
        (b"1,2\n3\n4,5\n", (2, "1 column, where 2 are needed", "3"), [(1, 2), (4, 5)]),
        (b"1,2\n3,4,5\n", (2, "3 columns, where 2 are needed", "3,4,5"), [(1, 2)]),
        (b"1,2\nx,3\n", (2, "column 1: 'x' is not an int", "x,3"), [(1, 2)]),
        (b"1,2\n3,\xff\n", (2, "column 2 is not UTF-8", "3,\\xff"), [(1, 2)]),
        (b'1,"2\n3,4\n', (1, "a quote is not closed", '1,"2'), [(3, 4)]),
        (b'1,"a\nb"\n\nx,3\n', (4, "column 1: 'x' is not an int", "x,3"), [(1, "a\nb")]),
    ],
)
def test_bad_rows(text: bytes, bad: tuple[int, str, str], good: Table, folder: Path) -> None:
    path, layout = folder / "t.csv", Layout(types=("int", "any"))
    with pytest.raises(DataError) as caught:
        load_text(folder, text, layout, arity=2)
    line, reason, shown = bad
    assert str(caught.value) == f"{path}:{line}: {reason}: {shown!r}{HINT}"
    skipped = BadRows("skip")
    assert load_text(folder, text, layout, arity=2, bad_rows=skipped) == good
    assert list(skipped) == [BadRow(str(path), line, reason, shown)]


def test_bad_rows_can_be_written_out(folder: Path) -> None:
    skipped = BadRows("skip")
    load_text(folder, b'1,2\n"a,b"\n\xff,1\n', arity=2, bad_rows=skipped)
    skipped.write(folder / "bad-rows.csv")
    source = str(folder / "t.csv")
    assert load(folder / "bad-rows.csv") == [
        ("source", "row", "reason", "text"),
        (source, 2, "1 column, where 2 are needed", "a,b"),  # the quoted cell "a,b" is itself a string in quotes
        (source, 3, "column 1 is not UTF-8", "\\xff,1"),
    ]


def test_files_that_cannot_be_read(folder: Path) -> None:
    (folder / "edges.csv").write_text("1,2\n")
    (folder / "broken.csv.gz").write_bytes(gzip.compress(b"1,2\n" * 1000)[:-20])
    for name, message in [
        ("edge.csv", "no such file\n    hint: did you mean edges.csv?"),
        ("nowhere/edge.csv", f"no such file\n    hint: there is no directory {folder / 'nowhere'}"),
        (".", "is a directory, not a file"),
        ("broken.csv.gz", "ends in the middle of its gzip data"),
    ]:
        with pytest.raises(DataError) as caught:
            load(folder / name)
        assert str(caught.value) == f"{folder / name}: {message}"


TABLES = st.integers(1, 3).flatmap(lambda arity: st.lists(st.tuples(*[TERMS] * arity), min_size=1, max_size=20))


@given(TABLES, st.sampled_from(",\t;"))
def test_round_trip(folder: Path, table: Table, delimiter: str) -> None:
    dictionary = Dictionary()
    path = folder / "round.csv"
    delimited.write(path, [dictionary.encode(column) for column in zip(*table, strict=True)], dictionary, delimiter=delimiter)
    assert equal(load(path, Layout(delimiter)), table)
    assert equal(load(path, Layout(delimiter), arity=len(table[0])), table)


def test_tricky_strings_round_trip(folder: Path) -> None:
    dictionary = Dictionary()
    for columns in ([TRICKY], [TRICKY, TRICKY[::-1]]):
        delimited.write(folder / "tricky.csv", [dictionary.encode(column) for column in columns], dictionary)
        assert load(folder / "tricky.csv") == list(zip(*columns, strict=True))


MESS = st.text('ab1,"\r\n', max_size=12) | st.lists(
    st.sampled_from(['"', '""', ",", "\n", "\r\n", "a", "1", " "]), max_size=10
).map("".join)


@given(MESS, st.integers(1, 3), st.booleans())
def test_the_fast_and_the_exact_way_agree(folder: Path, text: str, arity: int, ignore_headers: bool) -> None:
    path, dictionary, layout = folder / "mess.csv", Dictionary(), Layout(ignore_headers=ignore_headers)
    path.write_bytes(text.encode())
    outcomes = []
    for read in (
        lambda: delimited.read(path, dictionary, layout, arity=arity, bad_rows=BadRows()),
        lambda: rows.read(str(path), text.encode(), dictionary, layout, arity=arity, bad_rows=BadRows()),
    ):
        try:
            outcomes.append([column.tolist() for column in read()])
        except DataError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_a_failed_write_leaves_the_old_file(folder: Path) -> None:
    path = folder / "kept.csv"
    path.write_text("old\n")
    with pytest.raises(IndexError):
        delimited.write(path, [Dictionary().encode(["a"])], Dictionary())
    assert path.read_text() == "old\n"
    assert [file.name for file in folder.iterdir() if "kept" in file.name] == ["kept.csv"]
    with pytest.raises(DataError, match="without arguments cannot be written as a table"):
        delimited.write(path, [], Dictionary())
