"""SWI-Prolog with incremental tabling: tables of derived predicates, brought up to date when asked after a change.

A predicate that is both given and derived has its given facts under a name of their own. The time of an update is that of its
changes and of counting all answers, since that is when tables are brought up to date.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tidelog.bench import dialects
from tidelog.bench.graphs import Rows
from tidelog.bench.maintenance.instances import Instance
from tidelog.bench.maintenance.job import DELETE, INSERT
from tidelog.bench.maintenance.peers import Outcome
from tidelog.syntax.ast import Atom, Constant, Variable

_TIMED = """
timed(Label, Goals) :- statistics(walltime, [_, _]), get_time(T0), maplist(call, Goals), total(N), get_time(T1),
    T is T1 - T0, format("~w ~w ~w~n", [Label, T, N]).
"""


def measure(instance: Instance, rows: Rows, samples: Sequence[Rows]) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as name:
        script = Path(name, "updates.pl")
        script.write_text(_script(instance, rows, samples))
        command = ["swipl", "--stack-limit=8g", "--table-space=8g", "-q", "-g", "main", "-t", "halt", str(script)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [(label, float(seconds), int(facts)) for label, seconds, facts in map(str.split, done.stdout.splitlines())]
    return found[0][1], found[1:]


def _script(instance: Instance, rows: Rows, samples: Sequence[Rows]) -> str:
    rules = dialects.parse(instance.rules)
    heads = {rule.head[0].predicate: len(rule.head[0].terms) for rule in rules}
    given = f"{instance.predicate}_given"
    arity = rows.shape[1]
    parts = [_TIMED, f":- dynamic {given}/{arity} as incremental.\n"]
    parts += [f":- table {head}/{width} as incremental.\n" for head, width in {**heads, instance.predicate: arity}.items()]
    variables = ", ".join(f"V{place}" for place in range(arity))
    parts.append(f"{instance.predicate}({variables}) :- {given}({variables}).\n")
    parts += [f"{_atom(rule.head[0])} :- {', '.join(map(_atom, dialects.body(rule)))}.\n" for rule in rules]
    every = {**heads, instance.predicate: arity}
    counts = [f"aggregate_all(count, {p}({', '.join(['_'] * n)}), N{i})" for i, (p, n) in enumerate(every.items())]
    total = " + ".join(f"N{place}" for place in range(len(every)))
    parts.append(f"total(N) :- {', '.join(counts)}, N is {total}.\n")
    parts += [f"{_fact(given, row)}.\n" for row in rows.tolist()]
    goals = ["timed(first, [])"]
    for sample in samples:
        for kind, verb in ((DELETE, "retract"), (INSERT, "assertz")):
            goals.append(f"timed({kind}, [{', '.join(f'{verb}({_fact(given, row)})' for row in sample.tolist())}])")
    parts.append(f"main :- {', '.join(goals)}.\n")
    return "".join(parts)


def _fact(predicate: str, row: Sequence[int]) -> str:
    return f"{predicate}({', '.join(map(str, row))})"


def _atom(atom: Atom) -> str:
    terms = (f"V{term.name}" if isinstance(term, Variable) else _constant(term) for term in atom.terms)
    return f"{atom.predicate}({', '.join(terms)})"


def _constant(term: object) -> str:
    assert isinstance(term, Constant)
    return str(term.value)
