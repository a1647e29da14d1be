"""A table holds the facts of one predicate, each as a row, for good.

A row has its term ids in `columns`, its `flags` (present, explicit, and one bit for each working set of a running update) and
its `rank`; where facts do not hold for good, also the `times` at which they end. Deleting a fact clears its flags; the row
stays, invisible, until the table is rebuilt. So a row number names a fact for as long as the table lives, and a set of facts is
an array of row numbers.

`intern` finds or makes the rows of facts; `find` only finds them. Both go through the identity of the table: an index over
all columns or, where the columns take few different ids, a slot for every possible fact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from tidelog.facts.index import Index
from tidelog.facts.kernel import Ids, Keys, Mask, N, Rows, is_exact, pack, sorted_unique, starts_of_groups, unpack
from tidelog.facts.times import Times

PRESENT = 1
EXPLICIT = 2
FIRST_WORKING_BIT = 2
WORKING_BITS = 14

_SLOT_FLOOR = 1 << 16
_SLOTS_PER_ROW = 64
"""The slots of a direct identity may number this many times the rows while the table grows fast,"""
_SETTLED_SLOTS_PER_ROW = 4
"""and this many times when it does not."""
_MOST_SLOTS = 1 << 31


class Table:
    """The facts of one predicate."""

    __slots__ = (
        "_capacity",
        "_columns",
        "_flags",
        "_highest",
        "_indexes",
        "_lookups",
        "_lowest",
        "_rank",
        "_slots",
        "_stride",
        "_times",
        "arity",
        "count",
        "identity",
        "marked",
        "predicate",
        "present",
    )

    def __init__(self, predicate: str, arity: int) -> None:
        self.predicate = predicate
        self.arity = arity
        self.count = 0
        """Rows so far, present or not."""
        self.present = 0
        """Rows that are present."""
        self.marked = 0
        """The working bits that some row may carry."""
        self._capacity = 0
        self._columns: list[Ids] = [np.empty(0, np.uint32) for _ in range(arity)]
        self._flags = np.empty(0, np.uint16)
        self._rank = np.empty(0, np.int32)
        self._times: Times | None = None
        self._indexes: dict[tuple[int, ...], Index] = {}
        self.identity = self.index(tuple(range(arity)))
        self._slots: Rows | None = None
        self._lowest: list[int] = []
        self._highest: list[int] = []
        self._stride = 1
        self._lookups = 0

    # The columns, as long as the rows in use: views that see later writes.

    @property
    def columns(self) -> list[Ids]:
        return self._columns

    @property
    def flags(self) -> NDArray[np.uint16]:
        return self._flags

    @property
    def rank(self) -> NDArray[np.int32]:
        return self._rank

    @property
    def times(self) -> Times | None:
        """Until when facts hold, for all rows in use; None if all hold for good."""
        if self._times is not None:
            self._times.make_room(self.count)
        return self._times

    def keep_times(self) -> Times:
        """`times`, from now on, whatever was before."""
        if self._times is None:
            self._times = Times()
        self._times.make_room(self.count)
        return self._times

    def index(self, columns: tuple[int, ...]) -> Index:
        """The index on these columns, in this order, made if there is none."""
        if columns not in self._indexes:
            self._indexes[columns] = Index(self, columns)
        return self._indexes[columns]

    def indexed(self) -> Collection[tuple[int, ...]]:
        """The column orders that have an index."""
        return self._indexes.keys()

    @property
    def nbytes(self) -> int:
        """Bytes in use by rows and indexes."""
        rows = self.count * (4 * self.arity + self._flags.itemsize + self._rank.itemsize)
        slots = self._slots.nbytes if self._slots is not None else 0
        times = self._times.nbytes if self._times is not None else 0
        return rows + slots + times + sum(index.nbytes for index in self._indexes.values())

    def facts(self, mask: int = PRESENT) -> Rows:
        """The rows that carry all bits of `mask`."""
        return np.flatnonzero(self._flags[: self.count] & mask == mask).astype(np.uint32)

    @property
    def direct(self) -> bool:
        """Whether facts are looked up by slot, at the same cost for few as for many."""
        return self._slots is not None

    # Finding and making rows

    def find(self, columns: Sequence[Ids], length: int) -> tuple[Rows, Mask]:
        """For each fact its row, and whether there is one; the row of an unknown fact means nothing."""
        self._lookups += length
        if self._prefer_slots():
            return self._find_in_slots(columns)
        self.identity.sync()
        return self._find_sorted(pack(columns, length), columns)

    def intern(self, columns: Sequence[Ids], length: int, skip: Mask | None = None, new_from: int | None = None) -> Rows:
        """Make rows for the facts that have none, at the end of the table; give the distinct rows of the others.

        Left out are rows from number `new_from` on (for callers who know those already), and rows whose flags `skip` is
        true of.
        """
        self._lookups += length
        new_from = self.count if new_from is None else new_from
        if self._prefer_slots() and self._within(columns) is None:
            return self._wanted(self._intern_in_slots(columns), skip, new_from)
        self._slots = None
        self.identity.sync()
        if is_exact(self.arity):
            keys = sorted_unique(pack(columns, length))
            columns = unpack(keys, self.arity)
        else:
            keys, columns = distinct(columns)
        rows, known = self._find_sorted(keys, columns)
        count = int(np.count_nonzero(known))
        if count < len(keys):
            fresh = slice(None) if not count else ~known
            new = self.append([column[fresh] for column in columns], len(keys) - count)
            self.identity.push(keys[fresh], new)
        return self._wanted(rows[known], skip, new_from)

    def _wanted(self, known: Rows, skip: Mask | None, new_from: int) -> Rows:
        if len(known) and new_from < self.count:
            known = known.take((known < new_from).nonzero()[0])
        if skip is not None and len(known):
            known = known.take((~skip.take(self._flags.take(known))).nonzero()[0])
        return sorted_unique(known)

    def intern_each(self, columns: Sequence[Ids], length: int) -> Rows:
        """The row of every one of these facts, in their order, made where there is none."""
        self.intern(columns, length)
        return self.find(columns, length)[0]

    def intern_all(self, columns: Sequence[Ids], length: int) -> Rows:
        """The distinct rows of these facts, made where there were none."""
        before = self.count
        known = self.intern(columns, length)
        new = np.arange(before, self.count, dtype=np.uint32)
        return np.concatenate((known, new)) if len(known) else new

    def append(self, columns: Sequence[Ids], length: int) -> Rows:
        """New rows for facts that have none yet, with no flags set; the identity is the caller's to update."""
        start, end = self.count, self.count + length
        if end > self._capacity:
            self._grow(end)
        for own, column in zip(self._columns, columns, strict=True):
            own[start:end] = column
        self._flags[start:end] = 0
        self._rank[start:end] = 0
        self.count = end
        return np.arange(start, end, dtype=np.uint32)

    def only(self, rows: Rows, columns: Sequence[Ids]) -> Table:
        """A table of some facts alone, all of them present, with these ids for their terms."""
        only = Table(self.predicate, self.arity)
        new = only.append(columns, len(rows))
        only._flags[new], only._rank[new] = self._flags[rows], self._rank[rows]
        only.present = len(rows)
        if self.times is not None:
            times = only.keep_times()
            times.expiry[new], times.given[new] = self.times.expiry[rows], self.times.given[rows]
            times.schedule(new)
        return only

    def _grow(self, needed: int) -> None:
        """Make room, generously: memory that is never touched is never really taken."""
        capacity = max(needed, 64, self._capacity * (4 if self._capacity < 1 << 22 else 2))
        for c, column in enumerate(self._columns):
            self._columns[c] = _longer(column, capacity, self.count)
        self._flags = _longer(self._flags, capacity, self.count)
        self._rank = _longer(self._rank, capacity, self.count)
        self._capacity = capacity

    def _find_sorted(self, keys: Keys, columns: Sequence[Ids]) -> tuple[Rows, Mask]:
        rows = np.zeros(len(keys), np.uint32)
        known = np.zeros(len(keys), np.bool_)
        for run in self.identity.runs:
            at = self.identity.places(run, keys)
            np.minimum(at, len(run.keys) - 1, out=at)
            hit = run.keys[at] == keys
            if is_exact(self.arity):
                rows[hit] = run.rows[at[hit]]
                known |= hit
            else:
                self._verify(run.keys, run.rows, keys, columns, at, hit, rows, known)
        return rows, known

    def _verify(
        self,
        run_keys: Keys,
        run_rows: Rows,
        keys: Keys,
        columns: Sequence[Ids],
        at: NDArray[np.int64],
        hit: Mask,
        rows: Rows,
        known: Mask,
    ) -> None:
        """Among equal hashes, take the row whose columns are equal; walks on where two facts share a hash."""
        todo = np.flatnonzero(hit)
        place = at[todo]
        while len(todo):
            candidate = run_rows[place]
            same = np.ones(len(todo), np.bool_)
            for own, column in zip(self._columns, columns, strict=True):
                same &= own[candidate] == column[todo]
            rows[todo[same]] = candidate[same]
            known[todo[same]] = True
            todo, place = todo[~same], place[~same] + 1
            inside = place < len(run_keys)
            todo, place = todo[inside], place[inside]
            again = run_keys[place] == keys[todo]
            todo, place = todo[again], place[again]

    # The direct identity: a slot for every fact that can be said with the ids between the lowest and the highest

    def _prefer_slots(self) -> bool:
        if self._slots is not None:
            return True
        if self.arity not in (1, 2) or self.count == 0 or 4 * self._lookups < self.count:
            return False
        return self._lookups > 64 and self._make_slots()

    def _make_slots(self) -> bool:
        """Switch to slots if the ids in use leave few enough of them; asked again when the look-ups have doubled."""
        self._lookups = 0
        columns = [column[: self.count] for column in self._columns]
        lowest = [int(column.min()) for column in columns]
        highest = [int(column.max()) for column in columns]
        # Room to grow, so that ids a little outside do not end it at once.
        highest = [high + (high - low) // 8 + 64 for low, high in zip(lowest, highest, strict=True)]
        spans = [high - low + 1 for low, high in zip(lowest, highest, strict=True)]
        size = spans[0] * (spans[1] if self.arity == 2 else 1)
        if size > min(max(_SLOT_FLOOR, _SLOTS_PER_ROW * self.count), _MOST_SLOTS):
            return False
        self._lowest, self._highest = lowest, highest
        self._stride = spans[1] if self.arity == 2 else 1
        slots = np.zeros(size, np.uint32)
        slots[self._slot_numbers(columns)] = np.arange(1, self.count + 1, dtype=np.uint32)
        self._slots = slots
        return True

    def settle(self) -> None:
        """Give back memory that only pays while many facts are derived at once."""
        if self._slots is not None and len(self._slots) > max(_SLOT_FLOOR, _SETTLED_SLOTS_PER_ROW * self.count):
            self._slots, self._lookups = None, 0

    def _slot_numbers(self, columns: Sequence[Ids]) -> NDArray[np.int64]:
        slot = columns[0] * np.uint32(self._stride)  # modulo 2**32, like all that follows: the result is less
        first = self._lowest[0] * self._stride
        if self.arity == 2:
            slot += columns[1]
            first += self._lowest[1]
        slot -= np.uint32(first & 0xFFFFFFFF)
        return slot.astype(np.int64)

    def _within(self, columns: Sequence[Ids]) -> Mask | None:
        """Which facts have a slot; None if all."""
        inside: Mask | None = None
        for column, low, high in zip(columns, self._lowest, self._highest, strict=True):
            if len(column) and (int(column.min()) < low or int(column.max()) > high):
                here = (column >= low) & (column <= high)
                inside = here if inside is None else inside & here
        return inside

    def _find_in_slots(self, columns: Sequence[Ids]) -> tuple[Rows, Mask]:
        assert self._slots is not None
        inside = self._within(columns)
        if inside is None:
            rows = self._slots[self._slot_numbers(columns)]
            known = rows != 0
        else:
            rows = np.zeros(len(inside), np.uint32)
            rows[inside] = self._slots[self._slot_numbers([column[inside] for column in columns])]
            known = rows != 0
        rows -= 1  # unknown facts wrap around: their row means nothing
        rows *= known
        return rows, known

    def _intern_in_slots(self, columns: Sequence[Ids]) -> Rows:
        """Make what is missing; the rows of what was there, perhaps repeated."""
        slots = self._slots
        assert slots is not None
        numbers = self._slot_numbers(columns)
        found = slots.take(numbers)
        absent = np.flatnonzero(found == 0)
        known = found.take(np.flatnonzero(found)) - np.uint32(1) if len(absent) < len(found) else found[:0]
        if len(absent):
            self._slots = None  # while they hold rows that are not made yet: if this is interrupted, the index takes over
            self._fill_slots(slots, [column.take(absent) for column in columns], numbers.take(absent))
            self._slots = slots
        return known

    def _fill_slots(self, slots: Rows, columns: list[Ids], numbers: NDArray[np.int64]) -> None:
        """Make rows for facts that have none, perhaps repeated.

        Each writes its row into its slot; of equal ones the last stays. The places of the others are taken by the facts
        at the end, so that most slots are written once: what is scattered in memory is what takes time.
        """
        rows = np.arange(self.count + 1, self.count + 1 + len(numbers), dtype=np.uint32)
        slots[numbers] = rows
        stays = slots.take(numbers) == rows
        if not stays.all():
            count = int(np.count_nonzero(stays))
            gaps, last = np.flatnonzero(~stays[:count]), count + np.flatnonzero(stays[count:])
            slots[numbers.take(last)] = rows.take(gaps)
            for column in columns:
                column[gaps] = column.take(last)
            columns = [column[:count] for column in columns]
        self.append(columns, len(columns[0]))


def _longer(array: NDArray[N], capacity: int, used: int) -> NDArray[N]:
    longer: NDArray[N] = np.empty(capacity, array.dtype)
    longer[:used] = array[:used]
    return longer


def distinct(columns: Sequence[Ids]) -> tuple[Keys, list[Ids]]:
    """The distinct facts in the order of their hashes, with those hashes."""
    keys = pack(columns, len(columns[0]))
    order = np.argsort(keys)
    keys = keys[order]
    ordered = [column[order] for column in columns]
    first = starts_of_groups(keys)
    differs = np.zeros(len(keys), np.bool_)
    for column in ordered:
        differs |= starts_of_groups(column)
    if np.any(differs & ~first):  # two facts share a hash: order by all columns as well
        order = np.lexsort(np.array([*reversed(ordered), keys], np.uint64))
        keys = keys[order]
        ordered = [column[order] for column in ordered]
        first = starts_of_groups(keys)
        for column in ordered:
            first |= starts_of_groups(column)
    return keys[first], [column[first] for column in ordered]
