"""Forecasts without public rows: bounded, on the safe side of real-looking tables, and from public facts alone."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from eremite import OutlierDefinition, Table
from eremite.forecast import StandIn, made_up
from eremite.forecast import stand_in as making
from eremite.forecast.capped import off_by, usually_held_back
from eremite.forecast.cautious import ROWS, expected_bound
from eremite.forecast.count import expected_error, expected_in_part, forecast_count
from eremite.forecast.expected import expected_of
from eremite.mechanisms import SmoothLaplace
from eremite.queries import CountByQuery, CountQuery, ForecastCountQuery, RowsQuery, ScreenQuery
from eremite.queries.groups import of_groups
from eremite.release import Expected
from eremite.sensitivity import count_with_bound
from eremite.sensitivity.relation import Relation

DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.02)
WIDENED = "with the radius and with one widened to match"
NAMES = ("a", "b", "c")


def table_of(rows: np.ndarray, **more: object) -> Table:
    return Table.from_frame(rows, bounds=dict.fromkeys(NAMES[: rows.shape[1]], (0, 1)), **more)


def decay(epsilon: str) -> Fraction:
    return SmoothLaplace(Fraction(epsilon)).decay


def curved(n: int) -> np.ndarray:
    """Rows near a bent line, further off the fewer: unlike every shape that is made up."""
    rng = np.random.default_rng(3)
    place = rng.beta(2, 3, n)
    rows = np.stack([place, 0.5 + 0.4 * np.sin(5 * place)], axis=1)
    return np.clip(rows + rng.standard_t(3, (n, 2)) * 0.01, 0, 1)


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "2"])
def test_promise_covers_a_table_unlike_the_made_up_ones_at_every_radius(epsilon: str) -> None:
    definitions = [OutlierDefinition(min_neighbors=5, radius=radius) for radius in (0.002, 0.005, 0.02, 0.1)]
    largest = max(float(count_with_bound(curved(5_000), one, decay(epsilon))[1]) for one in definitions)
    promised = expected_bound(5, 2, decay(epsilon), Relation("replace", 5_000))
    assert largest <= promised < 2 * largest


def test_promise_covers_rows_that_share_places() -> None:
    """Eight rows at a place have seven neighbors there: one row more turns them all."""
    rows = np.repeat(np.random.default_rng(1).uniform(0, 1, (100, 2)), 8, axis=0)
    true = count_with_bound(rows, OutlierDefinition(min_neighbors=8, radius=1e-6), decay("2"))[1]
    assert true == 9
    assert expected_bound(8, 2, decay("2"), Relation("replace", 800)) >= 9


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
@pytest.mark.parametrize(("k", "rows"), [(1, 2), (5, 6), (40, 41), (3_000, 100_000_000)])
def test_promise_is_at_least_one_and_at_most_the_global_bound(neighbors: str, k: int, rows: int) -> None:
    relation = Relation(neighbors, rows)
    bounds = [expected_bound(k, 3, decay(epsilon), relation) for epsilon in ("0.05", "1", "20")]
    assert 1 <= bounds[2] <= bounds[1] <= bounds[0] <= relation.most_moved(3, k)


@pytest.mark.parametrize("k", [24, 36])
def test_one_row_that_stands_for_several_promises_no_less_than_rows_of_their_own(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = expected_bound(k, 2, decay("0.5"), Relation("replace", 10**6))
    monkeypatch.setattr("eremite.forecast.cautious._MOST_NEIGHBORS", k)
    full = expected_bound.__wrapped__(k, 2, decay("0.5"), Relation("replace", 10**6))
    assert 0.8 * full <= short <= 1.5 * full, (short, full)


@pytest.mark.parametrize(("shape", "radius"), [("clusters", 0.01), ("normal", 0.01), ("uniform", 0.006)])
def test_fewer_rows_with_a_wider_radius_have_about_the_same_error(
    shape: str, radius: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = table_of(np.zeros((20_000, 2))).facts
    definition = OutlierDefinition(min_neighbors=5, radius=radius)
    query = ForecastCountQuery(definition=definition, epsilon=["0.2", "1"], mechanism="smooth-laplace")
    monkeypatch.setattr(making, "MOST_MADE_UP", 20_000)
    full = forecast_count(made_up(facts, shape), query)
    monkeypatch.setattr(making, "MOST_MADE_UP", 5_000)
    fewer = forecast_count(made_up(facts, shape), query)
    assert full.stand_in.startswith("20,000 made-up rows, ")
    assert fewer.stand_in.startswith(f"5,000 made-up rows in place of 20,000, {WIDENED}, ")
    for one, other in zip(fewer.errors, full.errors, strict=True):
        assert 0.8 * other.most <= one.most <= 1.5 * other.most, (one, other)


def test_expected_count_is_the_forecast_of_the_same_count() -> None:
    table = table_of(curved(3_000))
    plan = CountQuery(definition=DEFINITION, epsilon=1, mechanism="smooth-laplace").plan(table)
    made = expected_of(plan, table.facts)
    assert made.error == ceil(expected_error(made_up(table.facts, "cautious"), plan)[1].most)
    assert (made.chance, made.error_from) == (None, made_up(table.facts, "cautious").words)
    assert made.error_from.startswith(f"{ROWS} made-up rows of each of three shapes")
    public = table_of(curved(1_000))
    seen = expected_of(plan, table.facts, public)
    assert seen == Expected(
        error=ceil(expected_error(StandIn(Table.for_planning(table.facts), "", public), plan)[1].most),
        error_from="1,000 public rows that stand in for the table",
    )


def test_error_of_global_noise_comes_from_no_rows() -> None:
    table = table_of(curved(1_000))
    plan = CountQuery(definition=DEFINITION, epsilon=1, mechanism="global-laplace").plan(table)
    made, seen = expected_of(plan, table.facts), expected_of(plan, table.facts, table)
    assert made == seen
    assert made.error_from == "epsilon, min_neighbors and the number of columns alone, whatever the rows are"


def test_expected_of_a_large_stand_in_looks_at_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(curved(3_000))
    plan = CountQuery(definition=DEFINITION, epsilon=1, mechanism="reach").plan(table)
    whole = expected_of(plan, table.facts, table)
    monkeypatch.setattr(making, "MOST_LOOKED_AT", 1_000)
    part = expected_of(plan, table.facts, table)
    assert part.error_from == f"1,000 of 3,000 public rows that stand in for the table, {WIDENED}"
    assert 0.8 * whole.error <= part.error <= 2 * whole.error


def test_expected_of_groups_is_the_largest_error_of_any() -> None:
    rows, wards = curved(900), np.repeat(["x", "y", "z"], [600, 250, 50])
    names = "abcdefg"  # so many that counts are drawn from below alone
    frame = {name: rows[:, place % 2] for place, name in enumerate(names)} | {"ward": wards}
    table = Table.from_frame(frame, bounds=dict.fromkeys(names, (0, 1)), categories={"ward": ["x", "y", "z"]})
    plan = CountByQuery(definition=DEFINITION, by="ward", epsilon=1).plan(table)
    by_group = [
        expected_in_part(StandIn(table, ""), part, plan, of_groups(table))[1].most
        for part in table.groups(tuple(names), ("ward",))
    ]
    seen, made = expected_of(plan, table.facts, table), expected_of(plan, table.facts)
    assert seen.error == ceil(max(by_group)) > min(by_group)
    left_out = usually_held_back(7, plan.noise, Relation("add-remove", 300))
    assert made.error == ceil(off_by(plan.noise, left_out, 0.95))
    few = CountByQuery(definition=DEFINITION, by="ward", columns=["a", "b"], epsilon=1).plan(table)
    assert expected_of(few, table.facts) == Expected()  # their intervals hold for every table


def test_expected_number_of_rows_needs_no_rows() -> None:
    table = table_of(curved(50), neighbors="add-remove", rows_about=100)
    plan = RowsQuery(epsilon="0.5").plan(table)
    assert expected_of(plan, table.facts) == Expected(error=6, error_from="epsilon alone, whatever the rows are")


def test_nothing_is_expected_of_a_screening() -> None:
    table = table_of(curved(50))
    plan = ScreenQuery(definition=DEFINITION, most_yes=1, epsilon=1).plan(table)
    assert expected_of(plan, table.facts) == Expected()


def test_hundred_million_rows_are_planned_without_memory() -> None:
    facts = replace(table_of(curved(50)).facts, rows=100_000_000)
    table = Table.for_planning(facts)
    assert (table.n_rows, table.facts) == (100_000_000, facts)
    plan = CountQuery(definition=DEFINITION, epsilon="0.05", mechanism="reach").plan(table)
    expected = expected_of(plan, facts)
    assert 100 < expected.error < 10_000
