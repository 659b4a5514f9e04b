"""The versions of the tables of a ledger, the same in SQLite and PostgreSQL, and the way from one to the next."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from eremite.errors import LedgerError
from eremite.ledger.events import EVERYONE

VERSION = "SELECT version FROM eremite_head"
SET_VERSION = "UPDATE eremite_head SET version = ?"

_AT_ONCE = 10_000
_EVENTS = "SELECT seq, kind, payload FROM eremite_events WHERE seq > ? ORDER BY seq LIMIT ?"
_FILE = "UPDATE eremite_events SET dataset = ?, analyst = ? WHERE seq = ?"
_COUNT = """INSERT INTO eremite_standings VALUES (?, ?, NULL, NULL, '0', '0', '0', '0', 0, ?, NULL, NULL, ?)
    ON CONFLICT (dataset, analyst) DO UPDATE SET refusals = excluded.refusals"""


class Tables(Protocol):
    """The tables of a ledger within one transaction."""

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement, and return its rows, if it has any."""

    def each(self, statement: str, values: Iterable[Sequence[Any]]) -> None:
        """Execute a statement once for each of the values."""


def _file_events(tables: Tables) -> None:
    """File every event under its dataset and analyst, and count the last refusals of every account.

    A payload that somebody garbled stays where it is: `verify` finds it.
    """
    refusals: Counter[tuple[str, str]] = Counter()
    for found in _in_parts(tables):
        filed = [(seq, kind, *_names(payload)) for seq, kind, payload in found]
        tables.each(_FILE, [(dataset, analyst, seq) for seq, _, dataset, analyst in filed])
        for _, kind, dataset, analyst in filed:
            if kind in ("charged", "cap set"):
                refusals.pop((dataset, analyst), None)
            elif kind == "refused":
                refusals[dataset, analyst] += 1
    tables.each(_COUNT, [(*account, False, number) for account, number in refusals.items()])


def _in_parts(tables: Tables) -> Iterator[list[tuple[Any, ...]]]:
    last = 0
    while found := tables.fetch(_EVENTS, (last, _AT_ONCE)):
        yield found
        last = found[-1][0]


def _names(payload: Any) -> tuple[str, str]:
    try:
        said = json.loads(payload)
        dataset, analyst = said.get("dataset"), said.get("analyst")
    except (ValueError, TypeError, AttributeError, RecursionError):
        return "", EVERYONE
    return dataset if isinstance(dataset, str) else "", analyst if isinstance(analyst, str) else EVERYONE


Step = str | Callable[[Tables], None]

#: The first n scripts make version n of the tables. A released script is never changed.
MIGRATIONS: list[tuple[Step, ...]] = [
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
    # Events of a dataset and of an account are found without reading all, and refusals are counted.
    (
        "ALTER TABLE eremite_events ADD COLUMN dataset TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE eremite_events ADD COLUMN analyst TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE eremite_standings ADD COLUMN refusals BIGINT NOT NULL DEFAULT 0",
        _file_events,
        "CREATE INDEX eremite_of_dataset ON eremite_events (dataset, seq)",
        "CREATE INDEX eremite_of_account ON eremite_events (dataset, analyst, seq)",
        "CREATE INDEX eremite_releases ON eremite_events (dataset, analyst, seq) WHERE kind = 'released'",
    ),
]

#: What PostgreSQL needs after the script of a version. Without defaults, a process of an older eremite that still runs
#: cannot write events that are filed nowhere; SQLite refuses its statements anyway.
POSTGRES_ONLY: dict[int, tuple[str, ...]] = {
    4: ("ALTER TABLE eremite_events ALTER COLUMN dataset DROP DEFAULT, ALTER COLUMN analyst DROP DEFAULT",),
}


def migrate(tables: Tables, version: int, extra: dict[int, tuple[str, ...]]) -> None:
    """Bring tables of this version to ours. Call it in a transaction that nobody else writes beside."""
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        for step in (*script, *extra.get(number, ())):
            if isinstance(step, str):
                tables.fetch(step)
            else:
                step(tables)
    tables.fetch(SET_VERSION, (len(MIGRATIONS),))


def too_new(place: str, version: int) -> LedgerError:
    """The error for a ledger that only a newer version of eremite may use."""
    return LedgerError(
        f"{place} was written by a newer version of eremite (its tables have version {version}, this one knows "
        f"{len(MIGRATIONS)}); nothing was charged. Install the newest eremite."
    )
