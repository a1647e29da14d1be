"""Continuous queries: a SELECT over windows on streams, whose answer is kept up to date while events come in.

The windows drive a materialisation of the user's rules and of the rules that the query becomes (`tidelog.stream.queries`). So
an evaluation looks at what has changed since the last one, however much the windows hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidelog.changes import Changes
from tidelog.errors import DataError
from tidelog.follow import windowed, written
from tidelog.materialisation import Materialisation, Report
from tidelog.program import Program
from tidelog.relation import Relation
from tidelog.stream.durations import Duration
from tidelog.stream.queries.answers import Clock, Row, Rows
from tidelog.stream.queries.assembly import assemble, graph_file, windows
from tidelog.stream.queries.parser import parse
from tidelog.stream.queries.streams import checked, streams
from tidelog.stream.queries.translate import translate
from tidelog.stream.queries.tree import TRIPLE, Output, Query
from tidelog.stream.windowed import Windowed
from tidelog.stream.windows import Window
from tidelog.terms import Iri


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer at one evaluation. A row that has several solutions is in it several times, unless the query says DISTINCT."""

    time: float | None
    """When, in seconds since 1970; None if nobody told the time."""
    rows: Relation
    """What the query tells: the whole answer (REGISTER QUERY, RSTREAM), or what came (ISTREAM) or went (DSTREAM)."""
    inserted: Relation
    """The rows that were not there at the evaluation before."""
    deleted: Relation
    """The rows that were there, and are no more."""

    def __repr__(self) -> str:
        return f"<Answer at {self.time}: {self.rows!r}>"


