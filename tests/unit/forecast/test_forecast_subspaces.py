"""Forecasts of searches follow the plan that a release would, on the stand-in, and see nothing of the private rows."""

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kstest

from eremite import InputError, OutlierDefinition, Privacy, Session, Table
from eremite.engines import workers
from eremite.forecast import (
    SEARCH_SHAPES,
    StandIn,
    epsilon_for_subspaces,
    forecast_subspaces,
    made_up_for_search,
    planted,
)
from eremite.forecast import subspaces as forecasting
from eremite.forecast.draws import Field, field_of, noisy_centers
from eremite.mechanisms import SmoothLaplace, entropy
from eremite.outliers import count_outliers
from eremite.queries import EpsilonForSubspacesQuery, ForecastSubspacesQuery, SubspacesQuery
from eremite.queries.subspaces import family_among
from eremite.table import Bounds, Facts
from eremite.table.rules import CellRules

NAMES = ("a", "b", "c", "d")
BOUNDS = dict.fromkeys(NAMES, Bounds(0, 1))


def facts(bounds, rows, rows_per_person=1):
    return Facts(CellRules.of(bounds), rows_per_person, "replace", rows)


DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.03)
ROWS = np.clip(np.random.default_rng(5).normal(0.5, [0.3, 0.2, 0.15, 0.1], (120, 4)), 0, 1)
PAIRS = family_among(NAMES, 2, None, None)
TIMES = 300


def public(rows_per_person=1):
    return StandIn(Table.from_frame(ROWS, dict.fromkeys(NAMES, (0, 1)), rows_per_person=rows_per_person), "rows")


def asked(h=1, delta=0, utility="auto", selection="permute-and-flip", **sets):
    """A search in all pairs of columns, or in other sets."""
    how = {"delta": delta, "utility": utility, "selection": selection}
    return {"definition": DEFINITION, "h": h} | how | (sets or {"size": 2})


def forecast_at(stand_in, search, epsilons, progress=None):
    return forecast_subspaces(stand_in, ForecastSubspacesQuery(**search, epsilon=epsilons), progress)


def epsilon_needed(stand_in, search, probability):
    return epsilon_for_subspaces(stand_in, EpsilonForSubspacesQuery(**search, probability=probability))


def counted():
    return {pair: count_outliers(public().table.points(pair), DEFINITION) for pair in PAIRS}


def right_by_definition(named, h):
    """Of the h named, as many as some choice of h sets with the most outliers has."""
    counts = counted()
    best = sorted(counts.values(), reverse=True)[:h]
    most = [chosen for chosen in combinations(counts, h) if sorted(map(counts.get, chosen), reverse=True) == best]
    return max(len(set(chosen) & set(named)) for chosen in most)


CASES = [
    (1, 1, 0, "auto", "permute-and-flip", "1"),
    (1, 2, 0, "paper", "exponential", "6"),
    (4, 1, "0.01", "paper", "permute-and-flip", "8"),
    pytest.param(2, 3, 0, "compared", "permute-and-flip", "6", marks=pytest.mark.slow),
    pytest.param(2, 3, 0, "centered", "permute-and-flip", "9", marks=pytest.mark.slow),
    pytest.param(1, 1, 0, "dampened", "permute-and-flip", "2", marks=pytest.mark.slow),
    pytest.param(4, 1, "0.01", "centered", "permute-and-flip", "4", marks=pytest.mark.slow),
]


def real_searches(search, stand_in, epsilon):
    """Of real releases: how often the first set is right, how often all are, and the missed outliers of each."""
    counts, plan = counted(), SubspacesQuery(**search, epsilon=epsilon).plan(stand_in.table)
    most = sum(sorted(counts.values())[-search["h"] :])
    drawn = [plan.compute(stand_in.table) for _ in range(TIMES)]
    first = np.mean([counts[named[0]] == max(counts.values()) for named in drawn])
    right = [right_by_definition(named, search["h"]) for named in drawn]
    missed = [most - sum(map(counts.get, named)) for named in drawn]
    return float(first), float(np.mean(np.equal(right, search["h"]))), float(np.mean(right)) / search["h"], missed


def agree(chance, real):
    """Within five standard errors of the real frequencies and of the simulated ones."""
    first, all_right, share, missed = real
    off = 5 * (0.5 / np.sqrt(TIMES) + 0.5 / np.sqrt(forecasting.RUNS))
    allowed = 5 * np.std(missed) / np.sqrt(TIMES) + 3 * chance.missed_error
    near = [abs(chance.found - first) < off, abs(chance.all_found - all_right) < off, abs(chance.share - share) < off]
    return all(near) and abs(chance.missed - np.mean(missed)) < allowed


