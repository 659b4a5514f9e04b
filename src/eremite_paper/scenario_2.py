"""Scenario 2: how often the single columns with the most outliers are found (section 6.3 of the paper).

paper                here
precision, recall    share of the h drawn that are true, share of the true that are drawn;
                     the two columns with the most outliers are the true ones
Algorithm 3          "as printed", which costs 2 epsilon, and "with the factor 2", which costs epsilon
                     "ours": top_subspaces with its defaults, pure epsilon-DP
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np

from eremite.forecast.draws import Field, Ints, field
from eremite.outliers import OutlierDefinition
from eremite_paper.algorithm_3 import algorithm_3, utilities
from eremite_paper.datasets import Floats, adult_2, ionosphere, synthetic_2
from eremite_paper.searches import OURS
from eremite_paper.setting import Setting
from eremite_paper.tables import Row
from eremite_paper.z_scores import z_scored

K = 3
TRUE = 2
EPSILONS = (0.2, 0.4, 0.8, 1.6, 3.2)
HS = (1, 2, 3, 4)
PRINTED, CORRECTED, OUR_OWN = "as printed", "with the factor 2", "ours"
SYNTHETIC_2, ADULT_2, IONOSPHERE = "Synthetic 2", "Adult 2", "Ionosphere"
RADIUS = {SYNTHETIC_2: 0.13, ADULT_2: 0.02, IONOSPHERE: 0.06}


def parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each draw of each available table."""
    return [partial(_part, setting.runs, table, seed, make) for table, seed, make in _tables(setting)]


def _tables(setting: Setting) -> Iterator[tuple[str, int, Callable[[int], Floats]]]:
    """Adult 2 and Ionosphere are z-scored by their own rows, as in the paper, which is not private."""
    makers: dict[str, Callable[[int], Floats]] = {SYNTHETIC_2: synthetic_2}
    adult, radar = setting.files.adult, setting.files.ionosphere
    if adult is not None:
        makers[ADULT_2] = lambda seed: z_scored(adult_2(adult, seed).points)
    if radar is not None:
        makers[IONOSPHERE] = lambda seed: z_scored(ionosphere(radar, seed).points)
    for table, make in makers.items():
        yield from ((table, setting.seed + draw, make) for draw in range(setting.tables))


def _part(runs: int, table: str, seed: int, make: Callable[[int], Floats]) -> list[Row]:
    points, definition = make(seed), OutlierDefinition(min_neighbors=K, radius=RADIUS[table])
    of = field(points, definition, list(combinations(range(points.shape[1]), 1)))
    true = np.argsort(-of.counts, kind="stable")[:TRUE]
    public: Row = {"table": table, "seed": seed, "n": of.n_rows, "d": points.shape[1], "k": K, "r": definition.radius}
    planted = set(true.tolist()) == {0, 1} if table == SYNTHETIC_2 else None
    counts = np.sort(of.counts)[::-1]
    seen: Row = {"runs": runs, "most": int(counts[0]), "second": int(counts[1]), "third": int(counts[2])}
    return [
        public | {"h": h, "epsilon": epsilon, "mechanism": name} | _shares(picks, true) | seen
        | {"planted_are_true": None if planted is None else int(planted)}
        for h in HS
        for epsilon in EPSILONS
        for name, picks in _picks(of, epsilon, h, runs, seed)
    ]  # fmt: skip


def _picks(of: Field, epsilon: float, h: int, runs: int, seed: int) -> Iterator[tuple[str, Ints]]:
    scores = utilities(of.counts, np.ones(len(of.counts), dtype=np.int64), of.n_rows, K)
    for name, factor_2 in ((PRINTED, False), (CORRECTED, True)):
        rng = np.random.default_rng([seed, h, int(10 * epsilon), factor_2])
        yield name, algorithm_3(scores, epsilon, h, runs, rng, factor_2=factor_2)
    yield OUR_OWN, OURS.picks(of, epsilon, h, runs, seed)


def _shares(picks: Ints, true: Ints) -> Row:
    right = float(np.isin(picks, true).sum(axis=1).mean())
    return {"precision": right / picks.shape[1], "recall": right / TRUE}
