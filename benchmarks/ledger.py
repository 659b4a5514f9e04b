"""`python -m benchmarks.ledger`: reservations a second with 32 clients, and how long one of them waits.

Every reservation is safe on disk before it counts: SQLite with synchronous=FULL, PostgreSQL with fsync on. The cap
admits half of what is asked for, so half of the answers are refusals, which are written down too.
"""

import argparse
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
import psycopg
from rich.console import Console
from rich.table import Table

from eremite.errors import BudgetRefused
from eremite.ledger import Account, Cost, Ledger, open_ledger
from eremite.ledger.transitions import MOST_REFUSALS
from eremite.privacy import Privacy

CLIENTS = 32
STEP = Fraction(1, 1000)
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


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Reservations a second, and how long one waits.")
    parser.add_argument("--requests", type=int, default=300, help="of each client")
    run(Console(width=120), parser.parse_args().requests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
