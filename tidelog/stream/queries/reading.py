"""What the tokens of a query mean: IRIs by the prefixes and the base declared, literals by their lexical form.

A number is the literal that is written: `1.50` is `"1.50"^^xsd:decimal`, which does not match a `1.5` in the data, though in a
FILTER the two are equal. `rdf:`, `rdfs:`, `xsd:` and `owl:` need no declaration, as in rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from tidelog import terms
from tidelog.errors import DataError
from tidelog.syntax.ast import Constant, Variable
from tidelog.syntax.iris import is_absolute, resolve
from tidelog.syntax.names import PREDECLARED
from tidelog.syntax.places import Text
from tidelog.syntax.reading import EscapeError, unescape
from tidelog.syntax.scanner import Token
from tidelog.terms import XSD, Iri, Term

_ESCAPED = re.compile(r"\\(.)")
_LONG_QUOTES = ('"""', "'''")


def read(source: Text, tokens: Sequence[Token]) -> Mapping[str, str]:
    """Give the tokens their values; what has none is reported. Returns the prefixes."""
    reader = _Reader(source)
    reader.declare(tokens)
    for token in tokens:
        reader.read(token)
    return reader.prefixes


class _Reader:
    def __init__(self, source: Text) -> None:
        self.source = source
        self.base: str | None = None
        self.prefixes: dict[str, str] = {}
        self._reported: set[str] = set()
        self._meanings: dict[str, Callable[[str], Term]] = {
            "IRI": self._iri,
            "INT": lambda text: terms.literal(text, XSD + "integer"),
            "DECIMAL": lambda text: terms.literal(text, XSD + "decimal"),
            "DOUBLE": lambda text: terms.literal(text, XSD + "double"),
            "BOOL": lambda text: text.lower() == "true",
            "STRING": _string,
        }

    def declare(self, tokens: Sequence[Token]) -> None:
        """Prefixes and bases, each under the base declared before it."""
        for token, second, third in zip(tokens, islice(tokens, 1, None), [*tokens[2:], None], strict=False):
            if token.type == "BASE" and second.type == "IRI":
                iri = self._constant(second, self._iri).value
                if isinstance(iri, Iri) and not is_absolute(iri.value):
                    hint = "begin it with a scheme, as in http:"
                    self.source.report("invalid-iri", f"the base <{iri.value}> is not absolute", second.span, hint)
                elif isinstance(iri, Iri):
                    self.base = iri.value
            elif token.type == "PREFIX" and second.type == "PNAME" and third is not None and third.type == "IRI":
                iri = self._constant(third, self._iri).value
                if isinstance(iri, Iri):
                    self.prefixes[second.text.partition(":")[0]] = iri.value

    def read(self, token: Token) -> None:
        if token.type == "VAR":
            token.value = Variable(token.text[1:], token.span)
        elif token.type == "BLANK":
            token.value = Variable(token.text, token.span)
        elif token.type == "PNAME":
            token.value = self._prefixed(token)
        elif token.type in self._meanings:
            token.value = self._constant(token, self._meanings[token.type])

    def _constant(self, token: Token, meaning: Callable[[str], Term]) -> Constant:
        try:
            return Constant(meaning(token.text), token.text, token.span)
        except EscapeError as error:
            self.source.report("invalid-escape", str(error), token.span, error.hint)
        except DataError as error:
            self.source.report("invalid-term", error.message, token.span, error.hint)
        return Constant(Iri("") if token.type == "IRI" else "", token.text, token.span)

    def _iri(self, text: str) -> Iri:
        written = unescape(text[1:-1], 1, names=False)
        return terms.iri(resolve(self.base, written) if self.base else written)

    def _prefixed(self, token: Token) -> Constant:
        prefix, _, local = token.text.partition(":")
        namespace = self.prefixes.get(prefix, PREDECLARED.get(prefix))
        if namespace is None and prefix not in self._reported:
            self._reported.add(prefix)
            hint = f"declare it: PREFIX {prefix}: <http://example.org/{prefix}#>"
            self.source.report("unknown-prefix", f"the prefix `{prefix}:` is not declared", token.span, hint)
        return Constant(Iri((namespace or f"{prefix}:") + _ESCAPED.sub(r"\1", local)), token.text, token.span)


def _string(text: str) -> Term:
    quotes = 3 if text[:3] in _LONG_QUOTES and len(text) >= 6 else 1
    return terms.text(unescape(text[quotes:-quotes], quotes))
