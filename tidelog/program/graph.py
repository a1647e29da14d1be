"""Strongly connected components and shortest ways, without recursion."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence


def components(successors: Sequence[Iterable[int]]) -> list[list[int]]:
    """The strongly connected components of a graph, each after those it leads to (Tarjan, with an explicit stack)."""
    order: list[int] = [-1] * len(successors)
    low: list[int] = [0] * len(successors)
    on_path = [False] * len(successors)
    path: list[int] = []
    found: list[list[int]] = []
    counter = 0
    for root in range(len(successors)):
        work: list[tuple[int, Iterator[int]]] = []
        if order[root] < 0:
            work.append((root, iter(successors[root])))
        while work:
            node, rest = work[-1]
            if order[node] < 0:
                order[node] = low[node] = counter
                counter += 1
                path.append(node)
                on_path[node] = True
            for successor in rest:
                if order[successor] < 0:
                    work.append((successor, iter(successors[successor])))
                    break
                if on_path[successor]:
                    low[node] = min(low[node], order[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    found.append(_unwind(path, on_path, node))
    return found


def _unwind(path: list[int], on_path: list[bool], node: int) -> list[int]:
    component: list[int] = []
    while not component or component[-1] != node:
        component.append(path.pop())
        on_path[component[-1]] = False
    return component


def shortest_way(start: int, goal: int, successors: Callable[[int], Iterable[int]]) -> list[int]:
    """The nodes of a shortest way from `start` to `goal`, both included; there must be one."""
    came_from = {start: start}
    queue = deque([start])
    while goal not in came_from:
        node = queue.popleft()
        for successor in successors(node):
            if successor not in came_from:
                came_from[successor] = node
                queue.append(successor)
    way = [goal]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]
