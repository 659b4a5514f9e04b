"""Counts from both sides beside those from below: how far off they are, how long intervals are, what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import sqrt
from statistics import fmean, geometric_mean

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.clock import cpu_seconds, one_core
from benchmarks.reach import RELATIONS
from benchmarks.tables import Named, clusters, outlying, real_tables, sheet
from eremite.engines import count_neighbors
from eremite.forecast.capped import Excess, errors_of_pair, off_by
from eremite.outliers import count_outliers
from eremite.privacy import Neighbors, Privacy
from eremite.queries.reach import CappedPair, for_count, for_pair
from eremite.reach import usual_reach, usual_reach_above
from eremite.reach.counting import capped_pair

EPSILONS = ("0.1", "0.2", "0.5", "1", "2")
_DRAWS = 200
_CONFIDENCE = Fraction(19, 20)
_MEAN, _ANYWHERE, _HALF, _MOST_CPU = 1.1, 1.3, 0.5, 5.0
_BY_CHANCE = 4  # standard deviations


@dataclass(frozen=True, slots=True)
class Found:
    """What one question came to."""

    table: str
    neighbors: Neighbors
    epsilon: str
    pair: CappedPair
    outliers: int
    error: float
    one_sided: float  # error of a count from below
    length: float
    covered: float

    @property
    def ratio(self) -> float:
        return self.error / self.one_sided


def tables(out: Console) -> list[Named]:
    """Real tables and generated ones, in up to six columns."""
    made = [(f"clusters, d = {d}", outlying(clusters(50_000, d), 0.01)) for d in (2, 3, 5)]
    made += [(f"sheet, d = {d}", outlying(sheet(50_000, d), 0.01)) for d in (2, 3, 5)]
    made += [(f"300,000 rows, d = {d}", outlying(sheet(300_000, d), 0.01)) for d in (2, 3)]
    return real_tables(out, "mammography", "http") + [Named(*one) for one in made]


def few_tables() -> list[Named]:
    """Small ones, to see that it works."""
    return [Named(f"clusters, d = {d}", outlying(clusters(2_000, d), 0.015)) for d in (1, 2)]


def accuracy(out: Console, some: Sequence[Named]) -> bool:
    """Errors of the value, lengths of the interval, and how often it holds the count, table by table."""
    found = [_found(named, neighbors, epsilon) for named in some for neighbors in RELATIONS for epsilon in EPSILONS]
    grid = Grid("table", "outliers", "relation", "", *EPSILONS, title="Counts from both sides, by epsilon, k = 5")
    for named in some:
        for neighbors in RELATIONS:
            row = [one for one in found if (one.table, one.neighbors) == (named.name, neighbors)]
            reaches = (f"{one.error:.0f} ({one.pair.reach}, {one.pair.above})" for one in row)
            grid.add_row(named.name, f"{row[0].outliers:,}", neighbors, "error (D, D')", *reaches)
            grid.add_row("", "", "", "of one side", *(f"{one.one_sided:.0f}" for one in row))
            grid.add_row("", "", "", "length", *(f"{one.length:.0f}" for one in row))
    out.print(grid)
    return _bars(out, found)


def _bars(out: Console, found: Sequence[Found]) -> bool:
    grid = Grid("what", "measured", "bar", "", title="Bars over these tables")
    at_one = [one for one in found if one.epsilon == "1"]
    rows = (
        ("error / that of one side, geometric mean", geometric_mean(one.ratio for one in found), _MEAN),
        ("error / that of one side, the worst", max(one.ratio for one in found), _ANYWHERE),
        ("length / outliers at epsilon 1, the worst", max(one.length / one.outliers for one in at_one), _HALF),
        ("intervals that miss the count, of all", 1 - fmean(one.covered for one in found), _missed(len(found))),
    )
    for what, value, bar in rows:
        grid.add_row(what, f"{value:.3f}", f"{bar:.3g}", "met" if value <= bar else "missed")
    out.print(grid)
    return all(value <= bar for _, value, bar in rows)


def _missed(questions: int) -> float:
    """What share of all intervals may miss the count, chance included."""
    share = float(1 - _CONFIDENCE)
    return share + _BY_CHANCE * sqrt(share * (1 - share) / (questions * _DRAWS))


def _found(named: Named, neighbors: Neighbors, epsilon: str) -> Found:
    rows, columns = named.case.points.shape
    exact = Fraction(epsilon)
    reach = usual_reach(rows, columns, named.definition, exact, neighbors)
    pair = for_pair(reach, usual_reach_above(rows, columns, exact), exact, neighbors, 1)
    q = count_outliers(named.case.points, named.definition)
    below, above = _sides(named, (reach, pair.above))
    excess = Excess(q, float(q - below), float(above - q))
    drawn = [pair.noise.draw((below, above)).between(_CONFIDENCE) for _ in range(_DRAWS)]
    return Found(
        table=named.name,
        neighbors=neighbors,
        epsilon=epsilon,
        pair=pair,
        outliers=q,
        error=errors_of_pair(pair, excess).off_by(0.95),
        one_sided=off_by(for_count(("reach",), reach, Privacy(exact), neighbors, 1), excess.below, 0.95),
        length=float(sum(high - low for low, high in drawn)) / _DRAWS,
        covered=sum(low <= q <= high for low, high in drawn) / _DRAWS,
    )


_KEPT: dict[tuple[str, int, int], tuple[Fraction, Fraction]] = {}


def _sides(named: Named, reaches: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """The two values of a count, as a release has them."""
    key = named.name, *reaches
    if key not in _KEPT:
        points = named.case.points
        _KEPT[key] = capped_pair(points, named.definition, reaches, about=len(points))
    return _KEPT[key]


def cost(out: Console, some: Sequence[Named]) -> bool:
    """CPU seconds of both sides, and of full degrees alone; kernels warm, one core."""
    title = "Counts from both sides, epsilon = 1: CPU seconds, one core"
    grid = Grid("table", "N", "full degrees", "both sides", "ratio", "bar", title=title)
    cleared = True
    for named in some:
        points, definition = named.case.points, named.definition
        rows, columns = points.shape
        above = usual_reach_above(rows, columns, Fraction(1))
        reaches = usual_reach(rows, columns, definition, Fraction(1), "replace"), above
        capped_pair(points[:1000], definition, reaches)
        with one_core():
            degrees = cpu_seconds(partial(count_neighbors, points, definition.radius, None))
            both = cpu_seconds(partial(capped_pair, points, definition, reaches, about=rows))
        met = both <= _MOST_CPU * degrees
        cleared &= met
        bar = f"{_MOST_CPU:g}x {'met' if met else 'missed'}"
        grid.add_row(named.name, f"{rows:,}", f"{degrees:.2f}", f"{both:.2f}", f"{both / degrees:.1f}x", bar)
    out.print(grid)
    return cleared
