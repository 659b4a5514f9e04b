"""A turn lasts whole ticks, whatever happens in it; all its questions are charged before the first is computed."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from eremite.errors import EremiteError
from eremite.ledger import Another, Stored, Unanswered
from eremite.service.identity import Proof
from eremite.service.jobs import Job
from eremite.service.lanes import Lane, Outcome
from eremite.service.waiting import WaitingJobs
from eremite.service.work import Answer, Asked, Begun
from eremite.service.worker import Charge, Compute, Forecast, Message, WorkerDied
from eremite.table import Facts
from tests import clockwork

TICK = 0.4
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def job(name: str, account: str = "a", seconds: float = 0.0, spends: bool = True) -> Job:
    return Job(
        id=name,
        dataset="patients",
        account=account,
        question="count",
        request_id=name if spends else None,
        fingerprint="f",
        seconds=seconds,
        proofs=(Proof(token_hash="h"),),  # noqa: S106
        asked_at=NOW,
    )


@dataclass
class Worker:
    """Takes so many ticks for each computation; dies on some messages, once."""

    ticks: Mapping[str, float] = field(default_factory=dict)
    dies: list[tuple[type, str]] = field(default_factory=list)
    starts: bool = True
    seen: list[str] = field(default_factory=list)
    elapsed: float = 0.0

    def start(self) -> Mapping[str, Facts]:
        self.seen.append("start")
        if not self.starts:
            raise EremiteError("The table is gone.")
        return {}

    def call(self, message: Message) -> Any:
        names = [asked.request_id for asked in message.turn] if isinstance(message, Charge) else [_name(message)]
        for name in names:
            self.seen.append(f"{type(message).__name__} {name}")
            if (type(message), name) in self.dies:
                self.dies.remove((type(message), name))
                raise WorkerDied
            self.elapsed += self.ticks.get(name, 0.0) * (not isinstance(message, Charge))
        if isinstance(message, Charge):
            return [Answer("stored") if name == "known" else Begun(NOW) for name in names]
        return Answer(f"{names[0]} answered")

    def kill(self) -> None:
        self.seen.append("kill")

    def close(self) -> None:
        self.seen.append("close")


def _name(message: Compute | Forecast) -> str:
    return message.asked.request_id or message.asked.body.decode()


@dataclass
class Clerk:
    """Notes when, in ticks, turns begin and jobs end."""

    told: list[tuple[float, str]] = field(default_factory=list)
    ledger: dict[str, Stored | Unanswered | Another] = field(default_factory=dict)
    logged: list[str] = field(default_factory=list)
    reopenings: int = 0

    def begin(self, turn: Sequence[Job]) -> list[Job]:
        self._note(f"begin {' '.join(one.id for one in turn)}")
        return [replace(one, state="running") for one in turn]

    def asked(self, job: Job) -> Asked:
        return Asked(job.dataset, job.account, job.question, job.id.encode(), job.request_id or "")

    def became_of(self, job: Job) -> Stored | Unanswered | Another | None:
        return self.ledger.get(job.id)

    def end(self, outcomes: Mapping[str, Outcome]) -> None:
        for name, outcome in outcomes.items():
            self._note(f"{name}: {outcome.text if isinstance(outcome, Answer) else outcome.status}")

    def reopened(self, facts: Mapping[str, Facts]) -> None:
        self.reopenings += 1

    def wait_again(self, job: Job) -> None:
        self._note(f"again {job.id}")

    def log(self, words: str) -> None:
        self.logged.append(words)

    def _note(self, words: str) -> None:
        self.told.append((round(asyncio.get_running_loop().time() / TICK, 3), words))


class PunctualLane(Lane):
    """A lane whose worker takes the time of the loop's clock that it says."""

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        worker = self._worker
        assert isinstance(worker, Worker)
        worker.elapsed = 0.0
        try:
            return work()
        finally:
            await asyncio.sleep(worker.elapsed * TICK)


