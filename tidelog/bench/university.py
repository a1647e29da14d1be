"""A university data set as triples of ids, for the RDFS benchmark: our own generator, in the spirit of LUBM.

Universities have departments; departments have staff, students, courses and research groups; staff teach and publish;
students take courses and have advisors. An id is one integer: the vocabulary comes first (`ontology.VOCABULARY`), then each
kind of thing as one block of consecutive ids, so that "the department of this course" is an array lookup and ten million
triples take seconds. Only the most specific class and property of a thing is given; the rest follows by the RDFS rules.

    data = university(universities=1)         # about 130 thousand triples, with the ontology's
    data.triples                              # (n, 3) ids, distinct
    data.terms()                              # the N-Triples text of every id, as an Arrow array
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidelog.bench.graphs import Rows
from tidelog.bench.ontology import ID, ONTOLOGY, VOCABULARY

SPACE = "http://example.org/"


@dataclass(frozen=True, slots=True)
class Block:
    """Things of one kind: `count` consecutive ids; the text of the i-th is `before`, i, `after`."""

    count: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class University:
    """Triples of ids, ontology included, and what the ids stand for."""

    triples: Rows
    blocks: tuple[Block, ...]

    def terms(self) -> pa.Array:
        """The N-Triples text of every id, in the order of ids."""
        parts = [pa.array([f"<{iri}>" for iri in VOCABULARY], pa.string())]
        for block in self.blocks:
            numbers = pa.array(np.arange(block.count)).cast(pa.string())
            parts.append(pc.binary_join_element_wise(block.before, numbers, block.after, ""))
        return pa.concat_arrays(parts)

    def lines(self, step: int = 1 << 20) -> Iterator[bytes]:
        """The triples as N-Triples, in portions of whole lines."""
        terms = self.terms()
        for start in range(0, len(self.triples), step):
            columns = [terms.take(pa.array(column)) for column in self.triples[start : start + step].T]
            text = pc.binary_join_element_wise(*columns, ".\n", " ").cast(pa.large_string())
            yield text.buffers()[2].to_pybytes()


@dataclass(slots=True)
class _Draft:
    """A data set in the making: the next free id, the blocks and the triples so far."""

    rng: np.random.Generator
    blocks: list[Block] = field(default_factory=list)
    triples: list[Rows] = field(default_factory=lambda: [ONTOLOGY])
    free: int = len(VOCABULARY)

    def things(self, kind: str, count: int, *, of: str | None = None) -> Rows:
        """New things of a kind; with a class, that they are of it."""
        ids = self._block(count, f"<{SPACE}{kind}/", ">")
        if of:
            self.say(ids, "type", np.full(count, ID[of]))
        return ids

    def texts(self, before: str, subjects: Rows, word: str) -> None:
        """One string for each subject."""
        self.say(subjects, word, self._block(len(subjects), f'"{before} ', '"'))

    def say(self, subjects: Rows, word: str, objects: Rows) -> None:
        self.triples.append(np.stack([subjects, np.full(len(subjects), ID[word]), objects], axis=1))

    def some(self, groups: Rows, low: int, high: int) -> Rows:
        """Each group repeated between `low` and `high` times: the groups of a random number of members."""
        return np.repeat(groups, self.rng.integers(low, high + 1, len(groups)))

    def mate(self, groups: Rows, members: Rows) -> Rows:
        """For each group named in `groups`, the place of a random member; `members` holds sorted groups, none empty."""
        first = np.searchsorted(members, groups)
        size = np.searchsorted(members, groups, side="right") - first
        return first + (self.rng.random(len(groups)) * size).astype(np.int64)

    def _block(self, count: int, before: str, after: str) -> Rows:
        self.blocks.append(Block(count, before, after))
        first, self.free = self.free, self.free + count
        return np.arange(first, self.free)


def university(universities: int, departments: int = 20, seed: int = 7) -> University:
    """So many universities of about so many departments; a department gives about 6,500 triples."""
    draft = _Draft(np.random.default_rng(seed))
    schools = draft.things("university", universities, of="University")
    draft.texts("University", schools, "name")
    # Departments are numbered 0, 1, ... in what follows; `department_ids` are their ids.
    home = draft.some(np.arange(universities), departments - departments // 4, departments + departments // 4)
    department_ids = draft.things("department", len(home), of="Department")
    draft.say(department_ids, "subOrganisationOf", schools[home])
    draft.texts("Department", department_ids, "name")
    groups = draft.some(np.arange(len(home)), 10, 20)
    draft.say(draft.things("group", len(groups), of="ResearchGroup"), "subOrganisationOf", department_ids[groups])

    staff, place = _staff(draft, department_ids, schools)
    _publications(draft, staff)
    _students(draft, department_ids, schools, staff, place)
    triples = np.concatenate(draft.triples)
    return University(triples, tuple(draft.blocks))


def _staff(draft: _Draft, departments: Rows, schools: Rows) -> tuple[Rows, Rows]:
    """Staff of four classes, one full professor heading each department: their ids by department, and the departments."""
    ids, places = [], []
    sizes = {"FullProfessor": (7, 10), "AssociateProfessor": (10, 14), "AssistantProfessor": (8, 11), "Lecturer": (5, 7)}
    for rank, (low, high) in sizes.items():
        place = draft.some(np.arange(len(departments)), low, high)
        people = draft.things(rank, len(place), of=rank)
        heads = np.concatenate([[True], place[1:] != place[:-1]]) & (rank == "FullProfessor")
        draft.say(people[heads], "headOf", departments[place[heads]])
        draft.say(people[~heads], "worksFor", departments[place[~heads]])
        ids.append(people)
        places.append(place)
    order = np.argsort(np.concatenate(places), kind="stable")
    staff, place = np.concatenate(ids)[order], np.concatenate(places)[order]
    for degree in ("undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom"):
        draft.say(staff, degree, draft.rng.choice(schools, len(staff)))
    _contacts(draft, "Teacher", staff)
    return staff, place


def _contacts(draft: _Draft, kind: str, people: Rows) -> None:
    draft.texts(kind, people, "name")
    draft.texts(f"{kind} at", people, "email")
    draft.texts(f"{kind} on", people, "telephone")


def _publications(draft: _Draft, staff: Rows) -> None:
    """Each of the staff is the first author of some publications; half have a second author."""
    for kind, (low, high) in {"JournalArticle": (2, 6), "ConferencePaper": (3, 8), "Book": (0, 1)}.items():
        author = draft.some(np.arange(len(staff)), low, high)
        papers = draft.things(kind, len(author), of=kind)
        draft.say(papers, "author", staff[author])
        shared = draft.rng.random(len(author)) < 0.5
        second = (author[shared] + draft.rng.integers(1, max(2, len(staff)), int(shared.sum()))) % len(staff)
        draft.say(papers[shared], "author", staff[second])
        draft.texts(kind, papers, "name")


def _students(draft: _Draft, departments: Rows, schools: Rows, staff: Rows, place: Rows) -> None:
    """Undergraduate and graduate students: courses of their department, advisors, assistants."""
    levels = {
        "UndergraduateStudent": ("Course", (8, 14), (2, 4), 0.2),
        "GraduateStudent": ("GraduateCourse", (3, 4), (1, 3), 1.0),
    }
    for kind, (course_kind, per_teacher, load, advised) in levels.items():
        teacher = draft.some(np.arange(len(staff)), 1, 2)
        courses = draft.things(course_kind, len(teacher), of=course_kind)
        draft.texts(course_kind, courses, "name")
        draft.say(staff[teacher], "teaches", courses)

        home = draft.some(place, *per_teacher)
        students = draft.things(kind, len(home), of=kind)
        draft.say(students, "memberOf", departments[home])
        _contacts(draft, kind, students)
        taking = draft.some(np.arange(len(students)), *load)
        taken = draft.mate(home[taking], place[teacher])
        distinct = np.unique(np.stack([taking, taken]), axis=1)
        draft.say(students[distinct[0]], "takes", courses[distinct[1]])
        with_advisor = draft.rng.random(len(students)) < advised
        draft.say(students[with_advisor], "advisor", staff[draft.mate(home[with_advisor], place)])
        if kind == "GraduateStudent":
            draft.say(students, "undergraduateDegreeFrom", draft.rng.choice(schools, len(students)))
            helping = np.flatnonzero(draft.rng.random(len(students)) < 0.2)
            draft.say(students[helping], "assists", courses[draft.mate(home[helping], place[teacher])])
