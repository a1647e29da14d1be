"""Terms in N-Triples: how each is written, and what a text means.

Every term has exactly one text, also the Python values: `12` is `"12"^^<http://www.w3.org/2001/XMLSchema#integer>`. How terms
are written in rule text is `tidelog.syntax.formatter`'s matter.
"""

from __future__ import annotations

import re

from tidelog.errors import DataError
from tidelog.terms import (
    BLANK_PATTERN,
    IRI_PATTERN,
    LANGUAGE_PATTERN,
    XSD,
    BlankNode,
    Iri,
    Term,
    blank,
    iri,
    lexical_form,
    literal,
)

_STRING = XSD + "string"
_UNSAFE = re.compile(r'[\x00-\x1f"\\\x7f]')
_SHORT = {"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", '"': '\\"', "\\": "\\\\"}
_TERM = re.compile(
    f"<(?P<iri>{IRI_PATTERN})>|_:(?P<blank>{BLANK_PATTERN})"
    f'|"(?P<text>(?:[^"\\\\\\n\\r]|\\\\[tbnrf"\'\\\\]|\\\\u[0-9A-Fa-f]{{4}}|\\\\U[0-9A-Fa-f]{{8}})*)"'
    f"(?:@(?P<language>{LANGUAGE_PATTERN})|\\^\\^<(?P<datatype>{IRI_PATTERN})>)?"
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_LONG = {escape[1]: character for character, escape in _SHORT.items()} | {"'": "'"}


def quoted(value: str) -> str:
    """A string between double quotes, with the escapes that N-Triples and the rule language share."""
    return f'"{_UNSAFE.sub(_escape, value)}"'


def ntriples(term: Term) -> str:
    """`term` in N-Triples."""
    if isinstance(term, Iri | BlankNode):
        return str(term)
    lexical, datatype, language = lexical_form(term)
    if language is not None:
        return f"{quoted(lexical)}@{language}"
    return quoted(lexical) if datatype == _STRING else f"{quoted(lexical)}^^<{datatype}>"


def parse_term(written: str) -> Term | None:
    """The term that a text in N-Triples writes, or None if the whole text is not one term."""
    match = _TERM.fullmatch(written)
    if match is None:
        return None
    kind = match.lastgroup
    if kind == "iri":
        return iri(match["iri"])
    if kind == "blank":
        return blank(match["blank"])
    try:
        return literal(_unescaped(match["text"]), match["datatype"], match["language"])
    except (DataError, ValueError):
        return None


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT.get(character) or f"\\u{ord(character):04X}"


def _unescaped(written: str) -> str:
    return _ESCAPE.sub(_character, written) if "\\" in written else written


def _character(match: re.Match[str]) -> str:
    short = match[1] or match[2]
    return chr(int(short, 16)) if short else _LONG[match[3]]
