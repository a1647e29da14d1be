"""The page that follows an update names files and functions as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "life-of-an-update.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(?P<file>tidelog/[\w/]+\.py)` \| (?P<names>.+) \|$", re.MULTILINE)


def defined(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[str]:
    """The functions and classes of a module, methods as `Class.method`."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from defined(node, f"{node.name}.")


def test_every_name_is_where_the_page_says() -> None:
    rows = [(row["file"], re.findall(r"`([\w.]+)`", row["names"])) for row in ROW.finditer(PAGE)]
    assert len(rows) > 10
    for file, names in rows:
        there = set(defined(ast.parse((ROOT / file).read_text(encoding="utf-8"))))
        assert set(names) <= there, f"{file} has no {set(names) - there}"
