"""The data pipeline on Spark: sessions, and what goes in and out around the Spark engine. Everything here needs pyspark."""
