"""The tables of a ledger, the same in SQLite and PostgreSQL; their statements; conversions between rows and records.

`eremite_events` is the ledger; the other tables can be rebuilt from it, and `verify` compares them with it. Fractions
are texts "p/q". Statements mark their parameters with `?`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eremite.errors import LedgerError
from eremite.ledger.budget import Spent
from eremite.ledger.chain import Head, Row
from eremite.ledger.store import EVERYONE, Account, Changes, Contents, Page, Request, Standing
from eremite.privacy import Privacy, written_fraction

Rows = Iterable[Sequence[Any]]

#: The first n scripts make version n of the tables. A released script is never changed.
MIGRATIONS: list[tuple[str, ...]] = [
    (
        """CREATE TABLE eremite_head (
            version INTEGER NOT NULL, seq BIGINT NOT NULL, hash TEXT NOT NULL)""",
        """INSERT INTO eremite_head VALUES
            (0, 0, '0000000000000000000000000000000000000000000000000000000000000000')""",
        """CREATE TABLE eremite_events (
            seq BIGINT PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
            previous TEXT NOT NULL, hash TEXT NOT NULL)""",
        """CREATE TABLE eremite_standings (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, cap_epsilon TEXT, cap_delta TEXT,
            epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT NOT NULL, rho_delta TEXT NOT NULL,
            charges BIGINT NOT NULL, sums_only BOOLEAN NOT NULL, rows_per_person BIGINT,
            PRIMARY KEY (dataset, analyst))""",
        """CREATE TABLE eremite_requests (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, request_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            charged BIGINT NOT NULL, released BIGINT, PRIMARY KEY (dataset, analyst, request_id))""",
    ),
    # Few events record a source, and they are searched whenever a ledger is opened.
    ("CREATE INDEX eremite_sources ON eremite_events (seq) WHERE kind IN ('dataset opened', 'source noted')",),
    ("ALTER TABLE eremite_standings ADD COLUMN neighbors TEXT",),
]

VERSION = "SELECT version FROM eremite_head"
SET_VERSION = "UPDATE eremite_head SET version = ?"

HEAD = "SELECT seq, hash FROM eremite_head"
HASH = "SELECT hash FROM eremite_events WHERE seq = ?"
#: The standings of a dataset and an account, each joined with the request and its release, if there are any.
PAGE = """SELECT s.*, r.*, e.* FROM eremite_standings s
    LEFT JOIN eremite_requests r ON r.dataset = ? AND r.analyst = ? AND r.request_id = ?
    LEFT JOIN eremite_events e ON e.seq = r.released
    WHERE s.dataset = ? AND s.analyst IN ('', ?)"""

PUT_EVENT = "INSERT INTO eremite_events VALUES (?, ?, ?, ?, ?, ?)"
PUT_HEAD = "UPDATE eremite_head SET seq = ?, hash = ?"
PUT_STANDING = """INSERT INTO eremite_standings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (dataset, analyst) DO UPDATE SET
    cap_epsilon = excluded.cap_epsilon, cap_delta = excluded.cap_delta, epsilon = excluded.epsilon,
    delta = excluded.delta, rho = excluded.rho, rho_delta = excluded.rho_delta, charges = excluded.charges,
    sums_only = excluded.sums_only"""
PUT_REQUEST = """INSERT INTO eremite_requests VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (dataset, analyst, request_id) DO UPDATE SET released = excluded.released"""

SOURCES = "SELECT * FROM eremite_events WHERE kind IN ('dataset opened', 'source noted') ORDER BY seq"
ALL_EVENTS = "SELECT * FROM eremite_events ORDER BY seq"
ALL_STANDINGS = "SELECT * FROM eremite_standings"
ALL_REQUESTS = "SELECT * FROM eremite_requests"


def standing_from(row: Sequence[Any]) -> Standing:
    """The standing that `standing_row` wrote."""
    dataset, analyst, cap_epsilon, cap_delta, epsilon, delta, rho, rho_delta, charges, sums_only, rows, neighbors = row
    try:
        cap = None if cap_epsilon is None else Privacy(written_fraction(cap_epsilon), written_fraction(cap_delta))
        sums = (written_fraction(epsilon), written_fraction(delta), written_fraction(rho), written_fraction(rho_delta))
        return Standing(Account(dataset, analyst), cap, Spent(*sums, charges, bool(sums_only)), rows, neighbors)
    except (ValueError, TypeError, ZeroDivisionError):
        raise LedgerError(
            f"The sums that the ledger keeps for dataset {dataset!r} cannot be read: somebody changed them. "
            "Nothing was charged; restore the ledger from a backup."
        ) from None


def standing_row(standing: Standing) -> tuple[Any, ...]:
    """The standing as a row of `eremite_standings`."""
    cap, spent = standing.cap, standing.spent
    caps = (None, None) if cap is None else (str(cap.epsilon), str(cap.delta))
    sums = map(str, (spent.epsilon, spent.delta, spent.rho, spent.rho_delta))
    settled = spent.charges, spent.sums_only, standing.rows_per_person, standing.neighbors
    return standing.account.dataset, standing.account.analyst, *caps, *sums, *settled


def request_from(row: Sequence[Any]) -> Request:
    """The request that `request_row` wrote."""
    dataset, analyst, request_id, fingerprint, charged, released = row
    return Request(Account(dataset, analyst), request_id, fingerprint, charged, released)


def request_row(request: Request) -> tuple[Any, ...]:
    """The request as a row of `eremite_requests`."""
    account = request.account
    return (
        account.dataset,
        account.analyst,
        request.request_id,
        request.fingerprint,
        request.charged,
        request.released,
    )


def writes(changes: Changes) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The statements that make the changes, in order, with their values."""
    row = changes.row
    yield PUT_EVENT, (row.seq, row.time, row.kind, row.payload, row.previous, row.hash)
    for standing in changes.standings:
        yield PUT_STANDING, standing_row(standing)
    if changes.request is not None:
        yield PUT_REQUEST, request_row(changes.request)
    yield PUT_HEAD, (row.seq, row.hash)


