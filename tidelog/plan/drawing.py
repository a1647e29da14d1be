"""Decompositions for people: as lines of text, and as a Mermaid diagram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidelog.plan.decomposition import Decomposition, Node
from tidelog.syntax.formatter import format_atom, format_literal
from tidelog.syntax.names import PREDECLARED


def summary(decomposition: Decomposition) -> str:
    """Width and costs in a line."""
    width, cost, plain = decomposition.width, rounded(decomposition.cost), rounded(decomposition.plain)
    if width == 1:
        return f"hypertree width 1: acyclic, estimated cost {plain}"
    return f"hypertree width {width}, estimated cost {cost}, against {plain} for one join of the whole body"


def outline(decomposition: Decomposition, prefixes: Mapping[str, str] = PREDECLARED) -> Iterator[str]:
    """The tree, a line for each node, children below their parent."""

    def lines(node: Node, depth: int) -> Iterator[str]:
        matched = "; ".join(_contents(decomposition, node, prefixes))
        yield f"{'  ' * depth}- {matched} -> {_names(node.kept)}, about {rounded(node.size)}"
        for child in node.children:
            yield from lines(child, depth + 1)

    yield from lines(decomposition.root, 0)
    if waiting := _waiting(decomposition, prefixes):
        yield f"at the end: {'; '.join(waiting)}"


def mermaid(decompositions: Mapping[str, Decomposition], prefixes: Mapping[str, str] = PREDECLARED) -> Iterator[str]:
    """A diagram of the trees, each framed and with its title."""
    yield "graph TD"
    for number, (title, decomposition) in enumerate(decompositions.items(), 1):
        yield f'  subgraph rule{number}["{_quoted(title)}"]'
        nodes = decomposition.nodes
        names = {id(node): f"r{number}n{i}" for i, node in enumerate(nodes, 1)}
        for node in nodes:
            text = "<br/>".join(_quoted(part) for part in _contents(decomposition, node, prefixes))
            yield f'    {names[id(node)]}["{text}<br/>keeps {_names(node.kept)}"]'
        for node in nodes:
            yield from (f"    {names[id(node)]} --- {names[id(child)]}" for child in node.children)
        yield "  end"


def rounded(number: float) -> str:
    """An estimate with the digits it deserves."""
    return f"{number:.1e}" if number >= 1e7 else f"{float(f'{number:.2g}'):,.0f}"


def _contents(decomposition: Decomposition, node: Node, prefixes: Mapping[str, str]) -> list[str]:
    """What a node matches and tests."""
    rule = decomposition.rule
    parts = [format_atom(rule.positive[position], prefixes) for position in node.atoms]
    parts += [f"~{format_atom(rule.negative[number], prefixes)}" for number in node.negative]
    return parts + [format_literal(rule.conditions[number], prefixes) for number in node.conditions]


def _waiting(decomposition: Decomposition, prefixes: Mapping[str, str]) -> list[str]:
    rule = decomposition.rule
    found = [f"~{format_atom(rule.negative[number], prefixes)}" for number in decomposition.waiting_negative]
    return found + [format_literal(rule.conditions[number], prefixes) for number in decomposition.waiting]


def _names(kept: frozenset[str]) -> str:
    return ", ".join(f"?{name}" for name in sorted(kept)) or "(yes or no)"


def _quoted(text: str) -> str:
    return text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;").replace("\n", " ")
