"""Request ids, fingerprints, and a budget that outlives its session."""

import sqlite3
from contextlib import closing
from fractions import Fraction

import numpy as np
import pytest

import eremite
from eremite import (
    BudgetRefused,
    CountQuery,
    ForecastCountQuery,
    InputError,
    LedgerError,
    OutlierDefinition,
    Privacy,
    Session,
    Table,
)
from eremite.ledger import Account, Ledger, MemoryStore, open_ledger
from eremite.queries.count import CountPlan

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
OTHER = OutlierDefinition(min_neighbors=4, radius=0.1)
BOUNDS = {"a": (0, 1), "b": (0, 1), "c": (0, 1)}
POINTS = [[0.5, 0.5, 0.5], [0.1, 0.2, 0.3], [0.9, 0.1, 0.4]]
ASKED = {
    "count_outliers": {"epsilon": "0.1"},
    "top_subspaces": {"h": 1, "size": 1, "epsilon": "0.1"},
    "outlier_report": {"h": 1, "size": 1, "epsilon": "0.1"},
    "detect_outliers": {"h": 1, "candidates": POINTS, "epsilon": "0.1"},
    "explain_outlier": {"h": 1, "point": POINTS[0], "max_size": 2, "epsilon": "0.1"},
}
CHANGES = {
    "count_outliers": [{"columns": ["a"]}, {"mechanism": "global-laplace"}, {"delta": "1e-7", "mechanism": "gaussian"}],
    "top_subspaces": [
        {"h": 2},
        {"size": 2},
        {"size": None, "subspaces": [["a"], ["b"], ["c"]]},
        {"utility": "dampened"},
        {"selection": "exponential"},
    ],
    "outlier_report": [{"h": 2}, {"size": 2}, {"size": None, "subspaces": [["a"], ["b"], ["c"]]}],
    "detect_outliers": [{"h": 2}, {"candidates": [*POINTS[:2], [0.9, 0.1, 0.5]]}, {"candidates": None}],
    "explain_outlier": [{"h": 2}, {"max_size": 1}, {"point": POINTS[1]}, {"point": POINTS[:1]}, {"point": POINTS}],
}


@pytest.fixture(scope="module")
def table():
    return Table.from_frame(np.random.default_rng(3).random((40, 3)), bounds=BOUNDS)


@pytest.mark.parametrize("query", ASKED)
def test_same_id_gives_the_stored_release_and_never_draws_again(table, monkeypatch, query):
    session = Session(table, epsilon=1)
    first = getattr(session, query)(DEFINITION, **ASKED[query], request_id="one")
    assert first.request_id == "one"
    for name in ("points", "part"):
        monkeypatch.setattr(Table, name, lambda *_: pytest.fail("rows were looked at"))
    assert getattr(session, query)(DEFINITION, **ASKED[query], request_id="one") == first
    assert session.remaining == Privacy(Fraction(9, 10))


@pytest.mark.parametrize("query", ASKED)
def test_same_id_with_another_question_is_refused_and_costs_nothing(table, query):
    session = Session(table, epsilon=1, delta="1e-6")
    ask = getattr(session, query)
    ask(DEFINITION, **ASKED[query], request_id="one")
    left = session.remaining
    for change in [{"definition": OTHER}, {"epsilon": "0.2"}, *CHANGES[query]]:
        with pytest.raises(InputError, match="Request id 'one' was used for another request"):
            ask(**({"definition": DEFINITION} | ASKED[query] | change), request_id="one")
    assert session.remaining == left


def test_same_words_about_other_rules_are_another_question_and_about_other_rows_the_same():
    """Other bounds, more rows a person; fewer rows, of which the stored answer costs nothing."""
    rows = np.random.default_rng(3).random((40, 2))
    ledger, tables = Ledger(MemoryStore()), [
        Table.from_frame(rows, {"a": (0, 1), "b": (0, 1)}),
        Table.from_frame(rows, {"a": (0, 1), "b": (0, 2)}),
        Table.from_frame(rows[:30], {"a": (0, 1), "b": (0, 1)}),
    ]  # fmt: skip
    sessions = [Session(table, epsilon=1, ledger=ledger) for table in tables]
    release = sessions[0].count_outliers(DEFINITION, epsilon="0.1", request_id="one")
    with pytest.raises(InputError, match="another request"):
        sessions[1].count_outliers(DEFINITION, epsilon="0.1", request_id="one")
    left = sessions[2].remaining
    assert sessions[2].count_outliers(DEFINITION, epsilon="0.1", request_id="one") == release
    assert sessions[2].remaining == left
    with pytest.raises(InputError, match="at most 1 rows each, not 4"):
        Session(Table.from_frame(rows, {"a": (0, 1), "b": (0, 1)}, rows_per_person=4), epsilon=1, ledger=ledger)


