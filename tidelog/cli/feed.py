"""The change feed, `--changes`: exactly what appeared and what vanished, update by update.

On standard output an update is a line of JSON, in the form in which `--update` reads updates:

    {"update": 1, "insert": [["path", "a", "d"], ...], "delete": [...], "explicit": {"insert": [...], "delete": [...]}}

`insert` and `delete` hold everything that appeared and vanished; `explicit` those of them that are, or were, given rather than
only derived. In a directory there is a table for each predicate, with the columns `update`, `change` (1 appeared, -1 vanished)
and `explicit` in front of its own; where windows move over time, with the `time` of the update, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

import click

from tidelog.cli.answers import counted
from tidelog.cli.report import file_name

if TYPE_CHECKING:
    from tidelog import Changes, Materialisation
    from tidelog.changes import ChangedRelations
    from tidelog.facts.dictionary import Dictionary, Ids
    from tidelog.relation import Relation
    from tidelog.terms import Term

STANDARD_OUTPUT = "-"
OWN_COLUMNS = ("update", "change", "explicit")
TIME = "time"


class Feed(Protocol):
    """Told the changes of one update after another."""

    def write(self, changes: Changes) -> None: ...


@contextmanager
def opened(where: str | None, form: str, mat: Materialisation, *, timed: bool = False) -> Iterator[Feed | None]:
    """The feed to `-` or to a directory; None if nobody wants it. Whatever ends the run, what was written stays.

    `timed` says that updates have times, for tables, which have the same columns from their first row on.
    """
    predicates = list(mat.program.outputs or mat.predicates)
    if where is None or where == STANDARD_OUTPUT:
        yield None if where is None else Standard(predicates)
        return
    kind = Parquet if form == "parquet" else Csv
    feed = kind(Path(where), {predicate: mat[predicate] for predicate in predicates}, timed)
    try:
        yield feed
    finally:
        feed.close()


# --- lines of JSON ----------------------------------------------------------------------------------------------------


class Standard:
    """Lines on standard output, each there as soon as its update is done."""

    def __init__(self, predicates: Sequence[str]) -> None:
        self.predicates = predicates

    def write(self, changes: Changes) -> None:
        click.echo(self.line(changes))

    def line(self, changes: Changes) -> str:
        (inserted, given), (deleted, taken) = self.facts(changes.inserted), self.facts(changes.deleted)
        explicit = f'{{"insert": {given}, "delete": {taken}}}'
        time = "" if changes.time is None else f'"time": {changes.time!r}, '
        return f'{{"update": {changes.number}, {time}"insert": {inserted}, "delete": {deleted}, "explicit": {explicit}}}'

    def facts(self, relations: ChangedRelations) -> tuple[str, str]:
        """All of them as a list in JSON, and the explicit ones."""
        from tidelog.io.updates import facts_to_json

        every: list[str] = []
        explicit: list[str] = []
        for predicate in sorted(set(relations) & set(self.predicates)):
            relation = relations[predicate]
            order = relation.order()
            columns = [column[order] for column in relation.ids()]
            facts = facts_to_json(predicate, relation.dictionary, columns, len(relation))
            every += facts
            explicit += compress(facts, relations.mask(predicate)[order].tolist())
        return f"[{', '.join(every)}]", f"[{', '.join(explicit)}]"


# --- tables -----------------------------------------------------------------------------------------------------------


class Tables:
    """What tables of either format share: their files, and the rows of an update."""

    ending: str

    def __init__(self, directory: Path, relations: Mapping[str, Relation], timed: bool = False) -> None:
        names: set[str] = set()
        self.relations, self.timed = relations, timed
        self.paths = {predicate: directory / f"{file_name(predicate, names)}.{self.ending}" for predicate in relations}
        self.lengths = dict.fromkeys(relations, 0)

    def write(self, changes: Changes) -> None:
        for predicate in changes.predicates:
            if predicate in self.relations:
                columns = change_columns(changes, predicate, timed=self.timed)
                self.lengths[predicate] += len(columns[0])
                self.add(predicate, columns, changes.inserted[predicate].dictionary)

    def add(self, predicate: str, columns: list[Ids], dictionary: Dictionary) -> None:
        raise NotImplementedError

    def names(self, predicate: str) -> list[str]:
        return [*((TIME,) if self.timed else ()), *OWN_COLUMNS, *self.relations[predicate].column_names]

    def close(self) -> None:
        for predicate, path in self.paths.items():
            click.echo(f"wrote {path} ({counted(self.lengths[predicate], 'change')})", err=True)


class Csv(Tables):
    """Files that grow with each update, so that whoever reads along sees it."""

    ending = "csv"

    def __init__(self, directory: Path, relations: Mapping[str, Relation], timed: bool = False) -> None:
        super().__init__(directory, relations, timed)
        from tidelog.io import files

        self.stack = ExitStack()
        self.files: dict[str, BinaryIO] = {}
        for predicate, path in self.paths.items():
            self.files[predicate] = self.stack.enter_context(files.growing(path))
            self.add(predicate, [], self.relations[predicate].dictionary, header=self.names(predicate))

    def add(self, predicate: str, columns: list[Ids], dictionary: Dictionary, header: Sequence[str] = ()) -> None:
        from tidelog.io import delimited

        delimited.write_rows(self.files[predicate], columns, dictionary, header=header)
        self.files[predicate].flush()

    def close(self) -> None:
        self.stack.close()
        super().close()


class Parquet(Tables):
    """Files that are written at the end: only then is it known which types their columns have."""

    ending = "parquet"

    def __init__(self, directory: Path, relations: Mapping[str, Relation], timed: bool = False) -> None:
        super().__init__(directory, relations, timed)
        from tidelog.facts.dictionary import Dictionary

        self.parts: dict[str, list[list[Ids]]] = {predicate: [] for predicate in relations}
        self.dictionary = Dictionary()
        """For all updates: the ids of theirs need not mean the same."""

    def add(self, predicate: str, columns: list[Ids], dictionary: Dictionary) -> None:
        self.parts[predicate].append([self.dictionary.encode(dictionary.decode(column)) for column in columns])

    def close(self) -> None:
        import numpy as np

        from tidelog.relation import Relation

        for predicate, path in self.paths.items():
            names, parts = self.names(predicate), self.parts[predicate]
            columns = [np.concatenate(column) for column in zip(*parts, strict=True)] or [np.empty(0, np.uint32) for _ in names]
            Relation.frozen(predicate, names, self.dictionary, columns, self.lengths[predicate]).write(path, "parquet")
        super().close()


def change_columns(changes: Changes, predicate: str, *, timed: bool) -> list[Ids]:
    """The rows of an update as ids, what vanished first: perhaps its time, its number, 1 or -1, whether explicit, the terms."""
    import numpy as np

    parts = []
    for sign, relations in ((-1, changes.deleted), (1, changes.inserted)):
        explicit, relation = relations.mask(predicate), relations[predicate]
        own: list[Term] = [changes.number, sign]
        if timed:
            assert changes.time is not None
            own.insert(0, changes.time)
        *front, no, yes = relation.dictionary.encode([*own, False, True])
        ones = np.ones(len(explicit), np.uint32)
        parts.append([*(value * ones for value in front), np.where(explicit, yes, no), *relation.ids()])
    return [np.concatenate(column) for column in zip(*parts, strict=True)]
