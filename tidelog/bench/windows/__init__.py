"""Windows that slide, after section 5 of Barbieri et al. 2010: `tidelog bench windows`.

Trees of one transitive property (`streams`) go through a window, of which some share is exchanged at each step; each system has
to have the closure of what is in the window after each step (`measure`). Out of it come a table by the size of the window, one
by the share that changes (`tables`), and curves (`plot`).

    tidelog bench windows
    tidelog bench windows --quick --plot windows.svg
"""

from __future__ import annotations

from tidelog.bench.windows.part import PARTS

__all__ = ["PARTS"]
