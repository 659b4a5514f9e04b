"""A ledger whose fingerprints were made of words: its charges and caps stay valid, its request ids are refused."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

import eremite
from eremite import BudgetRefused, InputError, LedgerError, OutlierDefinition, Privacy
from eremite.ledger import Entry, Released, open_ledger
from eremite.ledger.chain import Row
from eremite.ledger.events import canonical, from_payload, to_payload
from eremite.ledger.to_json import entry_to_json

OLD = Path(__file__).parent / "ledgers" / "fingerprints-1.sql"
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)
DESCRIPTION = """
[dataset]
name = "people"
source = "people.csv"
[columns]
bmi = { min = 0, max = 1 }
glucose = { min = 0, max = 1 }
[budget]
epsilon = 3
delta = 1e-6
"""


@pytest.fixture
def description(tmp_path):
    with closing(sqlite3.connect(tmp_path / "people.db")) as database:
        database.executescript(OLD.read_text())
    (tmp_path / "people.csv").write_text("bmi,glucose\n" + "0.5,0.25\n" * 60)
    (tmp_path / "people.toml").write_text(DESCRIPTION)
    return tmp_path / "people.toml"


ASKED = {
    "count": lambda session, **more: session.count_outliers(DEFINITION, epsilon="0.25", **more),
    "subspaces": lambda session, **more: session.top_subspaces(DEFINITION, h=1, size=1, epsilon="0.25", **more),
    "report": lambda session, **more: session.outlier_report(DEFINITION, h=1, size=2, epsilon="0.25", **more),
    "detect": lambda session, **more: session.detect_outliers(
        DEFINITION, candidates=[[0.1, 0.2], [0.9, 0.9]], h=1, epsilon="0.25", **more
    ),
    "rows": lambda session, **more: session.detect_outliers(DEFINITION, candidates=None, h=1, epsilon="0.25", **more),
    "radius": lambda session, **more: session.choose_radius(3, share="0.1", epsilon="0.25", **more),
    "screen": lambda session, **more: session.open_screen(DEFINITION, most_yes=1, epsilon="0.25", **more),
}


def test_charges_and_caps_stay_valid(description):
    session = eremite.open(description, account="alice")
    ledger = open_ledger(description.with_suffix(".db"))
    assert ledger.verify().findings == ()
    assert session.remaining.epsilon == Fraction(1, 4)  # seven times a quarter of a cap of 2
    with pytest.raises(BudgetRefused, match=r"epsilon 0\.25 left; this release needs 0\.3") as refused:
        session.count_outliers(DEFINITION, epsilon="0.3")
    assert refused.value.needed == Privacy(Fraction(3, 10))
    assert refused.value.remaining == Privacy(Fraction(1, 4))
    session.count_outliers(DEFINITION, epsilon="0.25", request_id="new")
    assert session.remaining.epsilon == 0
    assert ledger.verify().findings == ()


@pytest.mark.parametrize("request_id", ASKED)
def test_request_id_of_an_older_version_is_refused_and_charges_nothing(description, request_id):
    session = eremite.open(description, account="alice")
    before = session.remaining
    events = len(open_ledger(description.with_suffix(".db")).history())
    with pytest.raises(InputError, match=f"Request id '{request_id}' was used under another version of eremite"):
        ASKED[request_id](session, request_id=request_id)
    assert session.remaining == before
    assert len(open_ledger(description.with_suffix(".db")).history()) == events


def test_history_shows_old_charges_in_their_words_and_new_ones_by_their_fields(description):
    session = eremite.open(description, account="alice")
    session.count_outliers(DEFINITION, ["bmi"], epsilon="0.25", request_id="new")
    entries = map(entry_to_json, open_ledger(description.with_suffix(".db")).history())
    charged = {entry["request_id"]: entry for entry in entries if entry["event"] == "charged"}
    assert charged["count"]["what"].startswith("count_outliers in bmi, glucose; min_neighbors=3, radius=0.1; smooth")
    assert "question" not in charged["count"]
    assert charged["new"]["what"] == "count_outliers in bmi; min_neighbors=3; radius=0.1; mechanism=reach-pair; reach=1"
    assert charged["new"]["question"] == {
        "query": "count_outliers",
        "columns": ["bmi"],
        "definition": {"min_neighbors": 3, "radius": 0.1},
        "epsilon": "1/4",
        "delta": "0",
        "mechanism": "auto",
        "planned": {"mechanism": "reach-pair", "rows_per_person": 1, "reach": 1},
    }


CHARGE = {
    "analyst": "alice",
    "cost": {"delta": "0", "epsilon": "1/4", "rho": "1/32", "rho_delta": "0"},
    "dataset": "people",
    "fingerprint": "2:f",
    "format": 3,
    "question": {"query": "count_outliers", "columns": ["bmi"], "definition": {"min_neighbors": 3}},
    "request_id": "r",
}
HOSTILE = [
    {"cost": CHARGE["cost"] | {"rho": "1e99999999"}},
    {"cost": CHARGE["cost"] | {"rho": 0.5}},
    {"question": {"columns": 5}},
    {"question": {"columns": [5]}},
    {"question": {"definition": "k=5"}},
    {"question": {"planned": "smooth-laplace"}},
    {"question": ["count"]},
    {"question": None},
    {"question": {"radius": float("nan")}},
    {"words": "count"},
    {"format": 3.0},
    {"format": 1},
    {"analyst": None},
]


def test_charge_reads_back_as_it_was_written():
    assert to_payload(from_payload("charged", canonical(CHARGE))) == canonical(CHARGE)


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_charge_that_was_changed_is_refused_at_once(change):
    row = Row(1, "2026-01-01T00:00:00+00:00", "charged", json.dumps(CHARGE | change), "", "", "patients", "alice")
    with pytest.raises(LedgerError, match="Event 1 of the ledger cannot be read"):
        _ = row.event


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+23:59", "yesterday", None])
def test_time_that_was_changed_is_refused(time):
    with pytest.raises(LedgerError, match="Event 1 of the ledger cannot be read"):
        _ = Row(1, time, "charged", canonical(CHARGE), "", "", "patients", "alice").happened


@pytest.mark.parametrize("release", ["xx", "[]", "7", "[" * 100_000])
def test_release_that_is_none_is_shown_as_nothing(release):
    """A store keeps whatever text it is handed."""
    event = Released(dataset="people", analyst="alice", request_id="r", release=release)
    entry = entry_to_json(Entry(1, datetime(2026, 1, 1, tzinfo=UTC), event, ""))
    assert (entry["what"], entry["release"]) == ("null", {})
