"""Following a stream of updates: each is applied when its turn comes, and its changes are handed on before the next is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from tidelog.changes import Changes
from tidelog.errors import DataError

if TYPE_CHECKING:
    from tidelog.materialisation import Materialisation

Facts: TypeAlias = Mapping[str, Any]


class HasFacts(Protocol):
    """Anything with facts to insert and to delete, such as `tidelog.io.updates.WrittenUpdate`."""

    @property
    def insert(self) -> Facts: ...

    @property
    def delete(self) -> Facts: ...


AnyUpdate: TypeAlias = HasFacts | Mapping[str, Facts]


def follow(mat: Materialisation, updates: Iterable[AnyUpdate]) -> Iterator[Changes]:
    """The changes of each update, numbered as the updates are."""
    for position, update in enumerate(updates, 1):
        insert, delete = _parts(update)
        try:
            changes = mat.update(insert, delete)
        except DataError as error:
            _refuse(mat, update, error)
        else:
            yield replace(changes, number=getattr(update, "number", 0) or position)


def _parts(update: AnyUpdate) -> tuple[Facts, Facts]:
    hint = 'updates are a list or stream of such as {"insert": {"edge": [("a", "b")]}, "delete": {}}'
    if isinstance(update, Mapping):
        for name in update:
            if name not in ("insert", "delete"):
                raise DataError(f"an update has insert and delete, not {name!r}", hint=hint)
        return update.get("insert", {}), update.get("delete", {})
    if not (hasattr(update, "insert") and hasattr(update, "delete")):
        raise DataError(f"{update!r} is not an update", hint=hint)
    return update.insert, update.delete


def _refuse(mat: Materialisation, update: AnyUpdate, error: DataError) -> None:
    """Nothing of the update was applied. One that stands on a line of a file is a bad row like any other; else raise."""
    from tidelog.io.updates import WrittenUpdate, refusal

    if not isinstance(update, WrittenUpdate) or update.line is None:
        raise error
    try:
        mat.bad_rows.report(update.source, update.line, refusal(error), update.text)
    except DataError as told:
        raise told from error
