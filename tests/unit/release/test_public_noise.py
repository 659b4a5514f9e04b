"""Exact figures of noise with a public scale: in JSON, in words, and never mixed with a forecast."""

import json
from dataclasses import replace

import pytest

from eremite import InputError, Release
from eremite.release import ByGroup, Expected, PublicNoise
from eremite.release.parts import parts
from eremite.release.picture import picture, pictured
from eremite.release.summary import release_card, summary
from tests.unit.release.test_release import RELEASE

NOISE = PublicNoise(reach=3, noise_scale=20.2, noise_half_width=61, at_least=165, interval=(165, None), confidence=0.95)
COUNT = replace(RELEASE, mechanism="reach", noise=NOISE)
BOTH = replace(
    RELEASE,
    mechanism="reach-pair",
    noise=PublicNoise(reach=3, reach_above=8, noise_scale=20.2, at_least=150, interval=(140, 1290), confidence=0.99),
)
BY = replace(
    RELEASE,
    query="count_outliers_by",
    value=ByGroup((("A", 40), ("B", 212))),
    parameters=(("by", ("ward",)),),
    expected=Expected(),
    noise=PublicNoise.of_each([replace(NOISE, at_least=0, interval=(0, None)), NOISE]),
)
REPORT = replace(
    RELEASE,
    query="outlier_report",
    value=((("bmi",), 30), (("bmi", "glucose"), 212)),
    expected=Expected(),
    noise=PublicNoise.of_each([PublicNoise(), NOISE]),
)


SIDES = BOTH.noise
BOTH_BY = replace(
    BY,
    mechanism="reach-pair",
    noise=PublicNoise.of_each([replace(SIDES, interval=(30, 95), at_least=33), replace(SIDES, interval=(160, 300))]),
)
MIXED = replace(REPORT, noise=PublicNoise.of_each([replace(SIDES, interval=(20, 44), at_least=21), NOISE]))
WITH_ROWS = replace(
    BOTH, neighbors="add-remove", noise=replace(SIDES, interval=(140, 290), rows=10_012, rows_within=31)
)


def test_counts_from_both_sides_say_between_which_numbers_each_true_one_lies():
    said = summary(BOTH_BY)
    assert said.facts["true counts"] == "each between the numbers beside it, 99 times in 100, whatever the rows are"
    assert said.heads == ("outliers", "ward", "at least", "at most")
    assert [line[2:] for line in said.lines] == [("30", "95"), ("160", "300")]
    assert said.facts["noise"].startswith("one draw each for a count from below, which one place changes by at most 3")
    assert "crowd" not in said.reading
    assert pictured(BOTH_BY).chart.ends == ((30, 95), (160, 300))
    assert [(line["low"], line["high"]) for line in parts(BOTH_BY)] == [(30, 95), (160, 300)]
    drawn = " ".join(text.get_text() for text in picture(BOTH_BY).texts)
    assert "each between the ends of its line" in " ".join(drawn.split())
    assert summary(BOTH).short.endswith("true count between 140 and 1,290, 99 times in 100, whatever the rows are")


def test_report_may_have_counts_of_either_kind():
    said = summary(MIXED)
    assert said.heads[-2:] == ("at least", "at most")
    assert [line[-2:] for line in said.lines] == [("20", "44"), ("165", "")]
    assert "; elsewhere 95 % of all such answers are within 61 of the capped count" in said.facts["noise"]
    assert pictured(MIXED).chart.ends == ((20, 44), None)
    assert [(line["low"], line["high"]) for line in parts(MIXED)] == [(20, 44), (165, None)]


def test_number_of_rows_is_told_where_it_was_asked_for():
    assert (WITH_ROWS.rows, WITH_ROWS.rows_within, BOTH.rows) == (10_012, 31, None)
    rows = "about 10,012 take part; 99 times in 100, the true number is within 31 of that"
    assert summary(WITH_ROWS).facts["rows"] == rows
    assert "rows" not in summary(BOTH).facts
    assert parts(WITH_ROWS)[0]["rows"] == 10_012
    assert "rows" not in parts(BOTH)[0]


