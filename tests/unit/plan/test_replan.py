"""Rules are split anew when the facts have become others than those they were laid out for."""

from __future__ import annotations

import numpy as np

from tidelog import Materialisation
from tidelog.bench.hypertree import data, rules
from tidelog.plan.replan import drifted


def test_drift_is_a_fourfold_change_of_what_is_not_small() -> None:
    assert drifted({"p": 10_000, "q": 10}, {"p": 39_000, "q": 900}) is None
    assert drifted({"p": 10_000, "q": 10}, {"p": 41_000, "q": 900}) == "p"
    assert drifted({"p": 10_000}, {"p": 2_000}) == "p"
    assert drifted({}, {}) is None


def test_a_better_layout_is_adopted_between_updates_and_told() -> None:
    facts = data.collaborators(60, 80)
    mat = Materialisation(rules.COLLABORATORS, algorithm="ranked")
    notes: list[str] = []
    nodes = []
    for parts in zip(*(np.array_split(rows, 12) for rows in facts.values()), strict=True):
        changes = mat.update(insert=dict(zip(facts, parts, strict=True)))
        notes += changes.statistics.notes
        nodes.append(mat.nodes.facts)
    assert nodes[0] == 0
    assert nodes[-1] > 0
    assert any("split anew" in note for note in notes)
    whole = Materialisation(rules.COLLABORATORS, modules="standard")
    whole.update(insert=facts)
    assert set(mat["pc"]) == set(whole["pc"])


def test_changes_and_ranks_are_right_after_a_new_layout() -> None:
    facts = data.collaborators(40, 60)
    text = rules.COLLABORATORS
    mats = [Materialisation(text, algorithm="ranked", modules=modules) for modules in ("combined", "standard")]
    for start in range(10):
        some = {name: rows[start::10] for name, rows in facts.items()}
        first, second = (mat.update(insert=some) for mat in mats)
        assert set(first.inserted["pc"]) == set(second.inserted["pc"])
    gone = {"ca": facts["ca"][:50], "pc": facts["pc"][5:500:7]}
    first, second = (mat.update(delete=gone) for mat in mats)
    assert set(first.deleted["pc"]) == set(second.deleted["pc"])
    assert mats[0].nodes.facts > 0
    fact = next(iter(set(mats[0]["pc"]) - set(mats[0].explicit("pc"))))
    assert mats[0].explain("pc", fact).holds
