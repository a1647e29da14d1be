"""The rules of the benchmark of complex rules."""

from __future__ import annotations

from tidelog.bench.hypertree.data import OPERATIONS

COLLABORATORS = "pc(?x, ?y) :- cw(?x, ?u), ca(?x, ?v), pc(?u, ?y), pc(?v, ?y) .\n"

_SIGNS = dict(zip(OPERATIONS, "+-*", strict=True))

EXPRESSIONS = "".join(
    f"number(?v, ?s) :- {name}(?n, ?l, ?r), belongs(?v, ?n), belongs(?u, ?l), belongs(?w, ?r), "
    f"holds_in(?v, ?c), holds_in(?u, ?c), holds_in(?w, ?c), number(?u, ?a), number(?w, ?b), ?s = ?a {sign} ?b .\n"
    for name, sign in _SIGNS.items()
)
"""Three recursive rules of nine atoms each, of width 2."""

CAMPUS_SIMPLE = """
worksFor(?x, ?y) :- headOf(?x, ?y) .
memberOf(?x, ?y) :- worksFor(?x, ?y) .
partOf(?x, ?y) :- subOrganisationOf(?x, ?y) .
partOf(?x, ?z) :- partOf(?x, ?y), partOf(?y, ?z) .
degreeFrom(?x, ?y) :- undergraduateDegreeFrom(?x, ?y) .
degreeFrom(?x, ?y) :- mastersDegreeFrom(?x, ?y) .
degreeFrom(?x, ?y) :- doctoralDegreeFrom(?x, ?y) .
hasAlumnus(?y, ?x) :- degreeFrom(?x, ?y) .
chair(?x) :- headOf(?x, ?y) .
professor(?x) :- chair(?x) .
professor(?x) :- fullProfessor(?x) .
professor(?x) :- associateProfessor(?x) .
professor(?x) :- assistantProfessor(?x) .
faculty(?x) :- professor(?x) .
faculty(?x) :- lecturer(?x) .
student(?x) :- undergraduateStudent(?x) .
student(?x) :- graduateStudent(?x) .
student(?x) :- takes(?x, ?y) .
person(?x) :- faculty(?x) .
person(?x) :- student(?x) .
publication(?x) :- author(?x, ?y) .
belongsTo(?x, ?u) :- memberOf(?x, ?d), partOf(?d, ?u) .
taughtBy(?s, ?t) :- takes(?s, ?c), teaches(?t, ?c) .
taughtAt(?c, ?d) :- teaches(?t, ?c), memberOf(?t, ?d) .
"""
"""What follows from an ontology of universities, by rules of one and two atoms: LUBM L."""

CAMPUS_COMPLEX = """
haveSameAdvisor(?p, ?q) :- hasAlumnus(?o, ?p), advisor(?p, ?a), hasAlumnus(?o, ?q), advisor(?q, ?a) .
trainsFor(?d, ?u) :- memberOf(?p, ?d), undergraduateDegreeFrom(?p, ?u), memberOf(?q, ?d), mastersDegreeFrom(?q, ?u),
    memberOf(?r, ?d), doctoralDegreeFrom(?r, ?u) .
drawsFrom(?d, ?u) :- memberOf(?s, ?d), graduateStudent(?s), undergraduateDegreeFrom(?s, ?u),
    memberOf(?t, ?d), professor(?t), degreeFrom(?t, ?u) .
exchange(?u, ?v) :- belongsTo(?p, ?u), degreeFrom(?p, ?v), belongsTo(?q, ?v), degreeFrom(?q, ?u) .
exchangeOfThree(?u, ?w) :- belongsTo(?p, ?u), degreeFrom(?p, ?v), belongsTo(?q, ?v), degreeFrom(?q, ?w),
    belongsTo(?r, ?w), degreeFrom(?r, ?u) .
staffExchange(?u, ?v) :- worksFor(?p, ?d), partOf(?d, ?u), doctoralDegreeFrom(?p, ?v),
    worksFor(?q, ?e), partOf(?e, ?v), doctoralDegreeFrom(?q, ?u) .
shareStudents(?c, ?e) :- takes(?s, ?c), takes(?s, ?e), taughtAt(?c, ?d), taughtAt(?e, ?d) .
shareDegrees(?d, ?e) :- memberOf(?p, ?d), doctoralDegreeFrom(?p, ?u), memberOf(?q, ?e), doctoralDegreeFrom(?q, ?u),
    partOf(?d, ?v), partOf(?e, ?v) .
advisesOwn(?t, ?c) :- teaches(?t, ?c), takes(?s, ?c), advisor(?s, ?t) .
busyTeacher(?t, ?d) :- teaches(?t, ?c), taughtAt(?c, ?d), takes(?s, ?c), memberOf(?s, ?d), advisor(?p, ?t), memberOf(?p, ?d),
    author(?w, ?t), author(?w, ?o), memberOf(?o, ?d) .
closeColleagues(?a, ?b) :- author(?p, ?a), author(?p, ?b), memberOf(?a, ?d), memberOf(?b, ?d) .
inbred(?d, ?u) :- partOf(?d, ?u), memberOf(?s, ?d), degreeFrom(?s, ?u), memberOf(?t, ?d), doctoralDegreeFrom(?t, ?u),
    memberOf(?r, ?d), mastersDegreeFrom(?r, ?u) .
feeds(?u, ?d) :- undergraduateDegreeFrom(?s, ?u), memberOf(?s, ?d), advisor(?s, ?t), memberOf(?t, ?d), degreeFrom(?t, ?u) .
classmates(?s, ?q) :- takes(?s, ?c), takes(?q, ?c), advisor(?s, ?t), advisor(?q, ?t) .
taughtAndAdvised(?s, ?d) :- memberOf(?s, ?d), taughtBy(?s, ?t), memberOf(?t, ?d), advisor(?s, ?a), memberOf(?a, ?d),
    taughtBy(?s, ?o), author(?w, ?o), author(?w, ?a) .
alike(?u, ?v) :- hasAlumnus(?u, ?p), memberOf(?p, ?d), hasAlumnus(?v, ?q), memberOf(?q, ?d),
    hasAlumnus(?u, ?r), advisor(?s, ?r), hasAlumnus(?v, ?s) .
"""
"""Sixteen rules with cycles, cliques and petals: the C of LUBM L+C."""

