"""Files as bytes: found or a clear error, unpacked if they are gzip, replaced only when the new one is complete."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, TypeAlias

from tidelog.errors import DataError

GZIP = b"\x1f\x8b"
BLOCK = 1 << 25

Progress: TypeAlias = Callable[[int, int | None], None]
"""Told how many rows are read so far, and of how many, if that is known."""


def resolve(path: str | os.PathLike[str], directory: str | os.PathLike[str] | None) -> Path:
    """The file a program means: relative to the program's own directory, not to wherever it is run."""
    return Path(directory or ".") / Path(path).expanduser()


def check(path: Path) -> Path:
    """`path`, if it is a file; else a DataError that says what to look at."""
    if path.is_dir():
        raise DataError("is a directory, not a file", source=str(path))
    if not path.exists():  # what exists may also be a pipe
        raise DataError("no such file", source=str(path), hint=_neighbours(path))
    return path


def _neighbours(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no directory {path.parent}"
    names = sorted(other.name for other in path.parent.iterdir() if other.is_file())
    if close := get_close_matches(path.name, names, 1):
        return f"did you mean {close[0]}?"
    alike = [name for name in names if name.endswith(path.suffix)][:5]
    return (
        f"the directory {path.parent} has {', '.join(alike)}"
        if alike
        else f"the directory {path.parent} has no {path.suffix} files"
    )


def read_bytes(path: Path) -> bytes:
    """The whole content, unpacked."""
    return b"".join(blocks(path, size=-1))


def blocks(path: Path, size: int = BLOCK) -> Iterator[bytes]:
    """The content in blocks of some size, or in one; unpacked: what begins as gzip is gzip, whatever its name."""
    try:
        with check(path).open("rb") as file:
            head = file.read(2)  # of a pipe, these bytes come only once
            if head == GZIP:
                yield from _unpacked(head, file, path)
            else:
                yield head + file.read(size)
                yield from iter(lambda: file.read(size), b"")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", source=str(path)) from error


def line_blocks(path: Path) -> Iterator[bytes]:
    """The content in blocks that end where a line does; the last line gets its newline if it has none."""
    rest = b""
    for block in blocks(path):
        cut = block.rfind(b"\n") + 1
        if not cut:
            rest += block
            continue
        yield rest + block[:cut] if rest else block[:cut]
        rest = block[cut:]
    if rest:
        yield rest + b"\n"


def _unpacked(head: bytes, file: BinaryIO, path: Path) -> Iterator[bytes]:
    packed, unpacker = head + file.read(BLOCK), zlib.decompressobj(31)
    try:
        while packed:
            yield unpacker.decompress(packed, BLOCK)
            packed = unpacker.unconsumed_tail or unpacker.unused_data.lstrip(b"\0") or file.read(BLOCK)
            if unpacker.eof:
                if not packed:
                    return
                unpacker = zlib.decompressobj(31)  # files packed one after another are one file
        while tail := unpacker.decompress(b"", BLOCK):
            yield tail
        if not unpacker.eof:
            raise DataError("ends in the middle of its gzip data", source=str(path))
    except zlib.error as error:
        raise DataError(f"broken gzip data: {error}", source=str(path)) from error


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` at the end, and leaves nothing behind if something fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", source=str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise DataError(f"cannot be written: {error.strerror or error}", source=str(path)) from error
        raise


@contextmanager
def growing(path: Path) -> Iterator[BinaryIO]:
    """A new file for others to read along while it is written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            yield file
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", source=str(path)) from error


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
