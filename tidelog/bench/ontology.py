"""A small ontology of universities, and the RDFS rules, both as IRIs and as ids.

The rules are those of RDFS entailment that derive something about one's own data (rdfs2, 3, 5, 7, 9 and 11 of the RDF 1.1
Semantics); the ones that only say that everything is a resource are left out, as every practical reasoner does.
"""

from __future__ import annotations

import numpy as np

from tidelog.bench.graphs import Rows
from tidelog.terms import RDF, RDFS

SPACE = "http://example.org/university#"

_META = (f"{RDF}type", f"{RDFS}subClassOf", f"{RDFS}subPropertyOf", f"{RDFS}domain", f"{RDFS}range")

# Each class or property, and the ones directly above it.
_CLASSES = """
    Person: | Employee: Person | Faculty: Employee | Professor: Faculty | FullProfessor: Professor
    AssociateProfessor: Professor | AssistantProfessor: Professor | Lecturer: Faculty | Chair: Professor
    Student: Person | UndergraduateStudent: Student | GraduateStudent: Student | TeachingAssistant: Person
    Organisation: | University: Organisation | Department: Organisation | ResearchGroup: Organisation
    Work: | Course: Work | GraduateCourse: Course | Publication: Work
    Article: Publication | JournalArticle: Article | ConferencePaper: Article | Book: Publication
"""
_PROPERTIES = """
    memberOf: | worksFor: memberOf | headOf: worksFor | partOf: | subOrganisationOf: partOf
    degreeFrom: | undergraduateDegreeFrom: degreeFrom | mastersDegreeFrom: degreeFrom | doctoralDegreeFrom: degreeFrom
    teaches: | takes: | assists: | advisor: | author: | name: | email: contact | telephone: contact | contact:
"""
_DOMAINS = """
    memberOf: Person | headOf: Chair | degreeFrom: Person | teaches: Faculty | takes: Student | assists: TeachingAssistant
    advisor: Student | author: Publication | contact: Person | subOrganisationOf: Organisation
"""
_RANGES = """
    memberOf: Organisation | headOf: Department | degreeFrom: University | teaches: Course | takes: Course | assists: Course
    advisor: Professor | author: Person | subOrganisationOf: Organisation
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    entries = [entry.split(":") for line in text.strip().splitlines() for entry in line.split("|")]
    return [(left.strip(), right.strip()) for left, right in entries]


_OWN = [left for text in (_CLASSES, _PROPERTIES) for left, _ in _pairs(text)]

VOCABULARY: tuple[str, ...] = (*_META, *(SPACE + name for name in _OWN))
"""The IRIs that have the first ids, in the order of their ids."""

ID: dict[str, int] = {iri.rpartition("#")[2]: number for number, iri in enumerate(VOCABULARY)}
"""The id of each word of the vocabulary, by its local name."""


def _ontology() -> Rows:
    relations = {"subClassOf": _CLASSES, "subPropertyOf": _PROPERTIES, "domain": _DOMAINS, "range": _RANGES}
    rows = [(ID[left], ID[name], ID[right]) for name, text in relations.items() for left, right in _pairs(text) if right]
    return np.array(rows, dtype=np.int64)


ONTOLOGY: Rows = _ontology()

RULES = """
[?x, rdf:type, ?c] :- [?p, rdfs:domain, ?c], [?x, ?p, ?y] .
[?y, rdf:type, ?c] :- [?p, rdfs:range, ?c], [?x, ?p, ?y] .
[?p, rdfs:subPropertyOf, ?r] :- [?p, rdfs:subPropertyOf, ?q], [?q, rdfs:subPropertyOf, ?r] .
[?x, ?q, ?y] :- [?p, rdfs:subPropertyOf, ?q], [?x, ?p, ?y] .
[?x, rdf:type, ?d] :- [?c, rdfs:subClassOf, ?d], [?x, rdf:type, ?c] .
[?c, rdfs:subClassOf, ?e] :- [?c, rdfs:subClassOf, ?d], [?d, rdfs:subClassOf, ?e] .
"""
"""rdfs2, rdfs3, rdfs5, rdfs7, rdfs9 and rdfs11."""


def rules_over_ids() -> str:
    """The same rules where the vocabulary's ids stand for its IRIs, for systems that have no IRIs."""
    text = RULES
    for iri in _META:
        space = "rdf" if iri.startswith(RDF) else "rdfs"
        local = iri.rpartition("#")[2]
        text = text.replace(f"{space}:{local},", f"{ID[local]},")
    return text
