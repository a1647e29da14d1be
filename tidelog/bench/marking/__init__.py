"""Marking beside no marking, after section 5 of Illich and Glimm 2025: `tidelog bench marking`.

The paper's programs on the paper's streams (`streams`), each by B/F and by DRed, as they are and with marking (`measure`).
Out of it come tables shaped like the paper's, and others that say whether marking pays (`tables`), beside what the paper's
own implementation takes and counts (`published`).

    tidelog bench marking
    tidelog bench marking --quick
"""

from __future__ import annotations

from tidelog.bench.marking.part import PARTS

__all__ = ["PARTS"]
