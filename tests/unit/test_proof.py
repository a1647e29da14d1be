"""Explanations in extreme shapes; what they say otherwise stands in the scenarios."""

from __future__ import annotations

from decimal import Decimal

from tidelog import Materialisation, Proof


def test_a_long_proof_is_cut_when_it_is_printed() -> None:
    """Each step here takes three lines, with its conditions."""
    mat = Materialisation("n(0) . n(?y) :- n(?x), ?x < 1000, ?y = ?x + 1 .")
    lines = str(mat.explain("n", (1000,))).splitlines()
    assert 2000 < len(lines) < 2005
    assert lines[-1] == "... cut after 2,000 lines; the proof has 1,001 facts, to_dict() gives them all"


def test_terms_that_python_takes_for_equal_are_proved_apart() -> None:
    mat = Materialisation("""
        v(1) . v(1.0) . v(0.0e0) . v(-0.0e0) .
        seen(true) :- v(1) . seen(1) :- seen(true) .
        same(?x, ?y) :- v(?x), v(?y), ?x = ?y .
    """)
    assert str(mat.explain("same", (1, Decimal(1)))).splitlines()[2:] == ["  v(1)    (explicit)", "  v(1.0)    (explicit)"]
    assert str(mat.explain("same", (0.0, -0.0))).splitlines()[2:] == ["  v(0.0E0)    (explicit)", "  v(-0.0E0)    (explicit)"]
    assert [line.split()[0] for line in str(mat.explain("seen", 1)).splitlines()] == ["seen(1)", "seen(true)", "v(1)"]


def test_a_proof_is_looked_up_by_plain_tuples() -> None:
    proof = Materialisation("p(a) . p(1.5e0) . q(?x) :- p(?x) .").explain("q", ("a",))
    assert isinstance(proof, Proof)
    assert proof.fact == ("q", ("a",))
    assert proof.steps["q", ("a",)].premises == (("p", ("a",)),)
