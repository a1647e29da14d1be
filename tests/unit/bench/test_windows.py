"""The windows benchmark: what slides is as it says, and the systems keep up with it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tidelog.bench.options import Options
from tidelog.bench.windows import measure, part
from tidelog.bench.windows.streams import BACKGROUND, Stream, filling, parts, steps

STREAM = Stream(window=300, step=30, depth=3, steps=3)


def test_a_window_is_filled_and_then_exchanged_step_by_step() -> None:
    background, slides = parts(STREAM)
    full, leaves = filling(STREAM, slides)
    assert (len(background), len(full), len(leaves)) == (300 // BACKGROUND, 300, 300)
    told = list(steps(STREAM, slides))
    assert len(told) == STREAM.steps + 1
    held = 300
    for slide in told:
        leaving = int((leaves == slide.now).sum())
        assert leaving == len(slide.triples) == STREAM.step
        held += len(slide.triples) - leaving
    assert held == 300
    everything = [tuple(edge) for edge in [*background.tolist(), *full.tolist()]]
    assert len(set(everything)) == len(everything)
    children = [child for child, _ in everything]
    assert len(set(children)) == len(children)  # trees: one parent each


def test_all_systems_have_the_same_facts() -> None:
    found = {name: measure.measure(STREAM, name) for name in measure.SYSTEMS}
    assert len({(measured.facts, measured.changes) for measured in found.values()}) == 1
    assert found["incremental-stream"].instances < found["ranked"].instances
    assert found["incremental-stream"].facts > 330


def test_tables_targets_and_curves(tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    sections = part.windows(Options(size="tiny", plot=path), lambda text: None)
    assert [len(section.rows) for section in sections] == [1, 2, 0, 0]
    assert [verdict.met for section in sections for verdict in section.verdicts] == [None, None]
    assert not any(section.problems for section in sections)
    assert len(ElementTree.parse(path).getroot().findall(".//{http://www.w3.org/2000/svg}polyline")) == 8


def test_systems_by_either_name() -> None:
    assert measure.systems(()) == list(measure.SYSTEMS)
    assert measure.systems(("expiry", "naive")) == ["naive", "incremental-stream"]


@pytest.mark.parametrize(("window", "step", "ticks"), [(1000, 1, 1000), (1000, 300, 3)])
def test_a_step_that_does_not_divide_the_window(window: int, step: int, ticks: int) -> None:
    stream = Stream(window, step)
    assert stream.ticks == ticks
    assert len(filling(stream, parts(stream)[1])[0]) == ticks * step
