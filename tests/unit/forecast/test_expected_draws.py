"""Chances promised for draws are those of real draws on the same rows; without rows, they are on the safe side."""

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Session, Table
from eremite.forecast import expected, expected_of, forecast_report, made_up_near, public_rows
from eremite.forecast.cautious import expected_profile
from eremite.forecast.count import expected_error
from eremite.forecast.graded import GRADED, graded_field
from eremite.forecast.points import near_candidates
from eremite.forecast.stand_in import made_up
from eremite.outliers import Subspaces
from eremite.queries import (
    CountQuery,
    DetectQuery,
    ExplainQuery,
    ForecastReportQuery,
    RadiusQuery,
    ReportQuery,
    SubspacesQuery,
)
from eremite.release import Expected
from eremite.sensitivity.relation import Relation

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.05)
RUNS = 400
ROWS = np.random.default_rng(8).normal(0.5, [0.06, 0.1, 0.2], (150, 3)).clip(0, 1)


def table_of(rows: np.ndarray, **more: Any) -> Table:
    return Table.from_frame(rows, bounds=dict.fromkeys("abc"[: rows.shape[1]], (0, 1)), **more)


TABLE = table_of(ROWS)


def near_by_definition(point: np.ndarray, columns: list[int]) -> int:
    distances = np.sqrt(np.mean((ROWS[:, columns] - point[columns]) ** 2, axis=1))
    return int(np.count_nonzero(distances <= DEFINITION.radius))


def close_to(share: float, runs: int, chance: float) -> bool:
    """Within 4 standard errors of real draws, and 4 of simulated ones."""
    return abs(share - chance) <= 4 * (np.sqrt(0.25 / runs) + np.sqrt(0.25 / 2_500))


@pytest.mark.long
@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_chance_of_a_detection_is_that_of_real_detections(neighbors: str) -> None:
    table = table_of(ROWS, neighbors=neighbors, rows_about=150 if neighbors == "add-remove" else None)
    points = np.random.default_rng(2).uniform(0.3, 0.7, (8, 3))
    plan = DetectQuery(definition=DEFINITION, candidates=points, h=2, epsilon="0.8").plan(table)
    near = [near_by_definition(point, [0, 1, 2]) for point in points]
    fewest = sorted(near)[:2]
    right = [sorted(near[i] for i in plan.compute(table)) == fewest for _ in range(RUNS)]
    seen = expected_of(plan, table.facts, table)
    assert 0.1 < seen.chance < 0.9
    assert close_to(np.mean(right), RUNS, seen.chance)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", ["1", "10"])
def test_chance_of_a_draw_among_rows_is_that_of_real_draws(epsilon: str) -> None:
    plan = DetectQuery(definition=DEFINITION, candidates=None, h=2, epsilon=epsilon).plan(TABLE)
    outliers = {i for i in range(150) if near_by_definition(ROWS[i], [0, 1, 2]) - 1 < 3}
    right = [set(plan.compute(TABLE)) <= outliers for _ in range(RUNS)]
    seen = expected_of(plan, TABLE.facts, TABLE)
    assert close_to(np.mean(right), RUNS, seen.chance)


@pytest.mark.long
@pytest.mark.parametrize(("h", "points"), [(1, [0.62, 0.5, 0.9]), (2, [0.62, 0.3, 0.5])])
def test_chance_of_an_explanation_is_that_of_real_explanations(h: int, points: list[float]) -> None:
    plan = ExplainQuery(definition=DEFINITION, point=points, h=h, max_size=2, epsilon="0.6").plan(TABLE)
    place = {"a": 0, "b": 1, "c": 2}
    score = {
        names: plan.score(names, near_by_definition(np.array(points), [place[name] for name in names]))
        for names in plan.family
    }
    best: list[tuple[str, ...]] = []
    while len(best) < h:
        left = [names for names in score if not any(set(one) <= set(names) for one in best)]
        best.append(max(left, key=score.__getitem__))
    wanted = sorted(score[names] for names in best)
    right = [sorted(score[names] for names in plan.compute(TABLE)) == wanted for _ in range(RUNS)]
    seen = expected_of(plan, TABLE.facts, TABLE)
    assert 0.05 < seen.chance < 0.98
    assert close_to(np.mean(right), RUNS, seen.chance)


