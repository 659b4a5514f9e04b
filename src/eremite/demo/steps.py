"""One step of the tour: a question, its answer, and how to read it. The terminal and the report show the same."""

from collections.abc import Mapping
from dataclasses import dataclass

from eremite.forecast import CountForecast
from eremite.release import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """All of it public but `exact`, which may be told only because the table is made up."""

    title: str
    why: str  # what the question is for
    command: tuple[str, ...]  # the same on the command line, in parts that a line may be broken between
    answer: str
    facts: Mapping[str, str]  # what it spent, what is left
    reading: str  # what the answer means, and what it does not
    exact: str = ""
    release: Release | None = None
    forecast: CountForecast | None = None
    within: int | None = None  # the accuracy that a forecast was asked for
