"""Write the supply-chain example at any size: the same tables as the small one, drawn at random from a seed.

    python generate.py DIRECTORY [PRODUCTS]

A product is assembled from parts of level 1, those from parts of level 2, and so on down to raw parts, which suppliers
deliver. Parts are shared between assemblies, so that the number of (product, part) pairs grows much faster than the tables.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

LEVELS = 7
SINGLE = 0.002  # the share of raw parts that only one supplier makes
REGIONS = [f"region_{number}" for number in range(40)]


def main(directory: Path, products: int) -> None:
    draw = random.Random(2024)
    levels = [[f"product_{number}" for number in range(products)]]
    levels += [[f"part_{level}_{number}" for number in range(products * 2)] for level in range(1, LEVELS)]
    raw = levels[-1]
    suppliers = [f"supplier_{number}" for number in range(products // 2)]
    directory.mkdir(parents=True, exist_ok=True)
    write(directory, "uses", ("assembly", "part"), assemblies(draw, levels))
    write(directory, "products", ("product", "price"), ((product, draw.randint(50, 5000)) for product in levels[0]))
    write(directory, "orders", ("product", "units"), ((product, draw.randint(1, 1000)) for product in levels[0]))
    write(
        directory,
        "supplies",
        ("supplier", "part"),
        ((who, part) for part in raw for who in draw.sample(suppliers, 1 if draw.random() < SINGLE else 2)),
    )
    write(directory, "sites", ("supplier", "region"), ((who, draw.choice(REGIONS)) for who in suppliers))
    write(directory, "substitutes", ("part", "substitute"), (draw.sample(raw, 2) for _ in range(products // 10)))
    write(directory, "closed", ("region",), ((region,) for region in draw.sample(REGIONS, 1)))


def assemblies(draw: random.Random, levels: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Each thing above the lowest level is made of three of the next."""
    for upper, lower in pairwise(levels):
        for assembly in upper:
            for part in draw.sample(lower, 3):
                yield assembly, part


def write(directory: Path, name: str, header: tuple[str, ...], rows: Iterable[Iterable[object]]) -> None:
    with (directory / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
