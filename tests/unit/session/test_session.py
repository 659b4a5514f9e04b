import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from threading import Barrier

import numpy as np
import pytest

import eremite
from eremite import (
    BudgetRefused,
    CountQuery,
    DetectQuery,
    InputError,
    OutlierDefinition,
    Privacy,
    RadiusQuery,
    ReportQuery,
    ScreenQuery,
    Session,
    SubspacesQuery,
    Table,
)
from eremite.queries.count import CountPlan
from eremite.session.request import Paid
from tests.private_side import PrivateSideError

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
BOUNDS = {"a": (0, 1), "b": (0, 1)}
DESCRIPTION = """
[dataset]
name = "rows"
source = "rows.csv"
[columns]
a = { min = 0, max = 1 }
"""


@pytest.fixture(scope="module")
def table():
    return Table.from_frame(np.random.default_rng(3).random((40, 2)), bounds=BOUNDS)


@pytest.fixture
def session(table):
    return Session(table, epsilon=2, delta="1e-5")


def left(epsilon, delta="5e-6"):
    """After a charge, half of the cap's delta: the other half is kept for composition by zCDP."""
    return Privacy(Fraction(epsilon), Fraction(delta))


def test_count_is_a_release_with_its_public_facts(session):
    release = session.count_outliers(DEFINITION, ["b"], epsilon=0.1)
    assert 0 <= release.value <= 40
    assert (release.query, release.columns, release.definition) == ("count_outliers", ("b",), DEFINITION)
    assert (release.epsilon, release.delta) == (Fraction(1, 10), 0)
    assert (release.mechanism, release.neighbors, release.rows_per_person) == ("reach-pair", "replace", 1)
    assert release.version == eremite.__version__
    assert len(release.request_id) == 32
    assert release.time.tzinfo is UTC
    assert session.remaining == left("1.9")


def test_each_request_has_an_id_of_its_own(session):
    assert len({session.count_outliers(DEFINITION, epsilon=0.1).request_id for _ in range(5)}) == 5


def test_id_comes_from_the_source_that_was_passed(table):
    numbers = iter(range(10))
    session = Session(table, epsilon=2, new_id=lambda: f"id {next(numbers)}")
    assert session.count_outliers(DEFINITION, epsilon=0.1).request_id == "id 0"
    assert session.count_outliers(DEFINITION, epsilon=0.1, request_id="mine").request_id == "mine"
    assert session.count_outliers(DEFINITION, epsilon=0.1).request_id == "id 1"


def test_methods_ask_by_the_record_they_build(session, monkeypatch):
    asked = []
    monkeypatch.setattr(Session, "ask", lambda self, query, **_: asked.append(query))
    session.count_outliers(DEFINITION, ["a"], epsilon=1, delta="1e-6", mechanism="gaussian")
    session.top_subspaces(DEFINITION, h=1, size=2, epsilon=1, utility="paper", selection="exponential")
    session.outlier_report(DEFINITION, h=1, max_size=2, epsilon=1, delta="1e-6")
    session.choose_radius(3, share="0.1", columns=["b"], radii=[0.1], epsilon=1)
    session.open_screen(DEFINITION, most_yes=2, columns=["b"], epsilon=1)
    assert asked == [
        CountQuery(definition=DEFINITION, columns=["a"], epsilon=1, delta="1e-6", mechanism="gaussian"),
        SubspacesQuery(definition=DEFINITION, h=1, size=2, epsilon=1, utility="paper", selection="exponential"),
        ReportQuery(definition=DEFINITION, h=1, max_size=2, epsilon=1, delta="1e-6"),
        RadiusQuery(min_neighbors=3, share="0.1", columns=["b"], radii=[0.1], epsilon=1),
        ScreenQuery(definition=DEFINITION, most_yes=2, columns=["b"], epsilon=1),
    ]
    asked.clear()
    session.detect_outliers(DEFINITION, candidates=None, h=2, columns=["b"], epsilon=1)
    assert (type(asked[0]), asked[0].h, asked[0].columns, asked[0].candidates) == (DetectQuery, 2, ["b"], None)


@pytest.mark.parametrize("tenth", [0.1, "0.1", "1/10", Decimal("0.1"), Fraction(1, 10), np.float64(0.1)])
def test_tenth_is_a_tenth(session, tenth):
    assert session.count_outliers(DEFINITION, epsilon=tenth).epsilon == Fraction(1, 10)
    assert session.remaining == left("1.9")


def test_thousand_counts_of_a_tenth_spend_a_hundred(table, monkeypatch):
    monkeypatch.setattr(CountPlan, "compute", lambda plan, table, progress: 0)
    session = Session(table, epsilon=100)
    for _ in range(1000):
        session.count_outliers(DEFINITION, epsilon=0.1)
    assert session.remaining == Privacy(Fraction(0))
    with pytest.raises(BudgetRefused):
        session.count_outliers(DEFINITION, epsilon="0.000001")