@pytest.fixture
def _seeded(monkeypatch):
    """The same bits every time; and one thread, since tiny tables are not worth two."""
    monkeypatch.setattr(workers, "available", lambda: 1)
    monkeypatch.setattr(entropy, "system_bits", random.Random(8).getrandbits)  # noqa: S311 -- a test's own


@pytest.mark.long
@pytest.mark.usefixtures("_seeded")
@pytest.mark.parametrize(("h", "m", "delta", "utility", "selection", "epsilon"), CASES)
def test_forecast_agrees_with_real_searches_and_one_for_half_or_twice_epsilon_does_not(
    h, m, delta, utility, selection, epsilon
):
    stand_in, search = public(m), asked(h, delta, utility, selection)
    wrong = [Fraction(epsilon) / 2, 2 * Fraction(epsilon)]
    chance, *others = forecast_at(stand_in, search, [epsilon, *wrong]).chances
    plan, real = (
        SubspacesQuery(**search, epsilon=epsilon).plan(stand_in.table),
        real_searches(search, stand_in, epsilon),
    )
    assert (chance.utility, chance.selection) == (plan.utility, plan.selection)
    assert (chance.epsilon, chance.delta) == (plan.privacy.epsilon, plan.privacy.delta)
    assert agree(chance, real)
    assert not any(agree(other, real) for other in others)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
def test_simulated_centers_have_the_noise_of_the_mechanism(epsilon):
    """Kolmogorov-Smirnov, 20,000 draws, against what a release draws from; a bound of 1,000 makes rounding small."""
    noise, bound = SmoothLaplace(Fraction(epsilon)), Fraction(1000)
    of = Field(10**9, [(0,)], np.array([0]), np.array([1000]), [], [np.array([1000])])
    found = noisy_centers(of, 10**6, noise.epsilon, 20_000, np.random.default_rng(7))
    below = [float(noise.cumulative(int(y), 10**6, bound)) for y in found]
    assert kstest(below, "uniform").pvalue > 1e-6


def test_delta_is_forecast_with_the_draws_it_buys():
    (pure,), (with_delta,) = (forecast_at(public(), asked(4, delta), [4]).chances for delta in (0, "0.01"))
    assert (pure.selection, with_delta.selection) == ("permute-and-flip", "exponential")
    assert (pure.delta, with_delta.delta) == (0, Fraction(1, 100))
    assert with_delta.missed != pure.missed


def test_forecast_names_the_best_of_the_stand_in_and_its_sampling_error():
    forecast = forecast_at(public(), asked(2), [1, 4, 16])
    falling = sorted(counted().items(), key=lambda pair: -pair[1])
    assert forecast.best == tuple(falling[:2])
    assert forecast.runner_up == falling[2][1]
    assert forecast.family == "all 6 sets of 2 columns"
    assert forecast.sampling_error == pytest.approx(1.96 * np.sqrt(0.25 / forecasting.RUNS))
    assert [chance.all_found for chance in forecast.chances] == sorted(chance.all_found for chance in forecast.chances)
    assert forecast == forecast_at(public(), asked(2), [1, 4, 16])


def test_sampling_error_holds_with_other_seeds(monkeypatch):
    """Of 40 seeds, about 95 % lie within it; a half of that width would not do."""
    found, error = [], forecasting._WIDTH / 2 / np.sqrt(forecasting.RUNS)
    for seed in range(40):
        monkeypatch.setattr(forecasting, "SEED", seed)
        found.append(forecast_at(public(), asked(utility="paper"), ["3.5"]).chances[0].found)
    off = np.abs(np.array(found) - np.mean(found))
    assert np.mean(off <= error) >= 0.9
    assert np.mean(off <= error / 2) < 0.9


def test_runs_in_parts_give_as_good_a_forecast(monkeypatch):
    (whole,) = forecast_at(public(), asked(2), [4]).chances
    monkeypatch.setattr(forecasting, "_AT_ONCE", 6 * 700)
    (parts,) = forecast_at(public(), asked(2), [4]).chances
    assert parts.all_found == pytest.approx(whole.all_found, abs=0.06)
    assert parts != whole


def test_ties_count_as_right_only_where_there_is_room():
    named = np.array([[10, 5], [5, 5], [5, 10], [5, 3], [10, 3], [3, 3]])
    assert forecasting.right_ones(named, np.array([10, 5])).tolist() == [2, 1, 2, 1, 1, 0]
    assert forecasting.right_ones(named, np.array([5, 5])).tolist()[1] == 2


def test_naming_every_candidate_is_always_right():
    forecast = forecast_at(public(), asked(6), ["0.1"])
    assert forecast.runner_up is None
    (chance,) = forecast.chances
    assert (chance.all_found, chance.share, chance.missed) == (1, 1, 0)
    assert chance.found < 1


