"""Complex rules by join plans and by hypertree decompositions, beside each other and peers: `tidelog bench hypertree`.

Table 2 of Zhang et al. (2023): materialisation, small and large deletions and small additions under each choice of modules. A
*workload* is rules and a generator (`workloads`, `data`); a *series* takes it through these steps in a process of its own
(`series`); *peers* only materialise (`peers`); `tables` makes the sections.

    tidelog bench hypertree
    tidelog bench hypertree --scale 0.1 --systems combined,hypertree
"""

from __future__ import annotations

from tidelog.bench.hypertree.part import PARTS

__all__ = ["PARTS"]
