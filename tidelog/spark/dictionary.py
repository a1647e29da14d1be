"""Terms to 64-bit ids and back, as DataFrame plans: columns of N-Triples texts become columns of ids.

Ids are those of `tidelog.facts.wide`: an integer is its own, any other term has the hash of its text. So a column is
encoded where it stands, by Spark's built-in functions, without a join. Among a billion terms some two hashes of 61 bits may
be equal, and wrong answers are never an alternative: the dictionary, a table (id, text) of all terms that are no integers, is
asked about every new term, and one whose home is taken is *displaced* to the next free id above. Displaced terms are
few, mostly none, so they reach every task as a small table.

A term keeps its id for good: the dictionary only grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import LongType

from tidelog.facts.wide import HASH_BITS, INTEGER_TEXT, WIDE
from tidelog.terms import XSD

SCHEMA = "id bigint, text string"
_INTEGER = f"^^<{XSD}integer>"


def home(text: Column, bits: int = HASH_BITS) -> Column:
    """The id of the term with this text, unless it is displaced; as `tidelog.facts.wide.home_of`."""
    written = sf.regexp_extract(text, f"^{INTEGER_TEXT}$", 1).try_cast("bigint")
    value = sf.when(sf.endswith(text, sf.lit('"' + _INTEGER)), written)
    return sf.when(_inline(value), value).otherwise(_hashed(text, bits))


def _hashed(text: Column, bits: int) -> Column:
    return sf.xxhash64(text).bitwiseAND(sf.lit((1 << bits) - 1)) + sf.lit(WIDE)


def _inline(number: Column) -> Column:
    return number.between(sf.lit(-WIDE), sf.lit(WIDE - 1))


def integer_text(number: Column) -> Column:
    """The text of an integer."""
    return sf.concat(sf.lit('"'), number.cast("string"), sf.lit('"' + _INTEGER))


def displaced(dictionary: DataFrame, bits: int = HASH_BITS) -> DataFrame:
    """The terms of a dictionary that do not live at their home."""
    return dictionary.where(sf.col("id") != home(sf.col("text"), bits))


def encoded(frame: DataFrame, columns: Sequence[str], moved: DataFrame | None = None, bits: int = HASH_BITS) -> DataFrame:
    """The frame with ids in these columns, in the place of texts or of integers. `moved` are the displaced terms, if any."""
    for column in columns:
        text = sf.col(column)
        if frame.schema[column].dataType == LongType():
            number, text = text, integer_text(text)
            id_ = sf.when(_inline(number), number).otherwise(_hashed(text, bits))
        else:
            id_ = home(text, bits)
        if moved is not None:
            found = moved.select(sf.col("id").alias("moved id"), sf.col("text").alias("moved text"))
            frame = frame.join(sf.broadcast(found), text == sf.col("moved text"), "left")
            id_ = sf.coalesce(sf.col("moved id"), id_)
        frame = frame.withColumn(column, id_).drop("moved id", "moved text")
    return frame


def decoded(frame: DataFrame, columns: Sequence[str], dictionary: DataFrame) -> DataFrame:
    """The frame with texts in N-Triples in the place of ids in these columns."""
    for column in columns:
        here = sf.col(column)
        words = dictionary.select(sf.col("id").alias("word id"), sf.col("text").alias("word"))
        text = sf.when(_inline(here), integer_text(here)).otherwise(sf.col("word"))
        known = frame.join(words, (here == sf.col("word id")) & ~_inline(here), "left")
        frame = known.withColumn(column, text).drop("word id", "word")
    return frame


class NewTerms(NamedTuple):
    """Terms for a dictionary to take in, kept in memory until `frame.unpersist()`."""

    frame: DataFrame
    number: int
    displaced: int


def new_terms(
    frame: DataFrame, columns: Sequence[str], dictionary: DataFrame, moved: DataFrame | None = None, bits: int = HASH_BITS
) -> NewTerms:
    """The terms in these columns that the dictionary does not have, with ids that nobody has."""
    wanted = _texts(frame, columns).select(home(sf.col("text"), bits).alias("home"), "text")
    wanted = wanted.where(sf.col("home") >= WIDE).distinct()
    if moved is not None:
        wanted = wanted.join(sf.broadcast(moved.select("text")), "text", "left_anti")
    there = dictionary.select("id", sf.col("text").alias("there"))
    unknown = wanted.join(there, wanted["home"] == there["id"], "left").where(~sf.col("there").eqNullSafe(sf.col("text")))
    unknown = unknown.select("home", "text", sf.col("there").isNotNull().alias("taken")).persist()
    count, homes, taken = unknown.agg(sf.count("*"), sf.count_distinct("home"), sf.count_if("taken")).collect()[0]
    if count == homes and not taken:
        return NewTerms(unknown.select(sf.col("home").alias("id"), "text"), count, 0)
    settled = _settled(unknown, dictionary).persist()
    away = displaced(settled, bits).count()
    unknown.unpersist()
    return NewTerms(settled, count, away)


def _texts(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """All texts in these columns, of integers only those that are not their own ids."""
    texts, plain = [], frame.select(*columns)
    for column in columns:
        here = sf.col(column)
        own = frame.schema[column].dataType == LongType()
        texts.append(sf.when(~_inline(here), integer_text(here)) if own else here)
    exploded = plain.select(sf.explode(sf.array(*texts)).alias("text"))
    return exploded.where(sf.col("text").isNotNull())


def _settled(unknown: DataFrame, dictionary: DataFrame) -> DataFrame:
    """An id for every term: its home or, in the order of homes and texts, the next above that is free.

    Who moves is decided here in the driver: there are as many of them as collisions.
    """
    first = Window.partitionBy("home").orderBy("text")
    rated = unknown.select("home", "text", ((sf.row_number().over(first) == 1) & ~sf.col("taken")).alias("stays"))
    staying, moving = rated.where("stays").select("home", "text"), rated.where("not stays").orderBy("home", "text").collect()
    places = _Places(dictionary.select("id").union(staying.select("home")))
    moved = [(places.take(row.home), row.text) for row in places.around(moving)]
    return staying.union(dictionary.sparkSession.createDataFrame(moved, SCHEMA)).toDF("id", "text")


class _Places:
    """Which ids are taken, as far as anybody asked."""

    def __init__(self, ids: DataFrame) -> None:
        self._ids, self._taken = ids, set[int]()
        self._known = set[int]()

    def around(self, moving: Sequence[Row], reach: int = 64) -> Sequence[Row]:
        """The same, once the ids right above their homes have been looked up, all at once."""
        self._look_up({row.home + step for row in moving for step in range(1, reach)})
        return moving

    def take(self, home: int) -> int:
        """The next free id above, which is free no longer."""
        while True:
            home += 1
            if home not in self._known:
                self._look_up(set(range(home, home + 1024)))
            if home not in self._taken:
                self._taken.add(home)
                return home

    def _look_up(self, wanted: set[int]) -> None:
        self._known |= wanted
        asked = self._ids.sparkSession.createDataFrame([(id_,) for id_ in sorted(wanted)], "id bigint")
        self._taken |= {row.id for row in self._ids.join(sf.broadcast(asked), "id", "left_semi").collect()}
