"""The tables in which subspaces are looked for: the paper's, as far as its text tells, and planted ones."""

from functools import cache

import numpy as np

from benchmarks.tables import DATA
from eremite_paper import datasets
from eremite_paper.datasets import Floats, synthetic_2
from eremite_paper.files import Files, read_files
from eremite_paper.z_scores import z_scored

__all__ = ["adult_2", "ionosphere", "planted", "synthetic_2"]


def adult_2(seed: int) -> Floats | None:
    """The paper's, z-scored by itself (not private); None where its file is not there."""
    rows = _files().adult
    return None if rows is None else z_scored(datasets.adult_2(rows, seed).points)


def ionosphere(seed: int) -> Floats | None:
    """The paper's, z-scored by itself (not private); None where its file is not there."""
    rows = _files().ionosphere
    return None if rows is None else z_scored(datasets.ionosphere(rows, seed).points)


def planted(n: int, size: int, levels: int, wrong: int, seed: int = 11) -> Floats:
    """Eight columns; in the first `size`, and only in all of them together, `wrong` rows are where no others are.

    Every column has levels, the last of the planted ones the sum of the others. 3 % of the rows are uniform noise and
    give every subspace outliers.
    """
    rng = np.random.default_rng(seed)
    regular, counts = n - 3 * n // 100, np.array([levels] * size + [2] * (8 - size))
    level = rng.integers(0, counts, (regular, 8))
    level[:, size - 1] = level[:, : size - 1].sum(axis=1) % levels
    level[:wrong, size - 1] = (level[:wrong, size - 1] + rng.integers(1, levels, wrong)) % levels
    rows = 0.1 + 0.8 * level / (counts - 1) + rng.normal(0, 0.02, (regular, 8))
    return rng.permutation(np.clip(np.vstack([rows, rng.uniform(0, 1, (n - regular, 8))]), 0, 1))


@cache
def _files() -> Files:
    return read_files(DATA.parent) if DATA.parent.is_dir() else Files()
