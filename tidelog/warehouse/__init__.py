"""Warehouses: directories that keep materialisations. What is here needs no Spark; who writes them is `tidelog.spark`."""

from tidelog.warehouse.directory import Directory
from tidelog.warehouse.manifest import DICTIONARY, MATERIALISED, QUARANTINE, Manifest, Segment, Table

__all__ = ["DICTIONARY", "MATERIALISED", "QUARANTINE", "Directory", "Manifest", "Segment", "Table"]