SOCIETY = """
exchange(?x, ?y) :- born_in(?p, ?x), lives_in(?p, ?y), born_in(?q, ?y), lives_in(?q, ?x) .
round_trip(?x, ?z) :- born_in(?p, ?x), lives_in(?p, ?y), born_in(?q, ?y), lives_in(?q, ?z), born_in(?r, ?z), lives_in(?r, ?x) .
market(?f, ?y) :- works_at(?p, ?f), lives_in(?p, ?y), owns(?q, ?f), born_in(?q, ?y) .
rooted(?f, ?y) :- works_at(?p, ?f), lives_in(?p, ?y), owns(?q, ?f), lives_in(?q, ?y), works_at(?r, ?f), born_in(?r, ?y) .
pipeline(?s, ?f) :- studied_at(?p, ?s), works_at(?p, ?f), taught_at(?q, ?s), owns(?q, ?f), studied_at(?r, ?s), owns(?r, ?f) .
home_club(?c, ?y) :- plays_for(?p, ?c), born_in(?p, ?y), supports(?q, ?c), lives_in(?q, ?y), supports(?r, ?c), born_in(?r, ?y) .
triangle(?x) :- knows(?x, ?y), knows(?y, ?z), knows(?z, ?x) .
clique(?x, ?y) :- knows(?x, ?y), knows(?x, ?z), knows(?x, ?w), knows(?y, ?z), knows(?y, ?w), knows(?z, ?w) .
circle(?f, ?g) :- works_at(?p, ?f), knows(?p, ?q), works_at(?q, ?g), knows(?q, ?r), works_at(?r, ?f), knows(?r, ?p) .
flower(?y) :- born_in(?p, ?y), works_at(?p, ?f), owns(?q, ?f), lives_in(?q, ?y),
    plays_for(?r, ?c), born_in(?r, ?y), supports(?s, ?c), lives_in(?s, ?y) .
two_faced(?p) :- knows(?p, ?q), knows(?q, ?r), knows(?r, ?p), follows(?p, ?s), follows(?s, ?t), follows(?t, ?p) .
reaches(?x, ?y) :- exchange(?x, ?y) .
reaches(?x, ?z) :- reaches(?x, ?y), born_in(?p, ?y), buried_in(?p, ?z), lives_in(?q, ?y), born_in(?q, ?z) .
allied(?f, ?g) :- works_at(?p, ?f), owns(?p, ?g), owns(?q, ?f), works_at(?q, ?g) .
allied(?f, ?h) :- allied(?f, ?g), allied(?g, ?h), works_at(?p, ?f), studied_at(?p, ?s), owns(?q, ?h), taught_at(?q, ?s) .
"""
"""Cycles, petals, cliques and flowers over a skewed graph, some of them recursive."""
