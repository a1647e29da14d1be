"""What `@import` and `@export` can say: the formats, their options, and the types that columns of tables can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tidelog.syntax.ast import Import, Resource, Span
from tidelog.syntax.places import Text

COLUMN_TYPES = ("any", "string", "int", "decimal", "double", "boolean", "date", "datetime", "time", "iri", "skip")
"""`any` reads each cell as rule text would be read; `skip` leaves a column out."""
RDF_FORMATS = ("rdf", "ntriples", "nquads", "turtle", "trig", "rdfxml")
QUADS = ("nquads", "trig")


def _is_columns(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(column in COLUMN_TYPES for column in value)


def _is_delimiter(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1 and value not in '"\r\n'


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _is_string(value: object) -> bool:
    return isinstance(value, str)


_COLUMNS = (_is_columns, f"a list of column types, as in (int, string, skip); the types are {', '.join(COLUMN_TYPES)}")
_HEADERS = (_is_boolean, "true or false")
_DELIMITER = (_is_delimiter, 'one character, as in ";"')
_BASE = (_is_string, "an IRI")

Options = Mapping[str, tuple[Callable[[object], bool], str]]
FORMATS: Mapping[str, Options] = {
    "csv": {"format": _COLUMNS, "delimiter": _DELIMITER, "ignore_headers": _HEADERS},
    "tsv": {"format": _COLUMNS, "ignore_headers": _HEADERS},
    "parquet": {"format": _COLUMNS},
    **{name: {"base": _BASE} for name in RDF_FORMATS},
}
"""For each format its options besides `resource`, each with a test and what it takes."""


def arity(resource: Resource) -> int | None:
    """How many terms the facts of a resource have, if its description tells."""
    if resource.format in RDF_FORMATS:
        name = resource.path.lower().removesuffix(".gz")
        return 4 if resource.format in QUADS or (resource.format == "rdf" and name.endswith((".nq", ".trig"))) else 3
    columns = resource.options.get("format")
    if not isinstance(columns, tuple):
        return None
    return len([column for column in columns if column != "skip"])


def check_resource(resource: Resource, report: Text) -> None:
    options = FORMATS.get(resource.format)
    if options is None:
        hint = f"the formats are {', '.join(FORMATS)}"
        report.report(
            "unknown-format", f"there is no format `{resource.format}`", _find(resource, resource.format, report), hint
        )
        return
    if not resource.path:
        verb = "read from" if isinstance(resource, Import) else "write to"
        message = f"it is not said what file to {verb}"
        report.report(
            "missing-resource", message, resource.span, f'as in {resource.format}{{resource = "file.{resource.format}"}}'
        )
    for name, value in resource.options.items():
        if name not in options:
            known = ", ".join(["resource", *options])
            message = f"the format `{resource.format}` has no option `{name}`"
            report.report("unknown-option", message, _find(resource, name, report), f"its options are {known}")
        elif not options[name][0](value):
            message = f"the option `{name}` takes {options[name][1]}"
            report.report("invalid-option", message, _find(resource, name, report))


def _find(resource: Resource, word: str, report: Text) -> Span | None:
    """Where in the statement a word stands, behind the predicate."""
    return report.find(word, resource.span, after=":-")
