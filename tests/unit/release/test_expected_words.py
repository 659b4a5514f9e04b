"""What an answer says about how far off it may be, and what nobody may miss."""

from dataclasses import replace

import pytest

from eremite.release import Expected
from eremite.release.by_group import ByGroup
from eremite.release.summary import release_card, summary
from eremite.release.words import chance_in_words, error_in_words, warning_in_words
from tests.unit.release.test_release import RELEASE

FROM = "500 made-up rows"


def drawn(value, chance, query="top_subspaces"):
    return replace(RELEASE, query=query, value=value, expected=Expected(chance=chance, chance_from=FROM))


def among(candidates, release):
    return replace(release, parameters=(("candidates", candidates),))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "off by 31 at most: between 0 and 31, so there may be none or that many"),
        (31, "between 0 and 62, so there may be none or that many"),
        (212, "95 % of such counts are off by 31 at most: between 181 and 243"),
    ],
)
def test_count_says_between_which_numbers_it_lies(value, words):
    release = replace(RELEASE, value=value)
    assert error_in_words(release).endswith(words)
    assert summary(release).facts["from"] == FROM
    assert warning_in_words(release) == ""


@pytest.mark.parametrize(
    ("release", "named"),
    [
        (drawn((("bmi",),), 0.49), "the set of columns named is"),
        (drawn((("bmi",), ("bmi", "glucose")), 0.1), "the sets of columns named are"),
        (drawn(((("bmi",), 135), (("glucose",), 7)), 0.1, "outlier_report"), "the sets of columns named are"),
        (among(20, drawn((3,), 0.2, "detect_outliers")), "the candidate named is"),
        (among(20, drawn((3, 1), 0.2, "detect_outliers")), "the candidates named are"),
        (drawn((3, 1), 0.2, "detect_outliers"), "the rows named are"),
        (drawn((("bmi",),), 0.2, "explain_outlier"), "the set of columns named is"),
    ],
)
def test_what_is_more_likely_wrong_than_right_says_so_where_the_answer_is(release, named):
    warning = f"At this epsilon {named} more likely wrong than right"
    assert summary(release).warning.startswith(warning)
    assert warning in release_card(release).title
    assert warning in " ".join(str(release).split())
    assert chance_in_words(release).startswith(named.rsplit(" ", 1)[0])
    likely = replace(release, expected=replace(release.expected, chance=0.5))
    assert summary(likely).warning == ""
    assert "chance of about 50 %" in summary(likely).facts["chance"]


@pytest.mark.parametrize(
    ("chance", "words"), [(0.0, "less than 1 %"), (0.499, "about 49 %"), (0.998, "more than 99 %")]
)
def test_chance_is_never_said_to_be_nothing_or_certain(chance, words):
    assert chance_in_words(drawn((("bmi",),), chance)).endswith(f"with a chance of {words}")


@pytest.mark.parametrize(
    ("query", "value", "none"),
    [
        ("count_outliers_by", ByGroup((("east", 31), ("west", 212))), True),
        ("count_outliers_by", ByGroup((("east", 32), ("west", 212))), False),
        ("outlier_report", ((("bmi",), 135), (("glucose",), 7)), True),
        ("outlier_report", ((("bmi",), 135), (("glucose",), 70)), False),
    ],
)
def test_small_ones_of_several_counts_may_be_none(query, value, none):
    said = error_in_words(replace(RELEASE, query=query, value=value))
    assert said.startswith("95 % of such counts are off by 31 at most")
    assert said.endswith("so where a count is no larger than that there may be none") == none


def test_short_answer_has_its_error():
    said = summary(replace(RELEASE, value=0))
    assert said.short == f"{said.sentence}; {error_in_words(replace(RELEASE, value=0))}"


def test_strange_value_has_no_warning():
    assert summary(drawn(7, 0.1, "explain_outlier")).warning == ""
