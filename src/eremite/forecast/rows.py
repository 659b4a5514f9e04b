"""How far off a private number of rows would be. The noise is public, so no stand-in is needed."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from eremite.cards import Card
from eremite.forecast.count import CountError, several
from eremite.forecast.record import ForecastRecord, line_of
from eremite.mechanisms import GlobalLaplace
from eremite.privacy import Privacy, checked_epsilon, shown
from eremite.queries import ForecastRowsQuery
from eremite.queries.count import per_row
from eremite.queries.rows import RowsPlan


@dataclass(frozen=True, slots=True)
class RowsForecast(ForecastRecord):
    """The errors of private numbers of rows, by epsilon. They hold for every table."""

    rows_per_person: int
    errors: tuple[CountError, ...]

    def _card(self) -> Card:
        rows = [(shown(error.epsilon), f"{error.median:,.0f}", f"{error.most:,.0f}") for error in self.errors]
        facts = {
            "computed from": f"epsilon and rows_per_person, {self.rows_per_person:,}; the same for every table",
            "spent": "nothing; no private row was looked at",
        }
        heads = ("epsilon", "half of the answers off by at most", "95 % off by at most")
        return Card("How far off a private number of rows is", facts, heads, rows)

    def _lines(self) -> list[dict[str, Any]]:
        return [line_of(error) for error in self.errors]


def forecast_rows(rows_per_person: int, query: ForecastRowsQuery) -> RowsForecast:
    """For each epsilon, the error of the noise (claim Q2 of `queries/rows.proof.md`). Spends nothing."""
    privacies = [Privacy(checked_epsilon(epsilon)) for epsilon in several(query.epsilon)]
    return RowsForecast(rows_per_person, tuple(_error(privacy, rows_per_person) for privacy in privacies))


def _error(privacy: Privacy, rows_per_person: int) -> CountError:
    noise = GlobalLaplace(per_row(privacy, rows_per_person).epsilon)
    median, most = (float(ceil(noise.half_width(share))) for share in (0.5, 0.95))
    return CountError(privacy.epsilon, Fraction(0), RowsPlan.mechanism, median, most)
