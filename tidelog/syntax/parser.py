"""From text to syntax tree, with every mistake reported at once.

Each statement is parsed by itself, so that a mistake costs no more than the statement it stands in. A statement whose final
dot is missing is recognised by the next one beginning on a new line; both are then read.

The grammar is in `grammar.lark`; its tables are made when the first text is parsed (`lalr`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tidelog.errors import Problem, ProgramError
from tidelog.syntax import mistakes
from tidelog.syntax.ast import (
    Arithmetic,
    Atom,
    Base,
    BodyLiteral,
    Comparison,
    Expression,
    Fact,
    Negation,
    Prefix,
    Rule,
    Source,
    Span,
    Statement,
)
from tidelog.syntax.places import Text
from tidelog.syntax.reading import Reader
from tidelog.syntax.scanner import BROKEN, Token, scan

if TYPE_CHECKING:
    from lark import Lark

MAX_DEPTH = 100
"""How deep expressions may nest: whoever walks them later does so by recursion."""


def parse(text: str, *, file: str | None = None) -> Source:
    """The syntax tree of a program; ProgramError, with all syntax errors, if it has any."""
    source = Text(text, file)
    tree = read(source)
    if source.problems:
        raise ProgramError(source.sorted_problems())
    return tree


def read(source: Text) -> Source:
    """The statements that can be read; what is wrong with the others goes to `source.problems`."""
    reader = Reader(source)
    statements: list[Statement] = []
    for tokens in scan(source).statements:
        statements += _read_statement(source, reader, tokens)
    return Source(tuple(statements), source.text, source.file)


def read_text(path: Path) -> str:
    """The text of a file; ProgramError if it is not UTF-8."""
    content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        message = f"the file is not UTF-8: byte 0x{content[error.start]:02X} has no meaning here"
        hint = "save the file in the encoding UTF-8"
        raise ProgramError([Problem("encoding", message, str(path), line, column, hint=hint)]) from error


def parse_body(
    text: str, prefixes: Mapping[str, str] | None = None, base: str | None = None, *, file: str = "<query>"
) -> tuple[BodyLiteral, ...]:
    """A query: what may stand in the body of a rule, with or without a final dot. Messages call the text `file`."""
    source = Text(text, file)
    reader = Reader(source)
    reader.declared, reader.base = dict(prefixes or {}), base
    statements = scan(source).statements
    body: tuple[BodyLiteral, ...] = ()
    if not statements:
        source.report("syntax", "there is no query", Span(1, 1, 1, 2), "write atoms, as in `path(a, ?x), edge(?x, ?y)`")
    elif len(statements) > 1:
        source.report("syntax", "a query is one list of atoms", statements[1][0].span, "join atoms by `,`")
    else:
        body = _parse_query(source, reader, statements[0])
        _check_body(source, body)
    if source.problems:
        raise ProgramError(source.sorted_problems())
    return body


def _parse_query(source: Text, reader: Reader, tokens: list[Token]) -> tuple[BodyLiteral, ...]:
    if not any(token.type in BROKEN for token in tokens):
        try:
            return cast("tuple[BodyLiteral, ...]", _parser().parse(cast(Any, reader.read(tokens)), start="query"))
        except mistakes.unexpected() as error:
            source.problems.append(mistakes.explain(source, tokens, error))
    return ()


def parse_atom(text: str, prefixes: Mapping[str, str] | None = None, base: str | None = None) -> Atom:
    """A single atom, for example a fact to look up."""
    body = parse_body(text, prefixes, base, file="<fact>")
    if len(body) == 1 and isinstance(body[0], Atom):
        return body[0]
    source = Text(text, "<fact>")
    raise ProgramError([source.problem("syntax", "one atom was expected", Span(1, 1, 1, 2), "as in `path(a, c)`")])


@cache
def _parser() -> Lark:
    from tidelog.syntax.building import Builder
    from tidelog.syntax.lalr import parser_of

    return parser_of(Path(__file__).with_name("grammar.lark"), ["statement", "query"], Builder())


def _read_statement(source: Text, reader: Reader, tokens: list[Token]) -> list[Statement]:
    """What the tokens up to a final dot say: several statements, where dots are missing among them."""
    if any(token.type in BROKEN for token in tokens):
        with _collecting(source):
            deque(reader.read(tokens), 0)
        reader.forgive(tokens)
        return []
    result: list[Statement] = []
    while tokens:
        with _collecting(source):
            parsed, end = _parse_statement(source, reader, tokens)
            source.problems += mistakes.repeated_options(source, tokens[:end])
        result += [statement for statement in parsed if _accept(source, reader, statement)]
        if not parsed:
            reader.forgive(tokens[:end])
        tokens = tokens[end:]
    return result


def _parse_statement(source: Text, reader: Reader, tokens: list[Token]) -> tuple[list[Statement], int]:
    """What the first statement among the tokens says, and how many of them it takes."""
    try:
        parsed = _parse(reader.read(tokens))
        return (parsed if _is_sound(source) else []), len(tokens)
    except mistakes.unexpected() as error:
        end = mistakes.missing_dot(tokens, error)
        if not end:
            source.problems.append(mistakes.explain(source, tokens, error))
            return [], len(tokens)
        if end < len(tokens):  # what the next token means is said when it is read again
            begun = tokens[end].line, tokens[end].column
            source.problems[:] = [problem for problem in source.problems if (problem.line, problem.column) < begun]
        sound = _is_sound(source)
        source.problems.append(mistakes.explain_missing_dot(source, tokens, end))
        dot = Token("DOT", ".", tokens[end - 1].line, tokens[end - 1].end_column)
        return (_parse([*tokens[:end], dot]) if sound else []), end


def _is_sound(source: Text) -> bool:
    """Whether what was read of a statement can be examined further: it can if only prefixes are unknown."""
    return all(problem.code == "unknown-prefix" for problem in source.problems)


@contextmanager
def _collecting(source: Text) -> Iterator[None]:
    """Collect the problems of one statement, then add them to the others; an unknown prefix is reported once."""
    others, source.problems = source.problems, []
    yield
    found, source.problems = source.problems, others
    said = {problem.message for problem in others if problem.code == "unknown-prefix"}
    for problem in found:
        if problem.code != "unknown-prefix" or problem.message not in said:
            said.add(problem.message)
            others.append(problem)


def _parse(tokens: Iterable[Token]) -> list[Statement]:
    return cast("list[Statement]", _parser().parse(cast(Any, tokens), start="statement"))


def _accept(source: Text, reader: Reader, statement: Statement) -> bool:
    """Check what the grammar cannot say, and put declarations into effect."""
    before = len(source.problems)
    match statement:
        case Prefix(name, iri, span):
            reader.declare(name, iri, span)
        case Base(iri, span):
            reader.rebase(iri, span)
        case Fact(atom):
            _check_atom(source, atom, "a term, not an expression, stands in a fact")
        case Rule(head, body):
            for atom in head:
                _check_atom(source, atom, "a head takes terms, not expressions")
            _check_body(source, body)
    return len(source.problems) == before


def _check_body(source: Text, body: tuple[BodyLiteral, ...]) -> None:
    for literal in body:
        if isinstance(literal, Comparison):
            _check_depth(source, literal)
        else:
            _check_atom(
                source, literal.atom if isinstance(literal, Negation) else literal, "an atom takes terms, not expressions"
            )


def _check_atom(source: Text, atom: Atom, message: str) -> None:
    for term in atom.terms:
        if isinstance(term, Arithmetic):
            text = source.between(term.span)
            hint = f"put `?value = {text}` into the body, and `?value` here" if text else "compute the value in the body"
            source.report("expression-in-atom", message, term.span, hint)


def _check_depth(source: Text, comparison: Comparison) -> None:
    level: list[Expression] = [comparison.left, comparison.right]
    for _ in range(MAX_DEPTH):
        level = [side for node in level if isinstance(node, Arithmetic) for side in (node.left, node.right)]
        if not level:
            return
    message = f"this expression nests more than {MAX_DEPTH} deep"
    source.report("too-deep", message, comparison.span, "give parts of it a name: `?part = ...`")
