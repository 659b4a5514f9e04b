"""A screen: what it spends, when it stops, what it refuses."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Privacy, Session, Table
from eremite.queries import ScreenQuery
from eremite.queries.screening import Screening
from tests.private_side import left_when_looking, refused_for_free

DEFINITION = OutlierDefinition(min_neighbors=2, radius=0.1)
LONELY, CROWDED = [90.0, 9.0], [20.0, 2.0]


def table(rows_per_person=1):
    rows = np.array([[20.0, 2.0]] * 200 + [[50.0, 5.0]] * 3)
    return Table.from_frame(rows, {"age": (0, 100), "dose": (0, 10)}, rows_per_person=rows_per_person)


def plan(most_yes=1, epsilon=1, some=None):
    return ScreenQuery(definition=DEFINITION, most_yes=most_yes, epsilon=epsilon).plan(some or table())


def screen(most_yes=1, epsilon=20, session=None):
    return (session or Session(table(), epsilon=20)).open_screen(DEFINITION, most_yes=most_yes, epsilon=epsilon)


@pytest.mark.parametrize("most_yes", [1, 2, 5, 100, 1_000_000])
@pytest.mark.parametrize("m", [1, 4])
def test_threshold_and_answers_spend_epsilon_exactly(most_yes, m):
    made = plan(most_yes, "0.7", table(m))
    assert made.threshold > 0
    assert made.threshold + made.answers == Fraction(7, 10) / m
    assert made.privacy == Privacy(Fraction(7, 10))
    assert made.answers / made.threshold == pytest.approx((2 * most_yes) ** (2 / 3))


@pytest.mark.parametrize("most_yes", [1, 2, 5])
def test_noise_on_an_answer_is_scaled_by_2c(most_yes):
    made = plan(most_yes)
    assert Screening(table(), made)._noise.epsilon * 2 * most_yes == made.answers


@pytest.mark.parametrize("most_yes", [44_700, 10**6, 10**18, 10**400], ids=["44700", "1e6", "1e18", "1e400"])
def test_many_yes_are_granted_or_refused_before_they_are_charged(most_yes):
    """The share of the threshold gets small and never 0."""
    session = Session(table(), epsilon=1)
    try:
        session.open_screen(DEFINITION, most_yes=most_yes, epsilon=1)
    except InputError:
        assert session.remaining == Privacy(Fraction(1))


def test_answers_tell_lonely_from_crowded_where_the_budget_is_large():
    opened = screen(3)
    assert opened.ask([CROWDED, CROWDED, CROWDED]).value == (False, False, False)
    assert opened.ask([CROWDED, LONELY, CROWDED]).value[0] is False


def test_screen_stops_with_its_last_yes():
    """With noise that does not disturb: two yes among many."""
    opened = screen(2)
    quiet(opened)
    assert opened.ask([CROWDED, LONELY, CROWDED]).value == (False, True, False)
    assert opened.yes_left == 1
    assert opened.ask([CROWDED, LONELY, LONELY, CROWDED]).value == (False, True)
    assert opened.yes_left == 0
    with pytest.raises(BudgetRefused, match="all of its 2 yes answers"):
        opened.ask([CROWDED])


class Quiet:
    """Noise of 0."""

    def draw(self, center, bound):
        assert bound == 1
        return center


def quiet(opened):
    opened._screening._noise = Quiet()
    opened._screening._bar = 1 - DEFINITION.min_neighbors


def test_outlier_begins_below_k_rows():
    """As among rows: with k = 2, one row near is an outlier and two are not."""
    rows = np.array([[10.0, 1.0], [60.0, 6.0], [60.0, 6.0], *[[90.0, 9.0]] * 5])
    some = Table.from_frame(rows, {"age": (0, 100), "dose": (0, 10)})
    opened = Session(some, epsilon=1).open_screen(DEFINITION, most_yes=5, epsilon=1)
    quiet(opened)
    assert opened.ask([[30.0, 3.0], [10.0, 1.0], [60.0, 6.0], [90.0, 9.0]]).value == (True, True, False, False)


def test_no_is_free_however_many():
    opened = screen(1)
    quiet(opened)
    assert opened.ask([CROWDED] * 500).value == (False,) * 500
    assert opened.yes_left == 1


def test_screen_is_charged_once_and_its_releases_name_one_request():
    session = Session(table(), epsilon=1)
    opened = screen(3, "0.5", session)
    assert session.remaining == Privacy(Fraction(1, 2))
    quiet(opened)
    first, second = opened.ask([CROWDED, LONELY]), opened.ask([CROWDED])
    assert session.remaining == Privacy(Fraction(1, 2))
    assert (first.request_id, first.time) == (second.request_id, second.time)
    assert dict(first.parameters) == {"most_yes": 3, "asked_before": 0}
    assert dict(second.parameters) == {"most_yes": 3, "asked_before": 2}
    assert (first.epsilon, first.delta, first.mechanism) == (Fraction(1, 2), 0, "sparse vector")


def test_threshold_noise_is_drawn_once():
    opened = screen(5, 1)
    bar = opened._screening._bar
    for _ in range(20):
        if opened.yes_left:
            opened.ask([CROWDED])
    assert opened._screening._bar == bar


BAD = [
    {"most_yes": 0},
    {"most_yes": -1},
    {"most_yes": True},
    {"most_yes": 1.0},
    {"most_yes": None},
    {"columns": ["z"]},
    {"columns": []},
    {"epsilon": 0},
    {"epsilon": 21},
    {"definition": None},
    {"definition": OutlierDefinition(min_neighbors=203, radius=0.1)},
    {"definition": OutlierDefinition(min_neighbors=2, radius=1.0)},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_request_for_a_screen_spends_nothing_and_looks_at_nothing(bad):
    request = {"definition": DEFINITION, "most_yes": 1, "epsilon": 0.5} | bad
    assert refused_for_free(table(), lambda session: session.open_screen(**request))


def test_refused_screen_spends_nothing():
    assert refused_for_free(table(), lambda session: screen(1, 2, session), BudgetRefused)


def test_charge_for_a_screen_is_made_before_a_row_is_looked_at():
    assert left_when_looking(table(), lambda session: screen(1, 0.25, session)) == Privacy(Fraction(3, 4))


@pytest.mark.parametrize("candidates", [[[1.0]], [1.0, 2.0], [[1.0, float("nan")]], [["a", "b"]], [[1.0, 2.0], [1.0]]])
def test_bad_candidates_are_refused_and_the_screen_goes_on(candidates):
    opened = screen(1)
    quiet(opened)
    with pytest.raises(InputError):
        opened.ask(candidates)
    assert opened.ask([CROWDED]).value == (False,)
    assert dict(opened.ask(np.zeros((0, 2))).parameters)["asked_before"] == 1


class Meeting(Quiet):
    """Every answer is yes, and waits until another is drawn too, or long enough to see that none will be."""

    def __init__(self):
        self._barrier = Barrier(2)

    def draw(self, center, bound):
        with suppress(BrokenBarrierError):
            self._barrier.wait(0.3)
        return 0


def test_threads_get_no_more_yes_than_there_are():
    """Two that pass the check of what is left together would give one too many, and below 0 there is no end."""
    opened = screen(1)
    quiet(opened)
    opened._screening._noise = Meeting()

    def ask(_):
        try:
            return opened.ask([LONELY]).value
        except BudgetRefused:
            return ()

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(ask, range(2)))
    assert sum(map(sum, answers)) == 1
    assert opened.yes_left == 0
