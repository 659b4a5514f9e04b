"""One step of the tour, as the terminal and the report show it."""

from collections.abc import Mapping
from dataclasses import dataclass

from eremite.forecast import CountForecast
from eremite.release import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A question, its answer, and how to read it. All is public except `exact`, shown because the table is made up."""

    title: str
    why: str  # what the question is for
    command: tuple[str, ...]  # the same question on the command line; lines may break between the parts
    answer: str
    facts: Mapping[str, str]  # for example what it spent and what is left
    reading: str  # what the answer means, and what it does not
    exact: str = ""
    release: Release | None = None
    forecast: CountForecast | None = None
    within: int | None = None  # the accuracy that the forecast is about
