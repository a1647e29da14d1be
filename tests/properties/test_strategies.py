"""FBF under every strategy: right, and with `always` the same as DRed (Theorem 25, property f)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generators import Case, cases
from tests.mirror import Mirror, explicit_of, facts_of, net
from tests.paper import STEP, Phases, chain
from tests.strategies import STRATEGIES
from tests.updates import Update, parse_update
from tidelog import Materialisation, Program
from tidelog.maintain.fbf import Strategy, always

both_strata = st.sampled_from(["granular", "single"])


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(case=cases(max_updates=4), strata=both_strata)
def test_every_strategy_is_right(case: Case, strategy: str, strata: str) -> None:
    program = Program.parse(case.text)
    mat = Materialisation(program, algorithm="fbf", strata=strata, abort=STRATEGIES[strategy])
    mirror = Mirror(program)
    for update in (Update(case.facts, {}), *case.updates):
        mirror.check(mat, update, mirror.update(update))


@given(case=cases(max_updates=4), strata=both_strata)
def test_always_aborting_is_dred(case: Case, strata: str) -> None:
    fbf = Materialisation(case.text, algorithm="fbf", strata=strata, abort=always)
    dred = Materialisation(case.text, algorithm="dred", strata=strata)
    for update in (Update(case.facts, {}), *case.updates):
        ours, theirs = (mat.update(insert=update.insert, delete=update.delete) for mat in (fbf, dred))
        assert Phases.of(ours.statistics.instances_by_phase) == Phases.of(theirs.statistics.instances_by_phase)
        assert (net(ours.inserted), net(ours.deleted)) == (net(theirs.inserted), net(theirs.deleted))
        assert (facts_of(fbf), explicit_of(fbf)) == (facts_of(dred), explicit_of(dred))


def kept(strategy: Strategy, facts: str, update: str) -> None:
    program = Program.parse(STEP)
    mirror = Mirror(program)
    mat = Materialisation(program, algorithm="fbf", abort=strategy)
    for text in (facts, update):
        change = parse_update(text)
        mirror.check(mat, change, mirror.update(change))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_was_looked_at_and_left_open_is_rederived(strategy: str) -> None:
    """The search from B(a5), by way of B(a4), ..., B(a1), stops at facts that it has checked by then: they are blocked.

    B(a4) follows from B(a5) as well, is deleted with it, and has to come back.
    """
    kept(STRATEGIES[strategy], f"{chain(5)} +t(a5, a4) +b(a1) +b(a5)", "-b(a5)")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_depends_on_a_blocked_fact_is_blocked(strategy: str) -> None:
    """Line 84: B(c) goes with B(x); what still proves it, B(a4), was checked and left open before, and is not deleted."""
    kept(STRATEGIES[strategy], f"{chain(5)} +b(a1) +b(a5) +b(x) +t(x, c) +t(a4, c)", "-b(a5) -b(x)")
