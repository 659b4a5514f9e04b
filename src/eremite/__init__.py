"""Differentially private answers about the outliers of a private table.

Public names load when they are first used, so that importing eremite, or asking it for help, is immediate.
"""

from typing import TYPE_CHECKING, Any

from eremite.errors import EremiteError, InputError
from eremite.version import __version__

if TYPE_CHECKING:
    from eremite.outliers import OutlierDefinition
    from eremite.table import Table

__all__ = ["EremiteError", "InputError", "OutlierDefinition", "Table", "__version__"]

_HOMES = {"OutlierDefinition": "eremite.outliers", "Table": "eremite.table"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'eremite' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
