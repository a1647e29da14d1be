"""Which algorithms run on which engines: all that the contract and the properties hold them to. A new one is one line here."""

from __future__ import annotations

ALGORITHMS: dict[str, tuple[str, ...]] = {
    "embedded": (
        *("auto", "ranked", "dred", "fbf", "bf", "counting", "rewriting", "rematerialise", "expiry"),
        *("bf-marking", "dred-marking"),
    ),
}
COMBINATIONS = [(engine, algorithm) for engine, algorithms in ALGORITHMS.items() for algorithm in algorithms]

MODULES = ("combined", "hypertree", "standard", "symmetric-transitive", "transitive")
"""Who may evaluate rules: each is held to the contract with each algorithm."""

SPARK = ALGORITHMS["embedded"]
"""What the Spark engine runs; held to the same contract in `test_spark.py`, on fewer cases."""
