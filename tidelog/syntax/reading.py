"""What a token means: variables, terms, full IRIs. The only part of reading that depends on what was declared before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from tidelog import terms
from tidelog.errors import DataError
from tidelog.syntax.ast import Constant, Span, Variable
from tidelog.syntax.iris import is_absolute, resolve
from tidelog.syntax.names import PREDECLARED
from tidelog.syntax.places import Text
from tidelog.syntax.scanner import Token
from tidelog.terms import Iri, Term

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.)|$)")
_CHARACTERS = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}

_PLACEHOLDERS: dict[str, Term] = {"IRI": Iri(""), "INT": 0}
"""What stands in the tree for a token without a value, so that the rest of its statement can be examined too."""


class Reader:
    """Gives tokens their values under the prefixes and the base declared so far; reports what has none."""

    def __init__(self, source: Text) -> None:
        self.source = source
        self.declared: dict[str, str] = {}
        self.base: str | None = None
        self.forgiven: set[str] | None = set()
        """Prefixes whose declaration could not be read, so that their uses are not reported too; None: all."""
        self._readers: dict[str, Callable[[Token], object]] = {
            "VAR": lambda token: Variable(token.text[1:], token.span),
            "ANON": lambda token: Variable("_", token.span),
            "NAME": lambda token: Constant(token.text, token.text, token.span),
            "BOOL": lambda token: Constant(token.text == "true", token.text, token.span),
            "INT": lambda token: self._constant(token, _integer),
            "DECIMAL": lambda token: self._constant(token, lambda text: terms.decimal(Decimal(text))),
            "DOUBLE": lambda token: self._constant(token, float),
            "STRING": lambda token: self._constant(token, _string),
            "BLANK": lambda token: self._constant(token, lambda text: terms.blank(text[2:])),
            "IRI": self._iri,
            "PNAME": self._prefixed,
            "NS": self._prefixed,
        }

    @property
    def prefixes(self) -> dict[str, str]:
        return {**PREDECLARED, **self.declared}

    def read(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """The same tokens, each given its value as it passes by."""
        previous = ""
        for token in tokens:
            reader = self._readers.get(token.type)
            if reader is not None and not (token.type == "NS" and previous in ("PREFIX", "RSQB")):
                token.value = reader(token)
            previous = token.type
            yield token

    def _constant(self, token: Token, read: Callable[[str], Term]) -> Constant:
        try:
            return Constant(read(token.text), token.text, token.span)
        except EscapeError as error:
            column = token.column + error.offset
            span = Token("", token.text[error.offset : error.offset + error.length], token.line, column).span
            self.source.report("invalid-escape", str(error), span, error.hint)
        except DataError as error:
            self.source.report("invalid-term", error.message, token.span, error.hint)
        return Constant(_PLACEHOLDERS.get(token.type, ""), token.text, token.span)

    def _iri(self, token: Token) -> Constant:
        return self._constant(token, lambda text: self._resolved(unescape(text[1:-1], 1, names=False)))

    def _resolved(self, text: str) -> Iri:
        found = terms.iri(resolve(self.base, text) if self.base else text)
        if not found.value:
            raise DataError("this IRI is empty", hint="declare what it is relative to with `@base <http://example.org/> .`")
        return found

    def _prefixed(self, token: Token) -> Constant:
        prefix, _, local = token.text.partition(":")
        namespace = self.declared.get(prefix) or PREDECLARED.get(prefix)
        if namespace is None and self.forgiven is not None and prefix not in self.forgiven:
            span = Token("", f"{prefix}:", token.line, token.column).span
            hint = f"declare it before its first use: @prefix {prefix}: <http://example.org/{prefix}#> ."
            self.source.report("unknown-prefix", f"the prefix `{prefix}:` is not declared", span, hint)
        return Constant(Iri((namespace or f"{prefix}:") + local), token.text, token.span)

    # Declarations

    def declare(self, prefix: str, iri: str, span: Span | None) -> None:
        if self.declared.get(prefix, iri) != iri:
            message = f"the prefix `{prefix}:` is declared twice, as <{self.declared[prefix]}> before"
            self.source.report("duplicate-prefix", message, span, "use another prefix for the second namespace")
        self.declared[prefix] = iri

    def rebase(self, iri: str, span: Span | None) -> None:
        if not is_absolute(iri):
            self.source.report("invalid-iri", f"the base <{iri}> is not absolute", span, "begin it with a scheme, as in http:")
        elif self.base not in (None, iri):
            self.source.report("duplicate-base", f"there is a base already: <{self.base}>", span, "keep one of the two")
        else:
            self.base = iri

    def forgive(self, tokens: list[Token]) -> None:
        """A statement was not understood: if it was to declare a prefix, let the uses of that prefix pass."""
        if tokens[0].type == "PREFIX":
            name = next((token.text[:-1] for token in tokens if token.type == "NS"), None)
            if name is None:
                self.forgiven = None
            elif self.forgiven is not None:
                self.forgiven.add(name)


class EscapeError(Exception):
    """An escape sequence that means nothing, at an offset in its token."""

    def __init__(self, message: str, offset: int, length: int) -> None:
        super().__init__(message)
        self.offset, self.length = offset, length
        self.hint = r"the escapes are \t \n \r \b \f \" \\ \uXXXX \UXXXXXXXX; a backslash itself is \\"


def unescape(text: str, offset: int, *, names: bool = True) -> str:
    """`text` with its escapes replaced; `names` allows those like `\\n` besides the numeric ones."""
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code and (number := int(code, 16)) < 0x110000 and not 0xD800 <= number < 0xE000:
            return chr(number)
        if names and match[3] in _CHARACTERS:
            return _CHARACTERS[match[3]]
        raise EscapeError(f"`{match[0]}` is not an escape sequence", offset + match.start(), len(match[0]))

    return _ESCAPE.sub(character, text)


def _string(text: str) -> Term:
    body, _, language = text.rpartition('"')
    return terms.literal(unescape(body[1:], 1), language=language[1:] or None)


def _integer(text: str) -> int:
    if len(text) > 4000:
        raise DataError(f"an integer of {len(text):,} digits is not a value a fact can hold", hint="4,000 digits at most")
    return int(text)