def course(jobs: Sequence[Job], worker: Worker | None = None, clerk: Clerk | None = None, **more: Any) -> Clerk:
    """What the clerk notes while a lane answers these jobs."""
    clerk = clerk or Clerk()

    async def run() -> None:
        lane = PunctualLane(worker or Worker(), tick=TICK, **more)
        for one in jobs:
            lane.put(one, clerk)
        while lane._running is not None and not lane._running.done():
            await lane._running

    clockwork.run(run())
    return clerk


@pytest.mark.parametrize(("takes", "ticks"), [(0, 1), (0.4, 1), (1.4, 2)])
def test_turn_lasts_whole_ticks_and_the_next_begins_when_it_ends(takes: float, ticks: int) -> None:
    clerk = course([job("one", seconds=9), job("two", seconds=9)], Worker({"one": takes}))
    assert clerk.told == [
        (0, "begin one"), (ticks, "one: one answered"), (ticks, "begin two"), (ticks + 1, "two: two answered"),
    ]  # fmt: skip


def test_questions_of_a_turn_are_all_charged_before_the_first_is_computed_and_end_together() -> None:
    worker = Worker({"one": 0.3, "two": 0.9})
    clerk = course([job("one"), job("two", "b"), job("known", "c")], worker)
    assert worker.seen == ["Charge one", "Charge two", "Charge known", "Compute one", "Compute two"]
    ended = [(2, "one: one answered"), (2, "two: two answered"), (2, "known: stored")]
    assert clerk.told == [(0, "begin one two known"), *ended]


def test_mutant_that_tells_an_answer_when_it_is_computed_is_seen() -> None:
    class Early(PunctualLane):
        async def _compute(self, job: Job, asked: Asked, charged: Any, clerk: Any) -> Any:
            outcome = await super()._compute(job, asked, charged, clerk)
            clerk.end({asked.request_id: outcome})
            return outcome

    clerk, jobs = Clerk(), [job("one"), job("two")]

    async def run() -> None:
        lane = Early(Worker({"one": 0.3}), tick=TICK)
        for one in jobs:
            lane.put(one, clerk)
        await lane._running  # type: ignore[misc]

    clockwork.run(run())
    assert any(time % 1 for time, _ in clerk.told)


def test_crash_loses_the_question_under_way_and_no_other_of_its_turn() -> None:
    worker = Worker(dies=[(Compute, "one")])
    clerk = course([job("one"), job("two")], worker)
    assert worker.seen == ["Charge one", "Charge two", "Compute one", "start", "Compute two"]
    assert clerk.told[1:] == [(1, "one: 500"), (1, "two: two answered")]


def test_crash_while_charging_leaves_it_to_the_ledger() -> None:
    worker = Worker(dies=[(Charge, "four")])
    clerk = Clerk(ledger={"one": Stored("kept"), "two": Unanswered()})
    course([job("one"), job("two"), job("three"), job("four")], worker, clerk)
    assert clerk.told == [
        (0, "begin one two three four"), (1, "one: kept"), (1, "two: 500"), (1, "again three"), (1, "again four"),
        (1, "begin four three"), (2, "four: four answered"), (2, "three: three answered"),
    ]  # fmt: skip


def test_crash_while_charging_refuses_a_question_whose_id_holds_another() -> None:
    clerk = course([job("one")], Worker(dies=[(Charge, "one")]), Clerk(ledger={"one": Another()}))
    assert clerk.told == [(0, "begin one"), (1, "one: 422")]


def test_question_that_crashes_its_worker_twice_does_not_wait_a_third_time() -> None:
    clerk = course([job("one")], Worker(dies=[(Charge, "one")] * 3))
    assert [words for _, words in clerk.told] == ["begin one", "again one", "begin one", "one: 503"]


def test_answer_that_was_stored_before_a_crash_is_told() -> None:
    worker = Worker(dies=[(Compute, "one")])
    clerk = course([job("one")], worker, Clerk(ledger={"one": Stored("kept")}))
    assert (clerk.told[-1], clerk.reopenings) == ((1, "one: kept"), 1)


def test_turn_that_fails_ends_for_all_and_the_next_begins() -> None:
    class Unknowing(Clerk):
        def became_of(self, job: Job) -> Any:
            raise EremiteError("The ledger is out of reach.")

    clerk = course([job("one", seconds=9), job("two", seconds=9)], Worker(dies=[(Charge, "one")]), Unknowing())
    assert clerk.told == [(0, "begin one"), (1, "one: 500"), (1, "begin two"), (2, "two: two answered")]


