"""Adult with all its rows and public bounds, which the paper does not try.

paper        here
sigma        half-widths of 95 % intervals: global_laplace, theorem_4 (a lower bound on it), theorem_4_capped,
             smooth_laplace, and ours: a count by reach, around the true count

Theorem 4 is proved for epsilon below 1 and left out from there on. Its smooth bound is capped by N alone;
`theorem_4_capped` uses our smooth bound, which has a smaller cap.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import chain, combinations

import numpy as np

from eremite.forecast.draws import Field, Ints, field
from eremite.mechanisms import GlobalLaplace, PaperGaussian
from eremite.outliers import OutlierDefinition
from eremite.sensitivity import count_with_bound, most_moved
from eremite_paper import theorem_4
from eremite_paper.algorithm_3 import algorithm_3, utilities
from eremite_paper.at_scale import smooth_sensitivity_at_least
from eremite_paper.datasets import BOUNDS, Floats, whole_adult
from eremite_paper.our_noise import by_reach, by_smooth_laplace
from eremite_paper.scenario_2 import CORRECTED, OUR_OWN, PRINTED
from eremite_paper.searches import OURS, joined
from eremite_paper.setting import Setting
from eremite_paper.tables import Row

K = 5
DELTA = Fraction(1, 10**6)
EPSILONS = tuple(Fraction(text) for text in ("0.1", "0.2", "0.3", "0.5", "0.7", "0.9", "1", "1.5", "2"))
PAIR, ALL = ("age", "hours-per-week"), tuple(BOUNDS)
RADIUS = {PAIR: 0.01, ALL: 0.05}
_TRIED = (0.005, 0.01, 0.02, 0.03, 0.05)
HS = (1, 2, 3, 4)
_RADIUS_OF_SEARCH = 0.01


def count_parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each choice of columns and each epsilon; none if the table is missing."""
    if setting.files.adult is None:
        return []
    table = whole_adult(setting.files.adult[: setting.rows_of_adult])
    chosen = {columns: table.points(columns) for columns in RADIUS}
    return [partial(_count, columns, points, epsilon) for columns, points in chosen.items() for epsilon in EPSILONS]


def _count(columns: tuple[str, ...], points: Floats, epsilon: Fraction) -> list[Row]:
    (n, d), e, delta = points.shape, float(epsilon), float(DELTA)
    definition = OutlierDefinition(min_neighbors=K, radius=RADIUS[columns])
    ours = by_reach(points, definition, epsilon)
    widths = {
        "global_laplace": GlobalLaplace(epsilon).half_width() * most_moved(n, d, K),
        "theorem_4": None,
        "theorem_4_capped": None,
        "smooth_laplace": by_smooth_laplace(points, definition, epsilon).half_width,
        "ours": ours.half_width,
    }
    if epsilon < 1:
        papers = PaperGaussian(epsilon, DELTA)
        bound = smooth_sensitivity_at_least(points, definition, theorem_4.beta(e, delta))
        widths["theorem_4"] = papers.half_width() * bound
        widths["theorem_4_capped"] = papers.half_width() * float(count_with_bound(points, definition, papers.decay)[1])
    public: Row = {"columns": " x ".join(columns), "n": n, "d": d, "k": K, "r": definition.radius, "epsilon": e}
    relative = {f"{name}_relative": width and width / ours.count for name, width in widths.items()}
    capped = {"delta": delta, "outliers": ours.count, "reach": ours.reach, "held_back": ours.held_back}
    return [public | capped | widths | relative]


def radius_parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """Both choices of columns at all the radii from which those of `RADIUS` were chosen, after a look at the counts."""
    if setting.files.adult is None:
        return []
    table = whole_adult(setting.files.adult[: setting.rows_of_adult])
    return [partial(_at_radius, columns, table.points(columns), radius) for columns in RADIUS for radius in _TRIED]


def _at_radius(columns: tuple[str, ...], points: Floats, radius: float) -> list[Row]:
    (n, d), epsilon = points.shape, Fraction(1)
    definition = OutlierDefinition(min_neighbors=K, radius=radius)
    ours, smooth = by_reach(points, definition, epsilon), by_smooth_laplace(points, definition, epsilon)
    width = GlobalLaplace(epsilon).half_width() * most_moved(n, d, K)
    public: Row = {"columns": " x ".join(columns), "n": n, "d": d, "k": K, "r": radius, "epsilon": float(epsilon)}
    capped: Row = {"outliers": ours.count, "reach": ours.reach, "held_back": ours.held_back}
    return [
        public | capped
        | {"global_laplace": width, "smooth_laplace": smooth.half_width, "ours": ours.half_width}
    ]  # fmt: skip


def subspace_parts(setting: Setting) -> list[Callable[[], list[Row]]]:
    """One part for each set of numeric columns, which computes its profile, and a last one that draws."""
    if setting.files.adult is None:
        return []
    points, d = whole_adult(setting.files.adult[: setting.rows_of_adult]).points(), setting.columns_of_adult
    family = chain.from_iterable(combinations(range(d), size) for size in range(1, d + 1))
    seen: list[Field] = []
    return [*(partial(_look, seen, points, subspace) for subspace in family), partial(_subspaces, seen, setting)]


def _look(seen: list[Field], points: Floats, subspace: tuple[int, ...]) -> list[Row]:
    seen.append(field(points, OutlierDefinition(min_neighbors=K, radius=_RADIUS_OF_SEARCH), [subspace]))
    return []


def _subspaces(seen: list[Field], setting: Setting) -> list[Row]:
    """Draw from this one table as often as Scenario 2 draws from all its tables of a name."""
    of, runs = joined(seen), setting.runs * setting.tables
    falling = np.argsort(-of.counts, kind="stable")
    public: Row = {"n": of.n_rows, "candidates": len(seen), "k": K, "r": _RADIUS_OF_SEARCH, "runs": runs}
    best = " x ".join(list(BOUNDS)[column] for column in of.subspaces[falling[0]])
    return [
        public | {"h": h, "epsilon": float(epsilon), "mechanism": name, "most_outliers_in": best}
        | {"most": int(of.counts[falling[0]]), "right": float(np.isin(picks, falling[:h]).mean())}
        for h in HS
        for epsilon in EPSILONS
        for name, picks in _picks(of, float(epsilon), h, runs, setting.seed)
    ]  # fmt: skip


def _picks(of: Field, epsilon: float, h: int, runs: int, seed: int) -> list[tuple[str, Ints]]:
    scores = utilities(of.counts, np.array([len(one) for one in of.subspaces]), of.n_rows, K)
    rng = np.random.default_rng([seed, h, int(10 * epsilon)])
    drawn = [
        (name, algorithm_3(scores, epsilon, h, runs, rng, factor_2=factor_2))
        for name, factor_2 in ((PRINTED, False), (CORRECTED, True))
    ]
    return [*drawn, (OUR_OWN, OURS.picks(of, epsilon, h, runs, seed))]
