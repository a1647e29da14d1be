"""Marking: whenever the next update comes into sight, and whatever really happens next, the answer is the oracle's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.generators import Case, cases
from tests.mirror import Mirror, net
from tests.properties.test_updates import blaming
from tests.streams import Arriving
from tests.updates import Update
from tidelog import Changes, Materialisation, Program
from tidelog.engines.embedded.algebra import EmbeddedAlgebra

OPTIONS: dict[str, dict[str, Any]] = {
    "bf-marking": {},
    "bf-marking, shared": {"marks": "shared"},
    "dred-marking": {},
    "dred-marking, shared": {"marks": "shared"},
    "dred-marking, positive": {"positive_marks": True},
}
looks = st.lists(st.sampled_from((0, 0, 0, 1, 2, 3, 5, 8, 100)), min_size=7, max_size=7)
both_strata = st.sampled_from(["granular", "single"])
HAPPENINGS = ("nothing", "nothing", "another", "switch", "break")


def marking(case: Case, options: str, strata: str) -> Materialisation:
    algorithm = options.partition(",")[0]
    return Materialisation(Program.parse(case.text), algorithm=algorithm, strata=strata, **OPTIONS[options])


@settings(max_examples=max(20, settings().max_examples // 3))
@given(case=cases(max_updates=6), strata=both_strata, looks=looks)
def test_whenever_the_next_update_comes_into_sight(case: Case, strata: str, looks: list[int]) -> None:
    mirror, updates = Mirror(Program.parse(case.text)), [Update(case.facts, {}), *case.updates]
    mats = {options: marking(case, options, strata) for options in OPTIONS}
    streams = {options: mat.follow(Arriving(updates, looks)) for options, mat in mats.items()}
    for update in updates:
        expected = mirror.update(update)
        for options, stream in streams.items():
            changes = next(stream)
            with blaming(options, update):
                mirror.compare(mats[options])
                assert (net(changes.inserted), net(changes.deleted)) == expected
    assert all(next(stream, None) is None for stream in streams.values())


@settings(max_examples=max(20, settings().max_examples // 2))
@given(case=cases(max_updates=6), options=st.sampled_from(tuple(OPTIONS)), strata=both_strata, looks=looks, data=st.data())
def test_whatever_happens_next(case: Case, options: str, strata: str, looks: list[int], data: st.DataObject) -> None:
    """Another update than the one in sight, another algorithm's, or the same once more after it was broken off."""
    mirror, updates = Mirror(Program.parse(case.text)), [Update(case.facts, {}), *case.updates]
    mat = marking(case, options, strata)
    own, stream = mat.algorithm, mat.follow(Arriving(updates, looks))
    for position, update in enumerate(updates):
        match data.draw(st.sampled_from(HAPPENINGS)):
            case "another":
                mat.algorithm = data.draw(st.sampled_from(("auto", "ranked", "dred", own, own)))
                unforeseen = data.draw(st.sampled_from(updates))
                mirror.check(mat, unforeseen, mirror.update(unforeseen))
                mat.algorithm = own
            case "switch":
                mat.algorithm = data.draw(st.sampled_from(("bf", "counting", "rematerialise", "bf-marking", "dred-marking")))
            case "break":
                if broken_off(stream, data.draw(st.integers(1, 4))):
                    mirror.compare(mat)
                    stream = mat.follow(Arriving(updates[position:], looks))
                    next(stream)
                mirror.update(update)
                mirror.compare(mat)
                continue
        mirror.update(update)
        next(stream)
        mirror.compare(mat)


def broken_off(stream: Iterator[Changes], call: int) -> bool:
    """Take the next step of a stream, but stop it at one of its derivations; whether it came so far."""
    derive, calls = EmbeddedAlgebra.derive, 0

    def failing(self: EmbeddedAlgebra, *arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        return derive(self, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EmbeddedAlgebra, "derive", failing)
        try:
            next(stream)
        except KeyboardInterrupt:
            return True
    return False
