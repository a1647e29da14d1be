"""The Spark engine, beside the loop over DataFrames that one would write without it, and beside the embedded engine.

Each system runs in a process of its own (`worker`), Spark on `local[2]` and on `local-cluster[2,1,1024]`, whose executors are
processes of their own: nothing can hide in the driver. What a round costs comes from Spark's own status store (`metrics`). Out
of it come tables (`tables`): the closure of a random graph, a small update as the base grows, what each round shuffles, and one
node with very many edges.

    tidelog bench spark --quick
    tidelog bench spark --set nodes=4000
"""

from __future__ import annotations

from tidelog.bench.spark.part import PARTS

__all__ = ["PARTS"]
