"""Opening a warehouse with the embedded engine: what was materialised on a cluster, in this process.

Facts come with their ranks, so nothing is derived again: updates, proofs and queries go on from there. Where that cannot be
(the warehouse lacks a predicate that rules derive, the run that filled it has not come to its end, or closures are kept from
their edges here), the explicit facts are materialised.

The warehouse is only read. Updates of what was opened stay in this process.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog.engines.embedded.batches import Held
from tidelog.errors import DataError
from tidelog.program import Program
from tidelog.spark.options import Spark
from tidelog.warehouse import MATERIALISED, Directory, Manifest
from tidelog.warehouse.reading import Facts, facts

if TYPE_CHECKING:
    from tidelog.materialisation import Materialisation


def opened(
    materialisation: type[Materialisation],
    path: str | Path,
    program: Program | None,
    version: int | None,
    options: dict[str, Any],
) -> Materialisation:
    """The materialisation that a warehouse holds; DataError if it is of another program."""
    directory = Directory(path)
    manifest = directory.manifest(version)
    if program is None:
        program = Program.parse(manifest.rules)
    directory.check_program(manifest, program)
    if (engine := options.pop("engine", "embedded")) != "embedded":
        if version not in (None, directory.versions()[-1]):
            hint = "open it with the embedded engine, or without a version"
            raise DataError(f"updates go on from the latest version, not from {version}", source=str(directory.path), hint=hint)
        return materialisation(program, engine=kept_in(engine, directory.path), **options)
    mat = materialisation(replace(program, facts=(), imports=()), **options)
    engine = mat._engine.embedded()
    held = facts(directory, manifest, engine.dictionary)
    for predicate, some in held.items():
        engine.add_predicate(predicate, len(some.columns))
    if not engine.hidden and _complete(manifest, program):
        engine.restore({name: Held(some.columns, some.explicit, some.rank) for name, some in held.items()})
    else:
        engine.update("rematerialise", {name: _explicit(some) for name, some in held.items() if some.explicit.any()}, {})
    return mat


def kept_in(engine: str | Spark, path: Path) -> Spark:
    """The Spark engine, with this warehouse."""
    return replace(Spark() if isinstance(engine, str) else engine, warehouse=path)


def _complete(manifest: Manifest, program: Program) -> bool:
    """Whether a version holds everything that follows."""
    return manifest.notes.get(MATERIALISED) is True and {rule.head.predicate for rule in program.core} <= set(
        manifest.predicates
    )


def _explicit(some: Facts) -> list[Any]:
    return [column[some.explicit] for column in some.columns]
