"""Facts in and out: from callers (`ingest`), from and to files (`read`, `write`)."""

from tidelog.io.bad_rows import BadRow, BadRows
from tidelog.io.resources import format_of, paths_in, read, read_files, write

__all__ = ["BadRow", "BadRows", "format_of", "paths_in", "read", "read_files", "write"]
