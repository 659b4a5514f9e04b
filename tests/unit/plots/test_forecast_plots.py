"""Forecasts over epsilon, and mechanisms beside each other."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Session, Table
from eremite.forecast import CountError, CountForecast, LeftOut, SubspacesChance, SubspacesForecast
from eremite.plots.look import legible
from tests.unit.plots.made import words

DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.05)
FORECAST = CountForecast(
    DEFINITION,
    ("bmi", "glucose"),
    "1,000 made-up rows, anywhere",
    300,
    tuple(
        CountError(Fraction(epsilon), Fraction(0), "smooth-laplace", median, most)
        for epsilon, median, most in (("1/2", 8.0, 40.0), ("1/5", 20.0, 100.0), ("2", 2.0, 10.0))
    ),
)


@pytest.fixture(scope="module")
def session():
    rows = np.random.default_rng(0).normal(0.5, 0.1, (300, 1))
    return Session(Table.from_frame(rows, bounds={"x": (0, 1)}), epsilon=1)


def named_lines(figure):
    """Points of the lines, by the name at the right end."""
    [axes] = figure.axes
    ends = {text.get_text(): text.xy for text in axes.texts}
    return {
        name: line.get_xydata().tolist()
        for line in axes.lines
        for name, end in ends.items()
        if line.get_linestyle() != "None" and tuple(line.get_xydata()[-1]) == tuple(end)
    }


def test_forecast_has_a_line_for_half_and_one_for_most_in_the_order_of_epsilon():
    figure = FORECAST.plot()
    assert named_lines(figure) == {
        "95 % off by less": [[0.2, 100], [0.5, 40], [2, 10]],
        "half off by less": [[0.2, 20], [0.5, 8], [2, 2]],
        "outliers of the stand-in, 300": [[0.2, 300], [2, 300]],
    }
    [axes] = figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.2", "0.5", "2"]
    text = " ".join(words(figure))
    assert "smooth-laplace noise" in text
    assert "1,000 made-up rows, anywhere" in text
    assert "no private row was looked at" in text


def test_forecast_draws_the_wanted_accuracy():
    assert named_lines(FORECAST.plot(within="50"))["wanted, 50"] == [[0.2, 50], [2, 50]]
    assert named_lines(FORECAST.plot(within=10**400))  # larger than any float
    with pytest.raises(InputError, match="within must be above 0"):
        FORECAST.plot(within=0)


def test_forecast_of_one_epsilon_on_rows_without_outliers_is_drawn():
    one = replace(FORECAST, errors=FORECAST.errors[:1], outliers=0)
    [axes] = one.plot().axes
    assert [line.get_xydata().tolist() for line in axes.lines] == [[[0.5, 40]], [[0.5, 8]]] * 2
    assert axes.get_xlim() == (0.25, 1)


def test_comparison_has_every_mechanism_that_answers_and_the_reason_of_those_that_do_not(session):
    compared = session.compare_mechanisms(OutlierDefinition(min_neighbors=3, radius=0.05), epsilon=[0.5, 2], delta=1e-6)
    assert [(error.mechanism, error.epsilon) for error in compared.errors] == [
        ("reach", Fraction(1, 2)),
        ("reach", 2),
        ("reach-pair", Fraction(1, 2)),
        ("reach-pair", 2),
        ("smooth-laplace", Fraction(1, 2)),
        ("smooth-laplace", 2),
        ("global-laplace", Fraction(1, 2)),
        ("global-laplace", 2),
        ("reach-gaussian", Fraction(1, 2)),
        ("reach-gaussian", 2),
        ("gaussian", Fraction(1, 2)),
        ("gaussian", 2),
        ("gaussian-paper", Fraction(1, 2)),
        ("global-gaussian", Fraction(1, 2)),
        ("global-gaussian", 2),
    ]
    [left_out] = compared.left_out
    assert left_out == LeftOut("gaussian-paper", (Fraction(2),), left_out.reason)
    assert "below 1 only" in left_out.reason
    lines = named_lines(compared.plot())
    assert {name: len(points) for name, points in lines.items() if "outliers" not in name} == {
        "reach": 2, "reach-pair": 2, "smooth-laplace": 2, "global-laplace": 2, "reach-gaussian": 2, "gaussian": 2,
        "gaussian-paper": 1, "global-gaussian": 2,
    }  # fmt: skip
    assert session.remaining.epsilon == 1


def test_comparison_agrees_with_the_forecast_of_each(session):
    definition = OutlierDefinition(min_neighbors=3, radius=0.05)
    compared = session.compare_mechanisms(definition, epsilon=0.5)
    for error in compared.errors:
        assert session.forecast_count(definition, epsilon=0.5, mechanism=error.mechanism).errors == (error,)
    assert {one.mechanism for one in compared.left_out} == {
        "reach-gaussian", "gaussian", "gaussian-paper", "global-gaussian",
    }  # fmt: skip
    assert all("needs a delta" in one.reason for one in compared.left_out)


def test_comparison_refuses_what_no_mechanism_takes(session):
    for wrong, sentence in (
        ({"columns": ["y"]}, "'y'"),
        ({"epsilon": 50}, "at most 20"),
        ({"epsilon": []}, "at least one epsilon"),
        ({"shape": "round"}, "shape must be"),
    ):
        with pytest.raises(InputError, match=sentence):
            session.compare_mechanisms(DEFINITION, **wrong)


def searches(h):
    chances = [
        SubspacesChance(Fraction(epsilon), Fraction(0), "centered", "permute-and-flip", found, all_found, 0.5, 3.0, 0.1)
        for epsilon, found, all_found in (("2", 0.99, 0.9), ("1/2", 0.4, 0.01))
    ]
    best = ((("bmi",), 9), (("age",), 8))[:h]
    return SubspacesForecast(
        DEFINITION,
        "all 5 columns",
        h,
        "1,000 made-up rows",
        best,
        runner_up=7,
        chances=tuple(chances),
        sampling_error=0.02,
    )


def test_searches_have_a_line_for_all_sets_and_one_for_the_first_with_bands():
    figure = searches(2).plot(probability=0.8)
    assert named_lines(figure) == {
        "all of them": [[0.5, 0.01], [2, 0.9]],
        "the first of them": [[0.5, 0.4], [2, 0.99]],
        "wanted, 0.8": [[0.5, 0.8], [2, 0.8]],
    }
    bars = [path.vertices.tolist() for path in figure.axes[0].collections[1].get_paths()]
    assert np.allclose(bars, [[[0.5, 0], [0.5, 0.03]], [[2, 0.88], [2, 0.92]]])
    assert figure.axes[0].get_ylim() == (0, 1.02)
    assert figure.get_suptitle() == "How likely a private search names the 2 sets of columns with the most outliers"
    assert "centered, permute-and-flip" in " ".join(words(figure))


def test_search_for_one_set_has_one_line():
    assert named_lines(searches(1).plot()) == {"the right set": [[0.5, 0.01], [2, 0.9]]}
    with pytest.raises(InputError, match="probability must be above 0 and below 1"):
        searches(1).plot(probability=1)


def test_numbers_of_epsilons_do_not_run_into_each_other():
    assert legible([1, 0.2, 0.97, 0.1, 0.101, 0.5]) == [0.1, 0.2, 0.5, 1]
    assert legible([0.5]) == [0.5]
    assert len(legible(np.geomspace(0.1, 10, 200).tolist())) <= 20
    assert legible([1, 2]) == [1, 2]
