"""How far off counts of bounded reach are expected to be: public noise, and crowded outliers that are not counted.

The noise is known exactly, whatever the rows are. How many outliers are held back is not: of a stand-in it is computed,
and without one it is that of crowded tables.

theory         here
q - F_D        held_back
U_D' - q       what `excess_of` has beside it
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from eremite.mechanisms import ReachLaplace
from eremite.mechanisms.margins import USUAL_SHARE
from eremite.outliers import OutlierDefinition
from eremite.outliers.counting import outliers_among
from eremite.queries.reach import Capped, CappedPair
from eremite.reach.usual import usual_excess, usual_held_back
from eremite.sensitivity.relation import Relation
from eremite.table import Part

_HALVINGS = 60
_PLACES, _SIZES = 64, 512  # of a side of the square that noise of a pair lies on, and of such squares
_MARGIN = 3  # times what crowded tables hold back as a rule: what is promised shall hold for most


@dataclass(frozen=True, slots=True)
class Excess:
    """The outliers of some rows, if known; how many too few and how many too many the two sides of a count have."""

    outliers: int | None
    below: float
    above: float

    def times(self, factor: float) -> "Excess":
        """As of so many times more rows."""
        return Excess(self.outliers, factor * self.below, factor * self.above)


def held_back(part: Part, definition: OutlierDefinition, capped: Capped, relation: Relation) -> tuple[int, float]:
    """The outliers of public rows, and how many of them a count of this reach leaves out."""
    outliers = outliers_among(part, definition)
    counted = capped.count(part, definition, relation.rows) / capped.noise.fineness
    return outliers, max(0.0, outliers - counted)


def excess_of(part: Part, definition: OutlierDefinition, pair: CappedPair, relation: Relation) -> Excess:
    """The outliers of public rows; how many too few are counted from below, how many too many from above."""
    outliers = outliers_among(part, definition)
    below, above = (float(value) for value in pair.count(part, definition, relation.rows))
    return Excess(outliers, max(0.0, outliers - below), max(0.0, above - outliers))


def usual_excess_of(columns: int, pair: CappedPair, relation: Relation) -> Excess:
    """The same of a crowded table of which nothing is known."""
    counted = usual_held_back(relation.rows, columns, pair.reach), usual_excess(relation.rows, columns, pair.above)
    below, above = (min(_MARGIN * rows, float(relation.rows)) for rows in counted)
    return Excess(None, below, above)


def usually_held_back(columns: int, capped: Capped, relation: Relation) -> float:
    """How many outliers a count of this reach leaves out of a crowded table of which nothing is known."""
    return min(_MARGIN * usual_held_back(relation.rows, columns, capped.reach), float(relation.rows))


def cautious_words_of_reach(rows: int) -> str:
    """What that is, in words, for a table of about so many rows."""
    return f"a crowded table of {rows:,} rows"


def off_by(capped: Capped, left_out: float, share: float) -> float:
    """This share of all counts is off by so much at most, if so many outliers are left out."""
    noise, scale = capped.noise, float(capped.noise.scale)

    def within(distance: float) -> float:
        """P(|Z - left_out| <= distance) for the noise Z."""
        return below(left_out + distance) - below(left_out - distance)

    def below(x: float) -> float:
        if isinstance(noise, ReachLaplace):
            return exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2
        return NormalDist(0, scale).cdf(x)

    return _least(within, share, left_out + scale * (10 - log(1 - share)))


@dataclass(frozen=True, slots=True)
class PairErrors:
    """How far off counts from both sides are, and how long their intervals."""

    off: NDArray[np.float64]
    lengths: NDArray[np.float64]

    def off_by(self, share: float) -> float:
        """This share of all counts is off by so much at most."""
        return float(np.quantile(self.off, share))

    def length(self, share: float) -> float:
        """This share of all intervals is no longer."""
        return float(np.quantile(self.lengths, share))


def errors_of_pair(pair: CappedPair, excess: Excess, confidence: Fraction = USUAL_SHARE) -> PairErrors:
    """The errors of counts of which so many are left out below, and so many too many above, all as likely.

    The noise lies on a square whose size has a Gamma distribution, each place of it as likely as any other.
    """
    noise = pair.noise
    sizes = gammaincinv(2, (np.arange(_SIZES) + 0.5) / _SIZES)[:, None]
    along = (2 * np.arange(_PLACES) + 1) / _PLACES - 1
    one = np.ones(_PLACES)
    first, second = np.concatenate([one, -one, along, along]), np.concatenate([along, along, one, -one])
    scales = [float(side / noise.epsilon) for side in (noise.below, noise.above)]
    low, high = scales[0] * sizes * first - excess.below, scales[1] * sizes * second + excess.above
    answer = low + np.minimum(float(noise.weight) * (high - low), float(noise.furthest))
    margins = [noise.margin(confidence) * float(noise.step(side)) for side in (0, 1)]
    ends = low - margins[0], high + margins[1]
    answer = np.clip(answer, np.minimum(*ends), np.maximum(*ends))
    return PairErrors(np.abs(answer), np.abs(ends[1] - ends[0]))


def _least(within: Callable[[float], float], share: float, high: float) -> float:
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if within(middle) >= share else (middle, high)
    return high
