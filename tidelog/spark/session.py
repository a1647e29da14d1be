"""Sessions: the one that is there is borrowed, otherwise one is made, quiet and fit for the work.

Whoever runs Tidelog inside a Spark application (spark-submit, a notebook, Databricks) has a session already; it is used as it
is. Otherwise one is started: on this machine (`local[*]`) or on the master that is asked for. A session that was started
here writes nothing but errors to standard error; Spark's own settings can be given, and win over ours.

A session is process-wide: Spark has one context in a process, which lives until `stop` or the end of the process.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE
from typing import IO, TYPE_CHECKING

from tidelog.errors import MissingExtra, SetupError
from tidelog.spark.java import require_java

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

_LOGGING = Path(__file__).with_name("log4j2.properties")
# Spark makes classes of plans; where room for them begins small, each step of its growth stops everything.
JVM_OPTIONS = f"-Dlog4j2.configurationFile=file:{_LOGGING} -XX:+UseParallelGC -XX:-UsePerfData -XX:MetaspaceSize=256m"
_FRAMES_IN_THE_HEAP = "-XX:InitialRAMPercentage=12.5"
"""A heap that begins small is searched for garbage at every step of its growth."""
_CHATTER = b"WARNING: Using incubator modules"
"""What Java says to everyone who starts Spark, whatever the log settings."""

_MASTER = re.compile(r"local(\[[^\]]+\])?|local-cluster\[[^\]]+\]|(spark|k8s)://.+|yarn")

_ANYWHERE = {
    # Rounds are many and small: the plan that was made is the plan that runs, and partitions stay as they are.
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
_ON_THIS_MACHINE = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.locality.wait": "0",
}


def session(
    master: str | None = None,
    *,
    name: str = "tidelog",
    settings: Mapping[str, str] | None = None,
    delta: bool | str | Path = False,
) -> SparkSession:
    """The session that is there, or a new one on `master` with these settings of Spark's.

    Settings that only count when Spark starts (memory, packages) do nothing for a session that is there; a different
    `master` than it has is an error. `delta` makes a new session fit for Delta Lake tables: with the jars in a directory, or
    with True, which has Spark fetch them.
    """
    if find_spec("pyspark") is None:
        raise MissingExtra("the Spark engine", "pyspark", "spark")
    running = borrowed(master)
    if delta:
        from tidelog.spark import delta as lake

        if running is not None:
            lake.require(running)
        settings = lake.settings(None if delta is True else delta) | dict(settings or {})
    if running is not None:
        return running
    return _start(master, name, dict(settings or {}))


def borrowed(master: str | None = None) -> SparkSession | None:
    """The session of this process, if it has one; SetupError if that is on another master than asked for."""
    from pyspark.sql import SparkSession

    try:
        found = SparkSession.getActiveSession()
    except Exception as error:  # in a Spark Connect client asking alone may fail
        raise SetupError(f"the running Spark session cannot be used: {error}") from error
    if found is None:
        return None
    if not hasattr(found, "_jsparkSession"):
        raise SetupError("the running session is a Spark Connect client; the Spark engine needs to run in the driver itself")
    has = found.sparkContext.master
    if master is not None and master != has:
        raise SetupError(f"Spark runs on {has} already, and one process has one Spark: stop it before asking for {master}")
    return found


def _start(master: str | None, name: str, settings: dict[str, str]) -> SparkSession:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    require_java()
    if master is not None and not _MASTER.fullmatch(master):
        raise SetupError(
            f"{master!r} is no master of Spark's\n    hint: local[4], spark://HOST:7077, yarn, k8s://https://HOST:PORT"
        )
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # spark-submit has chosen the master and started the JVM
    if master is None and not submitted:
        master = "local[*]"
    chosen = _ANYWHERE | (_local(master) if master is not None and master.startswith("local") else {}) | settings
    conf = SparkConf(loadDefaults=False).setAppName(name)
    if master is not None:
        conf.setMaster(master)
    for key, value in chosen.items():
        conf.set(key, value)
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # tasks in Python need the packages that are installed here
    try:
        if not submitted:
            _launch(conf)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            made = SparkSession.builder.config(map=dict(conf.getAll())).getOrCreate()
    except Exception as error:
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise SetupError(f"Spark does not start on {master or 'the master of spark-submit'}: {said}") from error
    made.sparkContext.setLogLevel("ERROR")
    return made


def _local(master: str) -> dict[str, str]:
    """What a session on this machine needs: no ports open to others, a quarter of its memory, a partition for each core."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 4 << 30
    partitions = {"spark.sql.shuffle.partitions": str(cores(master)), "spark.default.parallelism": str(cores(master))}
    heap = {"spark.driver.memory": f"{max(1024, min(16384, (memory >> 20) // 4))}m"}
    return _ON_THIS_MACHINE | partitions | heap | {"spark.driver.extraJavaOptions": f"{JVM_OPTIONS} {_FRAMES_IN_THE_HEAP}"}


def cores(master: str) -> int:
    """How many tasks run at a time on a local master: `local[4]`, `local[*]`, `local-cluster[2,1,1024]`."""
    cluster = re.match(r"local-cluster\[\s*(\d+)\s*,\s*(\d+)", master)
    if cluster:
        return int(cluster.group(1)) * int(cluster.group(2))
    number = re.match(r"local\[\s*(\d+|\*)", master)
    if number is None:
        return 1
    return (os.cpu_count() or 1) if number.group(1) == "*" else int(number.group(1))


def _launch(conf: SparkConf) -> None:
    """Start the JVM, passing on what it writes to standard error, except for what it says every time."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:  # a session was stopped; its JVM lives on
        return
    gateway = launch_gateway(conf, popen_kwargs={"stderr": PIPE})  # type: ignore[no-untyped-call]
    process = getattr(gateway, "proc", None)
    if process is not None and process.stderr is not None:
        threading.Thread(target=_pass_on, args=(process.stderr,), daemon=True).start()
    SparkContext._ensure_initialized(gateway=gateway)


def _pass_on(source: IO[bytes]) -> None:
    for line in source:
        if not line.startswith(_CHATTER):
            sys.stderr.write(line.decode(errors="replace"))
