"""What to say about a query that the grammar does not allow: by name, if it is something that SPARQL has and this does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidelog.errors import Problem
from tidelog.stream.queries.tokens import KEYWORDS, PUNCTUATION
from tidelog.syntax.mistakes import after, position_of, shortened
from tidelog.syntax.places import Text
from tidelog.syntax.scanner import Token

if TYPE_CHECKING:
    from lark import UnexpectedToken

_BESIDE = "FROM <graph> puts a graph beside the streams"
_RULE = "put it into a rule, and ask for what the rule derives"
_UNSUPPORTED: dict[str, str | None] = {
    **dict.fromkeys(("UNION", "MINUS", "EXISTS", "BIND"), _RULE),
    **dict.fromkeys(("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "LATERAL")),
    **dict.fromkeys(("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")),
    **dict.fromkeys(("GRAPH", "SERVICE"), _BESIDE),
    "OPTIONAL": "register a second query for what is optional",
    "VALUES": "FILTER (?x IN (1, 2)) compares with several values",
    "CONSTRUCT": "SELECT the variables; a rule can make triples",
    "ASK": "SELECT *",
    "DESCRIBE": "SELECT the variables",
}
_IN_FULL = {"GROUP": "GROUP BY", "ORDER": "ORDER BY"}
_EXPECTED = {
    **{kind: f"`{text}`" for text, kind in PUNCTUATION.items()},
    "A": "a predicate",
    "COMPARE": "a comparison",
    "INT": "a number",
    "IRI": "an IRI",
    "PERIOD": "a length of time",
    "PNAME": "a prefix",
    "VAR": "a variable",
    "WORD": "a name",
}
_TERM = {"VAR", "IRI", "PNAME", "STRING", "INT", "BOOL"}
_OPERATORS = {"PLUS", "MINUS", "STAR", "SLASH", "COMPARE", "IN", "NOT", "AND", "OR"}
_PATH = {"SLASH", "PIPE", "CARET", "STAR", "PLUS", "QUESTION", "BANG", "LPAR"}
_VERB, _NUMBER = {"IRI", "PNAME", "A"}, {"INT", "DECIMAL", "DOUBLE"}
_MANY = 6
_NOT_SUPPORTED = "{} not supported in continuous queries"


def explain(source: Text, tokens: Sequence[Token], error: UnexpectedToken) -> Problem:
    """The problem to report for a token that the parser did not expect."""
    at = position_of(tokens, error)
    accepts = set(error.accepts)
    if at == len(tokens):
        span = after(tokens[-1]) if tokens else None
        hint = "a continuous query begins with `REGISTER QUERY name AS SELECT`" if not tokens else None
        return source.problem("syntax", f"the query is not complete; {_expected(accepts)} was expected", span, hint)
    found = tokens[at]
    if at > 1 and tokens[at - 1].type == "PLUS" and tokens[at - 2].type in _VERB and accepts == _NUMBER:  # not a sign, then
        return source.problem("unsupported", _NOT_SUPPORTED.format("a property path is"), tokens[at - 1].span, _RULE)
    if named := _construct(tokens, at, accepts):
        return source.problem("unsupported", _NOT_SUPPORTED.format(named[0]), found.span, named[1])
    message = f"`{shortened(found.text)}` was not expected here; {_expected(accepts)} was"
    return source.problem("syntax", message, found.span, _hint(tokens, at, accepts))


def _construct(tokens: Sequence[Token], at: int, accepts: set[str]) -> tuple[str, str | None] | None:
    """The construct of SPARQL that begins with this token, and what to do instead."""
    found, before = tokens[at], tokens[at - 1].type if at else ""
    kind, word = found.type, found.text.upper()
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if kind == "NOT" or (kind == "WORD" and word == "EXISTS"):
        return ("`NOT EXISTS` is" if kind == "NOT" else "`EXISTS` is"), _RULE
    if kind == "WORD" and word in _UNSUPPORTED:
        return f"`{_IN_FULL.get(word, word)}` is", _UNSUPPORTED[word]
    if kind == "WORD" and following is not None and following.type == "LPAR":
        return f"the function `{shortened(found.text)}` is", "compare values, or put it into the data"
    if kind == "LPAR" and before in ("IRI", "PNAME") and accepts & {"COMPARE", "AND"}:
        return f"the function `{shortened(tokens[at - 1].text)}` is", "compare values, or put it into the data"
    if kind in ("IRI", "PNAME") and before == "FILTER":
        return f"the function `{shortened(found.text)}` is", "compare values, or put it into the data"
    if kind == "BANG":
        if accepts & {"MINUS"} and "A" not in accepts:
            return "`!` is", "write the opposite comparison: `?x != 1`, `?x >= 1`"
        return "a property path is", _RULE
    if kind == "NAMED" or (kind in ("IRI", "PNAME") and before == "NAMED"):
        return "`FROM NAMED` for a graph is", _BESIDE
    if kind == "LPAR" and "VAR" in accepts and ("FROM" in accepts or accepts <= {"DISTINCT", "REDUCED", "STAR", "VAR"}):
        return "an expression in SELECT is", "SELECT variables; a rule can calculate"
    if kind in _PATH and _in_verb(tokens, at, accepts):
        return "a property path is", _RULE
    if kind == "LBRACE" and "FILTER" in accepts:
        return "a group within a group is", "write its patterns without the braces; alternatives are rules of their own"
    if kind == "WINDOW" and "FILTER" in accepts:
        return "a window within a window is", "write WINDOW blocks one behind the other"
    return None


def _in_verb(tokens: Sequence[Token], at: int, accepts: set[str]) -> bool:
    """Whether the token stands where a predicate does, or right behind one."""
    if "A" in accepts:
        return True
    behind = "STRING" in accepts and "LBRACE" not in accepts and "COMPARE" not in accepts
    return behind and at > 0 and tokens[at - 1].type in _VERB


def _hint(tokens: Sequence[Token], at: int, accepts: set[str]) -> str | None:
    """The slip that most likely led here."""
    found, before = tokens[at], tokens[at - 1].type if at else ""
    if "REGISTER" in accepts:
        return "a continuous query begins with `REGISTER QUERY name AS SELECT`"
    if before == "REGISTER":
        return "REGISTER QUERY, STREAM, RSTREAM, ISTREAM or DSTREAM, then a name"
    if found.type == "WORD" and near(found.text):
        return f"did you mean {near(found.text)}?"
    if "TUMBLING" in accepts:
        return "a window is [RANGE 10s STEP 1s], [RANGE 10s TUMBLING] or [TRIPLES 100]"
    if "DOT" in accepts and accepts & {"FILTER", "RBRACE"} and found.type in _TERM | {"BLANK", "LSQB"}:
        return "patterns are separated by ` .`"
    if found.type == "COMPARE" and accepts & _TERM and "COMPARE" not in accepts:
        return "an IRI holds no blanks; conditions stand in FILTER ( )"
    return None


def near(word: str) -> str | None:
    """The keyword that was meant."""
    from difflib import get_close_matches

    found = get_close_matches(word.upper(), [*KEYWORDS, *_UNSUPPORTED], 1, 0.75)
    return found[0] if found else None


def _expected(accepts: set[str]) -> str:
    """The tokens that could have stood there, in words."""
    kinds = accepts - {"$END"}
    words: list[str] = []
    if kinds >= _TERM:
        words.append("a value" if "LSQB" not in kinds else "a term")
        kinds -= _TERM | {"BLANK", "DECIMAL", "DOUBLE", "PLUS", "MINUS", "LPAR", "LSQB"}
    elif kinds >= {"IRI", "PNAME", "A"}:
        words.append("a predicate")
        kinds -= {"IRI", "PNAME", "A", "VAR"}
    elif kinds >= {"IRI", "PNAME"}:
        words.append("an IRI")
        kinds -= {"IRI", "PNAME"}
    if kinds >= _NUMBER:
        words.append("a number")
        kinds -= _NUMBER
    if kinds >= {"INT", "DECIMAL", "PERIOD"}:
        words.append("a length of time such as 10s or PT10S")
        kinds -= {"INT", "DECIMAL", "PERIOD"}
    if len(kinds & _OPERATORS) > 2:
        words.append("an operator")
        kinds -= _OPERATORS
    words += sorted(_EXPECTED.get(kind, kind) for kind in kinds)
    words = words if len(words) <= _MANY else [*words[:_MANY], "..."]
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"
