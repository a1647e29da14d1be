"""Maintenance algorithms beside each other, after section 10 of Motik et al. 2019: `tidelog bench maintenance`.

An *instance* is a program with explicit facts (`instances`). A *job* takes an instance through a series of updates, chosen by a
*sampling*, with some algorithms, in a process of its own (`job`, `worker`). A *part* of the benchmark makes jobs, and
*sections* of their answers: tables shaped like the paper's, notes, targets (`parts`, `robustness`, ...).

    tidelog bench maintenance
    tidelog bench maintenance --quick
    tidelog bench maintenance-robustness --systems ranked,dred,counting
"""

from __future__ import annotations

from tidelog.bench.maintenance.parts import PARTS

NAME = "maintenance"

__all__ = ["NAME", "PARTS"]
