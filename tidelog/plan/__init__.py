"""Plans: in which order the atoms of a rule are matched, from each place where work on the rule can start."""

from tidelog.plan.describe import describe

__all__ = ["describe"]
