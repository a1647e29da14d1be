"""The fenced code blocks of a Markdown page, and how each kind is run.

A block's info string says what becomes of it:

    ```python              executed; the blocks of a page share one namespace and one directory, in order
    ```tidelog             parsed as a program
    ```console             each `$ tidelog ...` line is executed, what stands beneath it is its output
    ```text                the output of the block before it
    ``` ... file=NAME      also saved under that name, for the blocks that follow
    ``` ... no-run         not executed; the test knows each page's number of these, so none slips in

Figures that differ from run to run are compared as figures: any time (`0.01 s`, `12 ms`) equals any other.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
TIMES = re.compile(r"\b\d[\d,]*(\.\d+)? (s|ms|µs)\b")
EXECUTED = {"python", "console", "tidelog"}
SILENT = {"", "text", "csv", "bash", "sh", "mermaid", "toml", "turtle", "sparql", "json", "makefile"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its flags (`no-run`, `file=...`), its text, and where it starts."""

    language: str
    flags: tuple[str, ...]
    text: str
    line: int

    @property
    def file(self) -> str | None:
        return next((flag.removeprefix("file=") for flag in self.flags if flag.startswith("file=")), None)

    @property
    def runs(self) -> bool:
        return self.language in EXECUTED and "no-run" not in self.flags


def blocks(text: str) -> Iterator[Block]:
    for match in FENCE.finditer(text):
        language, *flags = match["info"].split() or [""]
        yield Block(language, tuple(flags), match["body"], text.count("\n", 0, match.start()) + 1)


def run_page(text: str, name: str, directory: Path) -> None:
    """Execute every block of a page in `directory`; raises AssertionError at the first that does not do what the page shows."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    output = ""
    for block in blocks(text):
        place = f"{name}:{block.line}"
        assert block.language in EXECUTED | SILENT, f"{place}: a block of an unknown kind, {block.language!r}"
        if block.file:
            (directory / block.file).write_text(block.text, encoding="utf-8")
        if block.runs:
            output = run_block(block, place, namespace, directory)
        elif block.language == "text" and output:
            compare(block.text, output, place)
            output = ""


def run_block(block: Block, place: str, namespace: dict[str, object], directory: Path) -> str:
    """Run one block; the result is what it printed, where a following text block may show it."""
    if block.language == "python":
        return run_python(block.text, place, namespace, directory)
    if block.language == "console":
        run_console(block.text, place, directory)
    else:
        from tidelog import Program

        Program.parse(block.text, file=place)
    return ""


def run_python(code: str, place: str, namespace: dict[str, object], directory: Path) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.chdir(directory):
        exec(compile(code, place, "exec"), namespace)
    return printed.getvalue()


def run_console(text: str, place: str, directory: Path) -> None:
    """Each command line is given to the shell as a reader would; output and messages together, as a terminal shows them."""
    scripts = os.pathsep.join([sysconfig.get_path("scripts"), str(Path(sys.executable).parent)])
    environment = {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}",
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    environment.pop("TIDELOG_TRACEBACK", None)
    for command, expected in commands(text):
        process = subprocess.run(
            command,
            shell=True,
            cwd=directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        compare(expected, process.stdout, f"{place}: $ {command}")


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The `$ command` lines of a console block, with the output shown for each; a trailing backslash continues a command."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = re.sub(r"\\\n\s*", "", part).partition("\n")
        yield command, expected


def compare(expected: str, actual: str, place: str) -> None:
    assert normal(actual) == normal(expected), f"{place} prints something else:\n{actual}"


def normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in TIMES.sub(r"TIME \2", text).strip().splitlines())
