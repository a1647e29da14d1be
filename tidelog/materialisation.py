"""A materialisation: rules, facts, and everything that follows from them, kept up to date.

This is the face of the package. It turns what callers have (tuples, tables, files, rule text) into batches of ids, hands them
to an engine, and turns what comes back into relations.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tidelog.changes import ChangedRelations, Changes
from tidelog.engines.embedded.batches import Batch, ChangedBatch, Columns, Encoded, Timing, batch_length
from tidelog.engines.embedded.engine import EmbeddedEngine
from tidelog.engines.updating import Ahead, Nodes, UpdatingEngine
from tidelog.errors import DataError, SetupError
from tidelog.expires import Expires, Time, check_order, expiries_of, moment
from tidelog.facts.kernel import Ids
from tidelog.follow import AnyUpdate, Updates, follow
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.fbf import Strategy
from tidelog.maintain.marking import Marking
from tidelog.plan.layout import Layouts
from tidelog.plan.modules import ELSEWHERE, MODULES, assign
from tidelog.program import Program
from tidelog.proof import Explanation, explain
from tidelog.query import answer
from tidelog.relation import Relation, column_names
from tidelog.spark.options import Spark, is_frame
from tidelog.syntax import ast
from tidelog.terms import Term

if TYPE_CHECKING:
    from tidelog.spark.upkeep import Upkeep

Report = Callable[..., None]
"""Told about progress: `report("stratum 2 of 5", facts=1200, rounds=7)`."""

ALGORITHMS = (
    *("auto", "ranked", "dred", "fbf", "bf", "counting", "rewriting", "rematerialise", "expiry"),
    *("bf-marking", "dred-marking"),
)
ENGINES = ("embedded", "spark")
MARKS = ("written", "shared")
STRATA = ("granular", "single")


class Materialisation:
    """Everything that follows from a program and its facts.

    >>> mat = Materialisation("path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .")
    >>> changes = mat.update(insert={"edge": [("a", "b"), ("b", "c")]})
    >>> ("a", "c") in mat["path"]
    True

    `engine` is `embedded` or `spark`; a `tidelog.Spark` says where the latter runs. `algorithm` is one of `ALGORITHMS`, and
    may be changed at any time. `abort` is the strategy of `fbf`: when to stop looking for another proof of a fact (see
    `tidelog.maintain.fbf`); by default it never stops, which is `bf`. `marks` and `positive_marks` say what `bf-marking` and
    `dred-marking` mark (see `tidelog.maintain.marking`). `modules` says who evaluates the rules (see `tidelog.plan.modules`):
    `combined`, or one module for whatever it can take. `max_facts` is a limit on what one materialisation or update may
    derive; reaching it raises LimitExceeded, and nothing is kept.
    """

    def __init__(
        self,
        program: Program | str,
        *,
        engine: str | Spark = "embedded",
        algorithm: str = "auto",
        strata: str = "granular",
        modules: str = "combined",
        on_bad_row: str = "stop",
        abort: Strategy | None = None,
        marks: str = "written",
        positive_marks: bool = False,
        max_facts: int | None = None,
        progress: Report | None = None,
    ) -> None:
        if isinstance(engine, str):
            _one_of("engine", engine, ENGINES)
        _one_of("strata", strata, STRATA)
        _one_of("modules", modules, tuple(MODULES))
        _one_of("on_bad_row", on_bad_row, ("stop", "skip"))
        _one_of("marks", marks, MARKS)
        self.program = Program.parse(program) if isinstance(program, str) else program
        self._report = progress
        self._upkeep: Upkeep | None = None
        started = time.perf_counter()
        self._engine = self._start(engine, strata == "single", modules, max_facts)
        self.algorithm = algorithm
        if abort is not None:
            self._engine.abort = abort
        self._engine.marking = Marking(shared=marks == "shared", positive=positive_marks)
        from tidelog.io.bad_rows import BadRows

        self.bad_rows = BadRows("skip" if on_bad_row == "skip" else "stop")
        """Rows of imports that could not be read and were skipped."""
        self.statistics: Statistics = self._first(algorithm)
        """What the latest materialisation or update took."""
        self.statistics.seconds = time.perf_counter() - started

    @classmethod
    def open(
        cls, directory: str | Path, program: Program | str | None = None, *, version: int | None = None, **options: Any
    ) -> Materialisation:
        """The materialisation that a warehouse holds, read into this process with the embedded engine.

        Everything is there as it was derived, with its ranks, at the latest version or an earlier one. `program` is checked
        against the warehouse's; by default it is that. `options` are those of `Materialisation`. Nothing is written back,
        unless `engine` is the Spark engine: then it is as `Materialisation(program, engine=Spark(warehouse=directory))`.
        """
        from tidelog.opening import opened

        return opened(cls, directory, Program.parse(program) if isinstance(program, str) else program, version, options)

    def _start(self, engine: str | Spark, single: bool, modules: str, max_facts: int | None) -> UpdatingEngine:
        on_round = self._on_round if self._report else None
        arities = {rule.head.predicate: len(rule.head.terms) for rule in self.program.core} | dict(self.program.arities)
        if engine != "embedded":
            if modules not in ELSEWHERE:
                hint = f"{' and '.join(ELSEWHERE)} do: every rule is joined there"
                raise SetupError(f"the module {modules} does not run on the Spark engine\n    hint: {hint}")
            from tidelog.spark.upkeep import started

            if self._report is not None:
                self._report("starting Spark")
            spark = Spark() if isinstance(engine, str) else engine
            self._upkeep = started(self.program, arities, spark, single=single, on_round=on_round, max_facts=max_facts)
            return self._upkeep.engine
        layouts = Layouts(self.program, assign(self.program.core, modules, single=single), single)
        return EmbeddedEngine(layouts, arities, on_round=on_round, max_facts=max_facts)

    def _first(self, algorithm: str) -> Statistics:
        """Materialise, or go on from what a warehouse holds."""
        if self._upkeep is not None and self._upkeep.stored:
            return self._upkeep.restored()
        with self._changing():
            batches = [self._program_facts(), *self._imports()]
            return self._engine.materialise(batches, counting=algorithm == "counting")

    def _changing(self) -> AbstractContextManager[None]:
        """Around every change: where a warehouse keeps the materialisation, it gets a version."""
        return nullcontext() if self._upkeep is None else self._upkeep.change()

    @property
    def algorithm(self) -> str:
        """The algorithm of the next update; set it to switch."""
        return self._algorithm

    @algorithm.setter
    def algorithm(self, name: str) -> None:
        _one_of("algorithm", name, ALGORITHMS)
        self._algorithm = name

    # Facts in

    def _program_facts(self) -> Batch:
        rows: dict[str, list[tuple[Term, ...]]] = defaultdict(list)
        for atom in self.program.facts:
            rows[atom.predicate].append(tuple(term.value for term in atom.terms if isinstance(term, ast.Constant)))
        encode = self._engine.dictionary.encode
        return {
            predicate: [encode(column) for column in zip(*facts, strict=True)] for predicate, facts in rows.items() if facts
        }

    def _imports(self) -> Iterator[Batch]:
        if not self.program.imports:
            return
        from tidelog.facts.arrow import release_memory

        for resource in self.program.imports:
            if self._report is not None:
                self._report(f"reading {resource.path}")
            columns = self._read(resource)
            self._engine.add_predicate(resource.predicate, len(columns))
            if len(columns) and batch_length(columns, len(columns)):
                yield {resource.predicate: columns}
        release_memory()

    def _read(self, resource: ast.Import) -> Columns:
        from tidelog.io import read

        arity, directory = self._engine.arities.get(resource.predicate), self.program.directory or Path()
        if self._upkeep is not None and self._upkeep.wants([directory / Path(resource.path).expanduser()]):
            from tidelog.spark.ingest import of_resource

            path, options = of_resource(resource, directory)
            return self._upkeep.taken(path, self.bad_rows, arity=arity, **options)
        return read(resource, self._engine.dictionary, arity=arity, directory=directory, bad_rows=self.bad_rows)

    def update(
        self,
        insert: Mapping[str, Any] | None = None,
        delete: Mapping[str, Any] | None = None,
        *,
        expires: Expires = None,
    ) -> Changes:
        """Change the explicit facts, first deleting, then inserting, and keep everything that follows true.

        Facts are given by predicate: tuples, Arrow, pandas, Polars or Spark tables, relations, or the `Path` of a file.
        Deleting what is not there and inserting what is there changes nothing. Either all of the update happens or, if it
        raises, none of it.

        With `expires`, what is inserted holds only as long as `now` is before that time (see `advance`): a number, a date with
        a time of day, or by predicate such a one for all its facts or a list with one for each. None stands for good. A fact
        that is given twice holds until the later time.
        """
        return self._apply(insert or {}, delete or {}, expires=expires)

    def advance(
        self,
        now: Time,
        insert: Mapping[str, Any] | None = None,
        delete: Mapping[str, Any] | None = None,
        *,
        expires: Expires = None,
        release: Mapping[str, Any] | None = None,
    ) -> Changes:
        """Let time move on: what expires by `now` does not hold any more. Then update, all in one step.

        Time is a number, or a date with a time of day, which stands for the seconds since 1970. `release` is for facts to
        delete unless they were given for good.
        """
        return self._apply(insert or {}, delete or {}, expires=expires, now=moment(now, "now"), release=release)

    @property
    def now(self) -> float | None:
        """The time that `advance` has told last; None if it never has."""
        return self._engine.now if self._engine.now > -inf else None

    def expiry(self, predicate: str, fact: tuple[Term, ...] | Term) -> float | None:
        """Until when a fact holds if nothing changes but the time; infinite if for good, None if it does not hold now."""
        with self._engine.work:
            ids = self._ids(self[predicate].terms(fact))
            return None if ids is None else self._engine.expiry_of(predicate, ids)

    def _apply(
        self,
        insert: Mapping[str, Any],
        delete: Mapping[str, Any],
        expires: Expires = None,
        now: Time | None = None,
        release: Mapping[str, Any] | None = None,
        *,
        encoded: Encoded | None = None,
        ahead: Ahead | None = None,
    ) -> Changes:
        """`update` for who follows a stream: perhaps encoded already, and with a way to look at the update after it."""
        started = time.perf_counter()
        with self._engine.work, self._changing():  # from here on, since one thread at a time may add terms
            self._engine.tidy()
            if encoded is None or encoded.dictionary is not self._engine.dictionary:
                encoded = self._encode(insert, delete, expires, now, release)
            if encoded.timing.now is not None:
                check_order(self.now, encoded.timing.now)
            inserted, deleted, statistics = self._engine.update(
                self.algorithm, encoded.insert, encoded.delete, encoded.timing, ahead=ahead
            )
            changes = Changes(self._changed(inserted), self._changed(deleted), statistics, time=self.now)
        statistics.seconds = time.perf_counter() - started
        self.statistics = statistics
        return changes

    def _encode(
        self,
        insert: Mapping[str, Any],
        delete: Mapping[str, Any],
        expires: Expires = None,
        now: Time | None = None,
        release: Mapping[str, Any] | None = None,
    ) -> Encoded:
        inserted, deleted = self._batch(insert, "insert"), self._batch(delete, "delete")
        if expires is None and now is None and not release:
            return Encoded(inserted, deleted, dictionary=self._engine.dictionary)
        lengths = {predicate: batch_length(columns, self._arity(predicate)) for predicate, columns in inserted.items()}
        return Encoded(
            inserted,
            deleted,
            Timing(
                None if now is None else moment(now, "now"),
                expiries_of(expires, insert, lengths),
                self._batch(release or {}, "release"),
            ),
            self._engine.dictionary,
        )

    def _encode_ahead(
        self,
        insert: Mapping[str, Any],
        delete: Mapping[str, Any],
        expires: Expires = None,
        now: Time | None = None,
        release: Mapping[str, Any] | None = None,
    ) -> Encoded | None:
        """An update whose turn has not come; None if it says something else by then, as files and relations may."""
        from tidelog.io import paths_in

        given = [data for facts in (insert, delete, release) if isinstance(facts, Mapping) for data in facts.values()]
        if any(isinstance(data, Relation) or paths_in(data) for data in given):
            return None
        with self._engine.work:
            return self._encode(insert, delete, expires, now, release)

    @overload
    def follow(self, updates: Updates, *, look_ahead: int = 1) -> Iterator[Changes]: ...

    @overload
    def follow(self, updates: AsyncIterable[AnyUpdate], *, look_ahead: int = 1) -> AsyncIterator[Changes]: ...

    def follow(
        self, updates: Updates | AsyncIterable[AnyUpdate], *, look_ahead: int = 1
    ) -> Iterator[Changes] | AsyncIterator[Changes]:
        """Apply updates one after another and give the changes of each, before the next update has to be there.

        `updates` is a list or any iterator; an asynchronous iterator (`async for changes in mat.follow(...)`); a queue, in
        which None is the end; the `Path` of a file with an update on each line, or `tidelog.growing(path)` if somebody
        appends to it; or an open file, such as `sys.stdin`. An update is a mapping, `{"insert": {"edge": [("a", "b")]},
        "delete": {...}}`, or has these as attributes. One that cannot be applied raises; what came before it stands.

        The algorithms that mark (`algorithm="bf-marking"`) look at the next update if it is there. An iterator is then asked
        for it from another thread, so many updates ahead as `look_ahead` says; with 0, nothing is read before its turn comes.
        """
        if isinstance(updates, AsyncIterable):
            from tidelog.follow_async import follow_async

            return follow_async(self, updates, look_ahead)
        return follow(self, updates, look_ahead)

    def _batch(self, facts: Mapping[str, Any], what: str) -> Batch:
        from tidelog.io import paths_in, read_files
        from tidelog.io.ingest import columns, nullary

        if not isinstance(facts, Mapping):
            raise DataError(f"{what} takes a mapping from predicates to facts", hint=f'{what}={{"edge": [("a", "b")]}}')
        batch: dict[str, Columns] = {}
        for predicate, data in facts.items():
            arity = self._arity(predicate)
            source = f"{what} {predicate}"
            if isinstance(data, Relation):
                data = list(data)  # as terms: an Arrow table would have strings for IRIs
            paths = paths_in(data)
            if is_frame(data) or (paths and self._upkeep is not None and self._upkeep.wants(paths)):
                if self._upkeep is not None:
                    batch[predicate] = self._upkeep.taken(paths or data, self.bad_rows, arity=arity)
                    continue
                data = data.toArrow()
            if paths:
                dictionary = self._engine.dictionary
                batch[predicate] = read_files(predicate, paths, dictionary, arity=arity, bad_rows=self.bad_rows)
                continue
            if arity == 0:
                if nullary(data, source):
                    batch[predicate] = []
                continue
            encoded = columns(data, self._engine.dictionary, arity=arity, source=source)
            if len(encoded[0]):
                batch[predicate] = encoded
        return batch

    # Facts out

    @property
    def predicates(self) -> list[str]:
        """The predicates that the program and its data speak of, in alphabetical order."""
        return sorted(set(self._engine.predicates) - self.program.hidden - set(self._engine.hidden))

    @property
    def arities(self) -> Mapping[str, int]:
        """The number of columns of each predicate."""
        return {predicate: self._engine.arities[predicate] for predicate in self.predicates}

    def __getitem__(self, predicate: str) -> Relation:
        arity = self._arity(predicate)
        engine = self._engine

        def holds(fact: tuple[Term, ...]) -> bool:
            with engine.work:
                ids = self._ids(fact)
                return ids is not None and engine.holds(predicate, ids)

        return Relation(
            predicate,
            column_names(predicate, arity),
            lambda: engine.dictionary,
            lambda: engine.columns(predicate),
            count=lambda: engine.count(predicate),
            holds=holds,
            frame=lambda: engine.decoded(predicate),
        )

    def explicit(self, predicate: str) -> Relation:
        """The facts of a predicate that were given rather than derived (they may be both)."""
        arity = self._arity(predicate)
        engine = self._engine
        names, fetch = column_names(predicate, arity), lambda: engine.columns(predicate, explicit=True)
        return Relation(predicate, names, lambda: engine.dictionary, fetch).now()

    def __contains__(self, predicate: object) -> bool:
        return predicate in self.predicates

    def __len__(self) -> int:
        """How many facts hold."""
        return self._engine.total(self.predicates)

    @property
    def given(self) -> int:
        """How many facts were given rather than derived (they may be both)."""
        return self._engine.given(self.predicates)

    @property
    def nodes(self) -> Nodes:
        """The facts of the hidden predicates that complex rules are split by, and the bytes of memory these take."""
        return self._engine.nodes

    def __repr__(self) -> str:
        return f"<Materialisation: {len(self):,} facts of {len(self.predicates)} predicates>"

    def query(self, question: str) -> Relation:
        """The answers to a rule body, such as `path(a, ?x), ~edge(a, ?x)`: one column for each variable."""
        return answer(self._engine.embedded(), self.program, question, self._arity)

    def explain(self, predicate: str, fact: tuple[Term, ...] | Term) -> Explanation:
        """Why a fact holds: a proof down to explicit facts; or why it does not: what each rule lacks."""
        return explain(self._engine.embedded(), self.program, predicate, self[predicate].terms(fact))

    def rank(self, predicate: str, fact: tuple[Term, ...] | Term) -> int | None:
        """The rank of a fact: 0 if explicit, else above the ranks of what it was derived from; None if it does not hold."""
        with self._engine.work:
            ids = self._ids(self[predicate].terms(fact))
            return None if ids is None else self._engine.rank_of(predicate, ids)

    # Helpers

    def _ids(self, fact: Sequence[Term]) -> list[int] | None:
        """The ids of a fact's terms; None if one of them is in no fact at all. They may change when nobody is at work."""
        ids = [self._engine.dictionary.find_one(term) for term in fact]
        return None if None in ids else [number for number in ids if number is not None]

    def _arity(self, predicate: str) -> int:
        if predicate not in self._engine.arities or predicate in self.program.hidden:
            near = get_close_matches(predicate, self.predicates, 1)
            known = f"the predicates are {', '.join(self.predicates)}" if self.predicates else "there are no predicates at all"
            hint = f"did you mean {near[0]}?" if near else known
            raise DataError(f"no rule, fact or import of the program has the predicate {predicate!r}", hint=hint)
        return self._engine.arities[predicate]

    def _changed(self, batch: ChangedBatch) -> ChangedRelations:
        dictionary = self._engine.dictionary  # of today: the changes are for good

        def relation(predicate: str, columns: Callable[[], Sequence[Ids]], length: int) -> Relation:
            names = column_names(predicate, self._arity(predicate))
            return Relation(predicate, names, lambda: dictionary, lambda: (columns(), length), count=lambda: length)

        def empty(predicate: str) -> Relation:
            none = [np.empty(0, np.uint32)] * self._arity(predicate)
            return Relation.frozen(predicate, column_names(predicate, self._arity(predicate)), dictionary, none, 0)

        visible = {predicate: facts for predicate, facts in batch.items() if predicate not in self.program.hidden}
        return ChangedRelations(visible, relation, empty)

    def _on_round(self, statistics: Statistics) -> None:
        assert self._report is not None
        self._report("materialising", facts=statistics.facts, rounds=statistics.rounds)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: it is one of {', '.join(allowed)}")
