"""Made-up counts for the forecast of a search where nothing is known of the rows.

Whether a search finds the sets of columns with the most outliers depends on how far their counts are apart. In real
tables the next best set is often close behind: between the best and the second of pairs of columns, a tenth to a third.
So here one row in a hundred is an outlier in the best set, and every further set has a sixth fewer than the one before.
"""

import numpy as np

from eremite.forecast.cautious import ROWS, expected_profile
from eremite.forecast.draws import Field, Ints, largest_count
from eremite.outliers import OutlierDefinition, Subspaces
from eremite.sensitivity.relation import Relation

_SHARE = 100  # rows for each outlier in the best set
_NEXT = 5 / 6  # of the outliers of the set before

GRADED = (
    "made-up counts: one row in a hundred is an outlier in the best set, and a sixth fewer in each further one; noise "
    f"as for {ROWS:,} made-up rows of each of three shapes"
)
"""The counts in words."""


def graded_field(family: Subspaces, definition: OutlierDefinition, relation: Relation) -> Field:
    """What a draw among these candidates depends on. The largest sets, the hardest ones, have the most outliers."""
    falling = np.argsort([-len(one) for one in family], kind="stable")
    counts = np.zeros(len(falling), dtype=np.int64)
    counts[falling] = max(relation.rows // _SHARE, 1) * _NEXT ** np.arange(len(falling))
    return field_of_counts(family, definition, relation, counts)


def field_of_counts(family: Subspaces, definition: OutlierDefinition, relation: Relation, counts: Ints) -> Field:
    """The same for these counts, with the profiles to expect where nothing is known of the rows."""
    sizes, k = [len(one) for one in family], definition.min_neighbors
    profiles = [expected_profile(k, size, relation) for size in sizes]
    most = np.array([relation.cap(size, k) for size in sizes])
    places = {name: at for at, name in enumerate(family.columns)}
    subspaces = [tuple(places[name] for name in one) for one in family]
    return Field(largest_count(relation), subspaces, counts, most, profiles, profiles)
