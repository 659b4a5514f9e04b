"""`python -m benchmarks.ledger`: reservations a second with 32 clients, and how long one of them waits.

Every reservation is safe on disk before it counts: SQLite with synchronous=FULL, PostgreSQL with fsync on. The cap
admits half of what is asked for, so half of the answers are refusals, which are written down too.

`--events 500000`: how long it takes to read a ledger with so many events, and how much memory.
"""

import argparse
import json
import os
import pwd
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
import psycopg
from rich.console import Console
from rich.table import Table

from eremite.errors import BudgetRefused
from eremite.ledger import Account, Cost, Ledger, MemoryStore, Reserved, open_ledger, sql
from eremite.ledger.transitions import MOST_REFUSALS
from eremite.privacy import Privacy

CLIENTS = 32
STEP = Fraction(1, 1000)
RELEASE = json.dumps({"query": "count_outliers", "value": 12, "note": "x" * 400})
READS: dict[str, Callable[[Ledger], object]] = {
    "100 releases of an account": lambda ledger: ledger.releases(_asker(7)),
    "the last 100 events": lambda ledger: ledger.history("bench", limit=100),
    "what became of a request": lambda ledger: ledger.became_of(_asker(7), "7"),
    "all budgets": lambda ledger: ledger.budgets("bench"),
    "every event, one by one": lambda ledger: sum(1 for _ in ledger.entries("bench")),
    "the budget over time": lambda ledger: ledger.timeline("bench"),
    "verification": lambda ledger: ledger.verify(),
}
BARS = {"SQLite, threads": 1_000, "SQLite, processes": 1_000, "PostgreSQL, threads": 700, "PostgreSQL, processes": 700}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one client saw: seconds of every request, and how many of them were admitted."""

    seconds: list[float]
    admitted: int


def client(ledger: Ledger, number: int, requests: int) -> Outcome:
    """Ask again and again, without a pause."""
    seconds, admitted = [], 0
    for i in range(requests):
        account = Account("bench", f"client {number}, {i // MOST_REFUSALS}")  # all refusals are written
        start = perf_counter()
        try:
            ledger.reserve(account, f"{number}-{i}", "f", Cost.pure(STEP), {"query": "count"})
            admitted += 1
        except BudgetRefused:
            pass
        seconds.append(perf_counter() - start)
    return Outcome(seconds, admitted)


def _client_process(task: tuple[str, int, int]) -> Outcome:
    place, number, requests = task
    ledger = open_ledger(place)
    try:
        return client(ledger, number, requests)
    finally:
        ledger.close()


def threads(place: str, requests: int) -> list[Outcome]:
    """All clients in one process, on one ledger."""
    ledger = open_ledger(place)
    try:
        with ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(lambda number: client(ledger, number, requests), range(CLIENTS)))
    finally:
        ledger.close()


def processes(place: str, requests: int) -> list[Outcome]:
    """Every client a process of its own."""
    with ProcessPoolExecutor(CLIENTS, mp_context=get_context("fork")) as pool:
        return list(pool.map(_client_process, [(place, number, requests) for number in range(CLIENTS)]))


def measure(
    out: Console, table: Table, name: str, run: Callable[[str, int], list[Outcome]], place: str, n: int
) -> bool:
    """One row of the table; whether the bar was cleared and the cap kept."""
    ledger, admitted = open_ledger(place), CLIENTS * n // 2
    ledger.open_dataset("bench", Privacy(admitted * STEP))
    ledger.close()
    start = perf_counter()
    outcomes = run(place, n)
    rate = CLIENTS * n / (perf_counter() - start)
    waits = np.concatenate([outcome.seconds for outcome in outcomes]) * 1000
    kept = sum(outcome.admitted for outcome in outcomes) == admitted
    kept &= open_ledger(place).verify().sound
    cleared = kept and rate >= BARS[name]
    middle, late = np.percentile(waits, [50, 99])
    verdict = "yes" if cleared else "no"
    table.add_row(name, f"{rate:,.0f}", f"{middle:.1f}", f"{late:.1f}", f"{waits.max():.0f}", str(kept), verdict)
    return cleared


@contextmanager
def postgres() -> Iterator[str | None]:
    """A server of our own on a Unix socket, as installed but for that; None where PostgreSQL is not installed."""
    found = [shutil.which("initdb"), *map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    initdb = next((Path(path).resolve() for path in found if path), None)
    if initdb is None:
        yield None
        return
    folder = tempfile.mkdtemp(prefix="eremite-bench-")
    rights = _unprivileged(folder)

    def run(program: str, *arguments: str) -> None:
        command = [str(initdb.with_name(program)), "-D", f"{folder}/data", *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **rights)  # type: ignore[call-overload]

    run("initdb", "-U", "eremite", "--auth=trust", "--no-locale", "-E", "UTF8")
    run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", f"-c listen_addresses='' -k {folder}", "start")
    try:
        yield f"postgresql://eremite@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def _unprivileged(folder: str) -> dict[str, object]:
    """PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    names = {user.pw_name: user for user in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def run(out: Console, requests: int) -> bool:
    """The table; whether every bar was cleared."""
    table = Table(title=f"Reservations with {CLIENTS} clients, {requests:,} requests each")
    for column in ("store", "a second", "median ms", "p99 ms", "longest ms", "cap kept", "bar cleared"):
        table.add_column(column, justify="left" if column == "store" else "right")
    cleared = True
    with tempfile.TemporaryDirectory() as folder, postgres() as url:
        for name, way in (("threads", threads), ("processes", processes)):
            cleared &= measure(out, table, f"SQLite, {name}", way, f"{folder}/{name}.db", requests)
        for name, way in (("threads", threads), ("processes", processes)) if url else ():
            schema = f"{url}&options=-csearch_path%3D{name}"
            with psycopg.connect(str(url), autocommit=True) as database:
                database.execute(f"CREATE SCHEMA {name}")
            cleared &= measure(out, table, f"PostgreSQL, {name}", way, schema, requests)
    out.print(table)
    return cleared


def _asker(number: int) -> Account:
    return Account("bench", f"analyst {number % 50}")


def fill(place: str, events: int) -> None:
    """Make a ledger in memory, charges and releases in turn, and write it all at once."""
    store = MemoryStore()
    ledger = Ledger(store)
    ledger.open_dataset("bench", Privacy(events * STEP))
    for i in range(events // 2):
        paid = ledger.reserve(_asker(i), str(i), "f", Cost.pure(STEP), {"query": "count_outliers", "columns": ["bmi"]})
        assert isinstance(paid, Reserved)
        ledger.store(_asker(i), str(i), RELEASE, paid)
    open_ledger(place).close()
    if place.startswith("postgresql:"):
        with psycopg.connect(place) as database, database.cursor() as cursor:
            _write_all(store, lambda statement, rows: cursor.executemany(statement.replace("?", "%s"), list(rows)))
            cursor.execute("ANALYZE eremite_events")  # as the server does by itself after a while
    else:
        with closing(sqlite3.connect(place)) as file:
            _write_all(store, file.executemany)
            file.commit()


def _write_all(store: MemoryStore, write: Callable[[str, Iterable[tuple[object, ...]]], object]) -> None:
    write(sql.PUT_EVENT, map(astuple, store._rows))
    write(sql.PUT_STANDING, map(sql.standing_row, store._standings.values()))
    write(sql.PUT_REQUEST, map(sql.request_row, store._requests.values()))
    write(sql.PUT_HEAD, [(store._rows[-1].seq, store._rows[-1].hash)])


def _read(task: tuple[str, str]) -> tuple[float, float]:
    """Seconds, and megabytes on top of what the process had before."""
    place, name = task
    ledger = open_ledger(place)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, perf_counter()
    READS[name](ledger)
    seconds = perf_counter() - start
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def reads(out: Console, events: int) -> None:
    """The table of reads, each in a process of its own."""
    table = Table(title=f"Reads of a ledger with {events:,} events")
    for column in ("what", "SQLite s", "MB", "PostgreSQL s", "MB"):
        table.add_column(column, justify="left" if column == "what" else "right")
    with tempfile.TemporaryDirectory() as folder, postgres() as url:
        places = [f"{folder}/reads.db", *([url] if url else [])]
        for place in places:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                pool.submit(fill, place, events).result()
        for name in READS:
            cells = []
            for place in places:
                with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                    seconds, megabytes = pool.submit(_read, (place, name)).result()
                cells += [f"{seconds:.3f}", f"{megabytes:.0f}"]
            table.add_row(name, *cells)
    out.print(table)


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description="Reservations a second, and how long one waits.")
    parser.add_argument("--requests", type=int, default=300, help="of each client")
    parser.add_argument("--events", type=int, help="measure reads of a ledger with so many events instead")
    given = parser.parse_args()
    if given.events:
        reads(Console(width=120), given.events)
    else:
        run(Console(width=120), given.requests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
