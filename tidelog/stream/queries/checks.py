"""What a continuous query must satisfy besides its grammar. Everything found is reported."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from tidelog.stream.queries.tree import TRIPLE, Among, Block, Condition, Query, Time, is_blank
from tidelog.syntax.ast import Constant, Expression, Variable
from tidelog.syntax.places import Text
from tidelog.terms import Iri


def check(query: Query, source: Text) -> None:
    _check_name(query, source)
    _check_windows(query, source)
    _check_patterns(query, source)
    _check_blank_nodes(query, source)
    everywhere = {variable.name for variable in query.variables()}
    for condition in query.filters:
        _check_bound(condition, everywhere, "in WHERE", source)
    for block in query.blocks:
        for condition in block.filters:
            _check_bound(condition, _names(block), "between these braces", source)
    for variable in query.projection or ():
        if variable.name not in everywhere:
            message = f"the variable `?{variable.name}` of SELECT is in no pattern"
            source.report("unbound-variable", message, variable.span, _nearest(variable.name, everywhere))


def _check_name(query: Query, source: Text) -> None:
    """The answer, and each window, are predicates of their own."""
    taken = {TRIPLE, *(window.name.value for window in query.windows if window.name is not None)}
    if query.name in taken:
        source.report("taken-name", f"`{query.name}` is the name of something else", query.span, "give the query another name")
    for window in query.windows:
        if window.name == Iri(TRIPLE):
            source.report("taken-name", f"`{TRIPLE}` is the name of all triples", window.span, "give the window another name")


def _check_windows(query: Query, source: Text) -> None:
    if not query.windows:
        hint = "FROM STREAM <uri> [RANGE 10s STEP 1s], or FROM NAMED WINDOW <name> ON <uri> [RANGE PT10S STEP PT1S]"
        source.report("no-window", "the query looks at no stream", query.span, hint)
    named: set[Iri] = set()
    for window in query.windows:
        if isinstance(window.extent, Time) and window.extent.step > window.extent.range:
            message = "this window moves on by more than it holds, and would pass over what is between"
            source.report("invalid-window", message, window.span, "let STEP be at most RANGE, or write TUMBLING")
        if window.name is not None and window.name in named:
            source.report("duplicate-window", f"there are two windows {window.name}", window.span, "give each its own name")
        named |= {window.name} if window.name else set()
    looked = {block.window.value for block in query.blocks if block.window is not None}
    for block in query.blocks:
        if block.window is not None and block.window.value not in named:
            known = f"the windows are {', '.join(sorted(map(str, named)))}" if named else "declare it by FROM NAMED WINDOW"
            source.report("unknown-window", f"there is no window {block.window.value}", block.window.span, known)
    for window in query.windows:
        if window.name is not None and window.name not in looked:
            hint = f"write WINDOW {window.name} {{ ... }} around the patterns that it is for"
            source.report("unused-window", f"no pattern looks into the window {window.name}", window.span, hint)


def _check_patterns(query: Query, source: Text) -> None:
    if not any(block.patterns for block in query.blocks):
        source.report("no-pattern", "WHERE has no triple pattern", query.span, "as in WHERE { ?sensor ex:value ?value }")
        return
    for block in query.blocks:
        if not block.patterns and block.window is not None:
            source.report("no-pattern", "nothing is looked for in this window", block.window.span, "write patterns into it")


def _check_blank_nodes(query: Query, source: Text) -> None:
    """A blank node belongs to one basic graph pattern."""
    home: dict[str, Block] = {}
    for block in query.blocks:
        for pattern in block.patterns:
            for term in pattern.terms:
                if isinstance(term, Variable) and is_blank(term) and home.setdefault(term.name, block) is not block:
                    hint = "use a variable for what is in both"
                    message = f"the blank node `{term.name}` is in two basic graph patterns"
                    source.report("blank-node", message, term.span, hint)
                    return


def _check_bound(condition: Condition, bound: set[str], where: str, source: Text) -> None:
    for variable in variables(condition):
        if variable.name not in bound:
            message = f"the variable `?{variable.name}` has no value: it is in no pattern {where}"
            source.report("unbound-variable", message, variable.span, _nearest(variable.name, bound))


def _names(block: Block) -> set[str]:
    return {term.name for pattern in block.patterns for term in pattern.terms if isinstance(term, Variable)}


def variables(condition: Condition | Expression) -> Iterator[Variable]:
    """The variables of a condition, in the order of the text."""
    if isinstance(condition, Variable):
        yield condition
    elif isinstance(condition, Among):
        for part in (condition.value, *condition.choices):
            yield from variables(part)
    elif not isinstance(condition, Constant):
        yield from variables(condition.left)
        yield from variables(condition.right)


def _nearest(name: str, known: set[str]) -> str | None:
    near = get_close_matches(name, [other for other in known if not other.startswith("_:")], 1)
    return f"did you mean `?{near[0]}`?" if near else None