@pytest.mark.parametrize(
    "release", [COUNT, BOTH, BY, REPORT, BOTH_BY, MIXED, WITH_ROWS], ids=lambda release: release.query
)
def test_json_with_figures_goes_both_ways(release):
    assert Release.from_json(release.to_json()) == release
    assert (release.reach, release.noise_scale) == (release.noise.reach, release.noise.noise_scale)
    assert (release.noise_half_width, release.at_least) == (release.noise.noise_half_width, release.noise.at_least)
    assert (release.interval, release.confidence) == (release.noise.interval, release.noise.confidence)


def test_json_has_a_number_or_a_list():
    assert {name: json.loads(COUNT.to_json())[name] for name in NOISE.to_json()} == {
        "reach": 3,
        "noise_scale": 20.2,
        "noise_half_width": 61,
        "at_least": 165,
        "interval": [165, None],
        "confidence": 0.95,
        "reach_above": None,
        "rows": None,
        "rows_within": None,
    }
    assert json.loads(BOTH.to_json())["interval"] == [140, 1290]
    assert json.loads(BY.to_json())["interval"] == [[0, None], [165, None]]
    assert json.loads(BY.to_json())["at_least"] == [0, 165]
    assert json.loads(REPORT.to_json())["noise_half_width"] == [None, 61]


def test_release_of_before_these_figures_has_none():
    fields = json.loads(RELEASE.to_json())
    for name in NOISE.to_json():
        del fields[name]
    assert Release.from_json(json.dumps(fields)) == RELEASE


def test_release_of_before_intervals_has_none():
    fields = json.loads(COUNT.to_json())
    for name in ("reach_above", "interval", "confidence"):
        del fields[name]
    assert Release.from_json(json.dumps(fields)).noise == replace(NOISE, interval=None, confidence=None)


def test_fields_of_a_later_version_are_left_out():
    assert Release.from_json(json.dumps(json.loads(COUNT.to_json()) | {"of_tomorrow": [1]})) == COUNT


@pytest.mark.parametrize(
    ("release", "wrong"),
    [
        *((COUNT, {name: None}) for name in NOISE.to_json() if name not in ("reach_above", "rows", "rows_within")),
        *((BOTH, {name: None}) for name in NOISE.to_json() if name not in ("noise_half_width", "rows", "rows_within")),
        *((BOTH, {"interval": ends}) for ends in ([5], [5, 4], [-1, 4], [1.0, 4], 5, [None, 4], [True, 4])),
        *((BOTH, {name: value}) for name, value in (("interval", [1, None]), ("noise_half_width", 5))),
        (BY, {"reach_above": [8, 8]}),
        *((BOTH, {"confidence": often}) for often in (0.4, 1.0, "0.9", True)),
        *((BOTH, {"reach_above": reach}) for reach in (0, 2.5, True)),
        *((COUNT, {"reach": reach}) for reach in (0, True, "3", 3.5, [3], 2**32 + 1)),
        *((COUNT, {"noise_scale": scale}) for scale in (0, -1.5, True, "20", [20.2])),
        *((COUNT, {"noise_half_width": width}) for width in (0, 61.0, True)),
        *((COUNT, {"at_least": least}) for least in (-1, 213, 5.0, True)),
        (COUNT, {"query": "count_rows", "definition": None}),
        (BY, {"at_least": 3}),
        (BY, {"at_least": [0]}),
        (BY, {"at_least": [0, 165, 7]}),
        (BY, {"at_least": [41, 165]}),
        (BY, {"reach": [3, None]}),
        (BOTH_BY, {"reach_above": [8, None]}),
        (BOTH_BY, {"interval": [[30, 95], [160, None]]}),
        (COUNT, {"rows": 10, "rows_within": 1}),
        (WITH_ROWS, {"rows": None}),
        (WITH_ROWS, {"rows_within": -1}),
        (WITH_ROWS, {"rows": True}),
        (REPORT, {name: [None, None] for name in NOISE.to_json()}),
    ],
    ids=str,
)
def test_figures_that_no_release_has_are_refused(release, wrong):
    with pytest.raises(InputError, match="not the JSON of a release"):
        Release.from_json(json.dumps(json.loads(release.to_json()) | wrong))


