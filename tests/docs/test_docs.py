"""Every code block of the README and of `docs/` does what the page says it does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import blocks, run_page

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

NO_RUN = {
    "README.md": 1,  # installing: needs the network
    "pipeline.md": 2,  # a warehouse in a directory of the user's; examples/pipeline is run by test_pipeline_example.py
    "spark-costs.md": 1,  # needs a cluster; examples/spark/submit.py is run by test_submit_example.py
    "CONTRIBUTING.md": 1,  # the commands that set up a checkout
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_do_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    run_page(page.read_text(encoding="utf-8"), page.name, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_that_are_not_run_are_known(page: Path) -> None:
    found = [block for block in blocks(page.read_text(encoding="utf-8")) if "no-run" in block.flags]
    assert len(found) == NO_RUN.get(page.name, 0), [f"{page.name}:{block.line}" for block in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not missing


def test_the_runner_notices_a_wrong_output(tmp_path: Path) -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    with pytest.raises(AssertionError, match="prints something else"):
        run_page(page, "page.md", tmp_path)


def test_the_runner_notices_a_wrong_console_output(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="prints something else"):
        run_page("```console\n$ echo one\ntwo\n```\n", "page.md", tmp_path)


def test_the_runner_saves_files_and_compares_times_as_times(tmp_path: Path) -> None:
    page = "```text file=note.txt\n0.25 s\n```\n\n```console\n$ cat note.txt\n1.5 s\n```\n"
    run_page(page, "page.md", tmp_path)


def test_the_runner_refuses_an_unknown_kind_of_block(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="unknown kind"):
        run_page("```pyhton\nprint(1)\n```\n", "page.md", tmp_path)
