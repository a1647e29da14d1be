"""How long a user waits before anything happens: importing, and checking a small program, each in a fresh process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from tidelog.bench.compare import HINT
from tidelog.bench.options import Options
from tidelog.bench.results import Comparison, Line, Run, Verdict

NAME, TITLE = "startup", "from the start of a process: import; a small program answered, and checked"

_IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
_MODULES = {"import tidelog": "tidelog", "import nemo": "nmo_python", "import clingo": "clingo", "import duckdb": "duckdb"}
_PROGRAM = """
edge(a, b) . edge(b, c) .
path(?x, ?y) :- edge(?x, ?y) .
path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
"""
_QUERY = """
    with recursive edge(x, y) as (values ('a', 'b'), ('b', 'c')),
    path(x, y) as (select x, y from edge union select path.x, edge.y from path join edge on path.y = edge.x)
    select count(*) from path
"""
# Whole processes that answer the same small question, and what a process that does nothing takes.
_FIRST = {
    "python": ("sys", "pass"),
    "tidelog answers": ("tidelog", f"import tidelog; tidelog.Materialisation({_PROGRAM!r})"),
    "nemo answers": (
        "nmo_python",
        f"import nmo_python as n; n.NemoEngine(n.load_string({_PROGRAM + '@output path .'!r})).reason()",
    ),
    "clingo answers": (
        "clingo",
        "import clingo; c = clingo.Control(); "
        "c.add('base', [], 'edge(a,b). edge(b,c). path(X,Y) :- edge(X,Y). path(X,Z) :- path(X,Y), edge(Y,Z).'); "
        "c.ground([('base', [])])",
    ),
    "duckdb answers": ("duckdb", f"import duckdb; duckdb.connect().execute({_QUERY!r}).fetchone()"),
}
_CHECK = "tidelog check"


def compare(options: Options, progress: Callable[[str], None] = lambda text: None) -> Comparison:
    modules = _MODULES | {name: module for name, (module, _) in _FIRST.items()} | {_CHECK: "tidelog"}
    lines = {name: Line(name, note=None if find_spec(module) else HINT) for name, module in modules.items()}
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as directory:
        program = Path(directory, "paths.rls")
        program.write_text(_PROGRAM)
        for _ in range(max(3, options.repeat)):
            for name, line in lines.items():
                if line.note is None:
                    progress(f"{NAME}: {name}")
                    lines[name] = _again(line, program)
    verdicts = (_within(lines["import tidelog"], 0.2), _within(lines[_CHECK], 0.5))
    return Comparison(NAME, TITLE, {}, None, tuple(lines.values()), verdicts)


def _again(line: Line, program: Path) -> Line:
    try:
        if line.system in _MODULES:
            spent = _import(_MODULES[line.system])
        elif line.system in _FIRST:
            spent = _whole("-c", _FIRST[line.system][1])
        else:
            spent = _whole("-m", "tidelog.cli", "check", str(program))
    except subprocess.CalledProcessError as error:
        return replace(line, failed=True, note=f"failed with exit code {error.returncode}")
    return replace(line, runs=(*line.runs, Run({"start": spent}, None)))


def _import(module: str) -> float:
    """Seconds for the import alone, as the process itself sees them."""
    done = subprocess.run([sys.executable, "-c", _IMPORT.format(module)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def _whole(*arguments: str) -> float:
    """Seconds for a whole process, from outside."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    return time.perf_counter() - start


def _within(line: Line, limit: float) -> Verdict:
    return Verdict(f"{line.system} within {limit:g} s", None if line.median is None else line.median <= limit)
