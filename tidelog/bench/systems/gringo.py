"""clingo: for a program without choices, grounding by gringo is the whole evaluation."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from tidelog.bench import dialects
from tidelog.bench.graphs import Rows
from tidelog.bench.task import Answer, Clock, Task
from tidelog.bench.workloads import Workload

_READ_OUT = 300_000
"""Atoms are Python objects when read out: beyond so many, the answer is only counted."""


def cannot(workload: Workload) -> str | None:
    return None if "lp" in workload.formats and workload.rules else "reads facts as text only"


def prepare(workload: Workload, directory: Path) -> Task:
    return partial(_run, dialects.clingo(workload.rules) + "#show.", workload.answer, sorted(directory.glob("*.lp")))


def _run(program: str, answer: str, files: list[Path], clock: Clock) -> Answer:
    import clingo

    control = clingo.Control(["--warn=none"])
    with clock.phase("load"):
        for file in files:
            control.load(str(file))
        control.add("base", [], program)
    with clock.phase("evaluate"):
        control.ground([("base", [])])

    atoms = control.symbolic_atoms
    others = sum(_lines(file) for file in files if file.stem != answer)
    facts = len(atoms) - others
    arity = next(arity for name, arity, _ in atoms.signatures if name == answer)

    def rows() -> Rows:
        found = [[term.number for term in atom.symbol.arguments] for atom in atoms.by_signature(answer, arity)]
        return np.array(found, dtype=np.int64).reshape(-1, arity)

    return Answer(facts, control, rows if facts <= _READ_OUT else None)


def _lines(file: Path) -> int:
    with open(file, "rb") as lines:
        return sum(1 for _ in lines)
