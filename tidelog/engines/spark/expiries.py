"""The expiries of facts that the driver has met: the part of the algebra that is about times."""

from __future__ import annotations

from tidelog.engines.spark.facts import FactSet
from tidelog.engines.spark.frames import Frame
from tidelog.engines.spark.tables import Row, State, Tables
from tidelog.engines.spark.truth import Bits
from tidelog.maintain.sets import SetExpression


class TimedFacts:
    """Facts with their expiries and ranks, and what these were before the running update."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.bits = Bits()
        self.overwritten: list[tuple[State, int, float, float]] = []
        """Ranks and times before the running update, in the order they were overwritten."""

    def overwrite(self, state: State) -> None:
        """Remember the rank and the times of a fact, which are about to be overwritten."""
        self.overwritten.append((state, state.rank, state.expiry, state.given))

    def held(self, facts: FactSet) -> FactSet:
        states = {p: {row: self.tables[p].met[row] for row in few} for p, few in facts.few()}
        ranks = {p: {row: state.rank for row, state in some.items()} for p, some in states.items()}
        expiries = {p: {row: state.expiry for row, state in some.items()} for p, some in states.items()}
        return FactSet(self, ranks, expiries)

    def given(self, facts: FactSet) -> FactSet:
        expiries = {p: {row: self.tables[p].met[row].given for row in few} for p, few in facts.few()}
        return FactSet(self, {p: dict.fromkeys(few, 0) for p, few in facts.few()}, expiries)

    def longer(self, facts: FactSet, than: SetExpression) -> FactSet:
        truth, tables = self.bits.truth(than), self.tables

        def counts(predicate: str, row: Row) -> bool:
            state = tables[predicate].met[row]
            return not truth[state.flags] or facts.expiry_of(predicate, row) > state.expiry

        return facts.where(counts)

    def lasting(self, facts: FactSet) -> FactSet:
        return facts.where(lambda p, row: facts.expiry_of(p, row) >= self.tables[p].met[row].expiry)

    def set_expiries(self, facts: FactSet) -> None:
        for predicate, part in facts:
            if isinstance(part, Frame):  # its column says it
                continue
            met = self.tables[predicate].met
            for row, rank in part.items():
                state = met[row]
                self.overwrite(state)
                state.rank, state.expiry = rank, facts.expiry_of(predicate, row)
