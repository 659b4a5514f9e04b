"""Counts of bounded reach: how many outliers there are at least, and at most, if no place counts for more than D.

What is computed here is exact up to a certified bracket and therefore private: nothing from this package may leave the
custodian's machine except through a mechanism.
"""

from eremite.reach.counting import capped_count, capped_pair, capped_pair_and_rows, count_of_reach
from eremite.reach.covers import MOST_COLUMNS, MOST_COLUMNS_ABOVE
from eremite.reach.room import require_room
from eremite.reach.usual import usual_reach, usual_reach_above

__all__ = [
    "MOST_COLUMNS",
    "MOST_COLUMNS_ABOVE",
    "capped_count",
    "capped_pair",
    "capped_pair_and_rows",
    "count_of_reach",
    "require_room",
    "usual_reach",
    "usual_reach_above",
]
