"""How far off a private number of rows would be. The noise is public, so no stand-in is needed."""

from fractions import Fraction
from math import ceil

from eremite.forecast.count import several
from eremite.forecast.records import CountError, RowsForecast
from eremite.mechanisms import GlobalLaplace
from eremite.privacy import Privacy, checked_epsilon
from eremite.queries import ForecastRowsQuery
from eremite.queries.count import per_row
from eremite.queries.rows import RowsPlan


def forecast_rows(rows_per_person: int, query: ForecastRowsQuery) -> RowsForecast:
    """For each epsilon, the error of the noise (claim Q2 of `queries/rows.proof.md`). Spends nothing."""
    privacies = [Privacy(checked_epsilon(epsilon)) for epsilon in several(query.epsilon)]
    return RowsForecast(rows_per_person, tuple(_error(privacy, rows_per_person) for privacy in privacies))


def _error(privacy: Privacy, rows_per_person: int) -> CountError:
    noise = GlobalLaplace(per_row(privacy, rows_per_person).epsilon)
    median, most = (float(ceil(noise.half_width(share))) for share in (0.5, 0.95))
    return CountError(privacy.epsilon, Fraction(0), RowsPlan.mechanism, median, most)
