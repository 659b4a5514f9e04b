"""Forecasts follow the mechanism on the stand-in, and see nothing of the private rows."""

from fractions import Fraction

import numpy as np
import pytest

import eremite
from eremite import InputError, OutlierDefinition, Privacy, Session, Table
from eremite.forecast import StandIn, epsilon_for_count, forecast_count, made_up
from eremite.queries import CountQuery, EpsilonForCountQuery, ForecastCountQuery
from eremite.queries.public_noise import released_value
from eremite.table import Bounds, Facts
from eremite.table.rules import CellRules

DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.02)
BOUNDS = {"a": Bounds(0, 10), "b": Bounds(-5, 5)}
ROWS = np.random.default_rng(4).normal([5, 0], [1, 0.5], (1_500, 2))


def public_table(rows_per_person=1):
    return Table.from_frame(ROWS, {"a": (0, 10), "b": (-5, 5)}, rows_per_person=rows_per_person)


class Untouchable:
    """Stands for private rows: they are as many as it says, and whoever looks at them fails."""

    shape = (2, 1_500)

    def __getattr__(self, name):
        raise AssertionError("a private row was looked at")

    def __getitem__(self, place):
        raise AssertionError("a private row was looked at")


def private_session(stand_in=None):
    table = Table(CellRules.of(BOUNDS), 1, _scaled=Untouchable())
    return Session(table, epsilon=1, stand_in=stand_in)


@pytest.mark.long
@pytest.mark.parametrize(
    ("mechanism", "m"),
    [
        *((name, m) for name in ("global-laplace", "global-gaussian") for m in (1, 3)),
        ("auto", 1),
        pytest.param("auto", 3, marks=pytest.mark.slow),
        ("smooth-laplace", 1),
        pytest.param("smooth-laplace", 3, marks=pytest.mark.slow),
        *(pytest.param("gaussian", m, marks=pytest.mark.slow) for m in (1, 3)),
    ],
)
def test_error_is_that_of_real_counts_on_the_stand_in(mechanism, m):
    """Half of 400 real releases lie within the median, 95 % within the rest; both tested at 4 standard errors."""
    table = public_table(m)
    forecast = forecast_count(
        StandIn(table, "rows"),
        ForecastCountQuery(definition=DEFINITION, epsilon=["0.5"], delta="1e-5", mechanism=mechanism),
    )
    plan = CountQuery(definition=DEFINITION, epsilon="0.5", delta="1e-5", mechanism=mechanism).plan(table)
    (error,) = forecast.errors
    assert (error.mechanism, error.epsilon, error.delta) == (plan.mechanism, plan.privacy.epsilon, plan.privacy.delta)
    off = np.abs([released_value(plan.compute(table)) - forecast.outliers for _ in range(400)])
    for share, width in ((0.5, error.median), (0.95, error.most)):
        spread = 4 * np.sqrt(share * (1 - share) / 400)
        assert np.mean(off <= width + 0.5) > share - spread
        assert np.mean(off < width - 0.5) < share + spread or width > forecast.outliers  # clamped at 0


@pytest.mark.parametrize("stand_in", [None, public_table()], ids=["made up", "public"])
def test_forecast_spends_nothing_and_looks_at_no_private_row(stand_in):
    session = private_session(stand_in)
    forecast = session.forecast_count(DEFINITION, epsilon=[0.1, 1])
    assert [error.epsilon for error in forecast.errors] == [Fraction(1, 10), 1]
    assert session.epsilon_for_count(DEFINITION, within=100) > 0
    assert len(session.compare_mechanisms(DEFINITION, epsilon=[0.1, 1]).errors) == 8
    assert session.remaining == Privacy(Fraction(1))
    assert forecast.stand_in.startswith("a crowded table of" if stand_in is None else "1,500 public rows")
    with pytest.raises(AssertionError, match="looked at"):
        session.count_outliers(DEFINITION, epsilon=0.1)


def test_more_epsilon_means_less_error():
    errors = private_session().forecast_count(DEFINITION).errors
    assert [error.most for error in errors] == sorted((error.most for error in errors), reverse=True)
    assert all(error.median < error.most for error in errors)


@pytest.mark.parametrize("within", [5, 50, 500])
def test_epsilon_is_the_least_of_two_digits_that_suffices(within):
    rows = StandIn(public_table(), "rows")
    epsilon = epsilon_for_count(rows, EpsilonForCountQuery(definition=DEFINITION, within=within))
    step = Fraction(10) ** (len(str(int(1 / epsilon))) * -1 - 1) if epsilon < 1 else Fraction(1, 10)
    below = epsilon - step
    both = forecast_count(rows, ForecastCountQuery(definition=DEFINITION, epsilon=[epsilon, below]))
    at, before = both.errors
    assert at.most <= within < before.most


def test_accuracy_out_of_reach_is_said():
    with pytest.raises(InputError, match=r"No epsilon up to 20 gives counts within 0\.01"):
        private_session().epsilon_for_count(DEFINITION, within=" \n0.01 ")


def test_accuracy_beyond_all_floats_is_reached():
    assert private_session().epsilon_for_count(DEFINITION, within="1e300/1e-300") <= Fraction(1, 1000)


@pytest.mark.parametrize("shape", ["clusters", "normal", "uniform"])
def test_made_up_rows_are_the_same_every_time_and_within_bounds(shape):
    first, second = (made_up(Facts(CellRules.of(BOUNDS), 2, "replace", 300), shape) for _ in range(2))
    assert (first.table.points() == second.table.points()).all()
    assert first.table.points().shape == (300, 2)
    assert first.table.bounds == BOUNDS
    assert first.table.rows_per_person == 2
    assert 0.1 < np.ptp(first.table.points(), axis=0).min() <= 1


BAD = [
    ({"epsilon": []}, "at least one epsilon"),
    ({"epsilon": [0.1, -1]}, "epsilon must be above 0"),
    ({"columns": ["z"]}, "Column 'z' is not in the table"),
    ({"shape": "round"}, "shape must be one of cautious, clusters, normal, uniform"),
    ({"mechanism": "exact"}, "mechanism must be one of"),
]


@pytest.mark.parametrize(("bad", "sentence"), BAD)
def test_bad_forecast_is_refused(bad, sentence):
    with pytest.raises(InputError, match=sentence):
        private_session().forecast_count(DEFINITION, **bad)


def test_open_reads_the_stand_in_of_the_description(tmp_path):
    for name, rows in (("rows", ROWS), ("public", ROWS[:700])):
        np.savetxt(tmp_path / f"{name}.csv", rows, delimiter=",", header="a,b", comments="")
    (tmp_path / "rows.toml").write_text(
        '[dataset]\nname = "rows"\nsource = "rows.csv"\nstand_in = "public.csv"\n[budget]\nepsilon = 1\n'
        "[columns]\na = { min = 0, max = 10 }\nb = { min = -5, max = 5 }\n"
    )
    session = eremite.open(tmp_path / "rows.toml")
    assert session.forecast_count(DEFINITION, epsilon=1).stand_in == "700 public rows that stand in for the table"
    (tmp_path / "public.csv").unlink()
    with pytest.raises(InputError, match=r"public\.csv"):
        eremite.open(tmp_path / "rows.toml")
