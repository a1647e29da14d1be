"""What the paper's implementation takes and counts.

The seconds are processor time of the authors' programs in Constraint Handling Rules, measured with SWI-Prolog 9.0 on a machine
like that of docs/performance.md; the paper's tables say about twice as much, of another machine and another version. They
are for the whole stream, without marking and with it. Those of B/F on synthetic streams are means over the three seeds, but
for P_seq of size 80, which is of the first seed, like all of DRed. The counts are those of the paper's Table 2.
"""

from __future__ import annotations

from tidelog.bench.marking.streams import MAP, SEQ, TRANS

BF, DRED = "B/F", "DRed"

SECONDS: dict[tuple[str, str, int], tuple[float, float]] = {
    (BF, TRANS, 10): (24.6, 22.9),
    (BF, TRANS, 40): (23.6, 23.6),
    (BF, TRANS, 80): (29.9, 33.0),
    (BF, SEQ, 10): (5.60, 4.79),
    (BF, SEQ, 40): (22.8, 19.0),
    (BF, SEQ, 80): (124.7, 99.8),
    (BF, MAP, 0): (65.3, 58.5),
    (BF, MAP, 2): (6.25, 5.79),
    (DRED, TRANS, 10): (10.9, 19.1),
    (DRED, TRANS, 40): (75.5, 55.4),
    (DRED, TRANS, 80): (57.9, 49.6),
    (DRED, SEQ, 10): (4.6, 4.7),
    (DRED, SEQ, 40): (20.7, 18.0),
    (DRED, MAP, 0): (341.0, 262.0),
    (DRED, MAP, 2): (11.3, 8.0),
}
"""By algorithm, program and size: without marking, with marking."""

TABLE_2: dict[int, tuple[int, int, int, int, int]] = {
    10: (1_960, 1_480, 2_360, 480, 480),
    20: (3_920, 2_960, 4_317, 960, 960),
    30: (5_880, 4_440, 6_265, 1_440, 1_440),
    40: (7_827, 5_910, 8_228, 1_917, 1_917),
    50: (9_709, 7_332, 10_173, 2_377, 2_377),
    60: (11_588, 8_744, 12_129, 2_844, 2_844),
    70: (13_457, 10_147, 14_069, 3_311, 3_311),
    80: (15_283, 11_516, 16_005, 3_767, 3_767),
}
"""Of P_seq by size, means over seeds: deletions without and with marking, insertions, marks on explicit and derived facts."""
