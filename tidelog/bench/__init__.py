"""Tidelog beside its peers on the same work: `tidelog bench NAME`.

A *workload* is a rule program, a generator for its input and the predicate whose facts are the answer (`workloads`). A
*system* is Tidelog or a peer: it reads the input files, evaluates, counts the answer (`systems`). A *comparison* runs every
system on a workload, repetitions interleaved, each run in a process of its own (`compare`, `worker`), checks that all found
the same answer, and says which targets are met (`results`, `targets`). `table` prints it, `report` makes the Markdown of
`docs/performance.md` from saved results.

    tidelog bench list
    tidelog bench closure points-to
    tidelog bench all --quick
    tidelog bench all --json results.json && python -m tidelog.bench.report results.json
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(name: str | None = None, arguments: Sequence[str] = (), **options: object) -> int:
    """Run the benchmark called `name` (all of them by default); 1 if systems disagreed on an answer or Tidelog failed,
    else 0.

    Options come as command line words or as keywords: `main("closure", ["--quick"])` is `main("closure", quick=True)`.
    """
    from tidelog.bench.command import run
    from tidelog.bench.options import read

    return run(read(name, arguments, options))
