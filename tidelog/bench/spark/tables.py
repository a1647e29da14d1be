"""What was measured: closures, what each of their rounds cost, small updates as the base grows, and hubs."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from tidelog.bench.figures import amount, memory, seconds
from tidelog.bench.results import Section, Verdict
from tidelog.bench.spark.systems import Found, Round

_TINY = 1000
"""A round with at most so many new facts is a tiny one."""
_SHOWN = 12
"""How many rounds a table shows."""
_WHOLE, _ROUND, _GROWTH = 25.0, 0.4, 1.5

Measured = Mapping[tuple[str, str | None], Found | str]


def closures(nodes: int, edges: int, found: Measured, *, full: bool) -> Section:
    headings = ("system", "seconds", "facts", "rounds", "a tiny round", "jobs", "shuffled", "driver's memory")
    rows, problems = [], []
    for (system, master), one in found.items():
        name = system if master is None else f"{system}, {master}"
        if isinstance(one, str):
            problems.append(f"{name}: {one}")
            continue
        works = [each.work for each in one.rounds if each.work is not None]
        jobs, shuffled = (amount(sum(each.jobs for each in works)), _bytes(sum(each.shuffled for each in works)))
        counted = (str(len(one.rounds)), seconds(_tiny(one)), jobs, shuffled) if works else ("", "", "", "")
        rows.append((name, seconds(one.seconds), f"{one.facts:,}", *counted, memory(one.peak)))
    answers = {(one.facts, one.checksum) for one in found.values() if not isinstance(one, str)}
    if len(answers) > 1:
        problems.append(f"the systems found different closures: {sorted(answers)}")
    title = f"The closure of a random graph of {nodes:,} nodes and {edges:,} edges"
    notes = (f"a tiny round is one with at most {_TINY:,} new facts, the one in the middle; Java is warm",)
    own = found.get(("spark", "local[2]"))
    verdicts = _verdicts(own) if full and isinstance(own, Found) else ()
    return Section(title, headings, tuple(rows), notes, tuple(problems), verdicts)


def _bytes(count: int) -> str:
    return memory(count) if count >= 10e6 else f"{count / 1e3:,.0f} kB"


def _tiny(found: Found) -> float | None:
    taken = [one.seconds for one in found.rounds if one.facts <= _TINY]
    return median(taken) if taken else None


def _verdicts(own: Found) -> tuple[Verdict, ...]:
    tiny = _tiny(own)
    return (
        Verdict(f"the closure on local[2] below {_WHOLE:g} s ({seconds(own.seconds)})", own.seconds < _WHOLE),
        Verdict(f"a tiny round below {_ROUND:g} s ({seconds(tiny)})", None if tiny is None else tiny < _ROUND),
    )


def rounds(found: Measured) -> list[Section]:
    """What each round of the Spark engine cost, by Spark's own metrics."""
    sections = []
    headings = ("round", "new facts", "seconds", "jobs", "tasks", "bytes shuffled", "a new fact", "tasks' time", "longest task")
    note = "of the stage that took longest: its longest task, beside the one in the middle"
    for (system, master), one in found.items():
        if system != "spark" or isinstance(one, str):
            continue
        every = max(1, -(-len(one.rounds) // _SHOWN))
        rows = tuple(_row(number, each) for number, each in enumerate(one.rounds, 1) if (number - 1) % every == 0)
        title = f"Rounds of the Spark engine on {master}, by Spark's metrics"
        sections.append(Section(title, headings, rows, (note,)))
    return sections


def _row(number: int, one: Round) -> tuple[str, ...]:
    work = one.work
    assert work is not None
    return (
        str(number),
        f"{one.facts:,}",
        seconds(one.seconds),
        str(work.jobs),
        str(work.tasks),
        f"{work.shuffled:,}",
        amount(work.shuffled / one.facts) if one.facts else "",
        seconds(work.run),
        f"{seconds(work.longest)} / {seconds(work.typical)}",
    )


def grown(length: int, found: Mapping[tuple[str, int], Found | str]) -> Section:
    """Small updates as the base grows."""
    headings = ("system", "base", "first", "small update", "its rounds", "a round", "jobs")
    rows, problems = [], []
    for (system, chains), one in found.items():
        if isinstance(one, str):
            problems.append(f"{system}, {chains:,} chains: {one}")
            continue
        later = one.rounds[2:]
        count = median(each.facts for each in later)
        jobs = [each.work.jobs for each in later if each.work is not None]
        update = median(one.updates)
        shown = (seconds(one.seconds), seconds(update), f"{count:g}", seconds(update / max(1, count)))
        rows.append((system, f"{one.facts:,} facts", *shown, f"{median(jobs):g}" if jobs else ""))
    answers: dict[int, set[object]] = {}
    for (_, chains), one in found.items():
        if not isinstance(one, str):
            answers.setdefault(chains, set()).add((one.facts, one.answers))
    problems += [f"{chains:,} chains: the systems have different facts" for chains, some in answers.items() if len(some) > 1]
    own = [one for (system, _), one in found.items() if system == "spark" and not isinstance(one, str)]
    title = f"A chain of {length} nodes more, and one less, as the base grows"
    return Section(title, headings, tuple(rows), problems=tuple(problems), verdicts=_steady(own))


def _steady(own: list[Found]) -> tuple[Verdict, ...]:
    if len(own) < 3:
        return ()
    growth, base = median(own[-1].updates) / median(own[0].updates), own[-1].facts / own[0].facts
    text = f"a small update takes at most {_GROWTH:g} times as long with {base:.0f} times the base ({growth:.2f} times)"
    return (Verdict(text, growth <= _GROWTH),)


def stars(edges: int, found: Mapping[tuple[int, str], Found | str]) -> Section:
    """All edges leave one node, or many."""
    headings = ("hubs", "master", "seconds", "facts", "shuffled", "tasks' seconds", "longest task")
    rows, problems = [], []
    for (hubs, master), one in found.items():
        if isinstance(one, str):
            problems.append(f"{hubs:,} hubs on {master}: {one}")
            continue
        works = [each.work for each in one.rounds if each.work is not None]
        worst = max(works, key=lambda work: work.longest)
        shown = (_bytes(sum(work.shuffled for work in works)), seconds(sum(work.run for work in works)))
        longest = f"{seconds(worst.longest)} / {seconds(worst.typical)}"
        rows.append((f"{hubs:,}", master, seconds(one.seconds), f"{one.facts:,}", *shown, longest))
    return Section(f"Skew: {edges:,} edges that leave so many nodes", headings, tuple(rows), problems=tuple(problems))
