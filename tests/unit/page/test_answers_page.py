"""The page of a ledger: what it shows, to whom, and what it keeps out."""

import json
import re
import sqlite3
from contextlib import closing
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Session, Table
from eremite.ledger import Account, Ledger, MemoryStore, Released, open_ledger
from eremite.page import PublicTable, answers_page

OLD = Path(__file__).parents[2] / "contracts" / "ledgers" / "fingerprints-1.sql"
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.05)
HOSTILE = "<script>alert(1)</script>"
BOUNDS = {"bmi": (0, 1), HOSTILE: (0, 1)}
VOID = ("meta", "br")


class Reader(HTMLParser):
    """The texts of a page, whose elements are closed in order and load nothing."""

    def __init__(self, page):
        super().__init__()
        self.seen, self.open, self.names = [], [], set()
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "img", "iframe", "object", "a")
        assert not {"src", "href", "srcset", "action"} & {name for name, _ in attributes}
        self.names.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.seen.append(data)


def texts(page):
    """What a reader sees, on one line."""
    assert "url(" not in page
    assert "@import" not in page
    return " ".join(" ".join(Reader(page).seen).split())


def session(ledger, account="alice", rows=60, **more):
    rng = np.random.default_rng(2)
    values = dict(zip(BOUNDS, rng.random((2, rows)), strict=True)) | {"ward": ["A", HOSTILE] * (rows // 2)}
    table = Table.from_frame(values, BOUNDS, categories={"ward": ["A", HOSTILE]}, **more)
    return Session(table, epsilon=20, ledger=ledger, account=account, dataset="clinic & co")


def ask_everything(asking):
    """One release of every kind that a ledger keeps."""
    return [
        asking.count_outliers(DEFINITION, epsilon=1, request_id="the-count"),
        asking.count_outliers_by(DEFINITION, by="ward", epsilon=1),
        asking.top_subspaces(DEFINITION, h=2, size=1, epsilon=1),
        asking.outlier_report(DEFINITION, h=2, max_size=2, epsilon=1),
        asking.detect_outliers(DEFINITION, candidates=[[0.1, 0.1], [0.9, 0.9]], h=1, epsilon=1),
        asking.explain_outlier(DEFINITION, point=[[0.1, 0.1], [0.9, 0.9]], h=1, max_size=2, epsilon=1),
        asking.choose_radius(3, share=0.1, epsilon=1),
    ]


def test_page_has_a_section_with_a_picture_for_every_release():
    asking = session(Ledger(MemoryStore()))
    releases = ask_everything(asking)
    page = asking.page()
    shown = texts(page)
    assert page.count("<svg") == len(releases) + 1  # and one of the budget
    assert f"About {releases[0].value:,} of 60 rows are outliers in bmi and {HOSTILE}." in shown
    for release in releases:
        assert release.request_id in shown
    for words in (
        "How many outliers?",
        "How many outliers, group by group?",
        "In which columns do outliers gather?",
        "Which of these stand alone?",
        "In which columns does a point stand alone?",
        "Which radius?",
        "epsilon 1, pure",
        "every row: with any one row replaced, any outcome would be at most 2.72 times as likely",
        "How to read this:",
        "Dataset 'clinic & co' has epsilon 13 left of epsilon 20.",
        "Columns and their public bounds",
    ):
        assert words in shown
    assert "<script" not in page


def test_page_spends_nothing_and_has_no_times():
    ledger = Ledger(MemoryStore())
    asking = session(ledger)
    release = asking.count_outliers(DEFINITION, epsilon=1)
    before = ledger.history()
    page = asking.page()
    assert ledger.history() == before
    assert asking.page() == page
    assert release.time.strftime("%Y") not in page
    assert not re.search(r"\d\d:\d\d", texts(page))


def test_page_of_a_number_of_rows_says_how_far_off_it_may_be():
    asking = session(Ledger(MemoryStore()), neighbors="add-remove", rows_about=60)
    release = asking.count_rows(epsilon="0.5")
    shown = texts(asking.page())
    assert f"About {release.value:,} rows are in the table." in shown
    assert "95 % of such answers are off by 6 at most" in shown
    assert "about 60 rows; their exact number is private" in shown
    assert "with any one row more or less" in shown


def test_account_sees_what_it_asked_and_nothing_of_others():
    ledger = Ledger(MemoryStore())
    alice, bob = session(ledger, "alice"), session(ledger, "bob")
    alice.count_outliers(DEFINITION, epsilon=1, request_id="of-alice")
    bob.count_outliers(DEFINITION, epsilon=2, request_id="of-bob")
    with pytest.raises(BudgetRefused):
        bob.count_outliers(DEFINITION, epsilon=19, request_id="refused-to-bob")
    shown = texts(alice.page())
    assert "of-alice" in shown
    assert "bob" not in shown
    assert "needs 19" not in shown
    assert "other accounts" in shown  # what is left shows that others spent something
    assert "needs 19" in texts(bob.page())
    whole = texts(answers_page(PublicTable.of("clinic & co", alice.facts), ledger))
    for words in ("of-alice", "of-bob", "account alice", "account bob", "needs 19"):
        assert words in whole
    with pytest.raises(InputError, match="under the id 'of-bob'"):
        alice.page(request_id="of-bob")


def test_page_of_one_release_has_no_other():
    asking = session(Ledger(MemoryStore()))
    first, *others = ask_everything(asking)
    page = asking.page(request_id="the-count")
    assert page.count("<svg") == 1
    shown = texts(page)
    assert f"About {first.value:,} of 60 rows" in shown
    assert "has epsilon 13 left" in shown
    assert not [other for other in others if other.request_id in shown]
    with pytest.raises(InputError, match=r"^Nothing was asked of 'clinic & co' under the id 'none'; [^\n]+\.$"):
        asking.page(request_id="none")


def test_page_before_any_question_says_so():
    assert "Nothing was asked by account alice yet." in texts(session(Ledger(MemoryStore())).page())


def test_charge_without_a_stored_answer_is_said_to_be_one():
    ledger = Ledger(MemoryStore())
    asking = session(ledger)
    asking.open_screen(DEFINITION, most_yes=1, epsilon=1).ask([[0.5, 0.5]])
    asking.count_outliers(DEFINITION, epsilon=1)
    kept = [entry for entry in ledger.history() if not isinstance(entry.event, Released)]
    ledger.history = lambda *_: kept
    shown = texts(asking.page())
    assert "A screen was opened; its answers were given one by one, and are not kept." in shown
    assert "No answer was stored: it is being computed, or was interrupted" in shown


def test_many_charges_share_a_bar():
    asking = session(Ledger(MemoryStore()))
    for _ in range(40):
        asking.count_outliers(DEFINITION, epsilon="0.1")
    shown = texts(asking.page())
    assert "1 to 11" in shown
    assert "40. count" in shown


def test_old_ledger_has_a_page(tmp_path):
    with closing(sqlite3.connect(tmp_path / "people.db")) as database:
        database.executescript(OLD.read_text())
    ledger = open_ledger(tmp_path / "people.db")
    table = Table.from_frame(np.full((60, 2), 0.5), {"bmi": (0, 1), "glucose": (0, 1)})
    page = answers_page(PublicTable.of("people", table.facts), ledger)
    shown = texts(page)
    answers = [entry.event.release for entry in ledger.history("people") if isinstance(entry.event, Released)]
    assert answers
    for text in answers:
        value = json.loads(text)["value"]
        assert json.dumps(value) in shown
    assert "An answer of an older version" in shown
    assert ledger.remaining(Account("people", "alice")).words.partition(".")[0] in unescape(page)
