"""A hypertree decomposition: a rule body as a tree of small joins.

Zhang, Hu, Nenov, Horrocks: Enhancing Datalog Reasoning with Hypertree Decompositions (2023), section 2.

    paper       here
    p           `Node`
    chi(p)      `Node.variables`
    lambda(p)   `Node.cover`, as positions among the rule's positive atoms
    T_p         `Node.subtree()`
    width       `Decomposition.width`

The four conditions: (1) the variables of each atom lie in some node; (2) the nodes that have a variable are connected; (3) a
node's variables are variables of its cover; (4) a variable of a node's cover that occurs in its subtree is one of the node's.

Every atom, negated atom and comparison also has one node in which it is *tested*: for an atom one with all its variables, for a
condition the topmost such, or none (then it waits for the end of the join). A node *keeps* those of its variables that its
neighbours, the head, or a waiting condition need; only these are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom


@dataclass(frozen=True, slots=True)
class Node:
    """A join of a few atoms."""

    variables: frozenset[str]
    cover: tuple[int, ...]
    tested: tuple[int, ...]
    """The atoms of this node that are not in its cover: they lose bindings and bind nothing new."""
    negative: tuple[int, ...]
    conditions: tuple[int, ...]
    kept: frozenset[str]
    size: float
    """How many different bindings of the kept variables are expected."""
    work: float
    """How many bindings are expected on the way to them."""
    children: tuple[Node, ...]

    @property
    def atoms(self) -> tuple[int, ...]:
        """The positions of all positive atoms that are matched here."""
        return tuple(sorted({*self.cover, *self.tested}))

    def subtree(self) -> Iterator[Node]:
        """The node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.subtree()


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The best tree found for a rule."""

    rule: CoreRule = field(repr=False)
    root: Node
    cost: float
    """What evaluating the tree is expected to cost, in bindings looked at."""
    plain: float
    """What one join of the whole body is expected to cost, atom after atom."""
    waiting: tuple[int, ...]
    """The conditions that no node can test."""
    waiting_negative: tuple[int, ...]
    """The negated atoms that no node can test."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.root.subtree())

    @property
    def width(self) -> int:
        return max(len(node.cover) for node in self.nodes)

    def matched(self, node: Node) -> list[Atom]:
        return [self.rule.positive[position] for position in node.atoms]
