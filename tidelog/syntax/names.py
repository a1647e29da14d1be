"""How names look in rule text, said once for the scanner that reads them and the formatter that prints them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from tidelog.terms import OWL, RDF, RDFS, XSD

NAME = r"[^\W\d_]\w*(?:-\w+)*"
"""A bare name: a letter, then letters, digits, `_` and inner hyphens."""
LOCAL = r"\w(?:[\w.-]*\w)?"
"""What may follow the colon of a prefixed name; dots and hyphens only inside, so that a final dot ends the statement."""

RESERVED = frozenset({"true", "false"})
PREDECLARED: Mapping[str, str] = MappingProxyType({"xsd": XSD, "rdf": RDF, "rdfs": RDFS, "owl": OWL})
"""Prefixes that every program has without saying so, unless it declares them itself."""

_NAME = re.compile(NAME)
_LOCAL = re.compile(LOCAL)


def is_bare(text: str) -> bool:
    """Whether `text` can be written without quotes, as a string or as a predicate."""
    return _NAME.fullmatch(text) is not None and text not in RESERVED


def shorten(iri: str, prefixes: Mapping[str, str]) -> str | None:
    """The prefixed name for an IRI, by the longest namespace that leaves a writable local part."""
    best: tuple[int, str] | None = None
    for prefix, namespace in prefixes.items():
        if namespace and iri.startswith(namespace) and _LOCAL.fullmatch(iri, len(namespace)):
            found = len(namespace), f"{prefix}:{iri[len(namespace) :]}"
            best = found if best is None or found[0] > best[0] else best
    return best[1] if best else None
