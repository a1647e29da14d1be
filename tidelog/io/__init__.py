"""Facts in and out: from callers (`ingest`), from and to files (`read`, `write`)."""

from tidelog.io.bad_rows import BadRow, BadRows
from tidelog.io.resources import format_of, read, write

__all__ = ["BadRow", "BadRows", "format_of", "read", "write"]