class ContinuousQuery:
    """A registered query, C-SPARQL or RSP-QL, with the rules that make more of what the windows hold.

    >>> query = ContinuousQuery('''
    ...     REGISTER QUERY hot AS PREFIX : <http://example.org/>
    ...     SELECT ?room ?t FROM STREAM :sensors [RANGE 10s STEP 5s]
    ...     WHERE { ?room :temperature ?t . FILTER (?t > 30) }''')
    >>> temperature = Iri("http://example.org/temperature")
    >>> for answer in query.follow([{"time": 3, "insert": {"triple": [("attic", temperature, 35)]}}]):
    ...     print(answer.time, list(answer.rows))
    5.0 [('attic', 35)]

    `rules` is a program or its text; its predicate `triple` holds the static graph and the windows without a name, and within
    windows that have names the rules hold, too. `graphs` gives for the IRIs of static graphs (FROM) the file, or the triples;
    without it, an IRI is a path that starts at `directory`.
    """

    def __init__(
        self,
        text: str,
        *,
        rules: Program | str | None = None,
        graphs: Mapping[str, Any] | None = None,
        directory: str | Path | None = None,
        file: str | None = None,
        algorithm: str = "auto",
        on_bad_row: str = "stop",
        progress: Report | None = None,
    ) -> None:
        self.query = parse(text, file=file)
        translated = translate(self.query)
        files, triples = _graphs(self.query, graphs or {}, Path(directory or ""))
        program = Program.parse(rules) if isinstance(rules, str) else rules
        self.program = assemble(self.query, translated, program, files)
        self.materialisation = Materialisation(self.program, algorithm=algorithm, on_bad_row=on_bad_row, progress=progress)
        self.materialisation._engine.add_predicate(TRIPLE, 3)  # there may be static triples that nobody asks about
        self._rows = Rows(translated.places)
        self._clock = Clock(self.query.every)
        self._rows.add(self.materialisation[self.name])
        for facts in triples:
            self.update(insert={TRIPLE: facts})

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> ContinuousQuery:
        """The query in a file; its static graphs are looked for beside it."""
        from tidelog.syntax.parser import read_text

        path = Path(path)
        return cls(read_text(path), **{"file": str(path), "directory": path.parent, **options})

    @property
    def name(self) -> str:
        """The name that the query is registered under: the predicate of its solutions."""
        return self.query.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables that are selected."""
        return self.query.selected

    @property
    def tells_all(self) -> bool:
        """Whether it tells the whole answer each time, rather than what came or went."""
        return self.query.output is Output.RSTREAM

    @property
    def windows(self) -> list[Window]:
        """What of the streams the query looks at."""
        return windows(self.query)

    def follow(self, events: Any, *, lateness: Duration = 0, late: Callable[[Any], None] | None = None) -> Iterator[Answer]:
        """The answer at each evaluation: as often as the query says (COMPUTE EVERY), or whenever a window has moved.

        `events` is what `Materialisation.follow` takes, each update with a `time`; of several streams, a mapping from their
        IRIs. What happened more than `lateness` before the latest event is late: `late` is told of it.
        """
        bad_rows = self.materialisation.bad_rows
        sources = self.checked({name: written(some, bad_rows) for name, some in streams(self.query, events).items()})
        yield from self.over(windowed(sources, self.windows, lateness=lateness, late=late))

    def checked(self, sources: Mapping[str, Any]) -> dict[str, Any]:
        """The sources of the streams, which raise if they have what the windows would pass over."""
        return {name: checked(self.query, source) for name, source in sources.items()}

    def over(self, slides: Windowed) -> Iterator[Answer]:
        """`follow`, for who has made the slides of `windows`."""
        for changes in self.materialisation.follow(slides, look_ahead=0):
            yield from self.after(changes, slides)
        yield from self.at_end(slides)

    def after(self, changes: Changes, slides: Windowed) -> Iterator[Answer]:
        """The evaluations up to a slide, of which these are the changes; for who follows the slides himself."""
        time = slides.time if changes.time is None else changes.time
        yield from map(self._evaluate, self._clock.before(time))
        self._note(changes)
        if self._clock.at(time):
            yield self._evaluate(time)

    def at_end(self, slides: Windowed) -> Iterator[Answer]:
        """The evaluation after the last slide, if one is due (COMPUTE EVERY)."""
        if (moment := self._clock.last()) is not None:
            if slides.slides.timed:
                self._note(self.materialisation.advance(moment))
            yield self._evaluate(moment)

    def update(self, insert: Mapping[str, Any] | None = None, delete: Mapping[str, Any] | None = None) -> Changes:
        """Change what holds beside the windows, such as the static graph. The next evaluation answers with what follows."""
        changes = self.materialisation.update(insert, delete)
        self._note(changes)
        return changes

    def _note(self, changes: Changes) -> None:
        self._rows.remove(changes.deleted[self.name])
        self._rows.add(changes.inserted[self.name])

    def _evaluate(self, time: float | None) -> Answer:
        come, gone = self._rows.evaluate()
        inserted, deleted = self._relation(come), self._relation(gone)
        match self.query.output:
            case Output.RSTREAM:
                told = self._relation(self._rows.all())
            case Output.ISTREAM:
                told = inserted
            case Output.DSTREAM:
                told = deleted
        self._rows.tidy()
        return Answer(time, told, inserted, deleted)

    def _relation(self, rows: Sequence[Row]) -> Relation:
        return Relation.frozen(self.name, self.columns, self._rows.dictionary, self._rows.columns(rows), len(rows))

    def __repr__(self) -> str:
        return f"<ContinuousQuery {self.name}: {', '.join(f'?{name}' for name in self.columns)}>"


def _graphs(query: Query, given: Mapping[str, Any], directory: Path) -> tuple[list[Path], list[Any]]:
    """The static graphs of a query that are files, and those that are given as triples."""
    files: list[Path] = []
    triples: list[Any] = []
    asked = [constant.value for constant in query.static if isinstance(constant.value, Iri)]
    for name in given:
        if Iri(name) not in asked:
            known = ", ".join(map(str, asked)) or "none"
            raise DataError(f"the query is not about a graph {name!r}", hint=f"its graphs (FROM) are: {known}")
    for graph in asked:
        data = given.get(graph.value)
        if data is None:
            files.append(graph_file(graph, directory))
        elif isinstance(data, str | Path):
            files.append(Path(data))
        else:
            triples.append(data)
    return files, triples
