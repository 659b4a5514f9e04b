"""Requests of a batch see what those before them write, as if each had read its page by itself."""

from datetime import UTC, datetime
from fractions import Fraction

from eremite.ledger import Cost, transitions
from eremite.ledger.batch_pages import BatchPages
from eremite.ledger.chain import Head
from eremite.ledger.events import Charged, DatasetOpened, Released
from eremite.ledger.store import Account, Page
from eremite.privacy import Privacy

NOW = datetime(2026, 1, 5, tzinfo=UTC)
ALICE, BOB = Account("patients", "alice"), Account("patients", "bob")
NOTHING = Page(Head(), None, None)


def opened() -> BatchPages:
    pages = BatchPages(Head())
    cap = Privacy(Fraction(1))
    wanted = DatasetOpened(dataset="patients", cap=cap, rows_per_person=1)
    pages.add(transitions.open_dataset(pages.page(ALICE, None, NOTHING), NOW, wanted)[0])
    return pages


def charge(pages: BatchPages, account: Account, name: str) -> object:
    cost = Cost.pure(Fraction(2, 5))
    fields = {"request_id": name, "fingerprint": "f", "cost": cost, "question": {}}
    wanted = Charged(dataset=account.dataset, analyst=account.analyst, **fields)
    changes, outcome = transitions.reserve(pages.page(account, name, NOTHING), NOW, wanted)
    if changes is not None:
        pages.add(changes)
    return outcome


def test_later_charge_sees_the_earlier_ones():
    pages = opened()
    outcomes = [charge(pages, account, name) for account, name in ((ALICE, "a"), (BOB, "b"), (ALICE, "c"))]
    assert [type(outcome).__name__ for outcome in outcomes] == ["Reserved", "Reserved", "Refusal"]
    assert pages.head.seq == 4
    seen = pages.page(ALICE, "a", NOTHING)
    assert (seen.head, seen.dataset.spent.charges, seen.account.spent.charges) == (pages.head, 2, 1)
    assert (seen.request.charged, seen.account.refusals) == (2, 1)


def test_release_of_the_same_batch_is_there_and_those_of_others_are_not():
    pages = opened()
    charge(pages, ALICE, "a")
    released = Released(dataset="patients", analyst="alice", request_id="a", release="12")
    pages.add(transitions.store_release(pages.page(ALICE, "a", NOTHING), NOW, released)[0])
    assert transitions.became_of(pages.page(ALICE, "a", NOTHING)) == transitions.Stored("12")
    assert pages.page(BOB, "a", NOTHING).request is None
    assert pages.page(ALICE, None, NOTHING).request is None
