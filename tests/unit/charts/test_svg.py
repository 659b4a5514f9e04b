"""Charts as SVG: well formed, within their width, in the page's own colors, and escaped."""

import re
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from eremite import InputError
from eremite.charts import (
    AnswersChart,
    CandidatesChart,
    CountChart,
    ErrorsChart,
    GroupsChart,
    RadiiChart,
    SetsChart,
    SpendingChart,
    svg,
)
from eremite.charts.canvas import WIDTH, fitted, width_of
from eremite.release.summary import release_svg
from tests.unit.plots.made import COLUMNS, SETS, made, release

HOSTILE = '"><script>alert(1)</script>'
CHARTS = [
    CountChart(1212, 57.0, "95 % of such counts are off by 57 at most"),
    CountChart(0, 23.0, "off by 23"),
    CountChart(10**15),
    CountChart(0),
    GroupsChart((HOSTILE, "\u65e5\u672c\u8a9e" * 9, "x" * 5_000, "a\nb", ""), (10**15, 0, 3, 1, 2)),
    GroupsChart(tuple(map(str, range(200))), tuple(range(200))),
    SetsChart((SETS,), COLUMNS),
    SetsChart((SETS,), (*COLUMNS, HOSTILE), (10**15, 80, 0)),
    SetsChart((SETS * 20,), COLUMNS, tuple(range(60))),
    SetsChart((SETS[:2], SETS[1:], SETS[:1]), COLUMNS),
    SetsChart((SETS,) * 100, COLUMNS),
    SetsChart(((tuple(map(str, range(60))),),), tuple(map(str, range(300)))),
    CandidatesChart((16, 3, 8), 20),
    CandidatesChart(tuple(range(100)), 10**15),
    CandidatesChart((0,), None),
    RadiiChart.of(0.02, ("0.01", 0.02, 0.04)),
    RadiiChart.of(1.0, (1.0,)),
    RadiiChart.of(1e-140, (1e-140, 1e150)),
    AnswersChart((True, False) * 17, 10),
    AnswersChart((True,) * 10_000, 0),
    ErrorsChart(("0.1", "1"), (60.0, 6.0), (250.0, 25.0), 20.0),
    ErrorsChart(("0.1",), (0.0,), (0.0,)),
    SpendingChart(("1. count", "2. report"), (1.0, 2.5), 6.8),
    SpendingChart((HOSTILE,), (20.0,)),
]


def elements(text):
    """All elements below the root, by name."""
    root = ElementTree.fromstring(text)  # noqa: S314 -- our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return root, [(node.tag.rpartition("}")[2], node) for node in root.iter() if node is not root]


@pytest.mark.parametrize("chart", CHARTS, ids=range(len(CHARTS)))
def test_svg_is_well_formed_and_loads_nothing(chart):
    text = svg(chart, HOSTILE)
    root, inside = elements(text)
    assert root.attrib["aria-label"] == HOSTILE
    assert {name for name, _ in inside} <= {"text", "line", "rect", "circle"}
    assert "<script" not in text
    assert not re.search(r'href|url\(|<!|<\?| id="', text)
    assert len(text) < 100_000


@pytest.mark.parametrize("chart", CHARTS, ids=range(len(CHARTS)))
def test_svg_stays_within_its_width_and_height(chart):
    root, inside = elements(svg(chart, "title"))
    height = float(root.attrib["viewBox"].split()[3])
    for name, node in inside:
        at = {key: float(value) for key, value in node.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
        left, right, top, bottom = extent(name, node, at)
        assert min(left, top) >= -1
        assert right <= WIDTH + 1
        assert bottom <= height + 1


@pytest.mark.parametrize("chart", [*CHARTS, SetsChart(((("a",), ("b",)),), ("a", "b"))], ids=range(len(CHARTS) + 1))
def test_words_of_a_line_do_not_overlap(chart):
    lines = {}
    for name, node in elements(svg(chart, "title"))[1]:
        if name == "text" and node.text:
            at = {"x": float(node.attrib["x"]), "y": float(node.attrib["y"])}
            lines.setdefault(at["y"], []).append(extent(name, node, at)[:2])
    for words in lines.values():
        for (_, end), (start, _) in pairwise(sorted(words)):
            assert start >= end - 1


def extent(name, node, at):
    if name == "text":
        width = width_of(node.text or "", strong="font-weight" in node.attrib)
        start = at["x"] - {"start": 0, "middle": width / 2, "end": width}[node.attrib["text-anchor"]]
        return start, start + width, at["y"] - 13, at["y"]
    if name == "rect":
        return at["x"], at["x"] + at["width"], at["y"], at["y"] + at["height"]
    if name == "circle":
        return at["cx"] - at["r"], at["cx"] + at["r"], at["cy"] - at["r"], at["cy"] + at["r"]
    return min(at["x1"], at["x2"]), max(at["x1"], at["x2"]), min(at["y1"], at["y2"]), max(at["y1"], at["y2"])


@pytest.mark.parametrize("chart", CHARTS, ids=range(len(CHARTS)))
def test_svg_has_the_colors_of_its_page(chart):
    """Nothing is painted in a fixed color, which a dark page would hide."""
    colors = set(re.findall(r'(?:fill|stroke)(?:=": *|="|: *)([^";]+)', svg(chart, "title")))
    assert colors <= {"currentColor", "none", "var(--eremite-accent, #2b7bba)"}


@pytest.mark.parametrize("one", made(), ids=lambda one: one.query)
def test_every_release_has_a_picture_without_matplotlib(one, monkeypatch):
    expected = release_svg(one)
    assert expected.startswith("<svg ")
    for name in [name for name in sys.modules if name.startswith(("matplotlib", "eremite.plots"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert release_svg(one) == expected


def test_count_is_where_its_number_is():
    _, inside = elements(svg(CountChart(500, 100.0), "title"))
    [dot] = [node.attrib for name, node in inside if name == "circle"]
    [bar] = [node.attrib for name, node in inside if name == "rect"]
    middle = float(bar["x"]) + float(bar["width"]) / 2
    assert float(dot["cx"]) == pytest.approx(middle, abs=0.2)
    assert float(bar["width"]) / float(dot["cx"]) == pytest.approx(200 / 500, abs=0.02)


def test_bars_are_as_long_as_their_counts():
    _, inside = elements(svg(GroupsChart(("a", "b"), (900, 300)), "title"))
    long, short = (float(node.attrib["width"]) for name, node in inside if name == "rect")
    assert long == pytest.approx(3 * short, abs=0.2)
    assert [node.text for name, node in inside if name == "text"] == ["a", "900", "b", "300"]


def test_charges_under_a_cap_follow_each_other():
    _, inside = elements(svg(SpendingChart(("a", "b"), (1.0, 2.0), 4.0), "title"))
    first, second = (node.attrib for name, node in inside if name == "rect")
    assert float(second["x"]) == pytest.approx(float(first["x"]) + float(first["width"]), abs=0.2)


def test_name_that_does_not_fit_is_cut():
    assert fitted("short", 150) == "short"
    cut = fitted("x" * 100, 150)
    assert cut.endswith("\N{HORIZONTAL ELLIPSIS}")
    assert width_of(cut) <= 150


def test_release_of_a_strange_value_has_no_picture():
    assert release_svg(release("later_query", (1,))) == ""
    assert release_svg(release("detect_outliers", ("a",))) == ""
    with pytest.raises(InputError, match="picture of a radius"):
        RadiiChart.of(0.0, (0.1,))  # it has no place on a logarithmic line
    with pytest.raises(InputError, match="61 different columns"):
        SetsChart(((tuple(map(str, range(61))),),), ())
