"""The expected error of a private count with each mechanism, on the same public or made-up rows."""

from collections.abc import Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from fractions import Fraction

from eremite.errors import InputError
from eremite.forecast.count import expected_error, forecast_count, with_progress
from eremite.forecast.records import CountError, LeftOut, MechanismComparison
from eremite.forecast.stand_in import StandIn
from eremite.queries import CompareMechanismsQuery, ForecastCountQuery, Progress
from eremite.queries.choice import NAMES

_MECHANISMS = tuple(name for name in NAMES if name != "auto")


def compare_mechanisms(
    stand_in: StandIn, query: CompareMechanismsQuery, progress: Progress | None = None
) -> MechanismComparison:
    """Forecast with each mechanism; one that does not hold for an epsilon is left out, with the reason.

    Spends nothing; looks at the stand-in alone. Cost: a count with its bound for each pair.
    `progress` is called with the number of pairs forecast so far.
    """
    query = replace(query, columns=stand_in.table.choose(query.columns))
    fields = {field.name: getattr(query, field.name) for field in dataclass_fields(query)}
    whole = forecast_count(stand_in, ForecastCountQuery(**fields))  # refuses what no mechanism takes
    asked = [error.epsilon for error in whole.errors]
    pairs = [(epsilon, name) for name in _MECHANISMS for epsilon in asked]
    outcomes = with_progress((_outcome(stand_in, query, *pair) for pair in pairs), progress)
    return MechanismComparison(
        whole.definition,
        whole.columns,
        whole.stand_in,
        whole.outliers,
        tuple(outcome for outcome in outcomes if isinstance(outcome, CountError)),
        _joined([outcome for outcome in outcomes if isinstance(outcome, LeftOut)]),
    )


def _outcome(
    stand_in: StandIn, query: CompareMechanismsQuery, epsilon: Fraction, mechanism: str
) -> CountError | LeftOut:
    try:
        return expected_error(stand_in, query.at(epsilon, mechanism).plan(stand_in.table))[1]
    except InputError as error:
        return LeftOut(mechanism, (epsilon,), str(error))


def _joined(all_left_out: Sequence[LeftOut]) -> tuple[LeftOut, ...]:
    """Join what is left out for the same mechanism and reason."""
    epsilons: dict[tuple[str, str], tuple[Fraction, ...]] = {}
    for one in all_left_out:
        key = one.mechanism, one.reason
        epsilons[key] = epsilons.get(key, ()) + one.epsilons
    return tuple(LeftOut(name, which, reason) for (name, reason), which in epsilons.items())