def test_count_says_what_is_guaranteed_apart_from_what_is_expected():
    said = summary(COUNT).facts
    assert said["true count"] == "at least 165, 95 times in 100, whatever the rows are"
    assert said["noise"] == (
        "95 % of all such answers are within 61 of the capped count, which one place changes by at most 3; how many "
        "crowded rows were not counted is private: the forecast says what to expect"
    )
    assert said["error"] == "95 % of such counts are off by 31 at most: between 181 and 243"
    assert "crowd" in summary(COUNT).reading
    assert "at least 165" in str(release_card(COUNT))
    assert not {"true count", "noise"} & summary(RELEASE).facts.keys()
    assert "crowd" not in summary(RELEASE).reading


def test_count_from_both_sides_says_between_which_numbers_the_true_count_lies():
    said = summary(BOTH).facts
    assert said["true count"] == "between 140 and 1,290, 99 times in 100, whatever the rows are"
    assert said["noise"] == (
        "one draw for a count from below, which one place changes by at most 3, and for one from above, which it "
        "changes by at most 8"
    )
    assert parts(BOTH) == [{"outliers": 212, "at_least": 150, "low": 140, "high": 1290}]
    texts = " ".join(text.get_text() for text in picture(BOTH).texts)
    assert "between 140 and 1,290" in " ".join(texts.split())
    assert pictured(BOTH).chart.interval == (140, 1290)


def test_confidence_that_was_asked_for_is_the_one_that_is_told():
    often = replace(COUNT, noise=replace(NOISE, interval=(120, None), confidence=0.999))
    assert summary(often).facts["true count"] == "at least 120, 99.9 times in 100, whatever the rows are"
    both = [replace(NOISE, interval=(low, None), confidence=0.5) for low in (30, 190)]
    of_groups = replace(BY, noise=PublicNoise.of_each(both))
    assert [line[-1] for line in summary(of_groups).lines] == ["30", "190"]
    assert summary(of_groups).facts["true counts"].startswith("each at least the number beside it, 50 times in 100")


def test_several_counts_say_it_of_each():
    assert summary(BY).heads == ("outliers", "ward", "at least")
    assert summary(BY).lines == (("about 40", "A", "0"), ("about 212", "B", "165"))
    assert summary(BY).facts["true counts"].startswith("each at least the number beside it, 95 times in 100")
    assert summary(REPORT).lines == (("1.", "about 30", "bmi", ""), ("2.", "about 212", "bmi and glucose", "165"))
    assert summary(REPORT).parts == ("about 30 in bmi", "about 212 in bmi and glucose")


def test_figures_of_several_counts_that_differ_are_told_from_the_least_to_the_largest():
    wide = replace(REPORT, noise=PublicNoise.of_each([replace(NOISE, reach=1, noise_half_width=31, at_least=9), NOISE]))
    assert (
        "within 31 to 61 of the capped count, which one place changes by at most 1 to 3" in summary(wide).facts["noise"]
    )


def test_frames_have_what_each_count_is_at_least():
    assert parts(COUNT) == [{"outliers": 212, "at_least": 165}]
    assert parts(BY) == [{"ward": "A", "outliers": 40, "at_least": 0}, {"ward": "B", "outliers": 212, "at_least": 165}]
    assert parts(REPORT)[0] == {"rank": 1, "columns": ("bmi",), "outliers": 30, "at_least": None}
    assert parts(RELEASE) == [{"outliers": 212}]


def test_picture_of_a_count_says_what_is_guaranteed():
    texts = " ".join(text.get_text() for text in picture(COUNT).texts)
    assert "at least 165" in " ".join(texts.split())
