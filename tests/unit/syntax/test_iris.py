"""RFC 3986, section 5.4: the examples of reference resolution."""

from __future__ import annotations

import doctest

import pytest

from tidelog.syntax import formatter, iris
from tidelog.syntax.iris import resolve

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        (";x", "http://a/b/c/;x"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
    ],
)
def test_resolution(reference: str, target: str) -> None:
    assert resolve(BASE, reference) == target


def test_other_bases() -> None:
    assert resolve("http://a", "b") == "http://a/b"
    assert resolve("urn:x:y", "#z") == "urn:x:y#z"


@pytest.mark.parametrize("module", [iris, formatter])
def test_the_examples_in_the_docstrings(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