def page_key(account: Account, request_id: str | None) -> tuple[str | None, ...]:
    """The values for `PAGE`."""
    return account.dataset, account.analyst, request_id, account.dataset, account.analyst


def page_of(account: Account, head: Rows, found: Rows) -> Page:
    """The page, from the rows that `HEAD` and `PAGE` returned."""
    standings, request, release = {}, None, None
    for row in found:
        standing = standing_from(row[:12])
        standings[standing.account.analyst] = standing
        request = None if row[12] is None else request_from(row[12:18])
        release = None if row[18] is None else Row(*row[18:])
    return Page(head_of(head), standings.get(EVERYONE), standings.get(account.analyst), request, release)


def contents_of(head: Rows, events: Rows, standings: Rows, requests: Rows) -> Contents:
    """The contents, from the rows that `HEAD` and the statements `ALL_...` returned."""
    rows = tuple(Row(*row) for row in events)
    return Contents(head_of(head), rows, tuple(map(standing_from, standings)), tuple(map(request_from, requests)))


def head_of(rows: Rows) -> Head:
    """The head; a `LedgerError` unless there is exactly one."""
    heads = [Head(*row) for row in rows]
    if len(heads) != 1:
        raise LedgerError("The ledger has lost its head; nothing was charged. Restore it from a backup.")
    return heads[0]


def too_new(place: str, version: int) -> LedgerError:
    """The error for a ledger that only a newer version of eremite may use."""
    return LedgerError(
        f"{place} was written by a newer version of eremite (its tables have version {version}, this one knows "
        f"{len(MIGRATIONS)}); nothing was charged. Install the newest eremite."
    )
