"""What was asked, as typed: records that commands build from their options and hand on.

What is wrong with one is said when its parts are read, before a table or a ledger is opened.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eremite.cli.typed_names import typed_names
from eremite.errors import InputError

if TYPE_CHECKING:
    from eremite import OutlierDefinition


@dataclass(frozen=True, slots=True)
class Question:
    """About the outliers of which table, by which definition, and in which columns."""

    description: Path
    min_neighbors: int
    radius: float
    columns: str | None = None

    def definition(self) -> "OutlierDefinition":
        """When a row is an outlier."""
        from eremite import OutlierDefinition

        return OutlierDefinition(min_neighbors=self.min_neighbors, radius=self.radius)

    def names(self) -> list[str] | None:
        """The columns that were chosen, if any were."""
        return typed_columns(self.columns)


@dataclass(frozen=True, slots=True)
class Sets:
    """Which sets of columns to search, in one of three ways."""

    size: int | None
    max_size: int | None
    subspaces: list[str] | None

    def typed(self) -> tuple[int | None, int | None, list[list[str]] | None]:
        """The same, in the one way that was given."""
        if (self.size is not None) + (self.max_size is not None) + bool(self.subspaces) != 1:
            raise InputError("Give one of --size, --max-size and --subspace: which sets of columns to search.")
        return self.size, self.max_size, [typed_names(text, "--subspace") for text in self.subspaces or ()] or None


@dataclass(frozen=True, slots=True)
class MadeUp:
    """How many rows to make up, and of which shape, where a description names no stand-in.

    The shape is checked where rows are made up: which ones there are depends on what is forecast.
    """

    rows: int | None
    shape: str


def typed_columns(text: str | None) -> list[str] | None:
    """The names given to --columns, if it was."""
    return None if text is None else typed_names(text, "--columns")
