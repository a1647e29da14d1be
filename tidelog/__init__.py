"""Tidelog keeps the conclusions of a rule set true while the facts change."""

__version__ = "0.1.0"
