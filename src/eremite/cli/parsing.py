"""Texts of options, parsed before a table or a ledger is opened."""

import csv
from typing import Any

from eremite.errors import InputError


def parse_columns(text: str | None) -> list[str] | None:
    """The names given to --columns, if any were."""
    return None if text is None else _names(text, "--columns")


def parse_by(text: str | None) -> list[str] | None:
    """The names given to --by, if any were."""
    return None if text is None else _names(text, "--by")


def parse_strata(text: str | None, option: str = "--within") -> tuple[str, ...]:
    """The names of columns on which neighbors must agree, if any were given."""
    return () if text is None else tuple(_names(text, option))


def parse_subspaces(size: int | None, max_size: int | None, subspaces: list[str] | None) -> dict[str, Any]:
    """Which sets of columns to search, as keywords of a query; exactly one of the three options must be given."""
    if (size is not None) + (max_size is not None) + bool(subspaces) != 1:
        raise InputError("Give one of --size, --max-size and --subspace: which sets of columns to search.")
    listed = [_names(text, "--subspace") for text in subspaces or ()]
    return {"size": size, "max_size": max_size, "subspaces": listed or None}


def parse_radii(text: str | None) -> list[float] | None:
    """The numbers given to --radii, if any were."""
    from eremite.privacy import exact

    return None if text is None else [float(exact(part, "each of --radii")) for part in text.split(",")]


def _names(text: str, option: str) -> list[str]:
    """Column names as one line of CSV: a name that contains a comma stands in quotes."""
    try:
        return next(csv.reader([text], strict=True, skipinitialspace=True))
    except csv.Error:
        raise InputError(
            f"{option} must be column names separated by commas; put a name that contains a comma in double quotes."
        ) from None


def require_plain(delta: str, mechanism: str, *others: object) -> None:
    """Refuse options that counts by group do not have."""
    if delta != "0" or mechanism != "auto" or any(other is not None for other in others):
        raise InputError(
            "Counts by group spend epsilon alone and choose their noise; with --by, leave out --delta and --mechanism, "
            "and in a forecast --within and --plot."
        )
