"""Outliers of a table: the definition, the degrees, exact counts.

What is counted here is exact and therefore private: nothing from this package may leave the custodian's machine except
through a mechanism. Names that count load when they are first used, so that a definition needs nothing that counts.
"""

from typing import TYPE_CHECKING, Any

from eremite.outliers.definition import OutlierDefinition
from eremite.outliers.subspaces import Subspace, Subspaces

if TYPE_CHECKING:
    from eremite.outliers.counting import checked_points, count_outliers, degrees
    from eremite.outliers.many_counts import count_outliers_in_each, in_each

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

_HOMES = {
    "checked_points": "counting",
    "count_outliers": "counting",
    "count_outliers_in_each": "many_counts",
    "degrees": "counting",
    "in_each": "many_counts",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'eremite.outliers' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"eremite.outliers.{_HOMES[name]}"), name)
