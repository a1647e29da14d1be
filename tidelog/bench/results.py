"""What comes out of a comparison, and its form as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

OWN = "tidelog"

NOT_TIMED = "Set-up that a process pays once is not in these times (import, our parser: the benchmark startup has it)."


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one system: times by phase, the answer, memory above what the idle process had."""

    phases: Mapping[str, float]
    facts: int | None
    cpu: float | None = None
    """Processor seconds over all threads, which a busy machine changes less than the time on the wall."""
    checksum: int | None = None
    instances: int | None = None
    """Rule instances considered, where the system tells."""
    rounds: int | None = None
    peak: int | None = None
    held: int | None = None
    """Bytes kept when the work was done."""

    @property
    def seconds(self) -> float:
        return sum(self.phases.values())


@dataclass(frozen=True, slots=True)
class Line:
    """All runs of one system on one workload."""

    system: str
    runs: tuple[Run, ...] = ()
    note: str | None = None
    """Why there are no (more) runs, or what is different about this system."""
    timeout: float | None = None
    """The time after which a run was given up."""
    measured: float | None = None
    """The workload's own measure (derivations a second, ...), of the best run."""
    failed: bool = False
    """Did a run break off?"""
    derives_more: bool = False
    """Does the system, by design, derive more than the workload's rules?"""

    @property
    def best_run(self) -> Run | None:
        return min(self.runs, key=lambda run: run.seconds, default=None)

    @property
    def best(self) -> float | None:
        return min((run.seconds for run in self.runs), default=None)

    @property
    def median(self) -> float | None:
        return median(run.seconds for run in self.runs) if self.runs else None

    @property
    def cpu(self) -> float | None:
        return min((run.cpu for run in self.runs if run.cpu is not None), default=None)

    @property
    def facts(self) -> int | None:
        return self.best_run.facts if self.best_run else None

    @property
    def peak(self) -> int | None:
        return self.best_run.peak if self.best_run else None

    @property
    def at_least_seconds(self) -> float | None:
        """The best time, or the limit at which the system was given up."""
        return self.best if self.runs else self.timeout


@dataclass(frozen=True, slots=True)
class Verdict:
    """A target, and whether it is met (None: could not be measured)."""

    text: str
    met: bool | None

    def __str__(self) -> str:
        return f"target: {self.text}: {'not measured' if self.met is None else 'met' if self.met else 'missed'}"


@dataclass(frozen=True, slots=True)
class Section:
    """A table of another shape than a comparison's, with notes, verdicts, and what went wrong."""

    title: str
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """Different answers, and series that broke off."""
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The lines of all systems on one workload."""

    name: str
    title: str
    parameters: Mapping[str, Any]
    measure: str | None
    lines: tuple[Line, ...]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def disagreement(self) -> str | None:
        """Which systems found different answers; None if all that should agree do."""
        answers: dict[tuple[int | None, int | None], list[str]] = {}
        checked = [line for line in self.lines if line.runs and not line.derives_more]
        for line in checked:
            for run in line.runs:
                answers.setdefault((run.facts, run.checksum), []).append(line.system)
        counts = {facts for facts, _ in answers}
        sums = {checksum for _, checksum in answers if checksum is not None}
        if len(counts) <= 1 and len(sums) <= 1:
            return None
        return "; ".join(f"{facts} facts ({', '.join(dict.fromkeys(names))})" for (facts, _), names in answers.items())


@dataclass(frozen=True, slots=True)
class Results:
    """All comparisons of one session, and the machine they ran on."""

    machine: Mapping[str, Any]
    comparisons: tuple[Comparison, ...] = field(default=())
    sections: tuple[Section, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Results:
        sections = tuple(map(_section, data.get("sections", ())))
        return cls(data["machine"], tuple(map(_comparison, data["comparisons"])), sections)


def _comparison(data: Mapping[str, Any]) -> Comparison:
    lines = tuple(Line(**{**line, "runs": tuple(Run(**run) for run in line["runs"])}) for line in data["lines"])
    return Comparison(**{**data, "lines": lines, "verdicts": tuple(Verdict(**item) for item in data["verdicts"])})


def _section(data: Mapping[str, Any]) -> Section:
    verdicts = tuple(Verdict(**item) for item in data["verdicts"])
    texts = {key: tuple(data[key]) for key in ("headings", "notes", "problems")}
    return Section(data["title"], rows=tuple(map(tuple, data["rows"])), verdicts=verdicts, **texts)
