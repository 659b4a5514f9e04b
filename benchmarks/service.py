"""`python -m benchmarks.service`: how many questions a minute the service answers, and who waits for whom.

A crowd of analysts, each with an account of its own, asks for counts of one table over loopback as fast as answers
come. One account has ten questions in flight. Then the cap is lowered to a little more than what was spent, and they
go on. Nothing may fail, and the ledger may never pass its cap.

`python -m benchmarks` runs a short version: the same crowd with each layout of lanes, and what the second gives.

`--search`: the time of counts of one dataset while a search of another dataset computes, and while it does not.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import numpy as np
from rich.console import Console
from rich.table import Table

from eremite.ledger import Charged, Released, open_ledger
from eremite.service.tokens import Grant, change_grants, hash_of, new_token
from eremite.session import opened_ledger

COLUMNS = ("age", "bmi", "dose", "height", "pulse", "stay", "sugar", "weight")
IN_FLIGHT = 10  # of the account that asks for more than the others
BOSS = "boss"
#: An answer after the end of the load does not count; nobody waits longer than this.
PATIENCE = 120.0
#: What a little more than was spent is: some questions fit, most do not.
LITTLE = Fraction(1, 2)
SMALL = {"definition": {"min_neighbors": 20, "radius": 0.1}, "columns": ["age", "bmi"], "epsilon": 0.01}
#: A count that takes about a tick on the machine of the figures, so that what disturbs it can be seen in ticks.
LARGE = {
    "definition": {"min_neighbors": 20, "radius": 0.055},
    "columns": ["age", "bmi", "dose"],
    "epsilon": 0.02,
    "mechanism": "smooth-laplace",
}
#: It takes minutes.
SEARCH = {"definition": {"min_neighbors": 20, "radius": 0.03}, "h": 20, "size": 5, "epsilon": 1}
FORECAST = {"definition": {"min_neighbors": 20, "radius": 0.1}, "columns": ["age"]}

#: Runs first in every process of the service, and notes how long each step of a worker takes. Clients see none of it.
TIMERS = """
import json, os, time
from eremite import Session
from eremite.service.work import Work
from eremite.ledger import Ledger
from eremite.service.desk import Desk

def timed(home, name):
    real = getattr(home, name)
    def call(self, *given, **named):
        begin = time.monotonic()
        try:
            return real(self, *given, **named)
        finally:
            took = time.monotonic() - begin
            with open(os.path.join({folder!r}, f"timer-{{os.getpid()}}.jsonl"), "a") as file:
                file.write(json.dumps([f"{{home.__name__}}.{{name}}", begin, took]) + "\\n")
    setattr(home, name, call)

for home, names in (
    (Work, ("charge", "compute")), (Session, ("prepare", "_expected_of")), (Ledger, ("reserve", "store", "foresee")),
    (Desk, ("_read", "begin", "end")),
):
    for name in names:
        timed(home, name)
"""


@dataclass(frozen=True, slots=True)
class Timed:
    """How long a step took inside the service."""

    step: str
    began: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Answered:
    """A response as its client saw it."""

    account: str
    began: float
    seconds: float
    status: int
    body: Any

    @property
    def ended(self) -> float:
        """When it arrived."""
        return self.began + self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A service under load, with a token for each account."""

    folder: Path
    address: str
    tokens: dict[str, str]
    process: subprocess.Popen[str]
    answers: list[Answered] = field(default_factory=list)

    async def ask(self, client: httpx.AsyncClient, account: str, path: str, question: object) -> Answered:
        """Ask, and wait for the answer, as long as it takes."""
        headers = {"Authorization": f"Bearer {self.tokens[account]}"}
        began = monotonic()
        response = await client.post(f"{self.address}/v1/datasets/{path}?wait=60", json=question, headers=headers)
        status, body = response.status_code, response.json()
        while status == 202 and body["state"] in ("queued", "running"):
            response = await client.get(f"{self.address}/v1/jobs/{body['id']}?wait=60", headers=headers)
            body = response.raise_for_status().json()
        if status == 202:
            status, body = body.get("status", 200), body.get("answer", body)
        answered = Answered(account, began, monotonic() - began, status, body)
        self.answers.append(answered)
        return answered

    async def manage(self, client: httpx.AsyncClient, method: str, path: str, body: object = None) -> Any:
        """What only the custodian may do."""
        headers = {"Authorization": f"Bearer {self.tokens[BOSS]}"}
        response = await client.request(method, f"{self.address}/v1/datasets/{path}", json=body, headers=headers)
        return response.raise_for_status().json()

    def timers(self) -> list[Timed]:
        """All steps so far."""
        lines = [line for file in self.folder.glob("timer-*.jsonl") for line in file.read_text().splitlines()]
        return [Timed(*json.loads(line)) for line in lines]


