"""A continuous query and the user's rules as one program, and the windows that feed it.

Windows without a name hold facts of `triple`, and of all other predicates that their streams have, so that rules may make
triples of tables. A window with a name holds triples, in a predicate of its own. Then those without a name hold triples
only, too; and where a triple may leave one of them too early for another, because they are over one stream or hold the last
triples, each has its own predicate, from which a rule copies to `triple`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tidelog.errors import DataError, Problem, ProgramError
from tidelog.io import format_of
from tidelog.program import Program
from tidelog.stream.queries.lifting import lift
from tidelog.stream.queries.translate import Translated, predicate_of
from tidelog.stream.queries.tree import TRIPLE, Count, Query
from tidelog.stream.queries.tree import Window as QueryWindow
from tidelog.stream.windows import Window
from tidelog.syntax.ast import Atom, Import, Rule, Source, Statement, Variable
from tidelog.syntax.places import Text
from tidelog.terms import Iri


def assemble(query: Query, translated: Translated, rules: Program | None, graphs: Sequence[Path]) -> Program:
    """The rules, the static graphs, and the query."""
    if rules is not None:
        _check_names(query, rules)
    imports = [Import(TRIPLE, format_of(path), str(path.absolute())) for path in dict.fromkeys(graphs)]
    named = _named(query)
    copies = [_copy(name) for name in predicates(query) if name not in (TRIPLE, *named)]
    added: tuple[Statement, ...] = (*imports, *copies, *(replace(rule, span=None) for rule in translated.rules))
    if rules is None:
        return Program.from_source(Source(added))
    lifted = [rule for name in named for rule in lift(rules, name)]
    source = replace(rules.source, statements=(*rules.source.statements, *lifted, *added))
    try:
        program = Program.from_source(source, rules.directory)
    except ProgramError as error:
        raise _explained(query, error) from error
    return replace(program, imports=(*rules.imports, *imports))


def _explained(query: Query, error: ProgramError) -> ProgramError:
    """Rules that can be ordered by themselves may not be any more, if something is about triples of any predicate."""
    if all(problem.code != "negation-cycle" for problem in error.problems):
        return error
    message = (
        "the rules negate triples of some predicates, and the query is about triples of any predicate: no order suits both"
    )
    hint = "write predicates instead of variables into the patterns; use one FROM STREAM, or windows with names"
    return ProgramError([_problem(query, "negation-cycle", message, hint)])


def _check_names(query: Query, rules: Program) -> None:
    """The answer has a name of its own, and triples have three terms."""
    problems = []
    if query.name in {*rules.arities, *(resource.predicate for resource in rules.imports)}:
        message, hint = f"`{query.name}` is a predicate of the rules, too", "give the query another name"
        problems.append(_problem(query, "taken-name", message, hint))
    for name in (TRIPLE, *predicates(query)):
        if rules.arities.get(name, 3) != 3:
            message = f"a triple has 3 terms, but in the rules `{name}` has {rules.arities[name]}"
            problems.append(_problem(query, "arity-clash", message, "use another predicate in the rules"))
    if problems:
        raise ProgramError(list(dict.fromkeys(problems)))


def _problem(query: Query, code: str, message: str, hint: str) -> Problem:
    return Text(query.text, query.file).problem(code, message, query.span, hint)


def graph_file(graph: Iri, directory: Path) -> Path:
    """The file that the IRI of a static graph names."""
    parts = urlsplit(graph.value)
    if parts.scheme not in ("", "file"):
        raise DataError(f"nothing is given for the graph {graph}, and it is not a file", hint="say which file holds it")
    return directory / unquote(parts.path)


# --- windows ----------------------------------------------------------------------------------------------------------


def windows(query: Query) -> list[Window]:
    """What the query looks at, each window on the stream of its IRI."""
    everything = len(_nameless(query)) == len(query.windows) and not _crowded(query)
    made = []
    for window, name in zip(query.windows, predicates(query), strict=True):
        into = {} if everything else {TRIPLE: name}
        stream, extent = window.stream.value, window.extent
        if isinstance(extent, Count):
            made.append(Window.last(extent.triples, stream=stream, into=into))
        else:
            made.append(Window.sliding(extent.range, extent.step, stream=stream, into=into))
    return made


def predicates(query: Query) -> Sequence[str]:
    """The predicate of each window's triples."""
    crowded = _crowded(query)
    return [
        predicate_of(window.name) if window.name is not None else f"{TRIPLE} in window {number}" if crowded else TRIPLE
        for number, window in enumerate(query.windows, 1)
    ]


def _crowded(query: Query) -> bool:
    """Whether a triple in several windows without a name may leave one of them too early for another."""
    nameless = _nameless(query)
    counting = any(isinstance(window.extent, Count) for window in nameless)
    return len(nameless) > 1 and (counting or len({window.stream for window in nameless}) < len(nameless))


def _nameless(query: Query) -> list[QueryWindow]:
    return [window for window in query.windows if window.name is None]


def _named(query: Query) -> list[str]:
    return [predicate_of(window.name) for window in query.windows if window.name is not None]


def _copy(predicate: str) -> Rule:
    terms = tuple(map(Variable, ("s", "p", "o")))
    return Rule((Atom(TRIPLE, terms),), (Atom(predicate, terms),))
