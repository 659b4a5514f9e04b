"""Scenario 1: the noise of a count of outliers (section 6.2 of the paper).

paper           here
sigma_Global    global_lower, global_upper: Theorem 2 with both bounds on the global sensitivity
sigma_Smooth    theorem_4: as the paper proves it; as_plotted: as its figures show it (nothing is proved)
                ours: a count by reach, pure epsilon-DP: its deviation from the true count
                smooth_laplace: noise for a smooth bound too, but pure epsilon-DP
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from eremite.outliers import OutlierDefinition, count_outliers
from eremite.sensitivity import global_bounds
from eremite_paper import theorem_2, theorem_4
from eremite_paper.algorithm_2 import Levels, algorithm_2
from eremite_paper.datasets import Floats, adult_1, synthetic_1, within_bounds
from eremite_paper.our_noise import by_reach, by_smooth_laplace
from eremite_paper.setting import Setting
from eremite_paper.tables import Row
from eremite_paper.tuned_radius import accuracy, tuned_radius
from eremite_paper.z_scores import z_scored

K = 3
DELTA = 0.01
EPSILONS = tuple(Fraction(tenths, 10) for tenths in range(1, 10))
SYNTHETIC_1, Z_SCORED, BOUNDED = "Synthetic 1", "Adult 1, z-scored", "Adult 1, public bounds"
RADIUS = {SYNTHETIC_1: 1.1, Z_SCORED: 0.35, BOUNDED: 0.35}
_OUTLYING = np.arange(50) >= 45


@dataclass(frozen=True, slots=True)
class Case:
    """One draw of one table, with the paper's radius."""

    table: str
    seed: int
    make: Callable[[int], Floats]

    @property
    def points(self) -> Floats:
        return self.make(self.seed)

    @property
    def definition(self) -> OutlierDefinition:
        return OutlierDefinition(min_neighbors=K, radius=RADIUS[self.table])


def noise_parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each draw of each available table."""
    return [partial(_noise, case) for case in _cases(setting)]


def radius_parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each draw: the radius that the paper's rule picks."""
    return [partial(_radius, case) for case in _cases(setting)]


def _cases(setting: Setting) -> Iterator[Case]:
    makers: dict[str, Callable[[int], Floats]] = {SYNTHETIC_1: synthetic_1}
    if (rows := setting.files.adult) is not None:
        makers[Z_SCORED] = lambda seed: z_scored(adult_1(rows, seed).points)
        makers[BOUNDED] = lambda seed: within_bounds(adult_1(rows, seed).points)
    for table, make in makers.items():
        yield from (Case(table, setting.seed + draw, make) for draw in range(setting.draws))


def _noise(case: Case) -> list[Row]:
    points, definition = case.points, case.definition
    levels = Levels(points, definition)
    return [_row(case, points, levels, epsilon) for epsilon in EPSILONS]


def _row(case: Case, points: Floats, levels: Levels, epsilon: Fraction) -> Row:
    (n, d), e = points.shape, float(epsilon)
    lower, upper = global_bounds(n, d, K)
    ours = by_reach(points, case.definition, epsilon)
    smooth = by_smooth_laplace(points, case.definition, epsilon)
    beta = theorem_4.beta(e, DELTA)
    return {
        "table": case.table, "seed": case.seed, "n": n, "d": d, "k": K, "r": case.definition.radius,
        "epsilon": e, "delta": DELTA, "outliers": ours.count,
        "global_lower": theorem_2.deviation(lower, e, DELTA),
        "global_upper": theorem_2.deviation(upper, e, DELTA),
        "theorem_4": theorem_4.deviation(algorithm_2(levels, beta), e, DELTA),
        "as_plotted": theorem_4.as_plotted(algorithm_2(levels, e), e),
        "smooth_laplace": smooth.deviation,
        "smooth_bound": smooth.bound,
        "ours": ours.deviation,
        "our_noise": ours.noise,
        "reach": ours.reach,
        "held_back": ours.held_back,
    }  # fmt: skip


def _radius(case: Case) -> list[Row]:
    """The labels are the paper's: the last five rows."""
    points = case.points
    picked = tuned_radius(points, _OUTLYING, K)
    tuned = OutlierDefinition(min_neighbors=K, radius=picked)
    return [
        {
            "table": case.table, "seed": case.seed, "paper_r": case.definition.radius,
            "paper_accuracy": accuracy(points, _OUTLYING, case.definition),
            "paper_outliers": count_outliers(points, case.definition),
            "tuned_r": picked,
            "tuned_accuracy": accuracy(points, _OUTLYING, tuned),
            "tuned_outliers": count_outliers(points, tuned),
        }
    ]  # fmt: skip
