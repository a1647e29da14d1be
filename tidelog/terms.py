"""Terms: the values that facts are made of.

A term is a plain Python value wherever one says it exactly: `str`, `int`, `bool`, `float`, `Decimal`, `date`, `datetime`,
`time`. RDF terms that have no exact Python value have a type of their own here: `Iri`, `BlankNode`, and `Literal` for
language-tagged strings, for datatypes Python does not have, and for lexical forms that are not the canonical one (so
`"01"^^xsd:integer` survives a round trip).

Two terms are the same if they have the same type and the same value: `1`, `"1"`, `1.0` and `True` are four terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import TypeAlias

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"


@dataclass(frozen=True, slots=True)
class Iri:
    value: str

    def __str__(self) -> str:
        return f"<{self.value}>"


@dataclass(frozen=True, slots=True)
class BlankNode:
    label: str

    def __str__(self) -> str:
        return f"_:{self.label}"


@dataclass(frozen=True, slots=True)
class Literal:
    """An RDF literal that no Python value says exactly."""

    lexical: str
    datatype: str = XSD + "string"
    language: str | None = None


Term: TypeAlias = str | int | bool | float | Decimal | date | datetime | time | Iri | BlankNode | Literal
