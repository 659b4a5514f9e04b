"""The private table that the tests ask about, and its description."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

BOUNDS = {"bmi": (10, 60), "pulse": (30, 200)}


def description(
    bounds: Mapping[str, tuple[float, float]] = BOUNDS,
    *,
    name: str = "patients",
    source: str = "patients.csv",
    more: str = "",
    budget: str = "epsilon = 2.0",
) -> str:
    """A description of columns with these public bounds; `more` about the dataset; none of a budget that is empty."""
    columns = [f"{json.dumps(column)} = {{ min = {low}, max = {high} }}" for column, (low, high) in bounds.items()]
    dataset = ["[dataset]", f'name = "{name}"', f'source = "{source}"', more]
    return "\n".join([*dataset, "[columns]", *columns, *(["[budget]", budget] if budget else [])]) + "\n"


def people(n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Rows of `BOUNDS`, crowded about the usual."""
    return np.random.default_rng(1).normal([25, 75], [4, 8], (n, 2)).round(3)


def write_csv(file: Path, names: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A line of names, and a line a row."""
    with file.open("w", newline="") as opened:
        csv.writer(opened, lineterminator="\n").writerows([names, *rows])
