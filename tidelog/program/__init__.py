"""Checked programs: text becomes a `Program`, its rules core rules, and these are stratified.

`model` holds the program, `checks` and `resources` say what can be wrong with it, `normal` brings rules into core form,
`classes` finds the atoms that can share facts, `stratify` orders them by level.
"""

from tidelog.program.model import Program
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification, Stratum

__all__ = ["CoreRule", "Program", "Stratification", "Stratum"]
