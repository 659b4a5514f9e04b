"""How records look in a notebook: escaped, and nothing that their fields do not say."""

from html.parser import HTMLParser

import numpy as np
import pytest

from eremite import OutlierDefinition, Release, Session, Table
from tests.unit.plots.made import COLUMNS, SETS, made, release

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
HOSTILE = "<script>alert(1)</script>"


def texts(html: str) -> str:
    """What a reader sees; tags must be closed in order."""
    seen, opened = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, _):
            assert tag in ("div", "p", "strong", "table", "tr", "th", "td")
            opened.append(tag)

        def handle_endtag(self, tag):
            assert opened.pop() == tag

        def handle_data(self, data):
            seen.append(data)

    Reader().feed(html)
    assert opened == []
    return " | ".join(seen)


@pytest.mark.parametrize("one", made(), ids=lambda one: one.query)
def test_release_shows_its_answer_cost_and_protection(one):
    shown = texts(one._repr_html_())
    assert "epsilon 0.2, pure" in shown
    assert "every row: with any one row replaced" in shown
    assert shown == texts(Release.from_json(one.to_json())._repr_html_())


def test_release_of_each_kind_says_its_value():
    count, sets, report, detection, explanation, radius, rows, screen = (texts(one._repr_html_()) for one in made())
    assert "About 1,212 rows are outliers in bmi and glucose" in count
    assert "all 10 sets of 1 to 2 columns" in sets
    assert "glucose and visits" in sets
    assert "about 900" in report
    assert "20 public points" in detection
    assert "Drawn as the 3 sets of columns in which the point stands most alone" in explanation
    assert "one more column counts as 120 rows, and fewer than 5 rows count alike" in explanation
    assert "Radius 0.02" in radius
    assert "About 20,103 rows are in the table" in rows
    assert "95 % of such answers are off by 15 at most" in rows
    assert "2 of 3 candidates" in screen


@pytest.mark.parametrize(
    "one",
    [
        release("count_outliers", 3, columns=(HOSTILE,), mechanism=HOSTILE, request_id=HOSTILE),
        release("top_subspaces", ((HOSTILE,),), columns=(HOSTILE,), parameters=(("size", 10**9), ("utility", HOSTILE))),
        release("later_query", (HOSTILE,)),
    ],
    ids=lambda one: one.query,
)
def test_names_in_a_release_are_escaped(one):
    assert "<script>" not in one._repr_html_()
    assert HOSTILE in texts(one._repr_html_())


def test_forecasts_show_their_numbers():
    table = Table.from_frame(np.random.default_rng(1).random((200, 3)), dict.fromkeys("abc", (0, 1)))
    session = Session(table, epsilon=1)
    forecast = session.forecast_count(DEFINITION, epsilon=[0.5, 1])
    assert f"{forecast.errors[0].most:,.0f}" in texts(forecast._repr_html_())
    assert "global-laplace" in texts(session.compare_mechanisms(DEFINITION, epsilon=1)._repr_html_())
    assert "all 3 sets of 2 columns" in texts(
        session.forecast_subspaces(DEFINITION, h=1, size=2, epsilon=1)._repr_html_()
    )
    assert "made-up rows" in texts(session.forecast_radius(3, share="0.1")._repr_html_())


def test_table_shows_public_facts_alone():
    bounds = {"a": (0, 1), HOSTILE: (-5, 5)}
    one, other = (Table.from_frame(np.full((40, 2), value), bounds) for value in (0.25, 0.75))
    assert one._repr_html_() == other._repr_html_()
    shown = texts(one._repr_html_())
    assert "Table of 40 rows" in shown
    assert HOSTILE in shown


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("top_subspaces", (1, 2)),
        ("outlier_report", ((("a",), "x"),)),
        ("outlier_report", (("a",),)),
        ("detect_outliers", ("a",)),
        ("explain_outlier", ("a",)),
        ("explain_outlier", ((("a",), "b"),)),
        ("open_screen", ("a",)),
    ],
)
def test_value_of_a_strange_shape_is_shown_as_it_is(query, value):
    shown = texts(Release.from_json(release(query, value).to_json())._repr_html_())
    assert repr(value) in shown


def test_explanation_of_several_points_has_a_line_for_each():
    shown = texts(release("explain_outlier", (SETS[:2], SETS[2:]), columns=COLUMNS)._repr_html_())
    assert "in which each point stands most alone" in shown
    assert "0 | bmi and glucose; visits | 1 | glucose and visits" in shown


def test_one_set_is_called_one():
    assert "Drawn as the set of columns" in texts(release("top_subspaces", (("bmi",),))._repr_html_())
