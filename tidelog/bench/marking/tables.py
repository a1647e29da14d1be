"""What was measured as the paper's tables, and what it says: does marking pay?"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from tidelog.bench.figures import amount
from tidelog.bench.marking.measure import (
    BACKWARD,
    DELETIONS,
    FORWARD,
    INSERTIONS,
    MARKS,
    OLD,
    RANKED,
    SHARED,
    WAYS,
    Found,
    Measured,
    Way,
    new,
)
from tidelog.bench.marking.published import BF, SECONDS, TABLE_2
from tidelog.bench.marking.streams import MAP, SEEDS, SEQ, TRANS
from tidelog.bench.results import Section, Verdict

Row = tuple[str, ...]

_TABLES = {TRANS: "1. P_trans", SEQ: "2. P_seq", MAP: "3. P_map, on real tracks"}
_HEADINGS = (
    *("old ms", "new ms", "reduction %", "deletions old", "new", "backward old", "new", "forward old", "new"),
    *("insertions", "marks ex.", "im.", "published old s", "new s", "times faster old", "new"),
)
_FASTER = 50
"""So many times faster than the published programs, says the target."""


def sections(found: Found) -> list[Section]:
    tables = [_table(found, algorithm, marks, program) for algorithm in OLD for marks in MARKS for program in _TABLES]
    return [*tables, _ways(found), _target(found), _agreement(found)]


def _lines(found: Found, program: str) -> list[int]:
    return list(dict.fromkeys(stream.size for stream in found if stream.program == program))


def _of(found: Found, program: str, size: int, way: Way) -> list[Measured]:
    """One for each seed."""
    return [ways[way] for stream, ways in found.items() if (stream.program, stream.size) == (program, size)]


def _table(found: Found, algorithm: str, marks: str, program: str) -> Section:
    rows = []
    for size in _lines(found, program):
        old, marked = (_of(found, program, size, way) for way in (OLD[algorithm], new(algorithm, marks)))
        rows.append(
            (
                f"track {size}" if program == MAP else str(size),
                *_cells(old, marked),
                *_beside(algorithm, program, size, old, marked),
            )
        )
    title = f"Table {_TABLES[program]}: {algorithm}, old, and with marking ({marks}), new"
    return Section(title, ("track" if program == MAP else "size", *_HEADINGS), tuple(rows))


def _cells(old: Sequence[Measured], marked: Sequence[Measured]) -> Row:
    before, after = _seconds(old), _seconds(marked)
    phases = [_applications(some, phase) for phase in (DELETIONS, BACKWARD, FORWARD) for some in (old, marked)]
    marks = [fmean(m.explicit for m in marked), fmean(m.derived for m in marked)]
    counts = [*phases, _applications(marked, INSERTIONS), *marks]
    return _ms(before), _ms(after), f"{100 * (1 - after / before):.1f}", *(f"{round(value):,}" for value in counts)


def _beside(algorithm: str, program: str, size: int, old: Sequence[Measured], marked: Sequence[Measured]) -> Row:
    published = SECONDS.get((algorithm, program, size))
    if published is None:
        return "", "", "", ""
    times = (f"{theirs / _seconds(ours):,.0f}" for theirs, ours in zip(published, (old, marked), strict=True))
    return (*(f"{seconds:.1f}" for seconds in published), *times)


def _ways(found: Found) -> Section:
    """All ways beside each other."""
    rows = []
    for program in _TABLES:
        for size in _lines(found, program):
            times = [_ms(_seconds(_of(found, program, size, way))) for way in WAYS]
            rows.append((f"{program} {size}", *times))
    return Section(
        "Does marking pay? Milliseconds of the processor for the whole stream",
        ("stream", *(way.name for way in WAYS)),
        tuple(rows),
    )


def _target(found: Found) -> Section:
    verdicts = []
    for (algorithm, program, size), published in SECONDS.items():
        for what, seconds, way in zip(
            ("", " with marking"), published, (OLD[algorithm], new(algorithm, MARKS[0])), strict=True
        ):
            if own := _of(found, program, size, way):
                ratio = seconds / _seconds(own)
                text = f"{program} {size}, {algorithm}{what}: at least {_FASTER} times faster than the published programs"
                verdicts.append(Verdict(f"{text} ({ratio:,.0f} times)", ratio >= _FASTER))
    return Section("Beside the published programs", verdicts=tuple(verdicts))


def _agreement(found: Found) -> Section:
    """All ways have the same facts after every update; and P_seq is as the paper counts it, where marks are shared."""
    problems = [
        f"{stream.name}: {way.name} has other facts than {RANKED.name}"
        for stream, ways in found.items()
        for way in ways
        if _differ(ways[way], ways[RANKED])
    ]
    for size in _lines(found, SEQ):
        old, marked = (_of(found, SEQ, size, way) for way in (OLD[BF], new(BF, SHARED)))
        if len(old) == len(SEEDS) and (counts := table_2(old, marked)) != TABLE_2[size]:
            problems.append(f"P_seq {size}: Table 2 has {TABLE_2[size]}, not {counts}")
    return Section("All facts compared, and P_seq's counts with those of the paper's Table 2", problems=tuple(problems))


def table_2(old: Sequence[Measured], marked: Sequence[Measured]) -> tuple[int, ...]:
    """The counts of a line of Table 2: means over the seeds."""
    before, after, inserted = _applications(old, DELETIONS), _applications(marked, DELETIONS), _applications(marked, INSERTIONS)
    marks = (fmean(m.explicit for m in marked), fmean(m.derived for m in marked))
    return tuple(map(round, (before, after, inserted, *marks)))


def _differ(one: Measured, other: Measured) -> bool:
    return (one.changes, one.facts) != (other.changes, other.facts)


def _applications(some: Sequence[Measured], phase: str) -> float:
    return fmean(m.applications.get(phase, 0) for m in some)


def _seconds(some: Sequence[Measured]) -> float:
    return fmean(m.seconds for m in some)


def _ms(seconds: float) -> str:
    return amount(seconds * 1e3)
