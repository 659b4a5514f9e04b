"""How far off counts of bounded reach are expected to be: public noise, and crowded outliers that are not counted.

The noise is known exactly, whatever the rows are. How many outliers are held back is not: of a stand-in it is computed,
and without one it is that of crowded tables.

theory         here
q - F_D        held_back
"""

from math import exp, log
from statistics import NormalDist

from eremite.mechanisms import ReachLaplace
from eremite.outliers import OutlierDefinition
from eremite.outliers.counting import outliers_among
from eremite.queries.reach import Capped
from eremite.reach.usual import usual_held_back
from eremite.sensitivity.relation import Relation
from eremite.table import Part

_HALVINGS = 60
_MARGIN = 3  # times what crowded tables hold back as a rule: what is promised shall hold for most


def held_back(part: Part, definition: OutlierDefinition, capped: Capped, relation: Relation) -> tuple[int, float]:
    """The outliers of public rows, and how many of them a count of this reach leaves out."""
    outliers = outliers_among(part, definition)
    counted = capped.count(part, definition, relation.rows) / capped.noise.fineness
    return outliers, max(0.0, outliers - counted)


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

    low, high = 0.0, left_out + scale * (10 - log(1 - share))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if within(middle) >= share else (middle, high)
    return high
