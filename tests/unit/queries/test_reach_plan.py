"""Counts of bounded reach: which reach and which noise they get from public facts, and what is said of it."""

import subprocess
import sys
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from eremite import CountByQuery, CountQuery, InputError, OutlierDefinition, ReportQuery, Session, Table
from eremite.ledger import Cost
from eremite.mechanisms import Bounds, ReachGaussian, ReachLaplace, ReachPair, ReachWithRows
from eremite.outliers import count_outliers
from eremite.queries import reach as reach_module
from eremite.queries.public_noise import public_noise
from eremite.queries.reach import Between, CappedPair, CappedPairAndRows, fineness_for
from eremite.reach import MOST_COLUMNS, MOST_COLUMNS_ABOVE, usual_reach, usual_reach_above
from eremite.release import ByGroup, PublicNoise, Release
from eremite.session.request import Request
from tests.private_side import refused_for_free

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.05)
SLACK = Fraction(1, 32)
RELATIONS = ["replace", "add-remove"]
WIDE = MOST_COLUMNS + 1
FROM_BELOW = MOST_COLUMNS_ABOVE + 1  # columns in which auto draws from below alone
BELOW = {"mechanism": "reach"}


def table(neighbors="replace", rows_per_person=1, columns=2):
    rng = np.random.default_rng(7)
    rows = {f"c{i}": rng.random(300) for i in range(columns)} | {"ward": rng.choice(["A", "B"], 300)}
    return Table.from_frame(
        rows,
        {f"c{i}": (0, 1) for i in range(columns)},
        categories={"ward": ["A", "B", "C"]},
        neighbors=neighbors,
        rows_per_person=rows_per_person,
        rows_about=None if neighbors == "replace" else 1000,
    )


def plan(some=None, *, epsilon=1, **fields):
    return CountQuery(definition=DEFINITION, epsilon=epsilon, **fields).plan(some or table())


