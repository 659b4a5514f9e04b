"""Lanes: each has a worker and computes one question at a time, in turns that last a whole number of ticks.

How long an answer takes to compute depends on the rows. So what came of a turn is told when a whole number of ticks has
passed since it began, and only then does the next turn begin. Whoever waits, for their own answer or behind another
question, learns how many ticks the turns took and nothing else.

A turn may hold several questions. Which, is decided by public facts; all are charged at its start, and all end with it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from eremite.errors import EremiteError
from eremite.ledger import Another, Stored, Unanswered, used_for_another
from eremite.service.jobs import Job
from eremite.service.ticks import sleep_until_tick
from eremite.service.waiting import WaitingJobs
from eremite.service.work import INTERNAL, Answer, Asked, Begun, Failed
from eremite.service.worker import Charge, Compute, Forecast, Message, Worker, WorkerDied
from eremite.table import Facts

MOST_TOGETHER = 16
#: The questions of a turn take at most this share of a tick together, by public facts. They may take longer: what that
#: tells is how many ticks the turn had, as it is of a question that has a turn of its own.
_SHARE_OF_TICK = 0.5
#: Forecasts look at no private row, so their time is no secret and can be limited.
LONGEST_FORECAST = 60.0

_TOO_LONG = (
    "This forecast was not done after {seconds:g} seconds; ask for fewer epsilons, sets, points or radii, "
    "or for the shape 'uniform'."
)
_NOT_OPEN = "The dataset cannot be opened at the moment; nothing was charged. Ask again later, or tell the custodian."
_CRASHED = "A worker ended in the middle of a question and is started again."
_NOT_STARTED = "A worker could not be started again: {error}"

Outcome = Answer | Failed


class Clerk(Protocol):
    """Keeps the jobs of all lanes."""

    def begin(self, turn: Sequence[Job]) -> list[Job]:
        """Let a turn begin: the jobs that run, because those who asked still may."""

    def asked(self, job: Job) -> Asked:
        """What a worker is told of a job."""

    def became_of(self, job: Job) -> Stored | Unanswered | Another | None:
        """What the ledger says of a job, and not of another question under its id."""

    def end(self, outcomes: Mapping[str, Outcome]) -> None:
        """Let jobs end, by their ids."""

    def reopened(self, facts: Mapping[str, Facts]) -> None:
        """Take the facts of rows that a worker opened when it was started again."""

    def wait_again(self, job: Job) -> None:
        """Note that a job waits again, which was taken and not begun."""

    def log(self, words: str) -> None:
        """Tell the custodian."""


class Lane:
    """Takes turns while jobs wait. Without jobs nothing runs."""

    def __init__(
        self, worker: Worker, *, tick: float, together: int = MOST_TOGETHER, longest_forecast: float = LONGEST_FORECAST
    ) -> None:
        self.waiting = WaitingJobs()
        self._worker = worker
        self._tick = tick
        self._together = together
        self._longest_forecast = longest_forecast
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="eremite-lane")
        self._running: asyncio.Task[None] | None = None
        self._between_turns = asyncio.Lock()
        self._stopped = False
        self._again: set[str] = set()  # jobs that wait a second time, after a crash

    def put(self, job: Job, clerk: Clerk) -> None:
        """Let a job wait for its turn, in a running event loop."""
        self.waiting.put(job)
        self.wake(clerk)

    def wake(self, clerk: Clerk) -> None:
        """Take turns, in a running event loop, as long as jobs wait."""
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().create_task(self._take_turns(clerk))

    def stop(self) -> None:
        """Begin no further turn. Waiting jobs go on waiting."""
        self._stopped = True

    async def stopped(self) -> None:
        """Wait until the turn under way has ended, after `stop`, and end the worker."""
        if self._running is not None:
            await asyncio.shield(self._running)
        await self._in_thread(self.close)

    def close(self) -> None:
        """End the worker after what it does at the moment, whose answer is then stored."""
        self._worker.close()

    async def replace(self, worker: Worker, adopt: Callable[[Mapping[str, Facts]], None]) -> None:
        """Start another worker beside this one and let it take over between two turns.

        `adopt` is called with the facts of what it opened, before anything changes; an error leaves all as it was.
        """
        facts = await asyncio.to_thread(worker.start)
        async with self._between_turns:
            try:
                adopt(facts)
            except BaseException:
                await asyncio.to_thread(worker.close)
                raise
            before, self._worker = self._worker, worker
        await asyncio.to_thread(before.close)

    async def _take_turns(self, clerk: Clerk) -> None:
        while not self._stopped and len(self.waiting):
            async with self._between_turns:
                if self._stopped:
                    return
                turn = self.waiting.take(self._together, self._tick * _SHARE_OF_TICK)
                if turn:  # it may have been canceled
                    await self._take_turn(turn, clerk)

    async def _take_turn(self, turn: Sequence[Job], clerk: Clerk) -> None:
        began = asyncio.get_running_loop().time()
        running = clerk.begin(turn)
        try:
            outcomes = await self._outcomes(running, clerk)
        except Exception as error:  # such as a ledger that cannot say what became of a question
            clerk.log(f"A turn ended in {type(error).__name__}; its questions may be charged.")
            outcomes = {job.id: Failed(500, INTERNAL) for job in running}
        await sleep_until_tick(began, self._tick)
        clerk.end(outcomes)
        for job in running:
            if job.id in outcomes:
                self._again.discard(job.id)
            else:
                self._again.add(job.id)
                clerk.wait_again(job)
                self.waiting.put_back(job)

    async def _outcomes(self, running: Sequence[Job], clerk: Clerk) -> dict[str, Outcome]:
        spending = [job for job in running if job.request_id is not None]
        outcomes = await self._answer(spending, clerk) if spending else {}
        for job in running:
            if job.request_id is None:
                outcomes[job.id] = await self._forecast(job, clerk)
        return outcomes

    async def _answer(self, turn: Sequence[Job], clerk: Clerk) -> dict[str, Outcome]:
        """Charge all questions of a turn, then compute one after the other."""
        asked = {job.id: clerk.asked(job) for job in turn}
        try:
            charged = await self._call(Charge(tuple(asked.values())))
        except WorkerDied:
            return await self._after_crash(turn, clerk)
        outcomes: dict[str, Outcome] = {}
        for job, one in zip(turn, charged, strict=True):
            outcomes[job.id] = await self._compute(job, asked[job.id], one, clerk)
        return outcomes

    async def _compute(self, job: Job, asked: Asked, charged: Begun | Outcome, clerk: Clerk) -> Outcome:
        """Compute a question that was charged. Of a worker's crash nobody else's question suffers."""
        if not isinstance(charged, Begun):
            return charged
        try:
            outcome: Outcome = await self._call(Compute(asked, charged.charged_at))
        except WorkerDied:
            await self._restart(clerk)
            found = await self._in_thread(lambda: clerk.became_of(job))
            return Answer(found.release) if isinstance(found, Stored) else Failed(500, INTERNAL)
        return outcome

    async def _after_crash(self, turn: Sequence[Job], clerk: Clerk) -> dict[str, Outcome]:
        """After a crash while questions were charged: what the ledger says of each. The others wait again, once."""
        started = await self._restart(clerk)
        outcomes: dict[str, Outcome] = {}
        for job in turn:
            found = await self._in_thread(lambda job=job: clerk.became_of(job))  # type: ignore[misc]
            if isinstance(found, Stored):
                outcomes[job.id] = Answer(found.release)
            elif isinstance(found, Unanswered):
                outcomes[job.id] = Failed(500, INTERNAL)
            elif isinstance(found, Another):
                outcomes[job.id] = Failed(422, used_for_another(job.request_id or ""))
            elif not started or job.id in self._again:
                outcomes[job.id] = Failed(503, _NOT_OPEN)
        return outcomes

    async def _forecast(self, job: Job, clerk: Clerk) -> Outcome:
        """Make a forecast; if its worker dies, which may have happened before, once more."""
        for _ in range(2):
            call = asyncio.ensure_future(self._call(Forecast(clerk.asked(job))))
            await asyncio.wait([call], timeout=self._longest_forecast)
            too_long = not call.done()
            if too_long:
                self._worker.kill()
            try:
                outcome: Outcome = await call
            except WorkerDied:
                await self._restart(clerk, crashed=not too_long)
            else:
                return outcome
            if too_long:
                return Failed(422, _TOO_LONG.format(seconds=self._longest_forecast))
        return Failed(500, INTERNAL)

    async def _restart(self, clerk: Clerk, *, crashed: bool = True) -> bool:
        """Start the worker again; False if that fails."""
        if crashed:
            clerk.log(_CRASHED)
        try:
            clerk.reopened(await self._in_thread(self._worker.start))
        except (EremiteError, WorkerDied, OSError) as error:
            clerk.log(_NOT_STARTED.format(error=str(error) or "it ended at once"))
            return False
        return True

    async def _call(self, message: Message) -> Any:
        return await self._in_thread(lambda: self._worker.call(message))

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
