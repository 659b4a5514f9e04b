"""The body with which a custodian sets a cap."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from pydantic import ConfigDict, Field, Strict

from eremite.service.limits import MAX_TEXT_CHARS
from eremite.service.requests import QueryBody

Number = Annotated[int, Strict()] | Annotated[Decimal, Strict()] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """The cap of a dataset or of an account."""

    __pydantic_config__ = ConfigDict(extra="forbid", hide_input_in_errors=True)

    account: Annotated[
        str | None, Field(max_length=MAX_TEXT_CHARS, description="Whose cap it is; null for the dataset as a whole.")
    ] = None
    epsilon: Annotated[Number, Field(description="The cap, taken as written.")]
    delta: Annotated[Number, Field(description="The cap beside epsilon.")] = 0
    reason: Annotated[str, Field(max_length=2_000, description="Why; it is kept in the history.")]


CAP = QueryBody(Cap, spends=False)