def test_charge_stays_when_the_count_fails(session, monkeypatch):
    def fail(plan, table, progress):
        raise PrivateSideError

    monkeypatch.setattr(CountPlan, "compute", fail)
    with pytest.raises(PrivateSideError):
        session.count_outliers(DEFINITION, epsilon=0.5)
    assert session.remaining == left("1.5")


def test_charge_is_made_before_a_row_is_looked_at(session, monkeypatch):
    found = []

    def look(*_):
        found.append(session.remaining)
        raise PrivateSideError

    monkeypatch.setattr(Table, "points", look)
    monkeypatch.setattr(Table, "part", look)
    monkeypatch.setattr(Table, "column", look)
    with pytest.raises(PrivateSideError):
        session.count_outliers(DEFINITION, epsilon=0.5, delta=1e-6, mechanism="global-gaussian")
    assert found == [left("1.5", "4e-6")]


BAD = [
    {"epsilon": 0},
    {"epsilon": -0.1},
    {"epsilon": "nan"},
    {"epsilon": float("inf")},
    {"epsilon": 21},
    {"epsilon": "much"},
    {"epsilon": True},
    {"epsilon": None},
    {"delta": -1},
    {"delta": 1},
    {"delta": "nan"},
    {"columns": []},
    {"columns": ["a", "a"]},
    {"columns": ["z"]},
    {"columns": "a"},
    {"mechanism": "laplace"},
    {"mechanism": "gaussian"},
    {"mechanism": "gaussian-paper", "epsilon": 1, "delta": 1e-6},
    {"definition": None},
    {"definition": OutlierDefinition(min_neighbors=40, radius=0.1)},
    {"definition": OutlierDefinition(min_neighbors=3, radius=1)},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_input_spends_nothing_and_looks_at_nothing(session, monkeypatch, bad):
    monkeypatch.setattr(CountPlan, "compute", lambda plan, table, progress: pytest.fail("rows were looked at"))
    with pytest.raises(InputError):
        session.count_outliers(**({"definition": DEFINITION, "epsilon": 0.1} | bad))
    monkeypatch.undo()
    assert session.remaining == left("2", "1e-5")
    session.count_outliers(DEFINITION, epsilon=2)
    assert session.remaining == left("0", "0")


@pytest.mark.parametrize(
    ("wanted", "needs"),
    [
        ({"epsilon": "2.000001"}, "has epsilon 2 left; this release needs 2.000001"),
        (
            {"epsilon": 0.5, "delta": 2e-5, "mechanism": "gaussian"},
            "has delta 1e-05 left; this release needs delta 2e-05",
        ),
    ],
)
def test_refusal_spends_nothing_and_smaller_requests_go_on(session, monkeypatch, wanted, needs):
    monkeypatch.setattr(CountPlan, "compute", lambda plan, table, progress: pytest.fail("rows were looked at"))
    sentence = f"Dataset 'table' {needs}. Ask for less, or have the custodian raise the cap."
    with pytest.raises(BudgetRefused, match=sentence) as refused:
        session.count_outliers(DEFINITION, **wanted)
    assert refused.value.needed == Privacy(Fraction(str(wanted["epsilon"])), Fraction(str(wanted.get("delta", 0))))
    assert refused.value.remaining == session.remaining
    monkeypatch.undo()
    assert session.count_outliers(DEFINITION, epsilon=2).epsilon == 2


@pytest.mark.parametrize("mechanism", ["auto", "smooth-laplace", "global-laplace"])
def test_delta_that_is_not_used_is_not_charged(table, mechanism):
    session = Session(table, epsilon=1)
    release = session.count_outliers(DEFINITION, epsilon=0.5, delta=1e-6, mechanism=mechanism)
    assert (release.delta, session.remaining) == (0, Privacy(Fraction(1, 2)))


@pytest.mark.parametrize("mechanism", ["gaussian", "gaussian-paper", "global-gaussian"])
def test_delta_that_is_used_is_charged(session, mechanism):
    release = session.count_outliers(DEFINITION, epsilon=0.5, delta="1e-6", mechanism=mechanism)
    assert (release.mechanism, release.delta) == (mechanism, Fraction(1, 10**6))
    assert session.remaining == left("1.5", "4e-6")


def test_first_release_may_take_all_of_delta(session):
    """Then everything composes by sums."""
    session.count_outliers(DEFINITION, epsilon=0.5, delta="1e-5", mechanism="gaussian")
    assert session.remaining == left("1.5", "0")
    for _ in range(3):
        session.count_outliers(DEFINITION, epsilon=0.5)
    assert session.remaining == left("0", "0")


def test_many_small_releases_compose_by_zcdp(table, monkeypatch):
    """200 of 0.02 are twice epsilon 2 by sums; with a delta they fit."""
    monkeypatch.setattr(CountPlan, "compute", lambda plan, table, progress: 0)
    session = Session(table, epsilon=2, delta="1e-5")
    for _ in range(200):
        session.count_outliers(DEFINITION, epsilon="0.02")
    assert 0 < session.remaining.epsilon < 1
    assert Session(table, epsilon=2).remaining == left("2", "0")


def test_person_with_more_rows_is_charged_whole(monkeypatch):
    plans = []
    monkeypatch.setattr(CountPlan, "compute", lambda plan, table, progress: plans.append(plan) or 7)
    table = Table.from_frame(np.zeros((40, 2)), bounds=BOUNDS, rows_per_person=4)
    session = Session(table, epsilon=1)
    release = session.count_outliers(DEFINITION, epsilon=0.8)
    assert (release.neighbors, release.rows_per_person) == ("replace", 4)
    assert (release.epsilon, session.remaining) == (Fraction(4, 5), Privacy(Fraction(1, 5)))
    assert plans[0].noise.noise.below == 4 * (plans[0].noise.reach + 1) + Fraction(1, 32)


def test_time_is_that_of_the_charge(table, monkeypatch):
    time = [datetime(2026, 1, 1, tzinfo=UTC)]

    def slow(plan, table, progress):
        time[0] += timedelta(hours=1)
        return 7

    session = Session(table, epsilon=2, clock=lambda: time[0])
    monkeypatch.setattr(CountPlan, "compute", slow)
    assert session.count_outliers(DEFINITION, epsilon=0.1).time == datetime(2026, 1, 1, tzinfo=UTC)
    assert session.count_outliers(DEFINITION, epsilon=0.1).time == datetime(2026, 1, 1, 1, tzinfo=UTC)


def test_threads_get_no_more_than_the_budget_admits(table):
    session, barrier = Session(table, epsilon=1), Barrier(50)

    def ask(_):
        barrier.wait()
        try:
            return session.count_outliers(DEFINITION, epsilon=0.1)
        except BudgetRefused:
            return None

    with ThreadPoolExecutor(50) as pool:
        releases = [release for release in pool.map(ask, range(50)) if release is not None]
    assert len(releases) == len({release.request_id for release in releases}) == 10
    assert session.remaining == Privacy(Fraction(0))


def test_repr_shows_public_facts_only(session):
    session.count_outliers(DEFINITION, epsilon="1/3")
    assert repr(session) == (
        "Session(Table(n_rows=40, rows_per_person=1, bounds={'a': (0.0, 1.0), 'b': (0.0, 1.0)}), "
        "remaining: epsilon 5/3, delta 5e-06)"
    )


def test_session_stays_in_its_process(session):
    with pytest.raises(TypeError):
        pickle.dumps(session)


def test_session_needs_a_table_and_a_budget(table):
    with pytest.raises(InputError, match="needs a Table"):
        Session(np.zeros((3, 2)), epsilon=1)
    for budget in ({"epsilon": 0}, {"epsilon": "x"}, {"epsilon": True}, {"epsilon": 1, "delta": 1}):
        with pytest.raises(InputError):
            Session(table, **budget)


def test_open_takes_the_budget_of_the_description(tmp_path):
    (tmp_path / "rows.csv").write_text("a\n" + "0.5\n" * 9)
    (tmp_path / "rows.toml").write_text(DESCRIPTION + "[budget]\nepsilon = 0.3\ndelta = 1e-7")
    assert eremite.open(str(tmp_path / "rows.toml")).remaining == left("0.3", "1e-7")
    (tmp_path / "rows.toml").write_text(DESCRIPTION)
    with pytest.raises(InputError, match="sets no budget"):
        eremite.open(tmp_path / "rows.toml")


@pytest.mark.parametrize("epsilon", [10**400, Fraction(10**5000 + 1, 10**5000)], ids=["large", "long"])
def test_budget_of_any_size_is_refused_or_shown(table, epsilon):
    try:
        session = Session(table, epsilon=epsilon)
    except InputError:
        return
    assert "remaining" in repr(session)


def test_question_can_be_prepared_charged_and_computed_apart(session):
    prepared = session.prepare(CountQuery(definition=DEFINITION, epsilon=1), request_id="r")
    assert session.remaining.epsilon == 2
    paid = session.charge(prepared)
    assert session.remaining == left(1)
    release = session.compute(paid)
    assert session.charge(prepared) == release == session.ask(prepared.request.plan.query, request_id="r")
    assert session.remaining == left(1)


def test_what_was_not_charged_is_not_told_and_what_was_answered_is_not_drawn_again(session):
    prepared = session.prepare(CountQuery(definition=DEFINITION, epsilon=1), request_id="r")
    with pytest.raises(InputError, match="was not charged"):
        session.compute(Paid(prepared, datetime(2026, 1, 1, tzinfo=UTC)))
    paid = session.charge(prepared)
    session.compute(paid)
    with pytest.raises(InputError, match="has its release already"):
        session.compute(paid)
