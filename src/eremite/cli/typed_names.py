"""Names of columns, as a person types them in an option."""

import csv

from eremite.errors import InputError


def typed_names(text: str, option: str) -> list[str]:
    """Names between commas, as a line of CSV has them: one that holds a comma stands in quotes."""
    try:
        return next(csv.reader([text], strict=True, skipinitialspace=True))
    except csv.Error:
        raise InputError(
            f"{option} must be names with commas between them; put a name that holds a comma in double quotes."
        ) from None