@pytest.mark.parametrize(("h", "probability"), [(1, "0.9"), (2, "1/2")])
def test_epsilon_is_the_least_of_two_digits_that_suffices(h, probability):
    epsilon = epsilon_needed(public(), asked(h), probability)
    step = Fraction(1, 100) if epsilon < 1 else Fraction(1, 10) if epsilon < 10 else Fraction(1)
    before, at = forecast_at(public(), asked(h), [epsilon - step, epsilon]).chances
    assert before.all_found < Fraction(probability) <= at.all_found


def test_probability_out_of_reach_is_said():
    sets = [["a", "c"], ["b", "c"]]  # 94 and 91 outliers
    with pytest.raises(InputError, match=r"No epsilon up to 20 names the right ones with probability 0\.999, as far"):
        epsilon_needed(public(100), asked(1, subspaces=sets), "0.999")


@pytest.mark.parametrize("probability", [0, 1, "1.5", -1])
def test_probability_is_between_0_and_1(probability):
    with pytest.raises(InputError, match="probability must be above 0 and below 1"):
        epsilon_needed(public(), asked(), probability)


def test_look_is_taken_once_for_all_epsilons(monkeypatch):
    looks = []
    monkeypatch.setattr(forecasting, "field_of", lambda *given: looks.append(1) or field_of(*given))
    epsilon_needed(public(), asked(), "0.5")
    assert looks == [1]


def test_progress_is_told_of_every_set():
    told = []
    forecast_at(public(), asked(), [1], told.append)
    assert told == [1, 2, 3, 4, 5, 6]


def test_more_sets_or_rows_than_a_forecast_looks_at_are_refused():
    columns = [f"c{number}" for number in range(30)]
    bounds, family = dict.fromkeys(columns, Bounds(0, 1)), family_among(columns, 4, None, None)
    stand_in = made_up_for_search(family, 1, facts(bounds, 200), "planted")
    with pytest.raises(InputError, match=r"200 rows in 27,405 sets of columns, and stops at 10,000 sets"):
        forecast_at(stand_in, asked(size=4), [1])
    with pytest.raises(InputError, match=r"27,405 sets"):
        epsilon_needed(stand_in, asked(size=4), "0.5")


def test_more_draws_than_a_forecast_simulates_are_refused_before_a_look(monkeypatch):
    """Every draw looks at every set, in each of 2,500 runs, for free."""
    monkeypatch.setattr(forecasting, "field_of", lambda *_: pytest.fail("was looked at"))
    names = [f"x{i}" for i in range(19)]
    wide = Session(Table.from_frame(np.zeros((9, 19)), dict.fromkeys(names, (0, 1))), epsilon=1)
    with pytest.raises(InputError, match="Naming 900 of 3,876 sets of columns takes more than the 1,000,000 looks"):
        wide.forecast_subspaces(DEFINITION, h=900, size=4, epsilon=1, shape="uniform")


class Compared(str):
    """A name that counts how often it is hashed."""

    hashed = 0

    def __hash__(self):
        Compared.hashed += 1
        return str.__hash__(self)


def test_sets_to_plant_in_are_found_with_one_look_at_each_name():
    """Each listed set was compared with all those taken before: for 300,000 pairs that took a minute, for free."""
    names = [Compared(f"x{i:03}") for i in range(200)]
    pairs = [[names[i], names[i + 1]] for i in range(0, 200, 2)] + [[names[0], name] for name in names[2:]]
    family = family_among(names, None, None, pairs)
    Compared.hashed = 0
    assert len(planted._apart(family, 1000)) == 100
    assert Compared.hashed <= 4 * sum(map(len, pairs))


def test_rows_without_a_difference_are_refused():
    same = StandIn(Table.from_frame(np.full((50, 4), 0.5), dict.fromkeys(NAMES, (0, 1))), "rows")
    with pytest.raises(InputError, match="Each of the 6 sets of columns has 0 outliers in the stand-in"):
        forecast_at(same, asked(), [1])


FAMILIES = [
    ({"size": 1}, 1, [("a",)]),
    ({"size": 2}, 1, [("a", "b")]),
    ({"size": 3}, 1, [("a", "b", "c")]),
    ({"max_size": 3}, 1, [("a", "b", "c")]),
    ({"size": 2}, 2, [("a", "b"), ("c", "d")]),
    ({"size": 2}, 3, [("a", "b"), ("c", "d")]),
    ({"subspaces": [("a",), ("b", "d"), ("a", "b")]}, 1, [("b", "d")]),
]


