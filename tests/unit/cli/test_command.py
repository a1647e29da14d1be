"""The command as a whole: help, version, quick start, Ctrl-C, closed pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tidelog as package
from tests.unit.cli.conftest import Tidelog

COMMAND = [sys.executable, "-m", "tidelog.cli"]
HEAVY = "import sys; from tidelog.cli import main; main({}); print({} & set(sys.modules))"


def test_help_teaches_and_names_every_command_and_exit_code(tidelog: Tidelog) -> None:
    outcome = tidelog("--help")
    assert outcome.code == 0
    for word in ("run", "query", "explain", "check", "fmt", "bench", "path(?x, ?z) :-", "Exit codes"):
        assert word in outcome.out


@pytest.mark.parametrize("command", ["run", "query", "explain", "check", "fmt", "bench"])
def test_each_command_has_help_with_examples(command: str, tidelog: Tidelog) -> None:
    outcome = tidelog(command, "--help")
    assert outcome.code == 0
    assert f"tidelog {command}" in outcome.out.partition("Examples:")[2]


def test_version(tidelog: Tidelog) -> None:
    assert tidelog("--version").lines == [f"tidelog {package.__version__}"]


def test_without_a_command_there_is_help(tidelog: Tidelog) -> None:
    outcome = tidelog()
    assert outcome.code in (0, 2)  # depends on the version of click
    assert "tidelog run paths.rls" in outcome.out + outcome.err


def test_an_unknown_command_is_a_usage_error(tidelog: Tidelog) -> None:
    assert tidelog("rnu").code == 2


def test_bench_hands_its_words_on(tidelog: Tidelog, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def measured(*words: object) -> int:
        asked.extend(words)
        return 0

    monkeypatch.setattr("tidelog.bench.main", measured)
    assert tidelog("bench", "closure", "--quick").code == 0
    assert asked == ["closure", ("--quick",)]


def test_help_loads_nothing_heavy() -> None:
    script = HEAVY.format("['--help']", {"numpy", "pyarrow", "rich", "lark"})
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_check_does_not_load_the_engine(workspace: Path) -> None:
    script = (
        "import sys; from tidelog.cli import main; main(['check', 'paths.rls']); print({'pyarrow', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=workspace)
    assert done.stdout.splitlines()[-1] == "set()"


def test_a_reader_that_stops_early_gets_no_complaint(workspace: Path) -> None:
    (workspace / "many.rls").write_text(
        "n(1) . n(2) . n(3) . n(4) . n(5) . n(6) . n(7) . n(8) .\np(?a, ?b, ?c, ?d) :- n(?a), n(?b), n(?c), n(?d) ."
    )
    process = subprocess.Popen(
        [*COMMAND, "run", "many.rls"], cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "p(1, 1, 1, 1) .\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.skipif(os.name != "posix", reason="closes streams as a shell does")
@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-"])
def test_a_process_may_be_started_with_a_stream_closed(closed: str, workspace: Path) -> None:
    command = f"{sys.executable} -m tidelog.cli run paths.rls {closed}"
    done = subprocess.run(command, shell=True, cwd=workspace, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "bug" not in done.stderr
    assert bool(done.stdout) == (closed != ">&-")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", ["run paths.rls", "query paths.rls 'path(?x,?y)' --format csv"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_no_bug(words: str, unbuffered: str, workspace: Path) -> None:
    command, env = f"{sys.executable} -m tidelog.cli {words} > /dev/full", {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(command, shell=True, cwd=workspace, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: No space left on device")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_stops_with_one_line(workspace: Path) -> None:
    (workspace / "long.rls").write_text("n(0) .\nn(?y) :- n(?x), ?y = ?x + 1 .")
    process = subprocess.Popen(
        [*COMMAND, "run", "long.rls"],
        cwd=workspace,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # who runs the tests may ignore it
    )
    try:
        until_it_works(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert [line for line in err.splitlines() if line] == ["tidelog: stopped by Ctrl-C"]
    assert out == ""


def until_it_works(pid: int) -> None:
    """Wait until a process has started up, which takes it most of a second of processor time."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        time.sleep(3)
        return
    while sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13])) < 1.2 * os.sysconf("SC_CLK_TCK"):
        time.sleep(0.05)
