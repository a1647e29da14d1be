"""What `@import` and `@export` can say: the formats, their options, and the types that columns of tables can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tidelog.syntax.ast import Export, Import, Resource, Span
from tidelog.syntax.places import Text

COLUMN_TYPES = ("any", "string", "int", "decimal", "double", "boolean", "date", "datetime", "iri", "skip")
"""`any` takes each cell for what it looks like; `skip` leaves a column out."""
_SYNONYMS = ("integer", "float", "bool")
RDF_FORMATS = ("rdf", "ntriples", "nquads", "turtle", "trig", "rdfxml", "jsonld")
WRITABLE = ("csv", "tsv", "parquet", "rdf", "ntriples", "nquads")
QUADS = ("nquads", "trig")


def _is_columns(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(column in COLUMN_TYPES or column in _SYNONYMS for column in value)


def _is_delimiter(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n'


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _is_string(value: object) -> bool:
    return isinstance(value, str)


_COLUMNS = (_is_columns, f"a list of column types, as in (int, string, skip); the types are {', '.join(COLUMN_TYPES)}")
_HEADERS = (_is_boolean, "true or false")
_DELIMITER = (_is_delimiter, 'one ASCII character, as in ";"')
_BASE = (_is_string, "an IRI")

Options = Mapping[str, tuple[Callable[[object], bool], str]]
FORMATS: Mapping[str, Options] = {
    "csv": {"format": _COLUMNS, "delimiter": _DELIMITER, "ignore_headers": _HEADERS},
    "tsv": {"format": _COLUMNS, "delimiter": _DELIMITER, "ignore_headers": _HEADERS},
    "parquet": {"format": _COLUMNS},
    **{name: {"base": _BASE} for name in RDF_FORMATS},
}
"""For each format its options besides `resource`, each with a test and what it takes."""


def arity(resource: Resource) -> int | None:
    """How many terms the facts of a table have, if its description tells."""
    columns = resource.options.get("format")
    if resource.format in RDF_FORMATS or not isinstance(columns, tuple):
        return None
    return len([column for column in columns if column != "skip"])


def is_rdf(resource: Resource) -> bool:
    """Whether the facts of a resource are triples, or quads if the predicate has four terms."""
    return resource.format in RDF_FORMATS


def default_arity(resource: Resource) -> int:
    """How many terms the facts of an RDF file have where nothing in the program tells."""
    name = resource.path.lower().removesuffix(".gz")
    return 4 if resource.format in QUADS or (resource.format == "rdf" and name.endswith((".nq", ".trig"))) else 3


def check_resource(resource: Resource, report: Text) -> None:
    options = FORMATS.get(resource.format)
    if options is None:
        hint = f"the formats are {', '.join(FORMATS)}"
        report.report(
            "unknown-format", f"there is no format `{resource.format}`", _find(resource, resource.format, report), hint
        )
        return
    if isinstance(resource, Export) and resource.format not in WRITABLE:
        hint = f"the formats to write are {', '.join(WRITABLE)}"
        report.report(
            "unknown-format", f"`{resource.format}` cannot be written", _find(resource, resource.format, report), hint
        )
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
