"""How records look in a notebook and when printed: escaped, and nothing that their fields do not say."""

import json
import sys
from html.parser import HTMLParser
from math import ceil

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition, Release, Session, Table
from eremite.release import ByGroup
from tests.unit.plots.made import COLUMNS, SETS, made, release

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
HOSTILE = "<script>alert(1)</script>"


def texts(html: str) -> str:
    """What a reader sees; tags must be closed in order."""
    seen, opened = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, _):
            assert tag in ("div", "p", "strong", "table", "tr", "th", "td", "svg", "text", "line", "rect", "circle")
            opened.append(tag)

        def handle_startendtag(self, tag, attributes):
            self.handle_starttag(tag, attributes)
            opened.pop()

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
    assert "<svg" in one._repr_html_()
    assert shown == texts(Release.from_json(one.to_json())._repr_html_())


@pytest.mark.parametrize("one", made(), ids=lambda one: one.query)
def test_printed_release_says_what_a_notebook_does(one):
    printed, shown = " ".join(str(one).split()), texts(one._repr_html_())
    for line in str(one).splitlines():
        assert len(line) <= 88
    for part in shown.partition("spent")[2].split(" | "):
        assert part.replace("\N{NO-BREAK SPACE}", " ") in printed
    assert "Release(" not in printed


def test_release_of_each_kind_says_its_value():
    count, sets, report, detection, explanation, radius, rows, screen = (texts(one._repr_html_()) for one in made())
    assert "About 1,212 rows are outliers in bmi and glucose" in count
    assert "all 10 sets of 1 to 2 columns" in sets
    assert "glucose and visits" in sets
    assert "about 900" in report
    assert "20 public points" in detection
    assert "candidate 17 | position 16, from 0" in detection
    assert "Drawn as the 3 sets of columns in which the point stands most alone, in the order drawn" in explanation
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
    assert f"{ceil(forecast.errors[0].most):,}" in texts(forecast._repr_html_())
    assert "global-laplace" in texts(session.compare_mechanisms(DEFINITION, epsilon=1)._repr_html_())
    assert "all 3 sets of 2 columns" in texts(
        session.forecast_subspaces(DEFINITION, h=1, size=2, epsilon=1)._repr_html_()
    )
    assert "made-up rows" in texts(session.forecast_radius(3, share="0.1")._repr_html_())
    assert forecast.to_dict()["errors"][1]["epsilon"] == 1
    assert forecast.to_frame()["most"].tolist() == [error.most for error in forecast.errors]
    assert "95 % off by at most" in str(forecast)


def test_session_shows_public_facts_alone():
    one, other = (
        Session(Table.from_frame(np.full((40, 2), value), {"a": (0, 1), HOSTILE: (-5, 5)}), epsilon=3, dataset="<b>")
        for value in (0.25, 0.75)
    )
    assert one._repr_html_() == other._repr_html_()
    assert str(one) == str(other)
    shown = texts(one._repr_html_())
    assert "Session with epsilon 3 left for one more release; table of 40 rows" in shown
    assert "Dataset '<b>' has epsilon 3 left of epsilon 3." in shown
    assert HOSTILE in shown
    assert "<script" not in one._repr_html_()


def test_release_as_a_frame_has_a_line_for_each_part():
    count, sets, report, detection, explanation, radius, rows, screen = (one.to_frame() for one in made())
    assert count.to_dict("list") == {"outliers": [1212]}
    assert sets.to_dict("list") == {"rank": [1, 2, 3], "columns": list(SETS)}
    assert report["outliers"].tolist() == [900, 80, 7]
    assert detection.to_dict("list") == {"rank": [1, 2, 3], "position": [16, 3, 8]}
    assert explanation.to_dict("list") == {"point": [0] * 3, "rank": [1, 2, 3], "columns": list(SETS)}
    assert radius.to_dict("list") == {"radius": [0.02]}
    assert rows.to_dict("list") == {"rows": [20_103]}
    assert screen.to_dict("list") == {"position": [10, 11, 12], "outlier": [False, True, True]}
    groups = ByGroup.of([("f", "A"), ("m", "A")], [3, 4])
    frame = release("count_outliers_by", groups, parameters=(("by", ("sex", "ward")),)).to_frame()
    assert frame.to_dict("list") == {"sex": ["f", "m"], "ward": ["A", "A"], "outliers": [3, 4]}


def test_release_as_a_mapping_is_its_json():
    for one in made():
        assert json.dumps(one.to_dict()) == one.to_json()


def test_frame_without_pandas_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"^to_frame needs pandas; pip install pandas, or use to_dict\.$"):
        made()[0].to_frame()


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
    assert "1. | bmi and glucose; visits | 2. | glucose and visits" in shown


def test_one_set_is_called_one():
    assert "Drawn as the set of columns" in texts(release("top_subspaces", (("bmi",),))._repr_html_())
