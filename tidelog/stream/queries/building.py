"""What each grammar rule builds. The methods are named after the rules of `grammar.lark`; they depend on their parts alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias, cast

from tidelog import terms
from tidelog.errors import DataError
from tidelog.stream.queries.tree import (
    AllOf,
    Among,
    AnyOf,
    Block,
    Condition,
    Count,
    Extent,
    Output,
    Pattern,
    Query,
    Time,
    Window,
)
from tidelog.syntax.ast import Arithmetic, AtomTerm, Comparison, Constant, Expression, Span, Variable
from tidelog.syntax.places import join
from tidelog.syntax.scanner import Token
from tidelog.terms import RDF, Iri

Parts: TypeAlias = list[Any]
_FIRST, _REST, _NIL = (Constant(Iri(RDF + name)) for name in ("first", "rest", "nil"))


@dataclass(frozen=True, slots=True)
class Node:
    """A term, and the patterns that say more of it: those of `[ ... ]` and `( ... )`."""

    term: AtomTerm
    patterns: tuple[Pattern, ...] = ()

    @property
    def span(self) -> Span | None:
        return self.term.span


class UnfitError(Exception):
    """Something that the grammar lets pass and the language does not have."""

    def __init__(self, code: str, message: str, span: Span | None, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.span, self.hint = code, message, span, hint


class Builder:
    """Callbacks for the parser."""

    def query(self, parts: Parts) -> Query:
        _, _, kind, name, *rest = [part for part in parts if not (isinstance(part, Token) and part.type in ("AS", "WHERE"))]
        every = rest.pop(0) if isinstance(rest[0], float) else None
        _, _, (distinct, projection), *datasets, (blocks, filters) = rest
        return Query(
            name=name[0],
            output=Output[kind] if kind in Output.__members__ else Output.RSTREAM,
            every=every,
            distinct=distinct,
            projection=projection,
            static=tuple(part for part in datasets if isinstance(part, Constant)),
            windows=tuple(part for part in datasets if isinstance(part, Window)),
            blocks=blocks,
            filters=filters,
            span=name[1],
        )

    def prologue(self, parts: Parts) -> None:
        """Read already."""

    prefix = base = prologue

    def kind(self, parts: Parts) -> str:
        return cast(str, parts[0].type)

    def name(self, parts: Parts) -> tuple[str, Span | None]:
        part = parts[0]
        return (part.text if isinstance(part, Token) else part.value.value), part.span

    def every(self, parts: Parts) -> float:
        return cast(float, parts[2])

    def projection(self, parts: Parts) -> tuple[bool, tuple[Variable, ...] | None]:
        """Of duplicates REDUCED leaves as many as it likes; here, none."""
        distinct = parts[0].type in ("DISTINCT", "REDUCED")
        chosen = parts[distinct:]
        return distinct, None if chosen[0].type == "STAR" else tuple(token.value for token in chosen)

    # Where triples come from

    def static(self, parts: Parts) -> Constant:
        return cast(Constant, parts[1])

    def stream(self, parts: Parts) -> Window:
        return Window(parts[2].value, parts[4], None, parts[2].span)

    def window(self, parts: Parts) -> Window:
        return Window(parts[5].value, parts[7], parts[3].value, parts[3].span)

    def sliding(self, parts: Parts) -> Extent:
        return Time(parts[1], parts[3])

    def tumbling(self, parts: Parts) -> Extent:
        return Time(parts[1], parts[1])

    def counting(self, parts: Parts) -> Extent:
        number = parts[-1]
        if not 0 < int(number.text[:20]) < 10**12:
            raise UnfitError("invalid-window", f"a window does not hold {number.text[:40]} triples", number.span)
        return Count(int(number.text))

    def duration(self, parts: Parts) -> float:
        return seconds(parts)

    # Patterns

    def where(self, parts: Parts) -> tuple[tuple[Block, ...], tuple[Condition, ...]]:
        inner = [part for part in parts if not isinstance(part, Token)]
        blocks: list[Block] = []
        open_ = False  # FILTER does not end a basic graph pattern, WINDOW does
        for part in inner:
            if isinstance(part, Block):
                blocks.append(part)
                open_ = False
            elif isinstance(part, tuple):
                blocks[-1:] = [Block((*blocks[-1].patterns, *part))] if open_ else [*blocks[-1:], Block(part)]
                open_ = True
        return tuple(blocks), tuple(part for part in inner if not isinstance(part, Block | tuple))

    def look(self, parts: Parts) -> Block:
        inner = [part for part in parts[2:] if not isinstance(part, Token)]
        patterns = tuple(pattern for part in inner if isinstance(part, tuple) for pattern in part)
        return Block(patterns, parts[1], tuple(part for part in inner if not isinstance(part, tuple)))

    def block(self, parts: Parts) -> tuple[Pattern, ...]:
        return tuple(pattern for part in parts if isinstance(part, tuple) for pattern in part)

    def triples(self, parts: Parts) -> tuple[Pattern, ...]:
        subject = _node(parts[0])
        return subject.patterns + (_say(subject.term, parts[1]) if len(parts) > 1 else ())

    def properties(self, parts: Parts) -> list[tuple[AtomTerm, list[Node]]]:
        said = [part for part in parts if not isinstance(part, Token)]
        return list(zip(said[::2], said[1::2], strict=True))

    def verb(self, parts: Parts) -> AtomTerm:
        part = parts[0]
        if isinstance(part, Token):
            return Constant(Iri(RDF + "type"), "a", part.span) if part.type == "A" else cast(AtomTerm, part.value)
        return cast(AtomTerm, part)

    def objects(self, parts: Parts) -> list[Node]:
        return [_node(part) for part in parts if not isinstance(part, Token)]

    def collection(self, parts: Parts) -> Node:
        """`(a b)` is `_:1 rdf:first a; rdf:rest _:2 . _:2 rdf:first b; rdf:rest rdf:nil`."""
        members = [_node(part) for part in parts[:-1]]
        span = join(members[0].span, parts[-1].span)
        cells = [Variable(f"_:{_place(member.span)} {number}", span) for number, member in enumerate(members)]
        patterns: list[Pattern] = []
        rests: list[AtomTerm] = [*cells[1:], _NIL]
        for cell, member, rest in zip(cells, members, rests, strict=True):
            patterns += [Pattern(cell, _FIRST, member.term, span), *member.patterns, Pattern(cell, _REST, rest, span)]
        return Node(cells[0], tuple(patterns))

    def described(self, parts: Parts) -> Node:
        blank = _blank(parts)
        return Node(blank, _say(blank, parts[1]))

    def anonymous(self, parts: Parts) -> Variable:
        return _blank(parts)

    def nothing(self, parts: Parts) -> Constant:
        return replace(_NIL, span=parts[-1].span)

    def term(self, parts: Parts) -> AtomTerm:
        return cast(AtomTerm, parts[0].value if isinstance(parts[0], Token) else parts[0])

    def iri(self, parts: Parts) -> Constant:
        return cast(Constant, parts[0].value)

    def constant(self, parts: Parts) -> Constant:
        if len(parts) == 1:
            return cast(Constant, parts[0])
        sign, digits = parts
        if (sign.line, sign.end_column) != (digits.line, digits.column):
            raise UnfitError("syntax", f"a blank stands between `{sign.text}` and its number", join(sign.span, digits.span))
        kind = {"INT": "integer", "DECIMAL": "decimal", "DOUBLE": "double"}[digits.type]
        text = sign.text + digits.text
        return Constant(terms.literal(text, terms.XSD + kind), text, join(sign.span, digits.span))

    def plain(self, parts: Parts) -> Constant:
        first = parts[0]
        if len(parts) == 1:
            return cast(Constant, first.value)
        last = parts[-1]
        span, text = join(first.span, last.span), str(first.value.value)
        language = last.text[1:] if isinstance(last, Token) else None
        try:
            datatype = None if isinstance(last, Token) else last.value.value
            return Constant(terms.literal(text, datatype, language), None, span)
        except DataError as error:
            raise UnfitError("invalid-term", error.message, span, error.hint) from None

    # Conditions

    def filter(self, parts: Parts) -> Condition:
        return condition(parts[1], join(parts[0].span, parts[-1].span))

    def any_of(self, parts: Parts) -> AnyOf:
        return AnyOf(condition(parts[0]), condition(parts[1]), join(parts[0].span, parts[1].span))

    def all_of(self, parts: Parts) -> AllOf:
        return AllOf(condition(parts[0]), condition(parts[1]), join(parts[0].span, parts[1].span))

    def comparison(self, parts: Parts) -> Comparison:
        left, operator, right = parts
        return Comparison(operator.text, expression(left), expression(right), join(left.span, right.span))

    def among(self, parts: Parts) -> Among:
        choices = tuple(expression(part) for part in parts[1:] if not isinstance(part, Token))
        negated = any(isinstance(part, Token) and part.type == "NOT" for part in parts)
        return Among(expression(parts[0]), choices, negated, join(parts[0].span, parts[-1].span))

    not_among = among

    def arithmetic(self, parts: Parts) -> Arithmetic:
        left, operator, right = parts
        return Arithmetic(operator.text, expression(left), expression(right), join(left.span, right.span))

    def negative(self, parts: Parts) -> Expression:
        return Arithmetic("-", Constant(0), expression(parts[1]), join(parts[0].span, parts[1].span))

    def positive(self, parts: Parts) -> Expression:
        return Arithmetic("+", Constant(0), expression(parts[1]), join(parts[0].span, parts[1].span))

    def parenthesised(self, parts: Parts) -> object:
        return parts[0]

    def operand(self, parts: Parts) -> AtomTerm:
        return self.term(parts)


def condition(part: Any, span: Span | None = None) -> Condition:
    """What has to hold; a value alone does not say so, though SPARQL finds a truth in it."""
    if isinstance(part, Comparison | AllOf | AnyOf | Among):
        return part
    message = "a value that stands for a condition is not supported in continuous queries"
    raise UnfitError("unsupported", message, part.span or span, "compare it, as in `FILTER (?x = true)`")


def expression(part: Any) -> Expression:
    if isinstance(part, Variable | Constant | Arithmetic):
        return part
    message = "a condition whose outcome is a value is not supported in continuous queries"
    raise UnfitError("unsupported", message, part.span, "join conditions by `&&` and `||`")


def _node(part: object) -> Node:
    return part if isinstance(part, Node) else Node(cast(AtomTerm, part))


def _say(subject: AtomTerm, properties: list[tuple[AtomTerm, list[Node]]]) -> tuple[Pattern, ...]:
    said: list[Pattern] = []
    for verb, objects in properties:
        for node in objects:
            said += [Pattern(subject, verb, node.term, join(verb.span, node.span)), *node.patterns]
    return tuple(said)


def _blank(parts: Parts) -> Variable:
    """A blank node without a label: the one that begins here."""
    return Variable(f"_:{_place(parts[0].span)}", join(parts[0].span, parts[-1].span))


def _place(span: Span | None) -> str:
    return f"{span.line} {span.column}" if span else ""


# --- durations --------------------------------------------------------------------------------------------------------

_UNITS = {"ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_PERIOD = re.compile(r"P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?")
_LONGEST = 10**10


def seconds(parts: list[Token]) -> float:
    """`10s`, `500ms`, `PT1M30S`."""
    span, written = join(parts[0].span, parts[-1].span), "".join(part.text for part in parts)
    if len(parts) == 1:
        match = _PERIOD.fullmatch(written)
        if match is None or written[-1] in "PT":
            hint = "PT10S, PT1M30S, PT1H and P1D are; years and months are of no fixed length"
            raise UnfitError("invalid-duration", f"`{written[:40]}` is not a length of time", span, hint)
        found = sum(Decimal(part or 0) * unit for part, unit in zip(match.groups(), (86400, 3600, 60, 1), strict=True))
        length = float(found)
    else:
        unit = _unit(parts[1].text)
        if unit is None:
            hint = f"the units are {', '.join(_UNITS)}"
            raise UnfitError("invalid-duration", f"`{parts[1].text[:40]}` is not a unit of time", parts[1].span, hint)
        length = float(Decimal(parts[0].text) * Decimal(str(unit)))
    if not 0.001 <= length <= _LONGEST:
        raise UnfitError("invalid-duration", "a length of time is a millisecond at least, and 300 years at most", span)
    return length


def _unit(word: str) -> float | None:
    """Of a unit, perhaps in full and in the plural."""
    short = word.lower().removesuffix("s") if len(word) > 2 else word.lower()
    full = {"econd": "sec", "second": "sec", "minute": "min", "hour": "h", "day": "d", "millisecond": "ms"}
    return _UNITS.get(full.get(short, short))
