"""Explanations in extreme shapes; what they say otherwise stands in the scenarios."""

from __future__ import annotations

from tidelog import Materialisation


def test_a_long_proof_is_cut_when_it_is_printed() -> None:
    """Each step here takes three lines, with its conditions."""
    mat = Materialisation("n(0) . n(?y) :- n(?x), ?x < 1000, ?y = ?x + 1 .")
    lines = str(mat.explain("n", (1000,))).splitlines()
    assert 2000 < len(lines) < 2005
    assert lines[-1] == "... cut after 2,000 lines; the proof has 1,001 facts, to_dict() gives them all"
