"""Updates as lines of JSON and as tables: what they mean, and what is said about wrong ones."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import TERMS, same
from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary
from tidelog.io.bad_rows import BadRows
from tidelog.io.updates import Lines, WrittenUpdate, facts_to_json, read
from tidelog.terms import Iri, Term, literal


def updates(*lines: str | bytes, bad_rows: BadRows | None = None) -> list[WrittenUpdate]:
    raw = [line if isinstance(line, bytes) else line.encode() for line in lines]
    return list(read([Lines("u", raw)], BadRows() if bad_rows is None else bad_rows))


def test_a_line_is_an_update() -> None:
    (update,) = updates('{"insert": [["edge", "a", 1], ["edge", "b", 2.5], ["raining"]], "delete": [["p", true]]}')
    assert update.insert == {"edge": [("a", 1), ("b", 2.5)], "raining": [()]}
    assert update.delete == {"p": [(True,)]}
    assert (update.number, update.source, update.line) == (1, "u", 1)


def test_either_part_may_be_missing_and_blank_lines_are_no_updates() -> None:
    found = updates("{}", "", '{"delete": []}\r\n', "  ")
    assert [(update.insert, update.delete, update.number, update.line) for update in found] == [({}, {}, 1, 1), ({}, {}, 2, 3)]


def test_terms_beyond_json_are_written_in_n_triples() -> None:
    (update,) = updates('{"insert": [["p", {"term": "<http://ex.org/a>"}, {"term": "\\"x\\"@en"}]]}')
    assert update.insert == {"p": [(Iri("http://ex.org/a"), literal("x", language="en"))]}


@given(st.integers(0, 4).flatmap(lambda arity: st.lists(st.lists(TERMS, min_size=arity, max_size=arity), min_size=1)))
def test_every_fact_is_read_as_it_was_written(facts: list[list[Term]]) -> None:
    dictionary = Dictionary()
    columns = [dictionary.encode(column) for column in zip(*facts, strict=True)]
    (update,) = updates(f'{{"insert": [{", ".join(facts_to_json("p", dictionary, columns, len(facts)))}]}}')
    assert len(update.insert["p"]) == len(facts)
    for found, fact in zip(update.insert["p"], facts, strict=True):
        assert all(map(same, found, fact))
        assert len(found) == len(fact)


def test_what_a_feed_says_besides_is_passed_over() -> None:
    (update,) = updates('{"update": 7, "insert": [["p", 1]], "delete": [], "explicit": {"insert": [], "delete": []}}')
    assert (update.number, update.insert) == (1, {"p": [(1,)]})


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("[", "not JSON, with one update on a line: Expecting value at character 2"),
        ("[1]", "an update is an object such as"),
        ('{"add": []}', "insert and delete, not 'add'"),
        ('{"insert": [], "insert": []}', "occurs twice"),
        ('{"insert": {"edge": [[1, 2]]}}', "insert is a list of facts"),
        ('{"delete": ["edge", 1]}', 'delete, fact 1: a fact is a list such as ["edge", 1, 2], not "edge"'),
        ('{"insert": [["p", 1], []]}', "insert, fact 2: a fact is a list"),
        ('{"insert": [[1, 2]]}', "not [1, 2]"),
        ('{"insert": [["p", null]]}', "null is not a value"),
        ('{"insert": [["p", [1]]]}', "[1] is not a value"),
        ('{"insert": [["p", {"iri": "x"}]]}', "is not a value"),
        ('{"insert": [["p", {"term": "x"}]]}', "'x' is not a term in N-Triples"),
        ('{"insert": [["p", NaN]]}', "NaN is no number in JSON"),
        ('{"insert": [["p", -Infinity]]}', "-Infinity is no number"),
        ('{"insert": [["p", 1e999]]}', "too large for a double"),
        ('{"insert": [["p", "\\ud800"]]}', "half a surrogate pair"),
        ("[" * 100_000, "nested too deeply"),
        ('{"insert": [["p", ' + "9" * 10_000 + "]]}", "too many digits"),
        (b'{"insert": [["p", "\xff"]]}', "byte 20 is not UTF-8"),
    ],
)
def test_a_bad_line_is_named_and_explained(line: str | bytes, text: str) -> None:
    with pytest.raises(DataError) as raised:
        updates("{}", line)
    assert (raised.value.source, raised.value.row) == ("u", 2)
    assert text in raised.value.message
    assert "skip" in str(raised.value.hint)


def test_bad_lines_can_be_skipped_and_keep_their_numbers() -> None:
    bad = BadRows("skip")
    assert [update.number for update in updates("{}", "oops", "{}", bad_rows=bad)] == [1, 3]
    assert [(row.source, row.row, row.text) for row in bad] == [("u", 2, "oops")]


def test_sources_follow_one_another(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(b'\xef\xbb\xbf{"insert": [["p", 1]]}\n{}')
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(b"{}\n"))
    tables = WrittenUpdate({"p": [Path("x.csv")]}, source="insert:p=x.csv")
    found = list(read([Lines.of(tmp_path / "a.ndjson"), tables, Lines.of(tmp_path / "b.ndjson.gz")], BadRows()))
    assert [update.number for update in found] == [1, 2, 3, 4]
    assert [update.line for update in found] == [1, 2, None, 1]
    assert found[0].insert == {"p": [(1,)]}


def test_a_stream_is_read_no_further_than_asked_for() -> None:
    def endless() -> Iterator[bytes]:
        yield b"{}\n"
        raise AssertionError("read ahead")

    assert next(read([Lines("stream", endless())], BadRows())).number == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_as_its_lines_come(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    asked = threading.Event()

    def write() -> None:
        with pipe.open("wb", buffering=0) as out:
            out.write(b'{"insert": [["p", 1]]}\n')
            asked.wait(10)  # the second line comes only when the first one has arrived
            out.write(b"{}\n")

    writer = threading.Thread(target=write)
    writer.start()
    found = read([Lines.of(pipe)], BadRows())
    assert next(found).insert == {"p": [(1,)]}
    asked.set()
    assert [update.number for update in found] == [2]
    writer.join()