@contextmanager
def running(
    folder: Path,
    rows: int,
    accounts: Sequence[str],
    *options: str,
    places: Sequence[str] = ("patients", "wages"),
    columns: Sequence[str] = COLUMNS,
) -> Iterator[Running]:
    """A service on made-up tables of so many rows, until the block ends."""
    tokens = {name: new_token() for name in (*accounts, BOSS)}
    grants = tuple(
        Grant(name=name, account=name, datasets=tuple(places), custodian=name == BOSS, hash=hash_of(token))
        for name, token in tokens.items()
    )
    if not (folder / "tokens.json").exists():
        for seed, place in enumerate(places):
            _write_table(folder, place, rows, columns, seed)
    change_grants(folder / "tokens.json", lambda _: grants)
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site" / "sitecustomize.py").write_text(TIMERS.format(folder=str(folder)))
    paths = [str(folder / "site"), *map(os.path.abspath, filter(None, sys.path))]
    quick = ["--requests-per-second", "1000", "--forecasts-per-hour", "100000"]
    described = [f"{place}.toml" for place in places]
    command = [sys.executable, "-c", "from eremite.cli import main; main()", "serve", *described]
    process = subprocess.Popen(
        [*command, "--port", "0", "--json", *quick, *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        yield Running(folder=folder, address=address, tokens=tokens, process=process)
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # a search under way is completed first
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _write_table(folder: Path, name: str, rows: int, columns: Sequence[str], seed: int) -> None:
    """Rows of three crowds and some that lie anywhere, in public bounds from 0 to 100."""
    generator = np.random.default_rng(seed)
    middles = generator.uniform(20, 80, (3, len(columns)))[generator.integers(3, size=rows)]
    near = generator.normal(middles, 8)
    anywhere = generator.uniform(0, 100, (rows, len(columns)))
    values = np.where(generator.random((rows, 1)) < 0.02, anywhere, near).clip(0, 100).round(3)
    np.savetxt(folder / f"{name}.csv", values, "%.3f", ",", header=",".join(columns), comments="")
    bounds = "\n".join(f"{column} = {{ min = 0, max = 100 }}" for column in columns)
    (folder / f"{name}.toml").write_text(
        f'[dataset]\nname = "{name}"\nsource = "{name}.csv"\n[columns]\n{bounds}\n[budget]\nepsilon = 100000\n'
    )
    opened_ledger(folder / f"{name}.toml", create="quietly")[1].close()


def questions(seed: int, distinct: int, columns: Sequence[str] = COLUMNS) -> Iterator[dict[str, Any]]:
    """Counts that differ in radius, columns and epsilon; so many different ones, or a new one every time if 0."""
    while True:
        chance = random.Random(seed if not distinct else seed % distinct)  # noqa: S311 -- no secret
        radius = chance.randint(20, 200) / 1000
        chosen = sorted(chance.sample(columns, min(chance.choice((1, 2, 2, 3)), len(columns))))
        epsilon = chance.randint(1, 20) / 1000
        yield {"definition": {"min_neighbors": 20, "radius": radius}, "columns": chosen, "epsilon": epsilon}
        seed += 1_000_003


async def crowd(
    service: Running,
    accounts: Sequence[str],
    seconds: float,
    distinct: int = 0,
    seed: int = 0,
    columns: Sequence[str] = COLUMNS,
) -> float:
    """Let all accounts ask as fast as answers come, the first of them ten questions at a time; when the load ended."""
    async with _client() as client:
        until = monotonic() + seconds

        async def analyst(account: str, number: int) -> None:
            for question in questions(seed + number, distinct, columns):
                if monotonic() >= until:
                    return
                answered = await service.ask(client, account, "patients/count", question)
                if answered.status == 409:  # the budget does not cover it; a person would stop here
                    await asyncio.sleep(0.1)

        eager = [accounts[0]] * (IN_FLIGHT - 1)
        await asyncio.gather(*(analyst(account, number) for number, account in enumerate([*eager, *accounts])))
    return until


async def lower_cap(service: Running) -> Fraction:
    """Lower the cap of the dataset to a little more than was spent; the cap."""
    async with _client() as client:
        [whole, *_] = (await service.manage(client, "GET", "patients/budgets"))["budgets"]
        cap = Fraction(str(whole["spent"]["epsilon"])) + LITTLE
        asked = {"account": None, "epsilon": str(cap), "delta": 0, "reason": "the load test ends"}
        await service.manage(client, "PUT", "patients/cap", asked)
    return cap


def require_sound(service: Running, cap: Fraction) -> Fraction:
    """What was spent. All that clients saw was charged and stored, the cap was never passed, and the chain holds."""
    ledger = open_ledger(service.folder / "patients.db")
    try:
        events = [entry.event for entry in ledger.entries("patients")]
        assert ledger.verify().findings == ()
        [(_, whole), *_] = ledger.budgets("patients")
        charged = {event.request_id: event.cost.epsilon for event in events if isinstance(event, Charged)}
        stored = {event.request_id: event.release for event in events if isinstance(event, Released)}
        spent = sum(charged.values(), Fraction(0))
        assert whole.cap is not None
        assert spent == whole.spent.epsilon <= cap == whole.cap.epsilon
        seen = [answer.body for answer in service.answers if answer.status == 200 and "request_id" in answer.body]
        for release in seen:
            assert release["request_id"] in charged
            assert json.loads(stored[release["request_id"]]) == release
        return spent
    finally:
        ledger.close()


def _client() -> httpx.AsyncClient:
    fresh = httpx.Limits(max_connections=None, max_keepalive_connections=0)  # an idle connection may be closed
    return httpx.AsyncClient(timeout=PATIENCE, limits=fresh, trust_env=False)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value with this share of all at or below it."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)] if values else float("nan")


# --- what is printed


@dataclass(frozen=True, slots=True)
class Figures:
    """What a crowd got while the load lasted."""

    a_minute: float
    median: float
    p95: float


def figures(answers: Sequence[Answered], until: float, seconds: float) -> Figures:
    """The figures of all answers that came in time."""
    took = [answer.seconds for answer in answers if answer.status == 200 and answer.ended <= until]
    return Figures(len(took) / seconds * 60, quantile(took, 0.5), quantile(took, 0.95))


def run(out: Console, *, quick: bool) -> bool:
    """The crowd with one lane for everything, and with a lane for each dataset; whether the second answers more."""
    analysts, seconds, rows, tick = (4, 2.0, 2_000, 0.1) if quick else (50, 10.0, 100_000, 1.0)
    columns = COLUMNS[:2] if quick else COLUMNS  # the service compiles kernels for all of them
    table = Table("lanes", "answers a minute", "p50, s", "p95, s", title=f"Service: {analysts} analysts, {seconds:g} s")
    found = {}
    for name, options in (("one for everything", ("--lanes", "1")), ("one for each dataset", ())):
        found[name] = one = short_load(analysts, seconds, rows, columns, "--tick", str(tick), *options)
        table.add_row(name, f"{one.a_minute:,.0f}", f"{one.median:.2f}", f"{one.p95:.2f}")
    alone, apart = found.values()
    ratio = apart.a_minute / alone.a_minute if alone.a_minute else float("inf")
    table.add_row("ratio", f"{ratio:.1f}", f"{apart.median / alone.median:.2f}", f"{apart.p95 / alone.p95:.2f}")
    out.print(table)
    return ratio > 1


def short_load(analysts: int, seconds: float, rows: int, columns: Sequence[str], *options: str) -> Figures:
    """What a crowd gets of a new service with one dataset. No answer may be an error of the service."""
    accounts = [f"analyst {number}" for number in range(analysts)]
    with tempfile.TemporaryDirectory() as folder:
        with running(Path(folder), rows, accounts, *options, places=("patients",), columns=columns) as service:
            until = asyncio.run(crowd(service, accounts, seconds, columns=columns))
        assert {answer.status for answer in service.answers} == {200}
    return figures(service.answers, until, seconds)


def load(out: Console, folder: Path, given: argparse.Namespace, lanes: int | None) -> None:
    """The crowd, with so many lanes."""
    accounts = [f"analyst {number}" for number in range(given.analysts)]
    options = ["--tick", str(given.tick), *([] if lanes is None else ["--lanes", str(lanes)])]
    with running(folder, given.rows, accounts, *options) as service:
        begin, busy = monotonic(), os.getloadavg()[0]
        until = asyncio.run(crowd(service, accounts, given.seconds, given.distinct))
        asked = list(service.answers)
        cap = asyncio.run(lower_cap(service))
        asyncio.run(crowd(service, accounts, given.seconds / 6, given.distinct, seed=10**6))
    spent = require_sound(service, cap)
    good = [answer for answer in asked if answer.status == 200 and answer.ended <= until]
    each = Counter(answer.account for answer in good)
    others = [each[account] for account in accounts[1:]]
    got = figures(asked, until, given.seconds)
    table = Table(
        title=f"{given.analysts} analysts, {given.seconds:g} s, lanes: {lanes or 'default'}, tick {given.tick:g} s"
    )
    for name in ("what", "figure"):
        table.add_column(name)
    last = Counter(answer.status for answer in service.answers[len(asked) :])
    facts = {
        "answers a minute": f"{got.a_minute:.0f}",
        "an answer takes, p50 and p95": f"{got.median:.1f} s, {got.p95:.1f} s",
        "statuses": str(dict(Counter(answer.status for answer in asked))),
        f"answers of the account with {IN_FLIGHT} in flight": str(each[accounts[0]]),
        "answers of the others, fewest, median, most": f"{min(others)}, {quantile(others, 0.5)}, {max(others)}",
        "statuses after the cap was lowered": str(dict(last)),
        "spent, and the cap": f"{float(spent):.3f}, {float(cap):.3f}",
        "load of the machine before": f"{busy:.1f}",
    }
    for name, value in facts.items():
        table.add_row(name, value)
    out.print(table)
    out.print(_steps([step for step in service.timers() if begin <= step.began <= until]))
    assert not [answer for answer in service.answers if answer.status >= 500]


def _steps(timers: Sequence[Timed]) -> Table:
    table = Table("step in the service", "times", "sum, s", "p50, ms", "p95, ms", title="Where the time goes")
    for name in sorted({timer.step for timer in timers}):
        took = [timer.seconds for timer in timers if timer.step == name]
        middle, high = (f"{1000 * quantile(took, share):.1f}" for share in (0.5, 0.95))
        table.add_row(name, str(len(took)), f"{sum(took):.1f}", middle, high)
    return table


def search(out: Console, folder: Path, given: argparse.Namespace) -> None:
    """Counts of one dataset, and forecasts, while a search of another computes, and while it does not."""
    table = Table(
        "asked", "the other lane", "answers", "ticks (answers)", "inside, ms: p5, p50, p95", title="What lanes see"
    )
    with running(
        folder, given.rows, ["analyst", "other"], "--tick", str(given.tick), "--longest-question", "3600"
    ) as service:
        asyncio.run(_beside_a_search(service, given, table))
        service.process.kill()  # the search would be completed first
    out.print(table)


async def _beside_a_search(service: Running, given: argparse.Namespace, table: Table) -> None:
    async with _client() as client:

        async def forecast(number: int) -> Answered:
            body = FORECAST | {"epsilon": [(number + 1) / 10_000]}  # a new one every time
            return await service.ask(client, "analyst", "patients/forecast/count", body)

        kinds: dict[str, Callable[[int], Awaitable[Answered]]] = {
            "a small count": lambda _: service.ask(client, "analyst", "patients/count", SMALL),
            "a larger count": lambda _: service.ask(client, "analyst", "patients/count", LARGE),
            "a forecast": forecast,
        }
        for ask in kinds.values():
            await ask(given.repeats * 4)  # how far off it may be is computed once
        for state in ("idle", "searching"):
            if state == "searching":
                headers = {"Authorization": f"Bearer {service.tokens['other']}"}
                path = f"{service.address}/v1/datasets/wages/report"
                job = (await client.post(path, json=SEARCH, headers=headers)).raise_for_status().json()
                await asyncio.sleep(given.tick)
            for offset, (name, ask) in enumerate(kinds.items()):
                begin = monotonic()
                answers = [
                    await ask(number + given.repeats * (2 * offset + (state == "idle")))
                    for number in range(given.repeats)
                ]
                inside = [t.seconds for t in service.timers() if t.step == "Work.compute" and t.began >= begin]
                ticks = Counter(round(answer.seconds / given.tick, 1) for answer in answers)
                low, middle, high = (f"{1000 * quantile(inside, share):.0f}" for share in (0.05, 0.5, 0.95))
                times = "-" if name == "a forecast" else f"{low}, {middle}, {high}"
                shown = ", ".join(f"{tick:g} ({many})" for tick, many in sorted(ticks.items()))
                assert {answer.status for answer in answers} == {200}
                table.add_row(name, state, str(len(answers)), shown, times)
            if state == "searching":
                found = await client.get(f"{service.address}/v1/jobs/{job['id']}", headers=headers)
                assert found.json()["state"] == "running", "The search was too short to be measured."


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Throughput, fairness and waiting of eremite serve.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--analysts", type=int, default=50)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--tick", type=float, default=1)
    parser.add_argument("--distinct", type=int, default=0, help="so many different questions; 0: all are new")
    parser.add_argument("--lanes", type=int, action="append", help="0: the default; default: 1 and then 0")
    parser.add_argument("--search", action="store_true", help="what lanes see of each other, instead")
    parser.add_argument("--repeats", type=int, default=30, help="questions of each kind beside a search")
    given = parser.parse_args()
    out = Console(width=160)
    if given.search:
        with tempfile.TemporaryDirectory() as folder:
            search(out, Path(folder), given)
        return
    for lanes in given.lanes or (1, 0):
        with tempfile.TemporaryDirectory() as folder:
            load(out, Path(folder), given, lanes or None)


if __name__ == "__main__":
    main()
