"""Relations for complex rules, made from a seed: expressions, universities, and people in places."""

from __future__ import annotations

import numpy as np

from tidelog.bench.graphs import Relations, Rows, distinct
from tidelog.bench.ontology import ID
from tidelog.bench.university import university

OPERATIONS = ("plus", "minus", "times")


def collaborators(n: int, k: int) -> Relations:
    """The dataset of the paper's section 3: `cw`, `ca` and `pc`, each of about n k facts.

    Ids: a_0 to a_n first, then n k b's, as many c's, and k d's.
    """
    a = np.repeat(np.arange(n), k)
    b = n + 1 + np.arange(n * k)
    c = b + n * k
    d = np.tile(n + 1 + 2 * n * k + np.arange(k), n)
    return {
        "cw": distinct(np.append(a, n), np.append(b, 2)),
        "ca": distinct(np.append(a, n), np.append(c, 3)),
        "pc": distinct(np.concatenate([b, c]), np.concatenate([d, d])),
    }


def expressions(count: int, values: int, depth: int, seed: int = 7) -> Relations:
    """Expression trees, each evaluated for the same cases, in as many levels as `depth` says.

    `plus(n, l, r)`, `minus` and `times` say what the inner nodes do. For each node n and case c there is a value v, with
    `belongs(v, n)` and `holds_in(v, c)`; those of leaves have a `number(v, x)`.
    """
    rng = np.random.default_rng(seed)
    inner, size = 2 ** (depth - 1) - 1, 2**depth - 1
    place = np.arange(inner)
    shape = np.stack([place, 2 * place + 1, 2 * place + 2], axis=1)
    nodes = (np.arange(count)[:, None, None] * size + shape).reshape(-1, 3)
    kind = rng.integers(0, len(OPERATIONS), len(nodes))
    relations = {name: distinct(*nodes[kind == number].T) for number, name in enumerate(OPERATIONS)}
    node, case = np.divmod(np.arange(count * size * values), values)
    value = np.arange(len(node))
    leaf = node % size >= inner
    relations |= {"belongs": distinct(value, node), "holds_in": distinct(value, case)}
    return {**relations, "number": distinct(value[leaf], rng.integers(0, 3, int(leaf.sum())))}


def campus(universities: int, departments: int = 20, seed: int = 7) -> Relations:
    """The triples of `university` as a relation for each class and property, without names and addresses."""
    triples = university(universities, departments, seed).triples
    names = {number: name for name, number in ID.items()}
    relations: Relations = {}
    kinds = triples[triples[:, 1] == ID["type"]]
    for number in np.unique(kinds[:, 2]).tolist():
        if names[number] in _KINDS:
            relations[_lower(names[number])] = distinct(kinds[kinds[:, 2] == number, 0])
    for number in np.unique(triples[:, 1]).tolist():
        if names[number] not in _LEFT_OUT:
            rows = triples[triples[:, 1] == number]
            relations[names[number]] = distinct(rows[:, 0], rows[:, 2])
    return relations


_KINDS = ("FullProfessor", "AssociateProfessor", "AssistantProfessor", "Lecturer", "UndergraduateStudent", "GraduateStudent")
_LEFT_OUT = ("assists", "type", "subClassOf", "subPropertyOf", "domain", "range", "name", "email", "telephone")


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def society(people: int, seed: int = 7) -> Relations:
    """People, the places, firms, schools and clubs they have to do with, and whom they know: few of these have most of them."""
    rng = np.random.default_rng(seed)
    person = np.arange(people)
    places, firms, schools, clubs = (max(4, int(people**0.5) * share // 4) for share in (4, 8, 2, 6))
    first = people
    relations: Relations = {}

    def linked(name: str, targets: int, offset: int, share: float, flatness: float = 1.0) -> None:
        some = person[rng.random(people) < share]
        relations[name] = distinct(some, offset + skewed(rng, targets, len(some), flatness))

    for name in ("born_in", "lives_in", "buried_in"):
        linked(name, places, first, 0.9)
    for name in ("works_at", "owns"):
        linked(name, firms, first + places, 0.5)
    for name in ("studied_at", "taught_at"):
        linked(name, schools, first + places + firms, 0.6)
    for name in ("plays_for", "supports"):
        linked(name, clubs, first + places + firms + schools, 0.6)
    for name, each in (("knows", 4), ("follows", 4)):
        count = people * each // 2
        left, right = skewed(rng, people, count, 0.6), skewed(rng, people, count, 0.6)
        relations[name] = distinct(left[left != right], right[left != right])
    return relations


def skewed(rng: np.random.Generator, among: int, count: int, flatness: float) -> Rows:
    """So many numbers below `among`, the i-th with a probability that falls as i to the power of `flatness`."""
    weights = (np.arange(among) + 1.0) ** -flatness
    found: Rows = np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(count)).astype(np.int64)
    return np.minimum(found, among - 1)
