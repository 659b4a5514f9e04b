"""The statements of a ledger, the same in SQLite and PostgreSQL, and conversions between rows and records.

`eremite_events` is the ledger; the other tables can be rebuilt from it, and `verify` compares them with it. Fractions
are texts "p/q". Statements mark their parameters with `?`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from eremite.errors import LedgerError
from eremite.ledger.budget import Spent
from eremite.ledger.chain import Head, Row
from eremite.ledger.events import EVERYONE
from eremite.ledger.store import Account, Changes, Contents, Page, Request, Slice, Standing, T
from eremite.privacy import Privacy, written_fraction

Rows = Iterable[Sequence[Any]]

HEAD = "SELECT seq, hash FROM eremite_head"
HASH = "SELECT hash FROM eremite_events WHERE seq = ?"
#: The standings of a dataset and an account, each joined with the request and its release, if there are any.
PAGE = """SELECT s.*, r.*, e.* FROM eremite_standings s
    LEFT JOIN eremite_requests r ON r.dataset = ? AND r.analyst = ? AND r.request_id = ?
    LEFT JOIN eremite_events e ON e.seq = r.released
    WHERE s.dataset = ? AND s.analyst IN ('', ?)"""

PUT_EVENT = "INSERT INTO eremite_events VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
PUT_HEAD = "UPDATE eremite_head SET seq = ?, hash = ?"
PUT_STANDING = """INSERT INTO eremite_standings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (dataset, analyst) DO UPDATE SET
    cap_epsilon = excluded.cap_epsilon, cap_delta = excluded.cap_delta, epsilon = excluded.epsilon,
    delta = excluded.delta, rho = excluded.rho, rho_delta = excluded.rho_delta, charges = excluded.charges,
    sums_only = excluded.sums_only, refusals = excluded.refusals"""
PUT_REQUEST = """INSERT INTO eremite_requests VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (dataset, analyst, request_id) DO UPDATE SET released = excluded.released"""

SOURCES = "SELECT * FROM eremite_events WHERE kind IN ('dataset opened', 'source noted') ORDER BY seq"
ALL_EVENTS = "SELECT * FROM eremite_events ORDER BY seq"
STANDINGS = "SELECT * FROM eremite_standings WHERE dataset = ?"
ALL_STANDINGS = "SELECT * FROM eremite_standings"
ALL_REQUESTS = "SELECT * FROM eremite_requests"


def standing_from(row: Sequence[Any]) -> Standing:
    """The standing that `standing_row` wrote."""
    dataset, analyst, cap_epsilon, cap_delta, epsilon, delta, rho, rho_delta, charges, sums_only, *others = row
    try:
        cap = None if cap_epsilon is None else Privacy(written_fraction(cap_epsilon), written_fraction(cap_delta))
        sums = (written_fraction(epsilon), written_fraction(delta), written_fraction(rho), written_fraction(rho_delta))
        return Standing(Account(dataset, analyst), cap, Spent(*sums, charges, bool(sums_only)), *others)
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
    others = spent.charges, spent.sums_only, standing.rows_per_person, standing.neighbors, standing.refusals
    return standing.account.dataset, standing.account.analyst, *caps, *sums, *others


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
    row, request = changes.row, changes.request
    values = [
        (row.seq, row.time, row.kind, row.payload, row.previous, row.hash, row.dataset, row.analyst),
        *map(standing_row, changes.standings),
        *([] if request is None else [request_row(request)]),
        (row.seq, row.hash),
    ]
    return zip(write_statements(len(changes.standings), request is not None), values, strict=True)


def write_statements(standings: int, request: bool) -> list[str]:
    """The statements for changes with so many standings, and with a request or without."""
    return [PUT_EVENT, *[PUT_STANDING] * standings, *[PUT_REQUEST] * request, PUT_HEAD]


def page_key(account: Account, request_id: str | None) -> tuple[str | None, ...]:
    """The values for `PAGE`."""
    return account.dataset, account.analyst, request_id, account.dataset, account.analyst


def page_of(account: Account, head: Rows, found: Rows) -> Page:
    """The page, from the rows that `HEAD` and `PAGE` returned."""
    standings, request, release = {}, None, None
    for row in found:
        standing = standing_from(row[:13])
        standings[standing.account.analyst] = standing
        request = None if row[13] is None else request_from(row[13:19])
        release = None if row[19] is None else Row(*row[19:])
    return Page(head_of(head), standings.get(EVERYONE), standings.get(account.analyst), request, release)


def slice_of(wanted: Slice) -> tuple[str, tuple[Any, ...]]:
    """The statement that reads a slice of the events, with its values."""
    bounds: list[tuple[str, Any]] = [("seq > ?", wanted.after)]
    if wanted.before is not None:
        bounds.append(("seq < ?", wanted.before))
    if wanted.dataset is not None:
        bounds.append(("dataset = ?", wanted.dataset))
    if wanted.analyst is not None:
        bounds.append(("analyst = ?", wanted.analyst))
    where = [condition for condition, _ in bounds]
    if wanted.releases:
        where.append("kind = 'released'")
    order = "seq DESC" if wanted.newest_first else "seq"
    statement = f"SELECT * FROM eremite_events WHERE {' AND '.join(where)} ORDER BY {order} LIMIT ?"  # noqa: S608
    return statement, (*(value for _, value in bounds), wanted.limit)


def examined(read: Callable[[str], Rows], examine: Callable[[Contents], T]) -> T:
    """What `examine` says of the contents, for a function that executes a statement and gives its rows one by one."""
    head, standings = head_of(read(HEAD)), tuple(map(standing_from, read(ALL_STANDINGS)))
    rows, requests = (Row(*row) for row in read(ALL_EVENTS)), (request_from(row) for row in read(ALL_REQUESTS))
    return examine(Contents(head, rows, standings, requests))


def head_of(rows: Rows) -> Head:
    """The head; a `LedgerError` unless there is exactly one."""
    heads = [Head(*row) for row in rows]
    if len(heads) != 1:
        raise LedgerError("The ledger has lost its head; nothing was charged. Restore it from a backup.")
    return heads[0]
