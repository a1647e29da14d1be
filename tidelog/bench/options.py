"""What one can ask of a benchmark run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

SIZES = ("tiny", "quick", "full")


@dataclass(frozen=True, slots=True)
class Options:
    names: tuple[str, ...] = ("all",)
    size: str = "full"
    repeat: int = 3
    timeout: float = 120.0
    slow: bool = False
    systems: tuple[str, ...] = ()
    """Only these systems; all by default."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """Parameters of the generators in place of those of the size."""
    scale: float | None = None
    """`hypertree`: the size of the inputs in place of that of the size, 1 being full."""
    lubm: Path | None = None
    ontology: Path | None = None
    json: Path | None = None
    plot: Path | None = None
    """Where figure 8 of `maintenance-scalability` goes, or the curves of `windows`."""


def read(name: str | None, arguments: Sequence[str], options: Mapping[str, object]) -> Options:
    """The options of a call: words as on the command line, then keywords named as in `Options`, `quick` too."""
    words = vars(_parser().parse_args([*([name] if name else []), *arguments]))
    quick = bool(words.pop("quick")) or bool(options.get("quick"))
    words = {key: value for key, value in words.items() if value is not None}
    words["names"] = tuple(words["names"]) or ("all",)
    chosen = Options(**words)
    if quick:
        chosen = replace(chosen, size="quick", repeat=words.get("repeat", 1))
    rest = {key: value for key, value in options.items() if key != "quick" and value is not None}
    return replace(chosen, **rest)  # type: ignore[arg-type]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tidelog bench", description="Tidelog beside its peers on the same work.")
    parser.add_argument("names", nargs="*", help="benchmarks by name, 'all' or 'list'")
    parser.add_argument("--quick", action="store_true", help="small inputs, one repetition")
    parser.add_argument("--size", choices=SIZES, help="the size of the inputs (full)")
    parser.add_argument("--repeat", type=int, metavar="N", help="repetitions, interleaved; the best counts (3)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="when to give a run up (120)")
    parser.add_argument("--slow", action="store_true", default=None, help="also peers that take many seconds")
    parser.add_argument("--systems", type=_names, metavar="A,B", help="only these systems (or algorithms)")
    parser.add_argument("--set", dest="settings", type=_settings, metavar="nodes=9,...", help="parameters of the generator")
    parser.add_argument("--scale", type=float, metavar="X", help="hypertree: the size of the inputs, 1 being full")
    parser.add_argument("--lubm", type=Path, metavar="FILE", help="N-Triples (.gz too) for the RDFS rules, not generated ones")
    parser.add_argument("--ontology", type=Path, metavar="FILE", help="the ontology that belongs to --lubm")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results, for python -m tidelog.bench.report")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="maintenance-scalability, windows: their curves as SVG")
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _settings(text: str) -> dict[str, int]:
    pairs = (part.partition("=") for part in _names(text))
    return {key: int(value.replace("_", "")) for key, _, value in pairs}
