"""What the operating system says about this process and this machine."""

from __future__ import annotations

import os
import platform
import resource
import sys
from importlib import metadata
from pathlib import Path


def resident_bytes(process: int | str = "self") -> int:
    """Bytes of memory that a process has now; on systems without /proc, the most this one ever had."""
    return _from_status("VmRSS", process) or peak_bytes()


def peak_bytes() -> int:
    """The most memory this process ever had.

    `ru_maxrss` comes second: on Linux it starts from the peak of the process that started this one.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    return _from_status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def machine() -> dict[str, str | int]:
    """Cores, processor, and the versions of what is compared."""
    packages = ("tidelog", "numpy", "pyarrow", "nemo-python", "clingo", "duckdb", "reasonable", "owlrl", "pathway")
    versions = {name: version for name in packages if (version := _version(name))}
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "processor": _processor(),
        "system": platform.system(),
        "python": platform.python_version(),
        **versions,
    }


def machine_line(facts: dict[str, str | int]) -> str:
    named = [f"{key} {value}" for key, value in facts.items() if key not in ("cores", "processor", "system")]
    return f"{facts['cores']} cores, {facts['processor']}, {facts['system']}; " + ", ".join(named)


def others_load() -> float:
    """How many processes, on average over the last minute, wanted a core; 0 where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _from_status(key: str, process: int | str = "self") -> int | None:
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    for line in status.read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
