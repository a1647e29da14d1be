"""`--facts NAME=FILE`, and telling a format from a file's name."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from tidelog.cli.inputs import NamedFile, format_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("e.csv", "csv"),
        ("e.tsv.gz", "tsv"),
        ("e.parquet", "parquet"),
        ("e.nt.gz", "ntriples"),
        ("e.ttl", "turtle"),
        ("e.xls", None),
        ("e", None),
    ],
)
def test_the_name_tells_the_format(name: str, expected: str | None) -> None:
    assert format_of(Path(name)) == expected


def test_name_and_file(tmp_path: Path) -> None:
    file = tmp_path / "a=b.csv"
    file.write_text("1,2\n")
    assert NamedFile().convert(f"edge={file}", None, None) == ("edge", file)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("edge", "NAME=FILE"),
        ("=e.csv", "NAME=FILE"),
        ("edge=", "NAME=FILE"),
        ("edge=e.xls", "known endings"),
        ("edge=no.csv", "no file"),
    ],
)
def test_what_is_wrong_is_said(value: str, text: str) -> None:
    with pytest.raises(click.BadParameter, match=text):
        NamedFile().convert(value, None, None)
