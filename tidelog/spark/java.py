"""The Java that Spark runs on: found through JAVA_HOME or PATH, and new enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tidelog.errors import SetupError

OLDEST = 17
_HINT = f"install a Java runtime, version {OLDEST} or newer (Debian: apt install default-jre-headless), or set JAVA_HOME to one"


def require_java() -> Path:
    """The Java that Spark will start; SetupError if there is none, or only one that is too old."""
    java = _find()
    version = _version(java)
    if version < OLDEST:
        raise SetupError(f"Spark needs Java {OLDEST} or newer, and {java} is Java {version}\n    hint: {_HINT}")
    return java


def _find() -> Path:
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not java.is_file():
            raise SetupError(f"JAVA_HOME is {home}, and there is no bin/java in it\n    hint: {_HINT}, or unset JAVA_HOME")
        return java
    found = shutil.which("java")
    if found is None:
        raise SetupError(
            f"Spark needs Java, and there is none: JAVA_HOME is not set and no java is on the PATH\n    hint: {_HINT}"
        )
    return Path(found)


def _version(java: Path) -> int:
    """The feature version: 17 for `17.0.15`, 8 for `1.8.0_292`."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError) as error:
        raise SetupError(f"{java} cannot be run: {error}\n    hint: {_HINT}") from error
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None:
        raise SetupError(f"{java} does not say which version it is: {said.strip()[:80]!r}\n    hint: {_HINT}")
    return int(version.group(1))
