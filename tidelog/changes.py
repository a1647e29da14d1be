"""What an update changed: the facts that appeared and those that vanished, and what it took to find out."""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.maintain.algebra import Statistics
from tidelog.relation import Relations


@dataclass(frozen=True, slots=True)
class Changes:
    """Net changes by predicate: no fact is in both."""

    inserted: Relations
    deleted: Relations
    statistics: Statistics

    def __bool__(self) -> bool:
        return bool(len(self.inserted) or len(self.deleted))

    def __repr__(self) -> str:
        return f"<Changes: inserted {self.inserted!r}, deleted {self.deleted!r}>"
