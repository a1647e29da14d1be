"""RDF files: the fast reader agrees with pyoxigraph, bad lines are named, and what is written is read back."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import IRIS, TERMS, same
from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary
from tidelog.io.bad_rows import BadRow, BadRows
from tidelog.rdf import documents, oxigraph, writing
from tidelog.terms import XSD, BlankNode, Iri, Literal, Term, canonical

Table = list[tuple[Term, ...]]
A, B, G = Iri("http://a"), Iri("http://b"), Iri("http://g")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rdf")


def load(path: Path, arity: int = 3, bad_rows: BadRows | None = None, dictionary: Dictionary | None = None) -> Table:
    dictionary = Dictionary() if dictionary is None else dictionary
    bad_rows = BadRows() if bad_rows is None else bad_rows
    columns = documents.read(path, dictionary, arity=arity, bad_rows=bad_rows)
    return list(zip(*map(dictionary.decode, columns), strict=True))


def load_text(folder: Path, text: str | bytes, name: str = "t.nt", arity: int = 3, bad_rows: BadRows | None = None) -> Table:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(path, arity, bad_rows)


def equal(left: Table, right: Table) -> bool:
    return sorted(map(repr, left)) == sorted(map(repr, right))


LINES: list[tuple[str, Term]] = [
    ('"x y"', "x y"),
    ('""', ""),
    ('"a \\"b\\" \\\\ \\n \\u00e9 \\U0001F30A"', 'a "b" \\ \n é 🌊'),
    ('"é"', "é"),
    ('"a"@en-GB', canonical(Literal("a", language="en-gb"))),
    (f'"12"^^<{XSD}integer>', 12),
    (f'"012"^^<{XSD}integer>', Literal("012", XSD + "integer")),
    ('"x"^^<http://my/type>', Literal("x", "http://my/type")),
    ("_:b.1-2", BlankNode("f1.b.1-2")),
    ("<http://x/é>", Iri("http://x/é")),
    ("<http://x/\\u00e9>", Iri("http://x/é")),
    ("<urn:x:y>", Iri("urn:x:y")),
    ("<http://x:80/a%20b?c=d&e#f>", Iri("http://x:80/a%20b?c=d&e#f")),
    ('"a <b"', "a <b"),
    ('"a _:b"', "a _:b"),
    ('"a . "', "a . "),
]


@pytest.mark.parametrize(("written", "term"), LINES)
@pytest.mark.parametrize("layout", ["{} {} {} .\n", "{}\t{}  {}.\r\n", "  {} {} {} . # why\n", "{}{}{}.", "{} {} {} .\r\n"])
def test_objects_in_every_layout(written: str, term: Term, layout: str, folder: Path) -> None:
    line = layout.format("<http://a>", "<http://b>", written)
    assert equal(load_text(folder, line), [(A, B, term)])
    assert equal(load_text(folder, line, "t.nq", 4), [(A, B, term, "default")])


@pytest.mark.parametrize(("written", "term"), LINES)
def test_graphs(written: str, term: Term, folder: Path) -> None:
    text = f"<http://a> <http://b> {written} <http://g> .\n_:a <http://b> {written} _:g .\n<http://a> <http://b> {written} .\n"
    blank, graph = BlankNode("f1.a"), BlankNode("f1.g")
    assert equal(load_text(folder, text, "t.nq", 4), [(A, B, term, G), (blank, B, term, graph), (A, B, term, "default")])
    assert equal(load_text(folder, text, "t.nq", 3), [(A, B, term), (blank, B, term), (A, B, term)])


def test_lines_without_triples(folder: Path) -> None:
    assert load_text(folder, "") == []
    assert load_text(folder, "\n# nothing . \n\r\n   \n") == []


SURROGATE = r"The escape sequence '\ud800' is encoding D800 that is not a valid unicode character"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("<http://a> <http://b> <c> .", "No scheme found in an absolute IRI"),
        ("<http://a> <http://b> <http://c d> .", "Invalid IRI code point ' '"),
        ("<http://a> <http://b> <http://[> .", "Invalid character '[' in host"),
        ('<http://a> "b" <http://c> .', "The predicate of a triple must be an IRI"),
        ('"a" <http://b> <http://c> .', "The subject of a triple must be an IRI or a blank node"),
        ("<http://a> _:b <http://c> .", "The predicate of a triple must be an IRI"),
        ("<http://a> <http://b> .", "The object of a triple must be an IRI, a blank node or a literal"),
        ("<http://a> <http://b> <http://c>", "Quads must be followed by a dot"),
        ('<http://a> <http://b> "x .', "Unexpected end of file"),
        ('<http://a> <http://b> "\\ud800" .', SURROGATE),
        ('<http://a> <http://b> "\\x" .', r"Unexpected escape character '\x'"),
        (
            "<http://a> <http://b> <<( <http://a> <http://b> <http://c> )>> .",
            "<http://a> <http://b> <http://c> is a quoted triple, which is not supported",
        ),
        ('<http://a> <http://b> "x"@en--ltr .', '"x"@en--ltr has a base direction, which is not supported'),
        ("<http://a> <http://b> <http://c> <http://d> .", "Quads must be followed by a dot"),
        ("garbage", "The subject of a triple must be an IRI or a blank node"),
    ],
)
def test_bad_lines(line: str, reason: str, folder: Path) -> None:
    good = "<http://a> <http://b> <http://c> .\n"
    text = f"# comment\n{good}{line}\n{good}"
    with pytest.raises(DataError) as caught:
        load_text(folder, text)
    error = caught.value
    assert (error.source, error.row) == (str(folder / "t.nt"), 3)
    assert error.message == f"{reason}: {line!r}"
    skipped = BadRows("skip")
    assert load_text(folder, text, bad_rows=skipped) == [(A, B, Iri("http://c"))] * 2
    assert list(skipped) == [BadRow(str(folder / "t.nt"), 3, reason, line)]


PIECES = st.sampled_from(
    [
        *["<http://a>", "<http://b>", "<a>", "<", ">", "_:x", '"a"', '"a b"', '"a', '"', "@en", "^^", "<http://t>"],
        *[" ", " ", " ", "\t", ".", " .", " .", "#", "\\n", "\\", "\r", "é", "\x00"],
    ]
)
SPELLED = st.lists(PIECES, max_size=9).map("".join)
USUAL = st.tuples(*[st.sampled_from(["<http://a>", "_:x", '"a b"', "<a>", '"x" <http://g>', "<http://b> <http://g>"])] * 3).map(
    " ".join
)


@given(st.lists(SPELLED | USUAL.map(lambda line: line + " ."), max_size=5), st.booleans())
def test_lines_mean_what_pyoxigraph_reads(folder: Path, lines: list[str], quads: bool) -> None:
    expected: Table = []
    bad = []
    for number, line in enumerate(lines, 1):
        try:
            syntax = ox.RdfFormat.N_QUADS if quads else ox.RdfFormat.N_TRIPLES
            expected += [tuple(oxigraph.term(part, "f1.") for part in quad) for quad in ox.parse(line, format=syntax)]
        except SyntaxError:
            bad.append(number)
    skipped = BadRows("skip")
    assert equal(load_text(folder, "\n".join(lines), "mess.nq" if quads else "mess.nt", 4, skipped), expected)
    assert [one.row for one in skipped] == bad


def test_bytes_that_are_not_utf8(folder: Path) -> None:
    text = b'<http://a> <http://b> "a" .\n<http://a> <http://b> "\xff" .\n'
    with pytest.raises(DataError, match=r"t\.nt:2: "):
        load_text(folder, text)
    skipped = BadRows("skip")
    assert load_text(folder, text, bad_rows=skipped) == [(A, B, "a")]
    assert [bad.text for bad in skipped] == ['<http://a> <http://b> "\\xff" .']


def test_blank_nodes_belong_to_their_file(folder: Path) -> None:
    dictionary, path = Dictionary(), folder / "blank.nt"
    path.write_text("_:x <http://b> _:x .\n_:x <http://b> _:y .\n")
    first, second = load(path, dictionary=dictionary), load(path, dictionary=dictionary)
    assert first[0][0] == first[0][2] == first[1][0] != first[1][2]
    assert not {term for row in first for term in row} & {term for row in second for term in row} - {B}


OTHERS = {
    "t.ttl": '@prefix : <http://> . :a :b "x"@en, 1 ; a :c . [] :b <rel> .',
    "t.trig": "@prefix : <http://> . :a :b 1 . :g { :a :b :c }",
    "t.rdf": '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="http://"><r:Description r:about="http://a">'
    "<p:b>x</p:b></r:Description></r:RDF>",
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("packed", [False, True])
def test_other_syntaxes_agree_with_pyoxigraph(name: str, packed: bool, folder: Path) -> None:
    path = folder / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(OTHERS[name].encode()) if packed else OTHERS[name].encode())
    syntax = documents.syntax_of(path)
    assert syntax is not None
    quads = ox.parse(OTHERS[name], format=syntax.format, base_iri=path.as_uri())
    expected = [tuple(oxigraph.term(part, "") for part in quad) for quad in quads]
    assert equal(nameless(load(path, 4)), nameless(expected))
    assert equal(nameless(load(path, 3)), nameless([row[:3] for row in expected]))


def nameless(table: Table) -> Table:
    return [tuple(BlankNode("b") if isinstance(term, BlankNode) else term for term in row) for row in table]


def test_errors_in_other_syntaxes(folder: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_text(folder, "@prefix : <http://> .\n:a :b :c .\n:a b :c .\n", "bad.ttl", bad_rows=BadRows("skip"))
    hint = "turtle cannot be read on after an error, so bad rows cannot be skipped"
    assert str(caught.value) == f"{folder / 'bad.ttl'}:3: b is not a valid predicate\n    hint: {hint}"
    with pytest.raises(DataError, match="the name does not say which RDF syntax this is"):
        load_text(folder, "", "t.txt")
    skipped = BadRows("skip")
    path = folder / "star.ttl"
    quoted = "<http://a> <http://b> <<( <http://a> <http://b> <http://c> )>> ."
    assert load_text(folder, quoted, "star.ttl", bad_rows=skipped) == []
    reason = "<<( <http://a> <http://b> <http://c> )>> is a quoted triple, which is not supported"
    assert [bad.source for bad in skipped] == [str(path)]
    assert isinstance(next(iter(skipped)), BadRow)
    assert reason.split()[-1] in next(iter(skipped)).reason


ABSOLUTE = IRIS.filter(lambda term: oxigraph.iri_problem(term.value) is None)
SUBJECTS = ABSOLUTE | st.sampled_from([BlankNode("a"), BlankNode("b1")])
OBJECTS = TERMS.filter(lambda term: not isinstance(term, Iri)) | ABSOLUTE
TRIPLES = st.tuples(SUBJECTS, ABSOLUTE, OBJECTS)
QUADS = st.tuples(SUBJECTS, ABSOLUTE, OBJECTS, SUBJECTS | st.just("default"))


@given(st.lists(TRIPLES, min_size=1) | st.lists(QUADS, min_size=1))
def test_round_trip(folder: Path, table: Table) -> None:
    dictionary, width = Dictionary(), len(table[0])
    path = folder / ("round.nt" if width == 3 else "round.nq")
    writing.write(path, [dictionary.encode(column) for column in zip(*table, strict=True)], dictionary)
    found = [tuple(unscoped(term) for term in row) for row in load(path, width)]
    assert len(found) == len(table)
    assert all(
        same(a, b)
        for left, right in zip(sorted(found, key=repr), sorted(table, key=repr), strict=True)
        for a, b in zip(left, right, strict=True)
    )
    syntax = ox.RdfFormat.N_TRIPLES if width == 3 else ox.RdfFormat.N_QUADS
    parsed = [tuple(oxigraph.term(part, "") for part in quad)[:width] for quad in ox.parse(path=path, format=syntax)]
    assert equal(parsed, table)


def unscoped(term: Term) -> Term:
    return BlankNode(term.label.removeprefix("f1.")) if isinstance(term, BlankNode) else term


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("a", B, A), '"a" cannot be the subject of a triple, which is an IRI or a blank node'),
        ((A, BlankNode("b"), A), "_:b cannot be the predicate of a triple, which is an IRI"),
        ((A, B, A, 1), f'"1"^^<{XSD}integer> cannot be the graph of a triple, which is an IRI or a blank node'),
        (
            (A, B, Iri("c")),
            "<c> is not an absolute IRI: No scheme found in an absolute IRI\n    hint: RDF files need absolute IRIs; "
            "to make them so, declare a base in the program: @base <http://example.org/> .",
        ),
        (
            (A, B),
            "RDF has triples or quads, not facts with 2 arguments\n    hint: write it as CSV or Parquet, "
            "or derive triples from it: [?x, :p, ?y] :- ... .",
        ),
    ],
)
def test_what_rdf_cannot_say(folder: Path, row: tuple[Term, ...], message: str) -> None:
    dictionary, path = Dictionary(), folder / "never.nt"
    with pytest.raises(DataError) as caught:
        writing.write(path, [dictionary.encode([term]) for term in row], dictionary)
    assert str(caught.value) == f"{path}: {message}"
    assert not path.exists()