def test_chances_of_several_points_are_multiplied() -> None:
    point = [0.62, 0.5, 0.9]
    each = [
        expected_of(
            ExplainQuery(definition=DEFINITION, point=points, h=1, max_size=2, epsilon=epsilon).plan(TABLE),
            TABLE.facts,
            stand_in,
        )
        for points, epsilon in ((point, 1), ([point, point, point], 3))
        for stand_in in (None, TABLE)
    ]
    made, seen, made_of_three, seen_of_three = (one.chance for one in each)
    assert made_of_three == pytest.approx(made**3, abs=0.005)
    assert seen_of_three == pytest.approx(seen**3, abs=0.005)


@pytest.mark.parametrize("query", [SubspacesQuery, ReportQuery])
def test_search_that_was_likely_wrong_says_so_and_a_large_table_does_not(query: type) -> None:
    """Two of fifteen pairs, as a new user asked of 7,200 rows."""
    names = "abcdef"
    few = Table.from_frame(np.zeros((7_200, 6)), bounds=dict.fromkeys(names, (0, 1)))
    many = Table.from_frame(np.zeros((2_000_000, 6)), bounds=dict.fromkeys(names, (0, 1)))
    low, high = (
        expected_of(query(definition=DEFINITION, h=2, size=2, epsilon=1).plan(table), table.facts)
        for table in (few, many)
    )
    assert low.chance < 0.1
    assert high.chance > 0.9
    assert low.chance_from == GRADED
    assert low.error is None


def test_report_has_the_error_of_its_counts() -> None:
    """But for counts that have an interval."""
    names = "abcdefg"
    wide = Table.from_frame(np.random.default_rng(2).random((150, 7)), bounds=dict.fromkeys(names, (0, 1)))
    plan = ReportQuery(definition=DEFINITION, h=2, subspaces=[list(names[:2]), list(names)], epsilon=1).plan(wide)
    made = expected_of(plan, wide.facts)
    count = CountQuery(definition=DEFINITION, epsilon=Fraction(1, 4)).plan(wide)
    assert made.error == ceil(expected_error(made_up(wide.facts, "cautious"), count)[1].most)
    few = ReportQuery(definition=DEFINITION, h=2, max_size=2, epsilon=1).plan(TABLE)
    assert expected_of(few, TABLE.facts).error is None


def test_search_of_public_rows_finds_what_stands_out_there() -> None:
    rng = np.random.default_rng(5)
    rows = rng.uniform(0.4, 0.6, (3_000, 3))
    rows[:150, 1] = rng.uniform(0, 1, 150)
    table = table_of(rows)
    plan = SubspacesQuery(definition=DEFINITION, h=1, size=1, epsilon=5).plan(table)
    seen = expected_of(plan, table.facts, table)
    assert seen.chance_from == "3,000 public rows that stand in for the table"
    assert seen.chance > 0.9


def test_more_sets_than_are_simulated_promise_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = SubspacesQuery(definition=DEFINITION, h=1, size=1, epsilon=1).plan(TABLE)
    monkeypatch.setattr(expected, "MOST_SETS", 2)
    assert expected_of(plan, TABLE.facts) == Expected()
    report = expected_of(ReportQuery(definition=DEFINITION, h=1, size=1, epsilon=1).plan(TABLE), TABLE.facts)
    assert report == Expected()


def test_made_up_numbers_near_points_and_near_rows_are_named_as_they_are() -> None:
    """Detection among the rows counts no more than k neighbors, so ten times k would be false there."""
    points, rows = "10 times min_neighbors near all others", "(one row in a hundred, at least one), min_neighbors near"
    session = Session(TABLE, epsilon=1)
    for candidates, words, near in (([[0.5] * 3] * 4, points, [0, 30, 30, 30]), (None, rows, [0] * 2 + [3] * 148)):
        plan = DetectQuery(definition=DEFINITION, candidates=candidates, h=1, epsilon=1).plan(TABLE)
        made = made_up_near(TABLE.facts, among_rows=candidates is None)
        assert near_candidates(made, plan).tolist() == near
        forecast = session.forecast_detect(DEFINITION, candidates=candidates, h=1, epsilon=1)
        for said in (made.words, forecast.stand_in, expected_of(plan, TABLE.facts).chance_from):
            assert said.startswith("made-up numbers: no row near those that should be named")
            assert words in said


