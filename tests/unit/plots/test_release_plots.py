"""A release's picture shows the value and the guarantee, and nothing that is not in its JSON."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Release, Session, Table
from eremite.forecast import CountError, CountForecast
from eremite.plots import svg
from eremite.release import ByGroup, Expected
from tests.unit.plots.made import COLUMNS, SETS, made, marks, release, words


@pytest.mark.parametrize("one", made(), ids=lambda one: one.query)
def test_picture_of_any_release_is_made_from_its_json_alone(one):
    other = replace(one, epsilon=Fraction(1, 4))
    assert svg(one.plot()) == svg(Release.from_json(one.to_json()).plot())
    assert svg(one.plot()) != svg(other.plot())


@pytest.mark.parametrize("one", made(), ids=lambda one: one.query)
def test_picture_of_any_release_says_what_it_cost_and_whom_it_protects(one):
    one = replace(one, delta=Fraction(1, 10**6), rows_per_person=3)
    [footer] = [text for text in words(one.plot()) if "protects" in text]
    assert "protects every person, with up to 3 rows; epsilon 0.2, delta 1e-06" in " ".join(footer.split())
    assert ("fewer than 5" in footer) == (one.definition is not None)


@pytest.mark.parametrize("one", [one for one in made() if one.definition], ids=lambda one: one.query)
def test_picture_of_any_release_says_on_what_neighbors_agree(one):
    one = replace(one, definition=replace(one.definition, within=("sex", "ward")))
    [footer] = [text for text in words(one.plot()) if "protects" in text]
    assert "that agree with it on sex and ward within" in " ".join(footer.split())


def test_count_is_a_dot_at_its_value():
    figure = release("count_outliers", 1212).plot()
    [axes] = figure.axes
    assert marks(axes) == [[[1212, 0]]]
    assert "1,212" in words(figure)
    assert figure.get_suptitle() == "1,212 outliers (with noise) in bmi and glucose"
    assert axes.get_xlim()[0] <= 0 < 1212 < axes.get_xlim()[1]
    assert any("depends on the rows" in text for text in words(figure))


def forecast(**changes):
    one = release("count_outliers", 0)
    error = replace(CountError(one.epsilon, one.delta, one.mechanism, median=20.0, most=57.0), **changes)
    errors = replace(error, epsilon=Fraction(9), most=1.0), error
    return CountForecast(one.definition, one.columns, "public rows", 7, errors)


def test_count_takes_the_half_width_of_its_own_epsilon_from_a_forecast():
    figure = release("count_outliers", 100).plot(forecast())
    assert marks(figure.axes[0]) == [[[100, 0]], [[43, 0], [157, 0]]]
    assert "forecast: 95 % of such counts are off by 57 at most" in words(figure)
    assert marks(release("count_outliers", 20).plot(forecast()).axes[0])[1] == [[0, 0], [77, 0]]
    assert marks(release("count_outliers", 3).plot(forecast(most=2.0)).axes[0])[1] == [[1, 0], [5, 0]]


@pytest.mark.parametrize(
    "changes", [{"epsilon": Fraction(1, 10)}, {"delta": Fraction(1, 9)}, {"mechanism": "gaussian"}]
)
def test_count_refuses_a_forecast_for_another_noise(changes):
    with pytest.raises(InputError, match=r"forecast has no epsilon 0.2 with smooth-laplace"):
        release("count_outliers", 100).plot(forecast(**changes))


def test_picture_refuses_a_forecast_of_something_else():
    with pytest.raises(InputError, match="other columns"):
        release("count_outliers", 100, columns=("age",)).plot(forecast())
    with pytest.raises(InputError, match="Only the picture of a count"):
        release("top_subspaces", SETS).plot(forecast())


def test_forecast_of_a_session_fits_its_count():
    rows = np.random.default_rng(0).normal(0.5, 0.1, (300, 1))
    session = Session(Table.from_frame(rows, bounds={"x": (0, 1)}), epsilon=2)
    definition = OutlierDefinition(min_neighbors=3, radius=0.05)
    expected = session.forecast_count(definition, epsilon=[0.5, 1], shape="normal")
    count = session.count_outliers(definition, epsilon=1)
    low, high = marks(count.plot(expected).axes[0])[1]
    assert high[0] == pytest.approx(count.value + expected.errors[1].most)
    assert low[0] == pytest.approx(max(count.value - expected.errors[1].most, 0))


def dots(axes):
    """Which columns are dark in each line."""
    names = [label.get_text() for label in axes.get_xticklabels()]
    dark = [line for line in axes.lines if line.get_color() == "#000000"]
    return [(int(line.get_ydata()[0]), [names[int(x)] for x in line.get_xdata()]) for line in dark]


def test_subspaces_are_a_line_of_dots_each_in_the_order_drawn():
    [axes] = release("top_subspaces", SETS, columns=COLUMNS).plot().axes
    assert dots(axes) == [(1, ["bmi", "glucose"]), (2, ["visits"]), (3, ["glucose", "visits"])]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["bmi", "glucose", "visits"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


def test_report_has_a_bar_of_the_noisy_count_beside_each_set():
    matrix, bars = release("outlier_report", tuple(zip(SETS, (900, 80, 0), strict=True)), columns=COLUMNS).plot().axes
    assert dots(matrix) == [(1, ["bmi", "glucose"]), (2, ["visits"]), (3, ["glucose", "visits"])]
    assert [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in bars.containers[0]] == [
        (1, 900), (2, 80), (3, 0),
    ]  # fmt: skip
    assert [text.get_text() for text in bars.texts] == ["900", "80", "0"]


def test_picture_of_what_is_likely_wrong_says_so_in_its_title():
    one = release("outlier_report", ((("bmi",), 900), (("visits",), 80)), columns=COLUMNS)
    expected = Expected(error=100, error_from="made-up rows", chance=0.1, chance_from="made-up counts")
    figure = replace(one, expected=expected).plot()
    assert "more likely wrong than right" in " ".join(figure.get_suptitle().split())
    [footer] = [" ".join(text.split()) for text in words(figure) if "protects" in text]
    assert "95 % of such counts are off by 100 at most, so where a count is no larger" in footer
    assert "all right with a chance of about 10 %" in footer
    likely = replace(one, expected=replace(expected, chance=0.9)).plot()
    assert "wrong" not in likely.get_suptitle()


def test_detection_counts_candidates_from_one():
    figure = release("detect_outliers", (16, 0), parameters=(("candidates", 20),)).plot()
    assert marks(figure.axes[0]) == [[[17, 1], [1, 2]]]
    assert {"17", "1"} <= set(words(figure))
    assert figure.get_suptitle().startswith("Drawn as the 2 of 20 candidates")


def test_explanation_of_several_points_has_the_number_of_each_beside_its_first_set():
    figure = release("explain_outlier", (SETS, SETS[1:2]), columns=COLUMNS).plot()
    [axes] = figure.axes
    assert dots(axes)[2:] == [(3, ["glucose", "visits"]), (4, ["visits"])]
    assert [(at, label.get_text()) for at, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)] == [
        (1, "1"), (4, "2"),
    ]  # fmt: skip
    many = release("explain_outlier", (SETS,) * 100, columns=COLUMNS).plot()
    assert " ".join(many.get_suptitle().split()).endswith("alone; the first 13 of 100 points")


def test_radius_stands_out_of_the_public_list():
    chosen = made()[5].plot()
    listed, drawn = marks(chosen.axes[0])
    assert [x for x, _ in listed] == [0.01, 0.02, 0.04]
    assert drawn == [[0.02, 0]]
    assert chosen.axes[0].get_xscale() == "log"
    assert "a share of 1/3 outliers" in " ".join(chosen.get_suptitle().split())


def test_number_of_rows_has_its_public_error_around_it():
    figure = made()[6].plot()
    assert marks(figure.axes[0]) == [[[20_103, 0]], [[20_088, 0], [20_118, 0]]]
    assert figure.get_suptitle() == "20,103 rows (with noise)"
    assert "95 % of such answers are off by 15 at most" in words(figure)
    part = release("count_rows", 7, definition=None).plot()
    assert part.get_suptitle() == "7 rows (with noise) take part in questions about bmi and glucose"


def test_answers_of_a_screen_go_on_where_the_last_ended():
    no, yes = marks(made()[7].plot().axes[0])
    assert no == [[11, 0]]
    assert yes == [[12, 1], [13, 1]]


STRANGE = [
    release("count_outliers", 10**15, columns=("$\\frac{", "a\nb", "", "x" * 5_000, "<b>&", "-->", "\u65e5\u672c")),
    release("top_subspaces", (("$\\frac{", "x" * 5_000), ("a\nb",)), columns=("$\\frac{",)),
    release("detect_outliers", (10**14, 0), parameters=(("candidates", 10**4_000),)),
    release("choose_radius", 0.02, parameters=(("radii", (1e-140, 1e150)), ("share", "1" * 4_000))),
    release("count_outliers", 1, epsilon=Fraction(10**290 + 1, 10**291), mechanism="\n" * 999),
    release("count_rows", 1, definition=None, epsilon=Fraction(1, 10**290)),
    release("explain_outlier", SETS, columns=COLUMNS * 9, parameters=(("h", 10**14), ("max_size", 36), ("points", 1))),
    release("count_outliers", 1, definition=OutlierDefinition(min_neighbors=2**32, radius=1e-140)),
]


@pytest.mark.parametrize("one", STRANGE, ids=range(len(STRANGE)))
def test_picture_of_a_strange_release_stays_small(one):
    drawn = one.plot()
    assert len(svg(drawn)) < 200_000
    assert max(drawn.get_size_inches()) < 25
    assert max(len(line) for text in words(drawn) for line in text.splitlines()) < 130


REFUSED = [
    release("count_outliers", 10**400),
    release("top_subspaces", ((1, 2), True)),
    release("top_subspaces", ()),
    release("outlier_report", ((("a",), 10**400),)),
    release("outlier_report", ((("a",), True),)),
    release("outlier_report", ()),
    release("detect_outliers", (10**400,)),
    release("detect_outliers", ("a",)),
    release("detect_outliers", ()),
    release("explain_outlier", ()),
    release("explain_outlier", (("a",), ())),
    release("explain_outlier", (("a",), (("b",),))),
    release("choose_radius", 0.02, parameters=(("radii", (0.1, "x")),)),
    release("choose_radius", 0.02, parameters=(("radii", (1e200,)),)),
    release("choose_radius", 0.02),
    release("open_screen", (1, 0)),
    release("open_screen", (True,), parameters=(("asked_before", 10**400),)),
    release("count_rows", -1, definition=None),
    release("count_outliers", 1, definition=None),
    release("later_query", (1,)),
]


@pytest.mark.parametrize("one", REFUSED, ids=range(len(REFUSED)))
def test_picture_of_no_release_of_ours_is_refused_in_a_sentence(one):
    with pytest.raises(InputError, match=r"^[^\n]{20,200}\.$"):
        one.plot()


def test_picture_of_many_sets_shows_the_first_and_says_so():
    figure = release("top_subspaces", tuple(("bmi", "age") for _ in range(50)), columns=COLUMNS).plot()
    assert len(dots(figure.axes[0])) == 40
    assert "the first 40 of 50" in figure.get_suptitle()


def test_picture_of_many_groups_shows_the_first_and_says_so():
    groups = ByGroup.of([(number,) for number in range(70)], range(70))
    figure = release("count_outliers_by", groups, parameters=(("by", ("ward",)),)).plot()
    assert [bar.get_width() for bar in figure.axes[0].patches] == list(range(60))
    assert " ".join(figure.get_suptitle().split()).endswith("by ward; the first 60 of 70")


def test_picture_of_too_many_columns_is_refused():
    with pytest.raises(InputError, match="61 different columns"):
        release("top_subspaces", (tuple(map(str, range(61))),)).plot()
