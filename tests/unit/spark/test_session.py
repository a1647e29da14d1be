"""Sessions: the one that is there is borrowed, and what is missing is said in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tidelog.errors import SetupError
from tidelog.spark.java import require_java
from tidelog.spark.session import cores, session


def test_the_running_session_is_borrowed(spark: SparkSession) -> None:
    assert session().sparkContext is spark.sparkContext
    assert session(spark.sparkContext.master).sparkContext is spark.sparkContext


def test_another_master_than_the_running_one_is_refused(spark: SparkSession) -> None:
    with pytest.raises(SetupError, match=r"Spark runs on local\[2\] already"):
        session("local[7]")


def test_a_session_made_here_is_set_up_for_the_work(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.adaptive.enabled") == "false"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"


@pytest.mark.parametrize(
    ("master", "expected"), [("local", 1), ("local[3]", 3), ("local[2,4]", 2), ("local-cluster[2,1,1024]", 2)]
)
def test_cores_of_a_local_master(master: str, expected: int) -> None:
    assert cores(master) == expected


def fake_java(folder: Path, says: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    java.chmod(0o755)
    return folder


def test_java_is_found_through_java_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, 'openjdk version "21.0.2" 2024-01-16')))
    assert require_java() == tmp_path / "bin" / "java"


@pytest.mark.parametrize("version", ["11.0.22", "1.8.0_292"])
def test_an_old_java_is_refused(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, f'java version "{version}"')))
    with pytest.raises(SetupError, match=r"needs Java 17 or newer, and .* is Java (11|8)"):
        require_java()


def test_a_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SetupError, match="there is no bin/java in it"):
        require_java()


def test_no_java_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="JAVA_HOME is not set and no java is on the PATH"):
        require_java()
