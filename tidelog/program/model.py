"""A program: rules that have been checked, with the facts, imports and exports that stand around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tidelog.errors import ProgramError
from tidelog.program import checks, normal, stratify
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification
from tidelog.syntax import ast
from tidelog.syntax.formatter import format_source
from tidelog.syntax.names import PREDECLARED
from tidelog.syntax.places import Text


@dataclass(frozen=True)
class Program:
    """Rules that mean something: safe, of consistent arity, without negation in a cycle.

    Two programs are equal if their statements are; where they were read from does not count.
    """

    rules: tuple[ast.Rule, ...] = field(compare=False)
    facts: tuple[ast.Atom, ...] = field(compare=False)
    imports: tuple[ast.Import, ...] = field(compare=False)
    exports: tuple[ast.Export, ...] = field(compare=False)
    outputs: tuple[str, ...] = field(compare=False)
    prefixes: Mapping[str, str] = field(compare=False)
    base: str | None = field(compare=False)
    arities: Mapping[str, int] = field(compare=False)
    """The number of terms of each predicate whose uses tell it; an import without columns does not."""
    source: ast.Source
    directory: Path | None = field(default=None, compare=False)
    """Where relative paths of imports start; None: the working directory."""

    @classmethod
    def parse(cls, text: str, *, file: str | None = None) -> Program:
        """The program that a text holds; ProgramError, with all its problems, if it holds none.

        >>> Program.parse("p(?x) :- q(?x), ~r(?x, _) .").arities
        {'p': 1, 'q': 1, 'r': 2}
        """
        from tidelog.syntax.parser import read

        text = text.removeprefix("\ufeff")
        report = Text(text, file)
        return cls._checked(read(report), report, None)

    @classmethod
    def load(cls, path: str | Path) -> Program:
        """The program in a file; its imports are looked for beside it."""
        from tidelog.syntax.parser import read, read_text

        path = Path(path)
        report = Text(read_text(path), str(path))
        return cls._checked(read(report), report, path.parent)

    @classmethod
    def from_source(cls, source: ast.Source, directory: Path | None = None) -> Program:
        """The program that a syntax tree means, wherever it came from: other rule syntaxes enter here."""
        return cls._checked(source, Text(source.text, source.file), directory)

    @classmethod
    def _checked(cls, source: ast.Source, report: Text, directory: Path | None) -> Program:
        arities = checks.check(source, report)
        program = cls._assemble(source, arities, directory)
        stratify.check(program.core, report)
        if report.problems:
            raise ProgramError(report.sorted_problems())
        return program

    @classmethod
    def _assemble(cls, source: ast.Source, arities: Mapping[str, int], directory: Path | None) -> Program:
        said = source.statements
        return cls(
            rules=tuple(s for s in said if isinstance(s, ast.Rule)),
            facts=tuple(s.atom for s in said if isinstance(s, ast.Fact)),
            imports=tuple(s for s in said if isinstance(s, ast.Import)),
            exports=tuple(s for s in said if isinstance(s, ast.Export)),
            outputs=tuple(dict.fromkeys(s.predicate for s in said if isinstance(s, ast.Output))),
            prefixes={**PREDECLARED, **{s.name: s.iri for s in said if isinstance(s, ast.Prefix)}},
            base=next((s.iri for s in said if isinstance(s, ast.Base)), None),
            arities=arities,
            source=source,
            directory=directory,
        )

    def __str__(self) -> str:
        return format_source(self.source)

    def __repr__(self) -> str:
        file = f" {self.source.file}" if self.source.file else ""
        return f"<Program{file}: {len(self.rules):,} rules and {len(self.facts):,} facts of {len(self.arities):,} predicates>"

    @cached_property
    def _normal(self) -> normal.Normal:
        return normal.normalise(self.rules, frozenset(self.arities) | {i.predicate for i in self.imports})

    @property
    def core(self) -> tuple[CoreRule, ...]:
        """The rules in the form that plans are made from: one head atom each, every variable named."""
        return self._normal.rules

    @property
    def hidden(self) -> frozenset[str]:
        """Predicates that only core rules have, and that nobody should be shown."""
        return self._normal.hidden

    @cached_property
    def _stratifications(self) -> dict[bool, Stratification]:
        return {}

    def stratify(self, single: bool = False) -> Stratification:
        """The core rules by strata: as many as possible, or, with `single`, as few as negation allows."""
        if single not in self._stratifications:
            self._stratifications[single] = stratify.stratify(self.core, single=single)
        return self._stratifications[single]