def test_forecast_is_tried_again_if_its_worker_was_gone() -> None:
    clerk = course([job("free", spends=False)], Worker(dies=[(Forecast, "free")]))
    assert clerk.told[-1] == (1, "free: free answered")


def test_rows_that_cannot_be_opened_again_are_told_to_the_custodian() -> None:
    clerk = course([job("one")], Worker(dies=[(Charge, "one")], starts=False))
    assert clerk.told[-1] == (1, "one: 503")
    assert clerk.logged[-1] == "A worker could not be started again: The table is gone."


def test_forecast_that_takes_too_long_is_ended() -> None:
    class Slow(PunctualLane):
        async def _call(self, message: Message) -> Any:
            await asyncio.sleep(5)
            raise WorkerDied  # as it was killed

    clerk, worker = Clerk(), Worker()

    async def run() -> None:
        lane = Slow(worker, tick=TICK, longest_forecast=3)
        lane.put(job("free", spends=False), clerk)
        await lane._running  # type: ignore[misc]

    clockwork.run(run())
    assert worker.seen == ["kill", "start"]
    assert clerk.told[-1][1] == "free: 422"


def test_stopped_lane_ends_its_turn_and_begins_no_other() -> None:
    clerk = Clerk()

    async def run() -> int:
        lane = PunctualLane(Worker({"one": 1.4}), tick=TICK, together=1)
        for name in ("one", "two"):
            lane.put(job(name), clerk)
        await asyncio.sleep(0.1 * TICK)
        lane.stop()
        await lane.stopped()
        return len(lane.waiting)

    assert clockwork.run(run()) == 1
    assert clerk.told == [(0, "begin one"), (2, "one: one answered")]


def test_other_worker_takes_over_between_two_turns() -> None:
    clerk, old, new = Clerk(), Worker({"one": 1.4}), Worker()

    async def run() -> None:
        lane = PunctualLane(old, tick=TICK, together=1)
        for name in ("one", "two"):
            lane.put(job(name), clerk)
        await asyncio.sleep(0.1 * TICK)
        await lane.replace(new, lambda _: None)
        await lane._running  # type: ignore[misc]

    asyncio.run(run())
    assert old.seen == ["Charge one", "Compute one", "close"]
    assert new.seen == ["start", "Charge two", "Compute two"]


def test_worker_whose_facts_are_refused_does_not_take_over() -> None:
    old, new = Worker(), Worker()

    def refuse(_: object) -> None:
        raise EremiteError("No.")

    async def run() -> None:
        lane = PunctualLane(old, tick=TICK)
        with pytest.raises(EremiteError):
            await lane.replace(new, refuse)
        lane.put(job("one"), Clerk())
        await lane._running  # type: ignore[misc]

    asyncio.run(run())
    assert new.seen == ["start", "close"]
    assert old.seen == ["Charge one", "Compute one"]


def taken(waiting: WaitingJobs, most: int = 1, seconds: float = 1.0) -> list[str]:
    turns = []
    while len(waiting):
        turns.append(" ".join(one.id for one in waiting.take(most, seconds)))
    return turns


def test_accounts_take_turns_however_many_questions_one_has() -> None:
    waiting = WaitingJobs()
    for name, account in (("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("c1", "c"), ("b2", "b")):
        waiting.put(job(name, account))
    assert taken(waiting) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_turn_takes_as_many_as_fit_by_public_facts_and_at_least_one() -> None:
    waiting = WaitingJobs()
    for name, seconds in (("long", 9.0), ("x", 0.4), ("y", 0.5), ("z", 0.4)):
        waiting.put(job(name, name, seconds))
    assert taken(waiting, most=16) == ["long", "x y", "z"]


def test_job_can_be_taken_out_once() -> None:
    waiting = WaitingJobs()
    waiting.put(job("one"))
    assert (waiting.remove("one"), waiting.remove("one"), len(waiting)) == (True, False, 0)