def plan_by(some=None, *, epsilon=1, **fields):
    return CountByQuery(definition=DEFINITION, by="ward", epsilon=epsilon, **fields).plan(some or table())


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize(("neighbors", "rows", "more"), [("replace", 300, 1), ("add-remove", 1000, 0)])
def test_reach_is_the_usual_one_of_public_facts_or_the_one_asked_for(neighbors, rows, more, m):
    some = table(neighbors, m)
    usual = usual_reach(rows, 2, DEFINITION, Fraction(1, m), neighbors)
    for reach, asked in ((usual, None), (7, 7)):
        made = plan(some, reach=asked, **BELOW)
        assert (made.mechanism, made.noise.reach, made.query.reach) == ("reach", reach, asked)
        wide = table(neighbors, m, FROM_BELOW)
        assert (plan(some, reach=asked).mechanism, plan(wide, reach=asked).mechanism) == ("reach-pair", "reach")
        assert made.noise.noise == ReachLaplace(Fraction(1), m * (reach + more) + SLACK)
        assert (made.cost, made.privacy.epsilon) == (Cost.pure(Fraction(1)), 1)


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize(("neighbors", "rows", "times"), [("replace", 300, 2), ("add-remove", 1000, 1)])
def test_groups_get_all_of_epsilon_each_on_a_grid_for_all_of_them(neighbors, rows, times, m):
    some = table(neighbors, m, FROM_BELOW)
    usual = usual_reach(rows // 3, FROM_BELOW, DEFINITION, Fraction(1, m * times), "add-remove")
    for reach, asked in ((usual, None), (7, 7)):
        made = plan_by(some, reach=asked)
        assert (made.mechanism, made.noise.reach, made.query.reach) == ("reach", reach, asked)
        assert made.noise.noise == ReachLaplace(Fraction(1), times * m * reach + SLACK, 256)
        assert made.cost == Cost.pure(Fraction(1))


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize(("neighbors", "rows", "times"), [("replace", 300, 2), ("add-remove", 1000, 1)])
def test_groups_get_one_draw_each_for_all_of_epsilon(neighbors, rows, times, m):
    some, each = table(neighbors, m), Fraction(1, m * times)
    usual = usual_reach(rows // 3, 2, DEFINITION, each, "add-remove")
    above = usual_reach_above(rows // 3, 2, each)
    for reach, asked in ((usual, None), (7, 7)):
        made, slack = plan_by(some, reach=asked), 1 + SLACK / (times * m * min(reach, above))
        assert (made.mechanism, made.query.reach) == ("reach-pair", asked)
        sides = (slack * times * m * side for side in (reach, above))
        assert made.noise == CappedPair(reach, above, ReachPair(Fraction(1), *sides, 256))
        assert made.cost == Cost.pure(Fraction(1))


def test_grid_is_fine_enough_for_the_solvers_of_all_groups():
    for groups in (1, 2, 3, 4, 5, 255, 256, 257, 10_000):
        fineness = fineness_for(groups)
        assert fineness % 64 == 0
        assert Fraction(2 * groups, fineness) <= SLACK < Fraction(4 * groups, fineness)


def test_delta_gives_gaussian_noise_only_where_that_is_narrower():
    usual = {"delta": "1e-6", "mechanism": "auto"}
    wide = table(columns=FROM_BELOW)
    for epsilon, name in (("0.000001", "reach-gaussian"), ("1", "reach")):
        made = plan(wide, epsilon=epsilon, **usual)
        assert plan(epsilon=epsilon, **usual).mechanism == ("reach-pair" if name == "reach" else name)
        both = [plan(wide, epsilon=epsilon, delta="1e-6", mechanism=one) for one in ("reach", "reach-gaussian")]
        widths = [one.noise.noise.half_width() for one in both]
        assert made.mechanism == name
        assert made.noise.noise.half_width() == min(widths) < max(widths)
        assert made.privacy.delta == (0 if name == "reach" else Fraction(1, 10**6))


def test_gaussian_noise_is_charged_by_its_own_rho():
    made = plan(table(rows_per_person=2), delta="1e-6", mechanism="reach-gaussian", reach=4)
    noise = made.noise.noise
    assert noise == ReachGaussian(Fraction(1), Fraction(1, 10**6), 10 + SLACK)
    assert made.cost == Cost(epsilon=Fraction(1), delta=Fraction(1, 10**6), rho=noise.rho)
    assert noise.rho < Fraction(1, 2)


BAD = [
    ({"reach": 0}, "reach must be a whole number from 1 to 4,294,967,296."),
    ({"reach": True}, "reach must be a whole number"),
    ({"reach": 2.0}, "reach must be a whole number"),
    ({"reach": 2**32 + 1}, "reach must be a whole number"),
    (
        {"reach": 2, "mechanism": "smooth-laplace"},
        "reach is for the mechanisms auto, reach, reach-gaussian and reach-pair",
    ),
    ({"mechanism": "reach-gaussian"}, "reach-gaussian needs a delta above 0"),
]


@pytest.mark.parametrize(("bad", "sentence"), BAD, ids=str)
def test_reach_that_does_not_fit_is_refused_for_free(bad, sentence):
    asked = {"definition": DEFINITION, "epsilon": 0.5} | bad
    assert sentence in refused_for_free(table(), lambda session: session.count_outliers(**asked))


@pytest.mark.parametrize("asked", [{"mechanism": "reach"}, {"reach": 2}], ids=str)
def test_too_many_columns_for_a_reach_are_refused_for_free_and_left_to_others_by_auto(asked):
    wide = table(columns=WIDE)
    said = refused_for_free(wide, lambda session: session.count_outliers(DEFINITION, epsilon=0.1, **asked))
    assert said.startswith(f"A count of bounded reach takes up to {MOST_COLUMNS} columns, and this one has {WIDE}")
    assert plan(wide, epsilon="0.1").mechanism in ("smooth-laplace", "global-laplace")
    if "reach" in asked:
        with pytest.raises(InputError, match="takes up to"):
            plan_by(wide, **asked)


def test_largest_reach_is_answered():
    made = plan(reach=2**32, **BELOW)
    assert 0 <= made.compute(table()) <= 300
    assert made.noise.at_least(300) == 0
    pair = plan(reach=2**32)
    release = Session(table(), epsilon=2).count_outliers(DEFINITION, epsilon=1, reach=2**32)
    assert (pair.mechanism, release.interval[0]) == ("reach-pair", 0)


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_capped_count_is_asked_for_on_the_grid_of_its_noise(monkeypatch, neighbors):
    seen = []

    def capped(points, definition, reach, starts, fineness, *, about):
        seen.append((len(points), definition, reach, list(starts), fineness, about))
        return 10 * fineness

    monkeypatch.setattr(reach_module, "capped_count", capped)
    monkeypatch.setattr("eremite.mechanisms.reach_laplace.draw_integer", lambda *_: 0)
    some, about = table(neighbors, columns=FROM_BELOW), 300 if neighbors == "replace" else 1000
    told = []
    assert plan(some, reach=2).compute(some, told.append) == 10
    assert (seen, told) == ([(300, DEFINITION, 2, [0, 300], 64, about)], [1])
    assert list(plan_by(some, reach=2).compute(some, told.append).values()) == [10] * 3
    assert {(of_group[2], *of_group[4:]) for of_group in seen[1:]} == {(2, 256, about)}
    assert told == [1, 1, 2, 3]


def test_public_figures_are_those_of_the_noise():
    made = plan(epsilon="0.3", reach=2, **BELOW)
    noise = made.noise.noise
    figures = public_noise(made, 40, table())
    assert figures == PublicNoise(
        reach=2,
        noise_scale=made.noise.scale,
        noise_half_width=noise.half_width(),
        at_least=40 - noise.margin_below(),
        interval=(40 - noise.margin_below(), None),
        confidence=0.95,
    )
    assert public_noise(made, 3, table()).at_least == 0
    often = public_noise(plan(epsilon="0.3", reach=2, confidence="0.999", **BELOW), 400, table())
    assert (often.interval, often.confidence) == ((400 - noise.margin_below(Fraction(999, 1000)), None), 0.999)
    assert often.at_least == 400 - noise.margin_below()
    for epsilon in ("0.3", "0.7", "1/3"):
        made = plan(epsilon=epsilon, reach=3, **BELOW).noise
        assert 0 <= Fraction(made.scale) / made.noise.scale - 1 < Fraction(1, 2**50)


def test_public_figures_of_groups_are_one_of_each_for_each_group():
    wide = table(columns=FROM_BELOW)
    made = plan_by(wide, reach=2)
    margin = made.noise.noise.margin_below()
    figures = public_noise(made, ByGroup.of(made.groups, (0, 50, margin)), wide)
    assert (figures.reach, figures.at_least) == ((2, 2, 2), (0, 50 - margin, 0))
    assert figures.noise_half_width == (made.noise.noise.half_width(),) * 3


def drawn_near(made, count):
    """What a draw without noise gives of a count of which nothing was capped."""
    noise = made.noise.noise
    return Bounds(noise, tuple(floor(count / noise.step(side) + Fraction(1, 2)) for side in (0, 1)))


def test_public_figures_of_groups_from_both_sides_are_one_of_each_for_each_group():
    made, counts = plan_by(reach=2, confidence="0.9"), (0, 50, 7)
    drawn = [drawn_near(made, count) for count in counts]
    figures = public_noise(made, Between.of(ByGroup.of(made.groups, counts), drawn), table())
    assert (figures.reach, figures.reach_above) == ((2,) * 3, (made.noise.above,) * 3)
    assert figures.confidence == (0.9,) * 3
    assert figures.noise_half_width is None
    for count, (low, high), one in zip(counts, figures.interval, drawn, strict=True):
        assert low == max(0, one.between(Fraction(9, 10))[0]) <= count <= high


def test_public_figures_of_a_report_are_those_of_each_set():
    some = table(columns=10)
    names = tuple(f"c{i}" for i in range(10))
    made = ReportQuery(definition=DEFINITION, h=2, max_size=10, epsilon=4).plan(some)
    of_seven, two = made.of_set(names[:7], some), made.of_set(names[:2], some)
    drawn = drawn_near(two, 40)
    value = (names, 30), (names[:7], 35), (names[:2], 40)
    figures = public_noise(made, Between.of(value, [None, None, drawn]), some)
    each = [public_noise(of_seven, 35, some), public_noise(two, Between(40, (drawn,)), some)]
    assert figures == PublicNoise.of_each([PublicNoise(), *each])
    assert figures.at_least == (None, each[0].at_least, each[1].at_least)
    assert figures.reach_above == (None, None, two.noise.above)
    assert public_noise(made, ((names, 30), (names, 40)), some) == PublicNoise()


def test_noise_for_a_bound_has_no_public_figures():
    made = plan(mechanism="smooth-laplace")
    assert public_noise(made, 40, table()) == PublicNoise()


def test_question_is_the_one_asked_and_says_which_reach_was_planned():
    """The usual reach may change with the number of rows; the fingerprint of a question does not."""
    plain, asked = (Request(plan(reach=reach), table()) for reach in (None, 2))
    assert "reach" not in plain.question
    assert plain.question["planned"]["reach"] == plan().noise.reach
    assert asked.question["reach"] == asked.question["planned"]["reach"] == 2
    assert plain.fingerprint != asked.fingerprint
    smooth = Request(plan(mechanism="smooth-laplace"), table())
    assert "reach" not in smooth.question["planned"]


def test_release_carries_the_figures_and_repeats_them():
    session = Session(table(), epsilon=3)
    first = session.count_outliers(DEFINITION, epsilon=1, reach=2, request_id="a")
    assert (first.reach, first.reach_above) == (2, plan(reach=2).noise.above)
    assert first.interval[0] <= first.value
    assert session.count_outliers(DEFINITION, epsilon=1, reach=2, request_id="a") == first
    groups = session.count_outliers_by(DEFINITION, by="ward", epsilon=1, reach=2)
    assert groups.reach == (2, 2, 2)
    assert len(groups.interval) == len(groups.value)
    assert Release.from_json(groups.to_json()) == groups


def test_questions_are_planned_without_the_solver():
    code = "import sys, eremite.queries; sys.exit('highspy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


PAIR = {"mechanism": "reach-pair"}


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize(("neighbors", "rows", "more"), [("replace", 300, 1), ("add-remove", 1000, 0)])
def test_pair_has_one_draw_for_all_of_epsilon(neighbors, rows, more, m):
    some = table(neighbors, m)
    made = plan(some, reach=7, **PAIR)
    above = usual_reach_above(rows, 2, Fraction(1, m))
    assert made.noise == CappedPair(
        7, above, ReachPair(Fraction(1), m * (7 + more) + SLACK, m * (above + more) + SLACK)
    )
    assert (made.mechanism, made.cost, made.privacy.delta) == ("reach-pair", Cost.pure(Fraction(1)), 0)
    assert plan(some, **PAIR).noise.reach == usual_reach(rows, 2, DEFINITION, Fraction(1, m), neighbors)


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_pair_is_released_with_its_interval_and_nothing_else_that_was_drawn(neighbors, monkeypatch):
    some = table(neighbors)
    exact = count_outliers(some.points(["c0", "c1"]), DEFINITION)
    monkeypatch.setattr("eremite.mechanisms.reach_pair.draw_integer", lambda *_: 0)  # no noise
    monkeypatch.setattr("eremite.queries.count.usual_reach_above", lambda *_: 40)  # nobody is capped
    made = plan(some, columns=["c0", "c1"], reach=40, confidence="0.5", **PAIR)
    counted = made.compute(some)
    figures, noise = public_noise(made, counted, some), made.noise.noise
    below, above = (noise.margin(Fraction(1, 2)) * noise.step(side) for side in (0, 1))
    low, high = figures.interval
    assert max(0, floor(exact - below - 2 * noise.off)) <= low <= max(0, ceil(exact - below))
    assert floor(exact + above) <= high <= ceil(exact + above + 2 * noise.off)
    assert counted.value == exact
    assert figures.at_least <= low  # it holds more often
    release = Session(some, epsilon=2).count_outliers(DEFINITION, ["c0", "c1"], epsilon=1, reach=40, **PAIR)
    assert release.interval[0] < low <= exact <= high < release.interval[1]
    assert (release.value, release.confidence) == (exact, 0.95)


def test_ends_of_a_pair_stay_where_counts_are():
    for some, most in ((table(), 300), (table("add-remove"), 10**6 + 100)):
        made = plan(some, **PAIR)
        for drawn, wanted in ((-(10**6), (0, 0)), (10**6, (min(most, 10**6 - 100),) * 2)):
            units = tuple(floor(drawn / made.noise.noise.step(side)) for side in (0, 1))
            figures = public_noise(made, Between(0, (Bounds(made.noise.noise, units),)), some)
            assert all(abs(end - one) <= 200 for end, one in zip(figures.interval, wanted, strict=True))
            assert 0 <= figures.interval[0] <= figures.interval[1] <= most
            assert 0 <= figures.at_least <= most


def test_pair_that_does_not_fit_is_refused_for_free():
    wide = table(columns=7)
    for fields, words in (
        (PAIR | {"columns": [f"c{i}" for i in range(7)]}, "from both sides takes up to 6 columns, and this one has 7"),
        ({"confidence": 0.9, "mechanism": "smooth-laplace"}, "confidence is for counts by reach"),
        ({"confidence": 0.4}, "confidence must be from 0.5 to 0.999"),
        ({"confidence": 1}, "confidence must be from 0.5 to 0.999"),
        ({"confidence": "often"}, "confidence"),
    ):
        asked = CountQuery(definition=DEFINITION, epsilon=1, **fields)
        assert words in refused_for_free(wide, lambda session, asked=asked: session.ask(asked))


def test_confidence_is_part_of_the_question_where_it_is_asked_for():
    prints = {
        Request(plan(**fields), table()).fingerprint
        for fields in ({}, {"confidence": "0.95"}, {"confidence": "0.9"}, {"confidence": 0.9})
    }
    assert len(prints) == 3
    assert "confidence" not in Request(plan(), table()).question


@pytest.mark.parametrize("m", [1, 3])
def test_rows_are_told_by_the_same_draw(m, monkeypatch):
    monkeypatch.setattr("eremite.mechanisms.reach_rows.draw_integer", lambda *_: 0)  # no noise
    some = table("add-remove", m)
    made = plan(some, reach=4, rows=True, confidence="0.9")
    above = usual_reach_above(1000, 2, Fraction(1, m))
    assert made.noise == CappedPairAndRows(ReachWithRows(Fraction(1), 4, above, m))
    assert (made.mechanism, made.cost) == ("reach-pair", Cost.pure(Fraction(1)))
    release = Session(some, epsilon=2).count_outliers(DEFINITION, epsilon=1, reach=4, rows=True, confidence="0.9")
    exact = count_outliers(some.points(["c0", "c1"]), DEFINITION)
    assert release.rows == 300
    assert release.interval[0] <= exact <= release.interval[1]
    assert release.rows_within > 0
    assert Release.from_json(release.to_json()) == release
    plain = Session(some, epsilon=2).count_outliers(DEFINITION, epsilon=1, reach=4)
    assert (plain.rows, plain.rows_within) == (None, None)


def test_rows_that_take_part_are_told():
    """Of rows that a column leaves out, and of strata, in memory."""
    frame = {"a": [0.1, 0.2, None, 0.4] * 30, "b": [0.5] * 120, "ward": ["x", "y", "x", None] * 30}
    some = Table.from_frame(
        frame, {"a": (0, 1), "b": (0, 1)}, categories={"ward": ["x", "y"]},
        missing={"a": "leave-out", "ward": "leave-out"}, neighbors="add-remove", rows_about=100,
    )  # fmt: skip
    for columns, within, rows in (
        (["a", "b"], (), 90),
        (["b"], (), 120),
        (["b"], ("ward",), 90),
        (["a"], ("ward",), 60),
    ):
        asked = OutlierDefinition(min_neighbors=2, radius=0.05, within=within)
        release = Session(some, epsilon=20).count_outliers(asked, columns, epsilon=20, rows=True)
        assert abs(release.rows - rows) <= 2
        assert rows == some.rows_taking_part((*columns, *within))


def test_rows_that_do_not_fit_are_refused_for_free():
    for some, fields, words in (
        (table(), {}, 'rows is for neighbors "add-remove"'),
        (table("add-remove"), {"mechanism": "reach"}, "rows is for counts from both sides, and this one gets reach"),
        (table("add-remove", columns=FROM_BELOW), {}, "rows is for counts from both sides, and this one gets reach"),
    ):
        asked = CountQuery(definition=DEFINITION, epsilon=1, rows=True, **fields)
        assert words in refused_for_free(some, lambda session, asked=asked: session.ask(asked))


def test_rows_are_part_of_the_question_where_they_are_asked_for():
    some = table("add-remove")
    plain, false, true = (Request(plan(some, rows=rows), some) for rows in (None, False, True))
    assert plain.fingerprint == false.fingerprint != true.fingerprint
    assert ("rows" in plain.question, true.question["rows"]) == (False, True)
