"""The marking benchmark: the paper's streams are those of the paper, and P_seq is counted as its Table 2 counts it."""

from __future__ import annotations

import pytest

from tidelog.bench.marking import measure, tables
from tidelog.bench.marking.measure import OLD, SHARED, WRITTEN, follow, new
from tidelog.bench.marking.published import BF, DRED, TABLE_2
from tidelog.bench.marking.streams import MAP, NODES, SEEDS, SEQ, SIZES, TRACKS, TRANS, UPDATES, Backlog, Stream, streams
from tidelog.stream.sources import END, LATER

EDGES = (TRANS, SEQ)


@pytest.mark.parametrize("program", EDGES)
def test_synthetic_streams_are_as_the_paper_says(program: str) -> None:
    """The first update inserts (up to) 100 edges into nothing; then about as many come as go."""
    for stream in (Stream(program, size, seed) for size in SIZES for seed in SEEDS):
        first, *others = stream.updates
        assert len(stream.updates) == UPDATES
        assert not first["delete"]
        there = set(first["insert"]["edge"])
        assert 85 <= len(there) <= 100
        assert all(0 <= node < NODES[program] for edge in there for node in edge)
        for update in others:
            deleted, inserted = (set(update[part].get("edge", ())) for part in ("delete", "insert"))
            assert deleted <= there
            assert inserted.isdisjoint(there)
            assert len(deleted) <= stream.size
            assert 0 < len(inserted) <= stream.size
            there = there - deleted | inserted


@pytest.mark.parametrize(("track", "updates"), [(0, 55), (2, 114)])
def test_tracks_are_as_the_paper_says(track: int, updates: int) -> None:
    there: set[tuple[int, ...]] = set()
    sizes: list[tuple[int, int]] = []
    assert len(Stream(MAP, track).updates) == updates
    for update in Stream(MAP, track).updates:
        deleted, inserted = (set(update[part].get("nextInWay", ())) for part in ("delete", "insert"))
        assert deleted <= there
        assert inserted.isdisjoint(there)
        sizes.append((len(inserted), len(deleted)))
        there = there - deleted | inserted
    assert tuple(map(max, zip(*sizes, strict=True))) == {0: (172, 114), 2: (65, 74)}[track]


def test_the_second_update_comes_when_the_first_is_done() -> None:
    source = Backlog([{"insert": {}}, {}, {}])
    assert source.take(wait=True) == {"insert": {}}
    assert source.take(wait=False) is LATER
    assert [source.take(wait=True), source.take(wait=False), source.take(wait=False)] == [{}, {}, END]


@pytest.mark.parametrize("size", [10, 40, 80])
def test_p_seq_counts_as_table_2_does(size: int) -> None:
    old, marked = ([follow(Stream(SEQ, size, seed), way) for seed in SEEDS] for way in (OLD[BF], new(BF, SHARED)))
    assert tables.table_2(old, marked) == TABLE_2[size]
    for before, after in zip(old, marked, strict=True):
        assert before.applications["deletion"] - after.applications["deletion"] == after.derived == after.explicit
        assert not any(one.applications[phase] for one in (before, after) for phase in ("backward", "forward"))


@pytest.mark.parametrize(("seed", "marks"), [(1, 146), (2, 171), (3, 165)])
def test_algorithm_1_as_written_marks_only_what_is_derived_after_the_mark(seed: int, marks: int) -> None:
    marked = follow(Stream(SEQ, 10, seed), new(BF, WRITTEN))
    assert (marked.explicit, marked.derived, marked.applications["deletion"]) == (480, marks, 1960 - marks)


@pytest.mark.parametrize(("size", "insertions", "explicit"), [(10, 545, 480), (80, 1782, 3293)])
def test_p_trans_counts_as_table_1_does_where_no_order_matters(size: int, insertions: int, explicit: int) -> None:
    marked = [follow(Stream(TRANS, size, seed), new(BF, WRITTEN)) for seed in SEEDS]
    assert round(sum(one.applications["addition"] for one in marked) / len(SEEDS)) == insertions
    assert round(sum(one.explicit for one in marked) / len(SEEDS)) == explicit


@pytest.mark.parametrize(("track", "insertions", "forward", "explicit"), [(0, 4638, 3299, 910), (2, 1704, 1206, 1017)])
def test_p_map_counts_as_table_3_does_where_no_order_matters(track: int, insertions: int, forward: int, explicit: int) -> None:
    old, marked = (follow(Stream(MAP, track), way) for way in (OLD[BF], new(BF, WRITTEN)))
    for one in (old, marked):
        assert (one.applications["addition"], one.applications["forward"]) == (insertions, forward)
    assert (old.explicit, marked.explicit) == (0, explicit)
    assert marked.applications["deletion"] < old.applications["deletion"]


def test_tables_say_what_was_measured() -> None:
    chosen = [Stream(SEQ, 10, 1), Stream(TRANS, 10, 1)]
    found = dict(measure.measure(chosen, measure.WAYS, 1))
    sections = tables.sections(found)
    assert not any(section.problems for section in sections)
    (table,) = (section for section in sections if section.title.startswith("Table 2. P_seq: B/F") and SHARED in section.title)
    (row,) = table.rows
    assert row[0] == "10"
    assert row[4:13] == ("1,960", "1,480", "0", "0", "0", "0", "2,360", "480", "480")
    assert len(row) == len(table.headings)
    targets = [verdict for section in sections for verdict in section.verdicts]
    assert len(targets) == 8  # B/F and DRed, with marking and without, on two streams


def test_other_facts_are_a_problem() -> None:
    stream = Stream(SEQ, 10, 1)
    found = dict(measure.measure([stream], (*OLD.values(), *measure.NEW.values(), measure.RANKED), 1))
    found[stream][OLD[DRED]] = follow(Stream(SEQ, 20, 1), OLD[DRED])
    assert [problem for section in tables.sections(found) for problem in section.problems] == [
        "P_seq 10, seed 1: dred has other facts than ranked"
    ]


def test_there_are_streams_for_every_line_of_the_tables() -> None:
    assert len(streams()) == 2 * len(SIZES) * len(SEEDS) + len(TRACKS)
    assert len({stream.name for stream in streams()}) == len(streams())
