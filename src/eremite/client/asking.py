"""Asking and waiting: one question under one id, however often it has to be sent."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from eremite.client.bodies import ROUTES, body_of, is_forecast
from eremite.client.jobs import AnyAnswer, Job, answer_of, job_of
from eremite.client.progress import Progress, StatusLine
from eremite.client.wire import Wire
from eremite.errors import InputError, ServiceError

_FIRST_WAIT = 2  # seconds that the service may take before it says "queued"
_NEXT_WAIT = 5  # seconds after which a state is asked for again
_PAUSE = 0.5  # seconds, if the service did not wait
_MOST_ASKED = 5  # times, if the service forgets the job each time


class Asking:
    """Asks about one dataset of a service.

    Args:
        wire: The service.
        dataset: Name of the dataset.
        wait_for: For how many seconds an answer is waited for; None is without end.
        progress: Called with the state of a question when it changes.
    """

    def __init__(self, wire: Wire, dataset: str, *, wait_for: float | None, progress: Progress | None) -> None:
        self.wire = wire
        self.dataset = dataset
        self._wait_for = wait_for
        self._progress = progress

    @property
    def place(self) -> str:
        """The address of the dataset below that of the service."""
        return f"/v1/datasets/{quote(self.dataset, safe='')}"

    def ask(self, name: str, asked: Mapping[str, Any], request_id: str | None = None) -> Any:
        """The answer to the question of this name with these fields; the exception that it ended with otherwise."""
        number = None if is_forecast(name) else _id(request_id)
        body = body_of(name, asked) | ({} if number is None else {"request_id": number})
        with _interruptible(number):
            return self._answer(ROUTES[name], body, number)

    def follow(self, job: Job) -> AnyAnswer:
        """The answer of a job that the service knows, when it is there."""
        with _interruptible(job.request_id), self._shown() as show:
            ended = self._ended(job, self._until(), show)
        if ended is None:
            raise ServiceError("The service no longer knows this job; look at releases().", request_id=job.request_id)
        return _outcome(ended)

    def cancel(self, job_id: str) -> Job:
        """Cancel a job; an `InputError` if it was charged already."""
        answer = self.wire.delete(_address(job_id))
        if answer.status == 409 and isinstance(answer.fields.get("error"), str):
            raise InputError(answer.fields["error"])
        return job_of(answer.require(200).fields)

    def _answer(self, question: str, body: Mapping[str, Any], number: str | None) -> AnyAnswer:
        until = self._until()
        with self._shown() as show:
            for _ in range(_MOST_ASKED):
                sent = self.wire.post(f"{self.place}/{question}", body, number, wait=_FIRST_WAIT)
                if sent.status == 404 and self.wire.get(self.place).status == 200:
                    raise InputError("This service does not take this question; its version of eremite is another one.")
                found = sent.require(200, 202, request_id=number).fields
                if "state" not in found:
                    return answer_of(question, found)
                job = self._ended(job_of(found), until, show)
                if job is not None:
                    return _outcome(job)
        raise ServiceError("The service forgets the question each time it is asked; tell the custodian.")

    def _ended(self, job: Job, until: float | None, show: Progress) -> Job | None:
        """The job when it has ended; None if the service does not know it, as after a restart.

        Then the question is sent again under its id: the service has its answer, or goes on with it.
        """
        clock = self.wire.clock
        now: Job | None = job
        while now is not None and not now.ended:
            show(now.state)
            begin = clock()
            if until is not None and begin >= until:
                raise ServiceError(_not_yet(now), request_id=now.request_id)
            now = self._now(now, _NEXT_WAIT if until is None else min(_NEXT_WAIT, max(1, round(until - begin))))
            if now is not None and not now.ended and clock() - begin < _PAUSE:
                self.wire.sleep(_PAUSE)
        # Lists of jobs have no answers.
        return self._now(now, 0) if now is not None and now.state == "done" and now.answer is None else now

    def _now(self, job: Job, wait: int) -> Job | None:
        """The job as it is now, or when it has ended within so many seconds; None if the service does not know it."""
        answer = self.wire.get(_address(job.id), job.request_id, wait=wait)
        return None if answer.status == 404 else job_of(answer.require(200, request_id=job.request_id).fields)

    def _until(self) -> float | None:
        return None if self._wait_for is None else self.wire.clock() + self._wait_for

    @contextmanager
    def _shown(self) -> Iterator[Progress]:
        """Says a state when it is another one than before; a status line goes away at the end."""
        said: list[str] = []

        def show(state: str) -> None:
            if self._progress is not None and said[-1:] != [state] and state in ("queued", "running"):
                said.append(state)
                self._progress(state)

        try:
            yield show
        finally:
            if isinstance(self._progress, StatusLine):
                self._progress("")


def new_request_id() -> str:
    """An id that no other request has."""
    return uuid4().hex


def _id(given: str | None) -> str:
    if given is not None and not isinstance(given, str):
        raise InputError("request_id must be a text.")
    return new_request_id() if given is None else given


def _address(job_id: str) -> str:
    return f"/v1/jobs/{quote(job_id, safe='')}"


def _outcome(job: Job) -> AnyAnswer:
    if job.error is not None:
        raise job.error
    if job.answer is None:
        raise ServiceError("The service says that the question is answered, and gives no answer.")
    return job.answer


def _not_yet(job: Job) -> str:
    if job.request_id is None:
        return "There is no forecast yet; ask again, with a larger wait_for."
    return (
        f"There is no answer yet, and the service goes on with the question. The same question under "
        f"request_id={job.request_id!r} gives its answer, without a second charge."
    )


@contextmanager
def _interruptible(number: str | None) -> Iterator[None]:
    """Ctrl-C says how to get the answer of what was asked."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_stopped(number)) from None


def _stopped(number: str | None) -> str:
    if number is None:
        return "Stopped waiting for the forecast; it spends nothing."
    return (
        f"Stopped waiting; the service may go on with the question. answer({number!r}) gives its answer, as does the "
        f"same question under this request_id, without a second charge; cancel({number!r}) stops it before its charge."
    )
