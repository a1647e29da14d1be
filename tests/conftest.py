"""Settings of the whole test suite: how hard Hypothesis tries, and the one Spark session.

A few examples of each property by default, for an answer within minutes; `HYPOTHESIS_PROFILE=ci` tries more, as `.ci/run` does,
and `deep` thousands.

Spark takes seconds to start, so all tests that need it share a session; with several workers they all run in the same one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = str(Path(__file__).parent.parent)
if ROOT not in sys.path:  # so that tests can say `from tests.oracle import ...`, however pytest was started
    sys.path.insert(0, ROOT)

BASE = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.register_profile("quick", BASE, max_examples=20)
settings.register_profile("ci", BASE, max_examples=60)
settings.register_profile("deep", BASE, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever needs Spark runs in one worker."""
    for item in items:
        if on_spark(item) or "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))


def on_spark(item: pytest.Item) -> bool:
    """Whether a test is one of those for the Spark engine, or of the page about it."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return False
    page = callspec.params.get("page")
    return callspec.params.get("engine") == "spark" or (isinstance(page, Path) and page.name == "spark.md")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The session of the whole suite: two cores, two partitions, and a JVM that compiles quickly rather than well."""
    from tidelog.spark.session import JVM_OPTIONS, session

    java = f"{JVM_OPTIONS} -XX:TieredStopAtLevel=1"
    made = session("local[2]", settings={"spark.driver.memory": "2g", "spark.driver.extraJavaOptions": java})
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def _session_for_the_spark_engine(request: pytest.FixtureRequest) -> None:
    """A test for `engine="spark"` borrows the suite's session."""
    if on_spark(request.node):
        request.getfixturevalue("spark")
