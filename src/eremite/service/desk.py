"""The desk: takes questions, refuses what public facts refuse, and keeps the jobs until they are answered.

The API and the page both ask through it. Fields, limits and budgets are checked when a question arrives: they are
public, and a refusal takes no turn. Whether the budget covers a question is decided again when it is charged.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import uuid4

from fastapi import HTTPException

from eremite.errors import BudgetRefused, EremiteError, InputError
from eremite.ledger import Account, Another, Ledger, Stored, Unanswered, used_for_another
from eremite.service.bodies import Bodies, Receive
from eremite.service.errors import LOG, TOKENS_UNAVAILABLE, TooManyWaiting
from eremite.service.identity import Proof
from eremite.service.jobs import Job, JobFile, Refused
from eremite.service.lanes import Lane, Outcome
from eremite.service.ledger_reads import LedgerReads
from eremite.service.limits import facts_of
from eremite.service.questions import QUESTIONS, Question
from eremite.service.tokens import Grant
from eremite.service.work import Answer, Asked, Failed
from eremite.session.duration import expected_seconds
from eremite.session.request import Request
from eremite.table import Facts

if TYPE_CHECKING:
    from eremite.service.auth import Caller
    from eremite.service.state import Dataset

MOST_WAITING = 500
MOST_WAITING_PER_ACCOUNT = 10
#: A question that takes longer by public facts is refused, in seconds.
LONGEST_QUESTION = 600.0
_MOST_LISTED = 100
_MOST_FORECASTS = 1_000  # whose jobs are known
_FORGET_EVERY = timedelta(hours=1)

_NO_JOB = "There is no job of this id that this token may see."
_TOO_LATE = "This question has begun or ended and can no longer be canceled; what was charged stays charged."
_GONE = (
    "The token that asked this was revoked or has expired, or may no longer ask it; nothing was charged. Another token "
    "of the account can ask again."
)
_LOST = (
    "The service ended in the middle of this question: it was charged, and its answer is lost. Ask under another id."
)
_STOPPING = "The service stops; nothing was charged. Ask again later."


_ForecastKey = tuple[str, str, str, bytes]


@dataclass(frozen=True, slots=True)
class _Read:
    """The job of a body that was read, and its question as it would be charged; None for a forecast.

    `misfit` says why the question cannot be asked about the rows as they are now; it may have been answered before.
    """

    job: Job
    request: Request | None
    is_named: bool  # whether it spends under an id that was sent
    misfit: InputError | None = None


class Desk:
    """Keeps all jobs of a service, and gives each to its lane. Used in one event loop."""

    def __init__(
        self,
        *,
        datasets: "Mapping[str, Dataset]",
        lanes: Mapping[str, Lane],
        forecast_lane: Lane,
        jobs: JobFile,
        ledger_reads: LedgerReads,
        granted: Callable[[Proof], Grant | None],
        longest_question: float = LONGEST_QUESTION,
        adopt: Callable[[Mapping[str, Facts]], None] = lambda _: None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self._datasets = datasets
        self._lanes = lanes
        self._forecast_lane = forecast_lane
        self._jobs = jobs
        self._ledger_reads = ledger_reads
        self._granted = granted
        self._longest_question = longest_question
        self._adopt = adopt
        self._clock = clock
        self._new_id = new_id
        self._unended: dict[str, Job] = {}
        self._places: Counter[str] = Counter()  # of requests whose question is being read
        self._changes: dict[str, asyncio.Event] = {}
        self._forecasts: OrderedDict[_ForecastKey, str] = OrderedDict()  # the ids of their jobs
        self._forget_at = clock()
        self.bodies = Bodies()
        self.stopping = False
        self.ended: Counter[tuple[str, str, str]] = Counter()  # by dataset, question and how they ended

    # --- asking

    @contextmanager
    def place(self, account: str) -> Iterator[None]:
        """Hold a place while a question is read. Each account has few, so that none can keep the others out."""
        if self.stopping:
            raise HTTPException(503, _STOPPING)
        mine = sum(job.account == account for job in self._unended.values()) + self._places[account]
        if mine >= MOST_WAITING_PER_ACCOUNT or len(self._unended) + self._places.total() >= MOST_WAITING:
            raise TooManyWaiting
        self._places[account] += 1
        try:
            yield
        finally:
            self._places[account] -= 1

    async def submit(self, caller: "Caller", question: str, receive: Receive) -> Job:
        """Take a question, in a place: the job that answers it, which has ended if it was answered before.

        Its body is received when the account has a place for it.

        Raises an `InputError`, a `BudgetRefused` or a `LedgerError` if public facts refuse it; nothing was charged.
        """
        read = partial(self._read, caller, QUESTIONS[question])
        content, found = await self.bodies.read(caller.grant.account, receive, read)
        job, request = found.job, found.request
        if request is None:
            return self._known_forecast(job, content) or self._accept(job, content)
        same = self._same(job, request)
        if same is not None:
            return same
        stored = await self._ledger_reads.read(job.dataset, partial(self._foresee, caller.dataset.ledger, found))
        same = self._same(job, request)  # it may have been asked twice at once
        if same is not None:
            return same
        if stored is None:
            return self._accept(job, content)
        done = replace(job, state="done", answer=stored.release)
        return self._jobs.answered(job, stored.release) or self._accept(done, content)

    def _foresee(self, ledger: Ledger, read: _Read) -> Stored | None:
        """The stored answer of a question, or None if it would be charged; else an error says why it would not."""
        job, request = read.job, read.request
        assert request is not None, "it spends"  # noqa: S101 -- for the type checker
        account, number, former = Account(job.dataset, job.account), job.request_id or "", request.former_fingerprint
        if read.misfit is None:
            return ledger.foresee(account, number, job.fingerprint, request.plan.cost, request.question, former)
        stored = ledger.answered(account, number, (job.fingerprint, former))
        if stored is None:
            raise read.misfit
        return stored

    def _read(self, caller: "Caller", question: Question, content: bytes) -> _Read:
        """The question of a body. One that no longer fits the rows is read too if it could have been answered."""
        try:
            read = self._read_about(caller.dataset, caller, question, content)
            if question.spends:
                self._require_short(read.job.seconds)
        except InputError as error:
            misfit = error
        else:
            return read
        with suppress(InputError):
            read = self._read_about(caller.dataset.of_any_size, caller, question, content)
            if read.is_named:
                return replace(read, misfit=misfit)
        raise misfit

    def _read_about(self, dataset: "Dataset", caller: "Caller", question: Question, content: bytes) -> _Read:
        query, request_id = question.body.read(content, facts_of(dataset.facts))
        request, seconds = None, self._longest_question
        if question.spends:
            plan = query.plan(dataset.table)
            request, seconds = Request(plan, dataset.table), expected_seconds(plan, dataset.facts)
        job = Job(
            id=self._new_id(),
            dataset=dataset.name,
            account=caller.grant.account,
            question=question.path,
            request_id=None if request is None else self._new_id() if request_id is None else request_id,
            fingerprint="" if request is None else request.fingerprint,
            seconds=seconds,
            proofs=(caller.proof,),
            asked_at=self._clock().replace(microsecond=0),
        )
        return _Read(job, request, is_named=request_id is not None)

    def _require_short(self, seconds: float) -> None:
        if seconds > self._longest_question:
            raise InputError(
                f"By its numbers of rows, columns, sets, points and radii this question takes about {seconds:,.0f} "
                f"seconds, and this service takes questions of up to {self._longest_question:,.0f}; ask for less at "
                "once. Nothing was charged."
            )

    def _same(self, job: Job, request: Request) -> Job | None:
        """The job under the same request id that has not ended, if it asks the same: then both have asked it."""
        key = (job.dataset, job.account, job.request_id)
        same = next((o for o in self._unended.values() if (o.dataset, o.account, o.request_id) == key), None)
        if same is not None and same.fingerprint not in (job.fingerprint, request.former_fingerprint):
            raise InputError(used_for_another(job.request_id or ""))
        return None if same is None else self._note_asker(same, job)

    def _note_asker(self, same: Job, job: Job) -> Job:
        """Note who else asked a job: it is charged as long as one of them may ask it."""
        noted = same.asked_too(job)
        if noted != same:
            self._unended[same.id] = noted
            self._jobs.update(noted)
        return noted

    def _accept(self, job: Job, content: bytes) -> Job:
        self._forget_old()
        self._jobs.add(job, b"" if job.ended else content)
        if not job.ended:
            self._unended[job.id] = job
            self._lane(job).put(job, self)
        return job

    def _forget_old(self) -> None:
        """Forget jobs that ended long ago, now and then."""
        now = self._clock()
        if now >= self._forget_at:
            self._jobs.forget(now)
            self._forget_at = now + _FORGET_EVERY

    def _lane(self, job: Job) -> Lane:
        return self._forecast_lane if job.request_id is None else self._lanes[job.dataset]

    # --- looking

    def find(self, grant: Grant, job_id: str) -> Job:
        """A job of this account; other jobs and jobs that do not exist give the same error."""
        job = self._unended.get(job_id) or self._jobs.find(job_id)
        if (
            job is None
            or job.account != grant.account
            or job.dataset not in grant.datasets
            or job.dataset not in self._datasets
        ):
            raise HTTPException(404, _NO_JOB)
        return job

    def jobs_of(self, grant: Grant) -> list[Job]:
        """The last jobs of an account, the newest first."""
        listed = self._jobs.of_account(grant.account, _MOST_LISTED)
        return [self._unended.get(job.id, job) for job in listed if job.dataset in grant.datasets]

    def under_way(self, dataset: str) -> list[Job]:
        """The jobs of a dataset that wait or run, in the order they were asked. For its custodian."""
        return [job for job in self._unended.values() if job.dataset == dataset]

    def unended_ids(self, dataset: str, account: str) -> set[str]:
        """The ids of requests that wait or run. Releases may be stored of those that run, and are not told yet."""
        jobs = (job for job in self._unended.values() if (job.dataset, job.account) == (dataset, account))
        return {job.request_id for job in jobs if job.request_id is not None}

    def queue_lengths(self) -> dict[str, int]:
        """How many jobs wait, by dataset, and for forecasts."""
        waiting = [job for job in self._unended.values() if job.state == "queued"]
        return dict(Counter("forecasts" if job.request_id is None else job.dataset for job in waiting))

    async def wait(self, job: Job, seconds: float) -> Job:
        """The job when it has ended, or after so many seconds, or when the service stops."""
        until = asyncio.get_running_loop().time() + seconds
        while not job.ended and not self.stopping and (left := until - asyncio.get_running_loop().time()) > 0:
            job = await self.changed(job, left)
        return job

    async def changed(self, job: Job, seconds: float) -> Job:
        """The job when its state has changed, or after so many seconds."""
        if self._now(job).state == job.state and not self.stopping:
            change = self._changes.setdefault(job.id, asyncio.Event())
            with suppress(TimeoutError):
                await asyncio.wait_for(change.wait(), seconds)
        return self._now(job)

    def _now(self, job: Job) -> Job:
        return self._unended.get(job.id) or self._jobs.find(job.id) or job

    # --- what becomes of jobs

    async def cancel(self, grant: Grant, job_id: str) -> Job:
        """Cancel a job that waits; one that was charged cannot be canceled."""
        job = self.find(grant, job_id)
        if job.state == "canceled":
            return job
        if not self._lane(job).waiting.remove(job.id):
            raise BudgetRefused(_TOO_LATE)
        return self._end(job, replace(job, state="canceled"))

    def begin(self, turn: Sequence[Job]) -> list[Job]:
        """Let a turn begin. Hours may have passed since a question was asked: who may no longer ask is refused."""
        running = []
        for job in (self._unended[taken.id] for taken in turn):  # others may have asked it since
            refusal = self._refusal(job)
            if refusal is None:
                running.append(self._change(replace(job, state="running")))
            else:
                self._end(job, replace(job, state="refused", refusal=refusal))
        return running

    def _refusal(self, job: Job) -> Refused | None:
        """Why a job is not charged: nobody who asked it may ask it still."""
        try:
            grants = [self._granted(proof) for proof in job.proofs]
        except EremiteError as error:
            self.log(str(error))
            return Refused(status=503, sentence=TOKENS_UNAVAILABLE)
        if not any(one and one.account == job.account and job.dataset in one.datasets for one in grants):
            return Refused(status=401, sentence=_GONE)
        return None

    def asked(self, job: Job) -> Asked:
        """What a worker is told of a job."""
        return Asked(job.dataset, job.account, job.question, self._jobs.body(job), job.request_id or "")

    def became_of(self, job: Job) -> Stored | Unanswered | Another | None:
        """What the ledger says of a job, and not of another question under its id."""
        account, ledger = Account(job.dataset, job.account), self._datasets[job.dataset].ledger
        return ledger.became_of(account, job.request_id or "", self._fingerprints(job))

    def _fingerprints(self, job: Job) -> set[str]:
        """All that may identify the question of a job in the ledger.

        It may have been charged as it was asked; or under the rules and the version of now, if it waited meanwhile.
        """
        found, dataset, body = {job.fingerprint}, self._datasets[job.dataset], self._jobs.body(job)
        for about in (dataset, dataset.of_any_size):
            with suppress(InputError):  # it may no longer fit the rows
                query, _ = QUESTIONS[job.question].body.read(body, facts_of(about.facts))
                request = Request(query.plan(about.table), about.table)
                found |= {request.fingerprint, request.former_fingerprint}
        return found

    def end(self, outcomes: Mapping[str, Outcome]) -> None:
        """Let jobs end, by their ids, all at once."""
        for job_id, outcome in outcomes.items():
            job = self._unended[job_id]
            if isinstance(outcome, Answer):
                if job.request_id is None:
                    self._keep_forecast(job)
                self._end(job, replace(job, state="done", answer=outcome.text))
            else:
                self._end(job, _failed(job, outcome))
                if outcome.log is not None:
                    self.log(outcome.log)

    def reopened(self, facts: Mapping[str, Facts]) -> None:
        """Take the facts of rows that were opened again."""
        self._adopt(facts)

    def wait_again(self, job: Job) -> None:
        """Note that a job waits again."""
        self._change(replace(self._unended[job.id], state="queued"))

    def log(self, words: str) -> None:
        """Tell the custodian."""
        LOG.error("%s", words)

    def _known_forecast(self, job: Job, content: bytes) -> Job | None:
        """The job that made the same forecast for this account, if it is still there."""
        known = self._forecasts.get(_forecast_key(job, content))
        return None if known is None else self._jobs.find(known)

    def _keep_forecast(self, job: Job) -> None:
        self._forecasts[_forecast_key(job, self._jobs.body(job))] = job.id
        if len(self._forecasts) > _MOST_FORECASTS:
            self._forecasts.popitem(last=False)

    def forget_forecasts(self, dataset: str) -> None:
        """Forget the forecasts of a dataset whose facts have changed."""
        for key in [key for key in self._forecasts if key[1] == dataset]:
            del self._forecasts[key]

    def _change(self, job: Job) -> Job:
        self._unended[job.id] = job
        self._jobs.update(job)
        self._tell(job)
        return job

    def _end(self, before: Job, job: Job) -> Job:
        del self._unended[before.id]
        self._jobs.update(job)
        self.ended[job.dataset, job.question, job.state] += 1
        self._tell(job)
        return job

    def _tell(self, job: Job) -> None:
        change = self._changes.pop(job.id, None)
        if change is not None:
            change.set()

    # --- starting and stopping

    def go_on(self) -> None:
        """Go on with the jobs that waited when the service ended, in a running event loop.

        Of a job that ran, the ledger knows what became of it; one that was not charged waits again.
        """
        for job in self._jobs.unended():
            if job.dataset not in self._datasets:
                continue  # it is not served at the moment
            self._unended[job.id] = job
            found = self.became_of(job) if job.state == "running" and job.request_id is not None else None
            if isinstance(found, Stored):
                self._end(job, replace(job, state="done", answer=found.release))
            elif isinstance(found, Unanswered):
                self._end(job, replace(job, state="lost", refusal=Refused(status=500, sentence=_LOST)))
            elif isinstance(found, Another):
                refusal = Refused(status=422, sentence=used_for_another(job.request_id or ""))
                self._end(job, replace(job, state="refused", refusal=refusal))
            else:
                self._lane(job).put(self._change(replace(job, state="queued")), self)

    def stop(self) -> None:
        """Begin no further turn, and let nobody wait any longer. Waiting jobs are kept for the next start."""
        self.stopping = True
        for lane in self._all_lanes():
            lane.stop()
        for change in self._changes.values():
            change.set()

    async def stopped(self) -> None:
        """Wait, after `stop`, until the turns under way have ended and the workers too."""
        await asyncio.gather(*(lane.stopped() for lane in self._all_lanes()))

    def close(self) -> None:
        """End the workers, each after what it does at the moment, and close the file of jobs."""
        for lane in self._all_lanes():
            lane.close()
        self._jobs.close()

    def _all_lanes(self) -> set[Lane]:
        return {*self._lanes.values(), self._forecast_lane}


def _forecast_key(job: Job, content: bytes) -> _ForecastKey:
    """What was asked, and by whom: nobody learns what others asked."""
    return job.account, job.dataset, job.question, sha256(content).digest()


def _failed(job: Job, outcome: Failed) -> Job:
    refusal = Refused(
        status=outcome.status, sentence=outcome.sentence, needed=outcome.needed, remaining=outcome.remaining
    )
    return replace(job, state="lost" if outcome.status == 500 else "refused", refusal=refusal)