def test_listed_families_of_as_many_sets_are_told_apart(table):
    session = Session(table, epsilon=1)
    session.top_subspaces(DEFINITION, h=1, subspaces=[["a"], ["b"]], epsilon="0.1", request_id="one")
    with pytest.raises(InputError, match="another request"):
        session.top_subspaces(DEFINITION, h=1, subspaces=[["a"], ["c"]], epsilon="0.1", request_id="one")


def test_answer_lost_in_a_failure_stays_paid_for(table, monkeypatch):
    def fail(plan, table, progress):
        raise MemoryError

    session = Session(table, epsilon=1)
    monkeypatch.setattr(CountPlan, "compute", fail)
    with pytest.raises(MemoryError):
        session.count_outliers(DEFINITION, epsilon="0.1", request_id="one")
    monkeypatch.undo()
    with pytest.raises(BudgetRefused, match="was charged and has no release"):
        session.count_outliers(DEFINITION, epsilon="0.1", request_id="one")
    assert session.remaining == Privacy(Fraction(9, 10))
    session.count_outliers(DEFINITION, epsilon="0.1", request_id="two")


def test_screen_is_opened_once_under_an_id(table):
    session = Session(table, epsilon=1)
    screen = session.open_screen(DEFINITION, most_yes=1, epsilon="0.5", request_id="stream")
    assert screen.ask(POINTS).request_id == "stream"
    with pytest.raises(BudgetRefused, match="ask again under another id"):
        session.open_screen(DEFINITION, most_yes=1, epsilon="0.5", request_id="stream")
    assert session.remaining == Privacy(Fraction(1, 2))


@pytest.mark.parametrize("bad", [5, "", "a\nb", "x" * 201])
def test_strange_id_is_refused_and_costs_nothing(table, bad):
    session = Session(table, epsilon=1)
    with pytest.raises(InputError):
        session.count_outliers(DEFINITION, epsilon="0.1", request_id=bad)
    assert session.remaining == Privacy(Fraction(1))


def test_budget_outlives_the_session(table, tmp_path):
    for left in ("7/10", "4/10", "1/10"):
        session = Session(table, epsilon=1, ledger=tmp_path / "budget.db", dataset="rows")
        session.count_outliers(DEFINITION, epsilon="0.3")
        assert session.remaining == Privacy(Fraction(left))
    with pytest.raises(BudgetRefused, match=r"Dataset 'rows' has epsilon 0\.1 left; this release needs 0\.3"):
        Session(table, epsilon=50, ledger=tmp_path / "budget.db", dataset="rows").count_outliers(
            DEFINITION, epsilon="0.3"
        )
    other = Session(table, epsilon=1, ledger=tmp_path / "budget.db", dataset="other rows")
    assert other.remaining == Privacy(Fraction(1))


def test_account_has_a_cap_of_its_own_within_the_dataset(table):
    ledger = Ledger(MemoryStore())
    alice, bob = (Session(table, epsilon=1, ledger=ledger, account=name, dataset="rows") for name in ("alice", "bob"))
    ledger.set_cap("rows", "alice", Privacy(Fraction(1, 2)), reason="a student")
    with pytest.raises(BudgetRefused, match=r"Account 'alice' has epsilon 0\.5 left; this release needs 0\.6"):
        alice.count_outliers(DEFINITION, epsilon="0.6")
    bob.count_outliers(DEFINITION, epsilon="0.6")
    assert (alice.remaining, bob.remaining) == (Privacy(Fraction(2, 5)), Privacy(Fraction(2, 5)))
    assert "Account 'alice' has epsilon 0.5 left of epsilon 0.5." in alice.remaining_in_words


