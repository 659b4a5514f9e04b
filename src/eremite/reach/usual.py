"""Which reach a count gets where nobody chose one: from public facts alone.

A larger reach holds back fewer rows and takes more noise. On tables of ordinary kinds about q N e^(-D / s) outliers are
held back, s growing with the number of columns; the noise has a half-width of about 3 D / epsilon. The sum is least at
D = s ln(q N epsilon / (3 s)), and flat there: from half of it to twice it, the error grows little. `make bench` prints
how far it is from the best. From above, about h N e^-D rows too many are counted, h growing with the number of columns.
These and the noise add up to least at D = ln(h N epsilon / 3), and neither intervals nor answers gain by more.
"""

from fractions import Fraction
from math import exp, log

from eremite.outliers import OutlierDefinition
from eremite.privacy import Neighbors

_SHARE = 0.0034  # q: of all rows, those that a reach next to nothing would hold back
_SPREAD = (0.66, 0.17)  # s: without columns, and more for each
_WIDTH = 3  # of the noise, about ln(20)
_SHARE_ABOVE = (0.02, 1.4)  # h: in two columns, and its growth with each more
_LEAST_ABOVE = 3


def usual_reach(rows: int, columns: int, definition: OutlierDefinition, epsilon: Fraction, neighbors: Neighbors) -> int:
    """The reach D of a count, a whole number of 1 or more. Public.

    From the number of rows, or about how many there are where they come and go, the number of columns and the epsilon
    that a row gets. On the tables that were tried it does not depend much on the definition and the relation.
    """
    spread = _spread(columns)
    worth = _SHARE * rows * float(epsilon) / (_WIDTH * spread)
    return max(1, round(spread * log(worth))) if worth > 1 else 1


def usual_reach_above(rows: int, columns: int, epsilon: Fraction) -> int:
    """The reach of the upper side of a count, where both sides are drawn, a whole number. Public.

    Larger than the one below: in a dense place, the core rows of every ball weigh about 1 together, and those of a
    cover, which is wider, several times as much.
    """
    excess = usual_excess(rows, columns, 0) * float(epsilon) / _WIDTH
    return max(_LEAST_ABOVE, round(log(excess))) if excess > 1 else _LEAST_ABOVE


def usual_excess(rows: int, columns: int, reach: int) -> float:
    """About how many rows too many a reach from above counts in a table of so many rows."""
    share, growth = _SHARE_ABOVE
    return share * exp(growth * (columns - 2) - reach) * rows


def usual_held_back(rows: int, columns: int, reach: int) -> float:
    """About how many outliers a reach holds back in a table of so many rows; the rule for the reach rests on it."""
    return _SHARE * rows * exp(-reach / _spread(columns))


def _spread(columns: int) -> float:
    return _SPREAD[0] + _SPREAD[1] * columns
