"""The tables of a warehouse as Delta Lake tables, which other tools of a lakehouse can read.

Delta makes each table's versions, the warehouse's manifest says which versions of all tables belong together: what a killed
update has written to some of them is a version that no manifest names. The next update puts such a table back before it
writes to it. The files of a version stand in the manifest, too, so that a warehouse can be read without Spark and Delta.

Two jars are needed beside the Python package. Spark fetches them by their Maven coordinates, or takes them from a directory:

    session(delta=True)                   # needs a network, once
    session(delta="/opt/delta-jars")      # delta-spark_4.2_2.13-4.4.0.jar, delta-storage-4.4.0.jar
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tidelog.errors import MissingExtra, SetupError
from tidelog.spark.storage import Rows, is_empty, on_cluster, uri
from tidelog.warehouse import Directory, Segment, Table

if TYPE_CHECKING:
    from delta.tables import DeltaTable

_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"


def settings(jars: str | Path | None = None) -> dict[str, str]:
    """What a session needs for Delta: its jars from a directory, or by their Maven coordinates."""
    _require()
    made = {
        "spark.sql.extensions": _EXTENSION,
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    }
    if jars is None:
        import pyspark

        spark = ".".join(pyspark.__version__.split(".")[:2])
        return made | {"spark.jars.packages": f"io.delta:delta-spark_{spark}_2.13:{metadata.version('delta-spark')}"}
    found = sorted(Path(jars).glob("*.jar"))
    if not any(jar.name.startswith("delta-spark") for jar in found):
        hint = f"put the jars delta-spark and delta-storage of version {metadata.version('delta-spark')} there"
        raise SetupError(f"there is no jar of Delta in {jars}\n    hint: {hint}")
    return made | {"spark.jars": ",".join(map(str, found))}


def available(spark: SparkSession) -> bool:
    """Whether a session can write Delta tables."""
    return find_spec("delta") is not None and _EXTENSION in (spark.conf.get("spark.sql.extensions", "") or "")


def require(spark: SparkSession) -> None:
    """MissingExtra or SetupError if a session cannot."""
    _require()
    if not available(spark):
        hint = "start Spark with Delta: session(delta=True), or delta=DIRECTORY with its jars"
        raise SetupError(f"the tables are of Delta Lake, and the running Spark session has it not\n    hint: {hint}")


def _require() -> None:
    if find_spec("delta") is None:
        raise MissingExtra("a warehouse of Delta tables", "delta-spark", "delta")


@dataclass
class DeltaStorage:
    """Writes the tables of one transaction; see `tidelog.spark.storage`."""

    spark: SparkSession
    directory: Directory
    _mended: set[str] = field(default_factory=set, init=False)
    """Tables known to be as the manifest, or this transaction, has them."""

    def frame(self, name: str, table: Table) -> DataFrame:
        if table.delta is None:
            return self.spark.createDataFrame([], table.schema)
        return self._read(name, table.delta).select(*table.columns)

    def replace(self, name: str, columns: Mapping[str, str], frame: Rows) -> Table:
        writer = (
            on_cluster(self.spark, frame)
            .select(*columns)
            .write.format("delta")
            .mode("overwrite")
            .option("overwriteSchema", "true")
        )
        writer.option("delta.enableDeletionVectors", "false").save(self._path(name))
        return self._now(name, columns)

    def append(self, name: str, table: Table, frame: Rows) -> Table:
        if table.delta is None:
            return self.replace(name, table.columns, frame)
        self._mend(name, table.delta)
        on_cluster(self.spark, frame).select(*table.columns).write.format("delta").mode("append").save(self._path(name))
        return self._now(name, table.columns)

    def change(self, name: str, table: Table, removed: Rows, added: Rows) -> Table:
        if table.delta is None or not table.keys:
            stays = is_empty(added) and is_empty(removed)
            return self.replace(name, table.columns, self.frame(name, table) if stays else added)
        removed, added = on_cluster(self.spark, removed), on_cluster(self.spark, added)
        there = self._mend(name, table.delta)
        keys = list(table.keys)
        news = added.select(*table.columns, sf.lit(True).alias("stays"))
        source = news.join(removed.select(*keys, sf.lit(True).alias("was")), keys, "full")
        same = " and ".join(f"old.`{key}` = new.`{key}`" for key in keys)
        values = {column: f"new.`{column}`" for column in table.columns}
        merge = there.alias("old").merge(source.alias("new"), same).whenMatchedDelete("new.stays is null")
        merge.whenMatchedUpdate(set=dict(values)).whenNotMatchedInsert("new.stays", dict(values)).execute()
        return self._now(name, table.columns)

    def _mend(self, name: str, version: int) -> DeltaTable:
        """The Delta table, put back to this version if an update that was killed left it at another."""
        table = self._table(name)
        if name not in self._mended and self._version(table) != version:
            table.restoreToVersion(version)
        self._mended.add(name)
        return table

    def _now(self, name: str, columns: Mapping[str, str]) -> Table:
        self._mended.add(name)
        version = self._version(self._table(name))
        paths = [Path(unquote(urlparse(file).path)) for file in self._read(name, version).inputFiles()]
        counts = {self.directory.relative(path): pq.ParquetFile(path).metadata.num_rows for path in paths}
        return Table(columns, (Segment(tuple(sorted(counts)), rows=sum(counts.values())),), version)

    def _table(self, name: str) -> DeltaTable:
        from delta.tables import DeltaTable

        return DeltaTable.forPath(self.spark, self._path(name))

    def _read(self, name: str, version: int) -> DataFrame:
        return self.spark.read.format("delta").option("versionAsOf", str(version)).load(self._path(name))

    def _version(self, table: DeltaTable) -> int:
        return int(table.history(1).select("version").collect()[0].version)

    def _path(self, name: str) -> str:
        return uri(self.directory.delta_table(name))
