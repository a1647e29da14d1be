"""What a program must satisfy before it means anything. Everything found is reported; one mistake is reported once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tidelog.program.kinds import check_kinds
from tidelog.program.resources import arity, check_resource, default_arity, is_rdf
from tidelog.program.safety import check_safety
from tidelog.syntax import ast
from tidelog.syntax.formatter import format_predicate
from tidelog.syntax.names import is_bare
from tidelog.syntax.places import Text


def check(source: ast.Source, report: Text) -> Mapping[str, int]:
    """Report all problems but negation in a cycle; the result is the arity of each predicate, where a use tells it."""
    complete = not report.problems
    for statement in source.statements:
        if isinstance(statement, ast.Fact):
            _check_fact(statement, report)
        elif isinstance(statement, ast.Rule):
            if not _looks_like_prolog(statement, report):
                check_safety(statement, report)
            check_kinds(statement, report)
        elif isinstance(statement, ast.Resource):
            check_resource(statement, report)
    arities = _check_arities(source, report)
    if complete:  # what is missing may stand in a statement that could not be read
        _check_outputs(source, report)
    return arities


def _check_fact(fact: ast.Fact, report: Text) -> None:
    for term in fact.atom.terms:
        if isinstance(term, ast.Variable):
            name = "_" if term.name == "_" else f"?{term.name}"
            hint = "a fact is about constants; is the rule's body missing, as in `p(?x) :- q(?x) .`?"
            report.report("variable-in-fact", f"the variable `{name}` stands in a fact", term.span, hint)
            return


# Names that were meant as variables


def _looks_like_prolog(rule: ast.Rule, report: Text) -> bool:
    """Whether a rule has names in capitals, in head and body, where there is not a single variable."""
    head, body = list(_terms(rule.head)), list(_terms(_atoms(rule.body)))
    if any(isinstance(term, ast.Variable) and term.name != "_" for term in (*head, *body)):
        return False
    in_body = dict(_capitals(body))
    found = {name: term for name, term in _capitals(reversed(head)) if name in in_body}
    for name, term in found.items():
        hint = f'a variable is written `?{name}`; if the string is meant, write it in quotes: "{name}"'
        report.report("prolog-variable", f"`{name}` is a string here, not a variable", term.span, hint)
    return bool(found)


def _capitals(terms: Iterable[ast.AtomTerm]) -> Iterator[tuple[str, ast.Constant]]:
    for term in terms:
        if isinstance(term, ast.Constant) and term.text is not None and is_bare(term.text) and term.text[0].isupper():
            yield term.text, term


def _atoms(body: Iterable[ast.BodyLiteral]) -> Iterator[ast.Atom]:
    for part in body:
        if not isinstance(part, ast.Comparison):
            yield part.atom if isinstance(part, ast.Negation) else part


def _terms(atoms: Iterable[ast.Atom]) -> Iterator[ast.AtomTerm]:
    return (term for atom in atoms for term in atom.terms)


# Arities


def _uses(source: ast.Source) -> Iterator[tuple[str, int, ast.Span | None]]:
    """Every use of a predicate that tells its arity."""
    for statement in source.statements:
        if isinstance(statement, ast.Fact):
            yield statement.atom.predicate, len(statement.atom.terms), statement.atom.span
        elif isinstance(statement, ast.Rule):
            for atom in (*statement.head, *_atoms(statement.body)):
                yield atom.predicate, len(atom.terms), atom.span
        elif isinstance(statement, ast.Resource) and (columns := arity(statement)) is not None:
            yield statement.predicate, columns, statement.span


def _check_arities(source: ast.Source, report: Text) -> dict[str, int]:
    """The arity that most uses of a predicate have is taken to be meant; each other arity is reported once."""
    votes: dict[str, Counter[int]] = {}
    first: dict[tuple[str, int], ast.Span | None] = {}
    for predicate, terms, span in _uses(source):
        votes.setdefault(predicate, Counter())[terms] += 1
        first.setdefault((predicate, terms), span)
    arities = {predicate: count.most_common(1)[0][0] for predicate, count in votes.items()}
    for (predicate, terms), span in first.items():
        meant = arities[predicate]
        if terms != meant:
            place = report.place(first[predicate, meant])
            name = format_predicate(predicate)
            message = f"`{name}` has {_count(terms)} here, but {meant} at {place}"
            report.report("arity-clash", message, span, "a predicate has one number of terms; use another name for the other")
    for statement in source.statements:
        if isinstance(statement, ast.Resource) and is_rdf(statement):
            _check_rdf(statement, arities, report)
    return arities


def _check_rdf(resource: ast.Resource, arities: dict[str, int], report: Text) -> None:
    terms = arities.setdefault(resource.predicate, default_arity(resource))
    if terms not in (3, 4):
        message = f"RDF has facts of 3 terms, or 4 with the graph, but `{format_predicate(resource.predicate)}` has {terms}"
        report.report("arity-clash", message, resource.span, "use a predicate with 3 or 4 terms")


def _count(terms: int) -> str:
    return f"{terms} term{'s' * (terms != 1)}"


# Outputs


def _check_outputs(source: ast.Source, report: Text) -> None:
    """Nothing is gained from writing a predicate that nothing is said about."""
    known = {predicate for statement in source.statements for predicate in _mentioned(statement)}
    for statement in source.statements:
        if isinstance(statement, ast.Output | ast.Export) and statement.predicate not in known:
            name = format_predicate(statement.predicate)
            span = report.find(name, statement.span)
            report.report("unknown-predicate", f"no rule, fact or import mentions `{name}`", span, _nearest(name, known))


def _mentioned(statement: ast.Statement) -> Iterator[str]:
    """The predicates that a statement says something about."""
    if isinstance(statement, ast.Fact):
        yield statement.atom.predicate
    elif isinstance(statement, ast.Import):
        yield statement.predicate
    elif isinstance(statement, ast.Rule):
        yield from (atom.predicate for atom in (*statement.head, *_atoms(statement.body)))


def _nearest(name: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f"did you mean `{near[0]}`?" if near else None
