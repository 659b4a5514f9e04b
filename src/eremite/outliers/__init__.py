"""Outliers of a table: the definition, the degrees, exact counts.

Everything here is exact and therefore private: nothing from this package may leave the custodian's machine except
through a mechanism.
"""

from eremite.outliers.counting import checked_points, count_outliers, degrees
from eremite.outliers.definition import OutlierDefinition
from eremite.outliers.many_counts import count_outliers_in_each, in_each
from eremite.outliers.subspaces import Subspace, Subspaces

__all__ = [
    "OutlierDefinition",
    "Subspace",
    "Subspaces",
    "checked_points",
    "count_outliers",
    "count_outliers_in_each",
    "degrees",
    "in_each",
]