def test_nothing_is_expected_of_a_radius() -> None:
    assert expected_of(RadiusQuery(min_neighbors=3, share="0.1", epsilon=1).plan(TABLE), TABLE.facts) == Expected()


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
@pytest.mark.parametrize("k", [1, 5, 60])
def test_expected_profile_grows_up_to_the_cap(k: int, neighbors: str) -> None:
    relation = Relation(neighbors, 10_000)
    profile = expected_profile(k, 2, relation)
    assert profile[-1] == relation.most_moved(2, k) >= profile[0] >= 1
    assert (np.diff(profile) >= 0).all()
    assert (profile >= np.minimum(np.arange(len(profile)) + 1, profile[-1])).all()


def test_graded_counts_fall_from_the_largest_sets_on() -> None:
    of = graded_field(Subspaces.up_to(("a", "b", "c"), 2), DEFINITION, Relation("replace", 60_000))
    assert of.counts.tolist() == [347, 289, 241, 600, 500, 416]  # one column, then two


def test_forecast_of_a_report_on_public_rows_is_its_search_and_its_counts() -> None:
    query = ForecastReportQuery(definition=DEFINITION, h=2, size=1, epsilon=["0.5", "20"])
    forecast = forecast_report(public_rows(TABLE), query)
    low, high = forecast.chances
    assert [columns for columns, _ in forecast.best] == [("c",), ("b",)]
    assert low.all_found <= high.all_found
    counts = [CountQuery(definition=DEFINITION, columns=one, epsilon=5).plan(TABLE) for one in (["c"], ["b"])]
    assert high.most == max(expected_error(public_rows(TABLE), plan)[1].most for plan in counts)


class Untouchable:
    """Stands for private rows: they are as many as it says, and whoever looks at them fails."""

    shape = (3, 150)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("a private row was looked at")

    def __getitem__(self, place: object) -> Any:
        raise AssertionError("a private row was looked at")


@pytest.mark.parametrize("stand_in", [None, TABLE], ids=["made up", "public"])
def test_session_forecasts_every_draw_without_a_private_row(stand_in: Table | None) -> None:
    private = Table(TABLE.rules, 1, _scaled=Untouchable())  # type: ignore[arg-type]
    session = Session(private, epsilon=1, stand_in=stand_in)
    points, point = [[0.5, 0.5, 0.5], [0.9, 0.1, 0.9], [0.6, 0.5, 0.4]], [0.9, 0.5, 0.5]
    report = session.forecast_report(DEFINITION, h=1, size=1, epsilon=[0.01, 20])
    detect = session.forecast_detect(DEFINITION, candidates=points, h=1, epsilon=[0.01, 20])
    explain = session.forecast_explain(DEFINITION, point=point, h=1, max_size=2, epsilon=[0.01, 20])
    for forecast in (report, detect, explain):
        low, high = forecast.chances
        assert (low.epsilon, high.epsilon) == (Fraction(1, 100), 20)
        assert low.all_found <= high.all_found
        assert "<table" in forecast._repr_html_()
    assert 0 < session.epsilon_for_report(DEFINITION, h=1, size=1, probability=0.4) <= 20
    needed = session.epsilon_for_detect(DEFINITION, candidates=points, h=1, probability=0.8)
    assert session.forecast_detect(DEFINITION, candidates=points, h=1, epsilon=needed).chances[0].all_found >= 0.8
    needed = session.epsilon_for_explain(DEFINITION, point=point, h=1, max_size=2, probability=0.8)
    assert needed <= 20
    assert session.remaining.epsilon == 1


def test_forecast_without_an_epsilon_is_refused() -> None:
    session = Session(TABLE, epsilon=1)
    for forecast in (
        lambda: session.forecast_report(DEFINITION, h=1, size=1, epsilon=[]),
        lambda: session.forecast_detect(DEFINITION, candidates=[[0.5] * 3], h=1, epsilon=[]),
        lambda: session.forecast_explain(DEFINITION, point=[0.5] * 3, h=1, max_size=1, epsilon=[]),
    ):
        with pytest.raises(InputError, match="Give at least one epsilon"):
            forecast()
    with pytest.raises(InputError, match="probability must be above 0 and below 1"):
        session.epsilon_for_detect(DEFINITION, candidates=[[0.5] * 3], h=1, probability=1)
