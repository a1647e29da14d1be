"""The benchmark of complex rules: all systems find the same facts, and decompositions save the work that the paper says."""

from __future__ import annotations

import pytest

from tidelog import Materialisation
from tidelog.bench.hypertree import data, peers, rules
from tidelog.bench.hypertree.part import PARTS
from tidelog.bench.hypertree.series import MODULES, STEPS, contents, measure, sampled
from tidelog.bench.hypertree.workloads import WORKLOADS, Workload, find_workload
from tidelog.bench.options import Options
from tidelog.plan.decompose import decompose
from tidelog.plan.planner import NoStatistics

TINY = 0.002
HOPELESS = {("Campus L+C", "nemo")}
"""Joins the whole bodies in any order that it finds, which takes a quarter of a minute at the smallest size."""


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_all_choices_of_modules_and_all_peers_find_the_same(workload: Workload) -> None:
    own = {name: list(measure(workload, name, TINY)) for name in MODULES}
    for steps in zip(*own.values(), strict=True):
        assert len({(step.name, step.checksum, str(step.counts)) for step in steps}) == 1
    first = own["combined"][0]
    assert sum(map(bool, first.counts.values())) > 0.9 * len(first.counts)
    for name in filter(peers.installed, peers.PEERS):
        if (workload.name, name) in HOPELESS:
            continue
        (step,) = measure(workload, name, TINY)
        assert step.counts == first.counts, name
        assert step.checksum in (None, first.checksum), name


def test_what_is_maintained_is_what_is_materialised() -> None:
    workload = find_workload("Society")
    facts = workload.generate(TINY)
    gone = sampled(facts, 200)
    left = {
        name: [row for row in rows.tolist() if row not in gone.get(name, rows[:0]).tolist()] for name, rows in facts.items()
    }
    maintained, anew = (Materialisation(workload.program, modules="hypertree") for _ in range(2))
    maintained.update(insert=facts)
    maintained.update(delete=gone)
    anew.update(insert=left)
    assert contents(maintained, workload) == contents(anew, workload)


@pytest.mark.parametrize(("n", "k"), [(20, 7), (40, 14), (60, 30)])
def test_possible_collaborators_take_nk_bindings_instead_of_nk2(n: int, k: int) -> None:
    """Section 3 of the paper: each node has n k instances in the first round and k for the last x in the second, and so have
    the nodes together. A join of the whole body pairs all k u's of an x with its k v's before it looks at their y's.
    """
    statistics = {}
    for modules in ("hypertree", "standard"):
        mat = Materialisation(rules.COLLABORATORS, modules=modules)
        mat.update(insert=data.collaborators(n, k))
        assert len(mat["pc"]) - len(mat.explicit("pc")) == n * k + k
        statistics[modules] = mat.statistics
    assert statistics["hypertree"].instances == 3 * (n * k + k)
    assert statistics["standard"].instances == n * k + k
    assert statistics["hypertree"].bindings == 5 * n * k + 3 * k + 2
    assert statistics["standard"].bindings == n * k * k + 3 * n * k + 5 * k + 1


def test_the_rules_for_expressions_have_nine_atoms_and_width_two() -> None:
    program = find_workload("Exp").program
    trees = [decompose(rule, NoStatistics()) for rule in program.core]
    assert [len(rule.positive) for rule in program.core] == [9, 9, 9]
    assert [tree.width for tree in trees if tree] == [2, 2, 2]


def test_the_campus_has_sixteen_complex_rules() -> None:
    trees = [decompose(rule, NoStatistics()) for rule in find_workload("Campus L+C").program.core]
    assert sum(tree is not None and tree.width > 1 for tree in trees) == 16


def test_the_tables_have_all_systems_and_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.bench.hypertree.part.WORKLOADS", (find_workload("PossibleCollaborator"),))
    (section,) = PARTS["hypertree"][1](Options(scale=TINY, systems=("combined", "standard")), lambda text: None)
    assert section.headings[1:5] == STEPS
    assert all("(" in cell for cell in section.rows[0][1:5])
    assert [row[0] for row in section.rows] == ["combined", "standard"]
    assert not section.problems
