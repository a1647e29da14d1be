"""The directory of a warehouse: its versions, how one is added, and how old ones go.

    manifests/00000007.json     what version 7 consists of
    data/00000007-4f1c.../      the files that the update to version 7 wrote

An update writes new files, of which nobody knows, and then the manifest that names them, under a name that must not be there
yet. That one step makes the version; whatever is killed before leaves the versions as they were, and files that `vacuum`
clears away. Of two writers that begin with the same version one comes too late, and is told so. Nothing that a manifest names
is ever written again, so who reads a version can go on reading it until it is vacuumed.

The file system has to be one that all machines see, and has to support hard links or exclusive renames: a local disk, NFS.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from urllib.parse import quote

from tidelog.errors import DataError
from tidelog.program import Program
from tidelog.syntax import ast
from tidelog.syntax.formatter import format_rule, format_source
from tidelog.warehouse.manifest import Manifest

_MANIFESTS, _DATA, _TABLES = "manifests", "data", "tables"
_DAY = 24 * 3600.0


class Directory:
    """A warehouse on disk."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        if "://" in str(path):
            raise DataError("a warehouse is a directory of a file system that is mounted here", source=str(path))

    def versions(self) -> list[int]:
        """The versions that can be read, ascending; none if nothing is here yet."""
        try:
            names = os.listdir(self.path / _MANIFESTS)
        except FileNotFoundError:
            self._refuse_others()
            return []
        except NotADirectoryError as error:
            raise DataError("is a file, not a warehouse", source=str(self.path)) from error
        return sorted(int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdecimal())

    def _refuse_others(self) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise DataError("is a file, not a warehouse", source=str(self.path))
        found = sorted(entry.name for entry in self.path.iterdir() if entry.name not in (_DATA, _TABLES))
        if found:
            shown = ", ".join(found[:3]) + (", ..." if len(found) > 3 else "")
            hint = "name a directory that does not exist, or is empty, to make a warehouse there"
            raise DataError(f"is not a warehouse: it holds {shown}", source=str(self.path), hint=hint)

    def manifest(self, version: int | None = None) -> Manifest:
        """A version, by default the latest; DataError if it is not there."""
        there = self.versions()
        if not there:
            raise DataError("there is no warehouse", source=str(self.path))
        version = there[-1] if version is None else version
        if version not in there:
            hint = f"versions {there[0]} to {there[-1]} can be read"
            raise DataError(f"version {version} is not there", source=str(self.path), hint=hint)
        file = self._file(version)
        return Manifest.from_json(file.read_text(encoding="utf-8"), str(file))

    def new_data(self, version: int) -> Path:
        """A directory for the files of an update to a version; it is not made."""
        return self.path / _DATA / f"{version:08}-{secrets.token_hex(8)}"

    def delta_table(self, name: str) -> Path:
        """Where the Delta table of this name lives."""
        return self.path / _TABLES / file_name(name)

    def relative(self, file: Path) -> str:
        return file.relative_to(self.path).as_posix()

    def commit(self, manifest: Manifest) -> Manifest:
        """Make a version; DataError if somebody else has made it."""
        written = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = replace(manifest, made_by=f"Tidelog {metadata.version('tidelog')}", written=written)
        file = self._file(manifest.version)
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
        try:
            with draft.open("w", encoding="utf-8") as out:
                out.write(manifest.to_json())
                out.flush()
                os.fsync(out.fileno())
            os.link(draft, file)
        except FileExistsError:
            message = f"somebody else has made version {manifest.version} meanwhile; nothing of this update is kept"
            raise DataError(message, source=str(self.path), hint="one writer at a time; run the update again") from None
        finally:
            draft.unlink(missing_ok=True)
        _sync(file.parent)
        return manifest

    def vacuum(self, keep: int = 2, orphans_after: float = _DAY) -> int:
        """Forget all versions but the latest few, and remove files that no version needs; gives how many directories went.

        Files of updates that were never finished go after `orphans_after` seconds, since an update may be running.
        """
        there = self.versions()
        for version in there[: -max(1, keep)]:
            self._file(version).unlink(missing_ok=True)
        kept = [self.manifest(version) for version in there[-max(1, keep) :]]
        needed = {Path(file).parts[1] for manifest in kept for file in manifest.files() if file.startswith(f"{_DATA}/")}
        data, latest, gone = self.path / _DATA, there[-1] if there else -1, 0
        for directory in data.iterdir() if data.is_dir() else ():
            unfinished = int(directory.name.partition("-")[0]) > latest
            if directory.name in needed or (unfinished and time.time() - directory.stat().st_mtime < orphans_after):
                continue
            shutil.rmtree(directory)
            gone += 1
        return gone

    def check_program(self, manifest: Manifest, program: Program) -> None:
        """DataError if the warehouse holds what follows from other rules."""
        theirs, ours = Program.parse(manifest.rules).rules, program.rules
        if set(theirs) == set(ours):
            return
        parts = [
            f"{number} rule{'' if number == 1 else 's'} {where}, such as {format_rule(rule)}"
            for where, rules, others in (("only there", theirs, ours), ("only here", ours, theirs))
            if (number := len(only := set(rules) - set(others)))
            for rule in [next(rule for rule in rules if rule in only)]
        ]
        hint = "open it with its own program, or name another directory for this one"
        raise DataError(f"the warehouse is of another program: {'; '.join(parts)}", source=str(self.path), hint=hint)

    def _file(self, version: int) -> Path:
        return self.path / _MANIFESTS / f"{version:08}.json"


def rules_of(program: Program) -> str:
    """The rules of a program as text, with the prefixes they need."""
    kept = (ast.Prefix, ast.Base, ast.Rule)
    return format_source(ast.Source(tuple(said for said in program.source.statements if isinstance(said, kept))))


def file_name(name: str) -> str:
    """A predicate's name as that of a directory."""
    safe = quote(name, safe="").replace(".", "%2E")
    return safe if len(safe) <= 100 else f"{safe[:80]}-{blake2b(safe.encode(), digest_size=16).hexdigest()}"


def _sync(directory: Path) -> None:
    """Make sure that names in a directory outlive a loss of power, where the system can."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
