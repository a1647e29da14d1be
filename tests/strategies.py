"""The strategies of FBF that tests try: when to stop looking for another proof (ABORTBRANCH, line 79 of Algorithm 5)."""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.maintain.fbf import Strategy, always, budget_bounded, depth_bounded, never

STRATEGIES: Mapping[str, Strategy] = {
    "always": always,
    "never": never,
    "depth 1": depth_bounded(1),
    "budget 1": budget_bounded(1),
    "budget 3": budget_bounded(3),
    "depth 2": depth_bounded(2),
    "depth 3": depth_bounded(3),
}