@pytest.mark.parametrize("radius", [0.02, 0.05])
@pytest.mark.parametrize(("sets", "h", "planted"), FAMILIES)
def test_planted_rows_are_outliers_in_the_planted_sets_alone(sets, h, planted, radius):
    family = family_among(NAMES, **{"size": None, "max_size": None, "subspaces": None} | sets)
    stand_in = made_up_for_search(family, h, facts(BOUNDS, 4_000), "planted")
    definition = OutlierDefinition(min_neighbors=5, radius=radius)
    counts = {one: count_outliers(stand_in.table.points(one), definition) for one in family}
    assert all(30 <= counts[one] <= 40 for one in planted)
    assert all(count == 0 for one, count in counts.items() if one not in planted)
    words = "in one set of columns" if len(planted) == 1 else "in each of 2 sets of columns"
    assert stand_in.words == f"4,000 made-up rows, in groups, 40 planted as outliers {words}"


@pytest.mark.parametrize("radius", [0.01, 0.02, 0.05])
@pytest.mark.parametrize(("size", "planted"), [(2, ("a", "b")), (3, ("a", "b", "c"))])
def test_planted_rows_are_outliers_as_the_page_of_forecasts_says(size, planted, radius):
    family = family_among(NAMES, size, None, None)
    table = made_up_for_search(family, 1, facts(BOUNDS, 20_000), "planted").table
    definition = OutlierDefinition(min_neighbors=5, radius=radius)
    counts = {one: count_outliers(table.points(one), definition) for one in family}
    assert 90 <= counts.pop(planted) <= 100
    assert set(counts.values()) == {0}


@pytest.mark.parametrize("shape", [shape for shape in SEARCH_SHAPES if shape != "cautious"])
def test_made_up_rows_are_the_same_every_time_and_within_bounds(shape):
    bounds = {"a": Bounds(0, 10), "b": Bounds(-5, 5), "c": Bounds(1, 2)}
    family = family_among(list(bounds), 2, None, None)
    first, second = (made_up_for_search(family, 1, facts(bounds, 300, 2), shape) for _ in range(2))
    assert (first.table.points() == second.table.points()).all()
    assert first.table.points().shape == (300, 3)
    assert (first.table.bounds, first.table.rows_per_person) == (bounds, 2)


class Untouchable:
    """Stands for private rows: they are as many as it says, and whoever looks at them fails."""

    shape = (4, 1_500)

    def __getattr__(self, name):
        raise AssertionError("a private row was looked at")

    def __getitem__(self, place):
        raise AssertionError("a private row was looked at")


def private_session(stand_in=None):
    return Session(Table(CellRules.of(BOUNDS), 1, _scaled=Untouchable()), epsilon=1, stand_in=stand_in)


@pytest.mark.parametrize("stand_in", [None, public().table], ids=["made up", "public"])
def test_forecast_spends_nothing_and_looks_at_no_private_row(stand_in):
    session = private_session(stand_in)
    forecast = session.forecast_subspaces(DEFINITION, h=1, size=2, epsilon=[0.5, 5])
    assert [chance.epsilon for chance in forecast.chances] == [Fraction(1, 2), 5]
    assert session.epsilon_for_subspaces(DEFINITION, h=1, size=2, probability=0.5) > 0
    assert session.remaining == Privacy(Fraction(1))
    assert forecast.stand_in.startswith(
        "made-up counts: one row in a hundred" if stand_in is None else "120 public rows"
    )
    with pytest.raises(AssertionError, match="looked at"):
        session.top_subspaces(DEFINITION, h=1, size=2, epsilon=0.1)


BAD = [
    ({"epsilon": []}, "at least one epsilon"),
    ({"epsilon": [0.1, -1]}, "epsilon must be above 0"),
    ({"size": None}, "Give one of size, max_size and subspaces"),
    ({"h": 0}, r"How many to name \(h\) must be a whole number from 1 to 6"),
    ({"h": "two"}, r"How many to name \(h\) must be a whole number from 1 to 6"),
    ({"shape": "round"}, "shape must be one of cautious, planted, clusters, normal, uniform"),
    ({"utility": "best"}, "utility must be one of"),
    ({"selection": "best"}, "selection must be one of"),
    ({"delta": 2}, "delta must be at least 0 and below 1"),
]


@pytest.mark.parametrize(("bad", "sentence"), BAD)
def test_bad_forecast_is_refused(bad, sentence):
    with pytest.raises(InputError, match=sentence):
        private_session().forecast_subspaces(DEFINITION, **{"h": 1, "size": 2} | bad)


ALIKE = "stand_in must be a Table with the same columns, bounds, categories, rules, neighbors and rows_per_person"


@pytest.mark.parametrize(
    "other",
    [
        ROWS,
        Table.from_frame(ROWS[:, :2], {"a": (0, 1), "b": (0, 1)}),
        Table.from_frame(ROWS, dict.fromkeys(NAMES, (0, 2))),
        public(3).table,
    ],
    ids=["no table", "columns", "bounds", "rows a person"],
)
def test_stand_in_that_would_be_asked_otherwise_is_refused(other):
    with pytest.raises(InputError, match=ALIKE):
        private_session(other)