def test_ledger_keeps_every_release_as_it_was_handed_over(table, tmp_path):
    session = Session(table, epsilon=1, delta="1e-6", ledger=tmp_path / "budget.db", account="alice")
    given = [getattr(session, query)(DEFINITION, **asked) for query, asked in ASKED.items()]
    ledger = open_ledger(tmp_path / "budget.db")
    kept = [entry.event.release for entry in ledger.history() if hasattr(entry.event, "release")]
    assert kept == [release.to_json() for release in given]
    assert ledger.verify().sound
    assert ledger.remaining(Account("table", "alice")).privacy == session.remaining


def test_ledger_of_an_sqlite_table_is_not_the_table(tmp_path):
    with closing(sqlite3.connect(tmp_path / "rows.db")) as rows:
        rows.execute("CREATE TABLE people (a REAL)")
        rows.executemany("INSERT INTO people VALUES (?)", [(0.5,)] * 9)
        rows.commit()
    (tmp_path / "rows.toml").write_text(
        '[dataset]\nname = "rows"\nsource = "sqlite:///rows.db"\nquery = "SELECT a FROM people"\n'
        "[columns]\na = { min = 0, max = 1 }\n[budget]\nepsilon = 1"
    )
    eremite.open(tmp_path / "rows.toml").count_outliers(DEFINITION, epsilon="0.25")
    assert open_ledger(tmp_path / "rows.ledger.db").verify().sound


def test_open_keeps_the_ledger_beside_the_description(tmp_path):
    (tmp_path / "rows.csv").write_text("a\n" + "0.5\n" * 9)
    (tmp_path / "rows.toml").write_text(
        '[dataset]\nname = "rows"\nsource = "rows.csv"\n[columns]\na = { min = 0, max = 1 }\n[budget]\nepsilon = 1'
    )
    for left in ("3/4", "1/2"):
        session = eremite.open(tmp_path / "rows.toml")
        session.count_outliers(DEFINITION, epsilon="0.25")
        assert session.remaining == Privacy(Fraction(left))
    assert (tmp_path / "rows.db").exists()
    with pytest.raises(LedgerError, match=r"new\.db is not there, but its witness"):  # it would be a second budget
        eremite.open(tmp_path / "rows.toml", ledger=tmp_path / "new.db")


LONG = "1" * 299 + ".7/" + "3" * 299 + "1"


@pytest.mark.parametrize("epsilon", [LONG, Fraction(10**300 + 1, 10**301), "1/3"])
def test_answer_for_an_epsilon_of_any_length_is_given_again(table, epsilon):
    """A release was once written with more digits than were read back: paid for, and never to be seen again."""
    session = Session(table, epsilon=1)
    first = session.count_outliers(DEFINITION, epsilon=epsilon, request_id="one")
    assert session.count_outliers(DEFINITION, epsilon=epsilon, request_id="one") == first


WRONG = [
    lambda session: session.top_subspaces(DEFINITION, h=1, size=1, epsilon=0.5, utility=np.array(["paper"])),
    lambda session: session.top_subspaces(DEFINITION, h=1, size=1, epsilon=0.5, selection=np.array(["exponential"])),
    lambda session: session.count_outliers(DEFINITION, epsilon=0.5, mechanism=np.array(["auto"])),
    lambda session: session.top_subspaces(DEFINITION, h=1, size=1, epsilon=0.5, progress=5),
    lambda session: session.ask(ForecastCountQuery(definition=DEFINITION)),
    lambda session: session.ask("count"),
    lambda session: session.forecast(CountQuery(definition=DEFINITION, epsilon=1)),
    lambda session: session.choose_radius(3, share=0.1, radii=[0.1, Fraction(1, 10)], epsilon=0.5),
]


@pytest.mark.parametrize("ask", WRONG, ids=range(len(WRONG)))
def test_argument_of_a_wrong_type_is_refused_before_the_charge(table, ask):
    session = Session(table, epsilon=1)
    with pytest.raises(InputError):
        ask(session)
    assert session.remaining == Privacy(Fraction(1))


def test_columns_of_an_iterator_serve_every_epsilon_of_a_forecast(table):
    session = Session(table, epsilon=1)
    assert len(session.forecast_count(DEFINITION, iter(["a", "b"]), epsilon=[0.5, 1]).errors) == 2
    assert session.compare_mechanisms(DEFINITION, iter(["a", "b"]), epsilon=[0.5, 1]).columns == ("a", "b")
    assert session.epsilon_for_count(DEFINITION, iter(["a", "b"]), within=39) > 0
