"""The layers of the package: imports point upwards only, heavy packages stay where they belong, and every test asserts."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "tidelog"
# Each row may import from itself and from the rows above it.
LAYERS = (
    {"errors", "terms", "annotations", "notation"},
    {"syntax"},
    {"program"},
    {"plan"},
    {"facts"},
    {"maintain"},
    {"engines"},
    {"stream", "rdf", "io", "spark", "warehouse"},
    {"the public face"},  # every module beside these packages: tidelog/materialisation.py and friends
    {"cli", "web", "notebook", "bench"},
)
OPTIONAL = {"pandas", "polars", "clingo", "duckdb", "nmo_python", "owlrl", "reasonable", "psutil"}
HEAVY = OPTIONAL | {"lark", "rich", "click", "pyspark"}


class Import(NamedTuple):
    importer: Path
    module: str
    line: int
    lazy: bool

    def __str__(self) -> str:
        return f"{self.importer.relative_to(PACKAGE.parent)}:{self.line} imports {self.module}"


def imports_of(file: Path) -> Iterator[Import]:
    """All imports of a file, wherever they stand; `lazy` ones stand in a function."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    in_functions = {id(inner) for function in functions for inner in ast.walk(function)}
    typing_only = {id(inner) for node in ast.walk(tree) if is_type_checking(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        lazy = id(node) in in_functions or id(node) in typing_only
        if isinstance(node, ast.Import):
            yield from (Import(file, alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: imports are absolute"
            assert node.module is not None
            names = [f"tidelog.{alias.name}" for alias in node.names] if node.module == "tidelog" else [node.module]
            yield from (Import(file, name, node.lineno, lazy) for name in names)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


ALL = [found for file in sorted(PACKAGE.rglob("*.py")) for found in imports_of(file)]


def part(file: Path) -> str:
    """The package or module right under tidelog/ that a file belongs to."""
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def layer(name: str) -> int:
    for level, names in enumerate(LAYERS):
        if name in names:
            return level
    assert not (PACKAGE / name).is_dir(), f"tidelog/{name} has no layer yet: give it one in {__file__}"
    return next(level for level, names in enumerate(LAYERS) if "the public face" in names)


def test_imports_point_upwards() -> None:
    wrong = [
        str(found)
        for found in ALL
        if found.module.startswith("tidelog.") and layer(found.module.split(".")[1]) > layer(part(found.importer))
    ]
    assert wrong == []


def test_pyspark_stays_in_its_engine() -> None:
    allowed = (PACKAGE / "engines" / "spark", PACKAGE / "spark")
    assert [str(found) for found in ALL if root(found) == "pyspark" and not set(allowed) & set(found.importer.parents)] == []


def test_algorithms_know_no_representation() -> None:
    assert [str(found) for found in ALL if part(found.importer) == "maintain" and root(found) in {"numpy", "pyarrow"}] == []


def test_optional_packages_are_imported_where_they_are_used() -> None:
    assert [str(found) for found in ALL if root(found) in OPTIONAL and not found.lazy] == []


def test_importing_tidelog_is_light() -> None:
    script = f"import sys, tidelog; print(*sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def root(found: Import) -> str:
    return found.module.partition(".")[0]


FUNCTIONS = [
    (file, node)
    for file in sorted(TESTS.rglob("*.py"))
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef)
]
TEST_FUNCTIONS = [(file, function) for file, function in FUNCTIONS if function.name.startswith("test_")]


def asserts(function: ast.FunctionDef, asserting: set[str]) -> bool:
    """It has an `assert`, expects an exception, or calls a function of the tests that does."""
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and called(node) in asserting)
        for node in ast.walk(function)
    )


def called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.fixture(scope="module")
def asserting() -> set[str]:
    names = {"raises", "warns", "fail"}
    while more := {function.name for _, function in FUNCTIONS if asserts(function, names)} - names:
        names |= more
    return names


def test_every_test_asserts_something(asserting: set[str]) -> None:
    assert [place(file, test) for file, test in TEST_FUNCTIONS if not asserts(test, asserting)] == []


def test_every_test_can_be_found_by_pytest() -> None:
    """A test in a file or class that pytest does not collect never runs."""
    assert [place(file, test) for file, test in TEST_FUNCTIONS if not file.name.startswith("test_")] == []


def place(file: Path, function: ast.FunctionDef) -> str:
    return f"{file.relative_to(TESTS)}:{function.lineno} {function.name}"
