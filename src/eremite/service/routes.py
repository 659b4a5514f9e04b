"""All routes of the API. Those that look spend nothing; those that ask are POST, and each makes a job."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from eremite.errors import EremiteError, InputError
from eremite.ledger import Account, remaining
from eremite.ledger.to_json import budgets_to_json, entry_to_json, privacy_to_json
from eremite.privacy import Privacy, checked_budget
from eremite.service import schemas
from eremite.service.audit import note
from eremite.service.auth import (
    NO_CUSTODIAN,
    Caller,
    CurrentCaller,
    CurrentCustodian,
    CurrentGrant,
    CurrentState,
    hold_place,
    may_stream,
    require_still,
)
from eremite.service.cap import CAP
from eremite.service.errors import NOT_READY, error_response
from eremite.service.jobs import Job
from eremite.service.ledger_reads import HEALTH_TIMEOUT
from eremite.service.limits import MAX_TEXT_CHARS
from eremite.service.metrics import METRICS_TYPE, metrics_of
from eremite.service.questions import QUESTIONS, Question
from eremite.service.schemas import WITH_TOKEN, responses
from eremite.service.state import Dataset, ServiceState
from eremite.service.tokens import Grant, tokens_readable
from eremite.service.told import told_releases
from eremite.service.work import LEDGER_UNAVAILABLE
from eremite.service.worker import WorkerDied
from eremite.version import __version__

router = APIRouter()


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


LONGEST_WAIT = 60.0
LONGEST_PAGE = 1_000
_STILL_THERE = 15.0  # seconds between signs of life of a stream of events


@router.get("/healthz", responses=responses(schemas.HEALTH, 503), tags=["service"])
async def health() -> Response:
    """Is the service up? Needs no token, and looks at nothing else."""
    return JSONResponse({"status": "ok", "version": __version__})


@router.get("/readyz", responses=responses(schemas.HEALTH, 503), tags=["service"])
async def ready(state: CurrentState) -> Response:
    """Can questions be answered: do the ledgers answer, can tokens be read? Needs no token, and answers in time."""
    if state.desk.stopping or not await run_in_threadpool(tokens_readable, state.token_file):
        return error_response(503, NOT_READY)
    if not all(await asyncio.gather(*(_ledger_answers(state, dataset) for dataset in state.datasets.values()))):
        return error_response(503, LEDGER_UNAVAILABLE)
    return JSONResponse({"status": "ok", "version": __version__})


@router.get(
    "/metrics",
    responses=responses(schemas.METRICS, 403, *WITH_TOKEN),
    response_class=PlainTextResponse,
    tags=["service"],
)
async def metrics(state: CurrentState, grant: CurrentGrant) -> Response:
    """Count how jobs ended, how many wait, and what is left, for Prometheus. For a custodian, of their datasets."""
    if not grant.custodian:
        raise HTTPException(403, NO_CUSTODIAN)
    names = [name for name in sorted(grant.datasets) if name in state.datasets]
    left = [await state.ledger_reads.read(name, partial(_left, state, name)) for name in names]
    return PlainTextResponse(metrics_of(state.desk, dict(zip(names, left, strict=True))), media_type=METRICS_TYPE)


def _left(state: ServiceState, dataset: str) -> Privacy | None:
    [(_, whole), *_] = state.datasets[dataset].ledger.budgets(dataset)
    return remaining(whole)


async def _ledger_answers(state: ServiceState, dataset: Dataset) -> bool:
    """Whether the ledger of a dataset answers. Logs nothing, because anybody may ask, as often as they like."""
    try:
        await state.ledger_reads.read(dataset.name, dataset.ledger.ping, HEALTH_TIMEOUT)
    except EremiteError:
        return False
    return True


@router.get("/v1/datasets", responses=responses(schemas.DATASETS, *WITH_TOKEN), tags=["datasets"])
def datasets(state: CurrentState, grant: CurrentGrant) -> Response:
    """List the datasets that this token may ask about, with all that is public about them."""
    served = (state.datasets[name] for name in sorted(set(grant.datasets)) if name in state.datasets)
    return JSONResponse({"datasets": [dataset.public_facts() for dataset in served]})


@router.get("/v1/datasets/{name}", responses=responses(schemas.DATASET, 404, *WITH_TOKEN), tags=["datasets"])
def dataset(caller: CurrentCaller) -> Response:
    """Show all that is public about a dataset."""
    return JSONResponse(caller.dataset.public_facts())


@router.get("/v1/datasets/{name}/budget", responses=responses(schemas.BUDGET, 404, *WITH_TOKEN), tags=["datasets"])
async def budget(caller: CurrentCaller) -> Response:
    """Show what this account may still spend."""
    return await _read_ledger(caller, _budget)


Before = Annotated[
    int | None, Query(ge=1, lt=2**63, description="Only what came before this event: `before` of the last page.")
]
BeforeRequest = Annotated[
    str | None,
    Query(max_length=MAX_TEXT_CHARS, description="Only those before this request: `before` of the last page."),
]
PageLength = Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="At most so many.")]


@router.get(
    "/v1/datasets/{name}/releases", responses=responses(schemas.RELEASES, 404, 422, *WITH_TOKEN), tags=["datasets"]
)
async def releases(caller: CurrentCaller, before: BeforeRequest = None, limit: PageLength = 100) -> Response:
    """List the releases of this account, the newest first. One whose turn has not ended is not told yet."""
    page = await told_releases(caller, before, limit)
    told = await run_in_threadpool(lambda: [json.loads(one.release) for one in page.releases])
    return JSONResponse({"releases": told, "before": page.before})


@router.get(
    "/v1/datasets/{name}/budgets", responses=responses(schemas.BUDGETS, 403, 404, *WITH_TOKEN), tags=["custodian"]
)
async def budgets(caller: CurrentCustodian) -> Response:
    """Show all budgets of a dataset. For the custodian."""
    return await _read_ledger(caller, _budgets)


@router.get(
    "/v1/datasets/{name}/history", responses=responses(schemas.HISTORY, 403, 404, 422, *WITH_TOKEN), tags=["custodian"]
)
async def history(caller: CurrentCustodian, before: Before = None, limit: PageLength = 100) -> Response:
    """List the last events in order: all that was charged, released, refused and set. For the custodian."""
    return await _read_ledger(caller, lambda caller: _history(caller, before, limit))


@router.get("/v1/datasets/{name}/jobs", responses=responses(schemas.JOBS, 403, 404, *WITH_TOKEN), tags=["custodian"])
async def under_way(caller: CurrentCustodian) -> Response:
    """List the questions that wait or are computed, of all accounts. For the custodian."""
    return JSONResponse({"jobs": [job.to_json() for job in caller.state.desk.under_way(caller.dataset.name)]})


@router.put(
    "/v1/datasets/{name}/cap",
    responses=responses(schemas.BUDGETS, 400, 403, 404, 413, 422, *WITH_TOKEN),
    openapi_extra=CAP.openapi(),
    tags=["custodian"],
)
async def set_cap(caller: CurrentCustodian, request: Request) -> Response:
    """Set the cap of the dataset, or of an account. For the custodian; the reason is kept in the history."""
    _, wanted = await caller.state.desk.bodies.read(caller.grant.account, request.body, CAP.read_plain)
    await require_still(caller.state, caller.grant, caller.dataset.name, custodian=True)

    def change(caller: Caller) -> Response:
        cap = checked_budget(wanted.epsilon, wanted.delta)
        caller.dataset.ledger.set_cap(caller.dataset.name, wanted.account, cap, reason=wanted.reason)
        return _budgets(caller)

    return await _read_ledger(caller, change)


@router.post(
    "/v1/datasets/{name}/reload", responses=responses(schemas.DATASET, 403, 404, 422, *WITH_TOKEN), tags=["custodian"]
)
async def reload(caller: CurrentCustodian) -> Response:
    """Open the rows again, beside the old ones, which answer until the new ones take over. For the custodian."""
    assert caller.state.reload is not None, "only a service without rows has none"  # noqa: S101 -- for the type checker
    try:
        await caller.state.reload(caller.dataset.name, caller.grant.datasets)
    except (EremiteError, WorkerDied) as error:
        raise InputError(f"The rows were not replaced: {str(error) or 'they could not be opened.'}") from None
    return JSONResponse(caller.state.datasets[caller.dataset.name].public_facts())


async def _read_ledger(caller: Caller, respond: Callable[[Caller], Response]) -> Response:
    """A response out of the ledger, serialized in the thread that read it, because a history can be long."""
    return await caller.state.ledger_reads.read(caller.dataset.name, lambda: respond(caller))


def _budget(caller: Caller) -> Response:
    dataset, account = caller.dataset.name, caller.grant.account
    remaining = caller.dataset.ledger.remaining(Account(dataset, account))
    numbers = privacy_to_json(remaining.privacy)
    return JSONResponse({"dataset": dataset, "account": account, "remaining": numbers, "words": remaining.words})


def _budgets(caller: Caller) -> Response:
    return JSONResponse(budgets_to_json(caller.dataset.name, caller.dataset.ledger.budgets(caller.dataset.name)))


def _history(caller: Caller, before: int | None, limit: int) -> Response:
    entries = caller.dataset.ledger.history(caller.dataset.name, before=before, limit=limit)
    following = entries[0].seq if len(entries) == limit else None
    return JSONResponse({"history": [entry_to_json(entry) for entry in entries], "before": following})


# --- asking

Wait = Annotated[
    float,
    Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the answer; without it, the job is sent at once."),
]


def _endpoint(question: Question) -> Callable[..., Awaitable[Response]]:
    """Take the question, wait as long as asked, and send the answer, the error, or the job."""

    async def endpoint(caller: CurrentCaller, request: Request, wait: Wait = 0) -> Response:
        desk, rates, account = caller.state.desk, caller.state.rates, caller.grant.account
        still_asks = partial(require_still, caller.state, caller.grant, caller.dataset.name)

        async def receive() -> bytes:
            content = await request.body()
            await still_asks()  # an error can tell what is left of the budget
            return content

        with rates.waiting(account) if wait else nullcontext():  # before the job is made: a refusal must refuse it
            with desk.place(account):
                if not question.spends:
                    rates.require_forecast(account)
                job = await desk.submit(caller, question.path, receive)
            job = await desk.wait(job, wait)
            await still_asks()
            return _told(job)

    return endpoint


def _told(job: Job) -> Response:
    """The answer of a job: a release in the bytes that the ledger keeps, or a forecast; its error; or the job."""
    if job.answer is not None:
        return Response(job.answer, media_type="application/json")
    if job.refusal is not None:
        return JSONResponse(job.refusal.to_json(), job.refusal.status)
    return JSONResponse(job.to_json(), 202, {"Location": f"/v1/jobs/{job.id}"})


def _add(question: Question) -> None:
    """Add the route of a question. The budget can refuse one that spends."""
    errors = (400, 404, *((409,) if question.spends else ()), 413, 422, *WITH_TOKEN)
    cost = "Spends epsilon." if question.spends else "Spends nothing, looks at no private row."
    router.add_api_route(
        f"/v1/datasets/{{name}}/{question.path}",
        _endpoint(question),
        methods=["POST"],
        name=question.path.replace("/", "_"),
        summary=question.body.record.__doc__,
        description=f"{question.words} {cost}",
        tags=["questions" if question.spends else "forecasts"],
        openapi_extra=question.body.openapi(),
        responses=responses(question.answer, *errors, accepted=schemas.JOB),
    )


for _question in QUESTIONS.values():
    _add(_question)


# --- jobs

JobId = Annotated[str, Path(description="Id of the job.")]


async def _job(request: Request, state: CurrentState, grant: CurrentGrant, job: JobId) -> Job:
    found = state.desk.find(grant, job)
    note(request.scope, dataset=found.dataset, question=found.question)
    return found


CurrentJob = Annotated[Job, Depends(_job)]


@router.get("/v1/jobs", responses=responses(schemas.JOBS, *WITH_TOKEN), tags=["jobs"])
async def jobs(state: CurrentState, grant: CurrentGrant) -> Response:
    """List the last jobs of this account, the newest first, without their answers."""
    listed = [job.to_json() for job in state.desk.jobs_of(grant)]
    return JSONResponse({"jobs": [{name: job[name] for name in job if name != "answer"} for job in listed]})


@router.get(
    "/v1/jobs/{job}",
    responses=responses(schemas.JOB, 404, 422, *WITH_TOKEN),
    tags=["jobs"],
)
async def job(state: CurrentState, grant: CurrentGrant, found: CurrentJob, wait: Wait = 0) -> Response:
    """Show a job and, once it is done, its answer."""
    with state.rates.waiting(found.account) if wait else nullcontext():
        found = await state.desk.wait(found, wait)
        if wait:
            await require_still(state, grant, found.dataset)
        return JSONResponse(found.to_json())


@router.delete("/v1/jobs/{job}", responses=responses(schemas.JOB, 404, 409, *WITH_TOKEN), tags=["jobs"])
async def cancel(state: CurrentState, grant: CurrentGrant, job: JobId) -> Response:
    """Cancel a question that waits. Once it was charged, it cannot be canceled."""
    return JSONResponse((await state.desk.cancel(grant, job)).to_json())


@router.get(
    "/v1/jobs/{job}/events",
    responses=responses(schemas.EVENTS, 404, *WITH_TOKEN),
    response_class=EventStream,
    dependencies=[Depends(hold_place)],
    tags=["jobs"],
)
async def events(state: CurrentState, grant: CurrentGrant, found: CurrentJob) -> Response:
    """Send the job, and send it again whenever its state changes, as server-sent events, until it has ended."""
    return EventStream(_events(state, grant, found))


async def _events(state: ServiceState, grant: Grant, job: Job) -> AsyncIterator[str]:
    """The events of a job. Before each, and before each sign of life, the token is checked again."""
    text = _event(job)
    while await may_stream(state, grant, job.dataset):
        yield text
        if job.ended or state.desk.stopping:
            return
        before, job = job, await state.desk.changed(job, _STILL_THERE)
        text = _event(job) if job.state != before.state else ": waiting\n\n"


def _event(job: Job) -> str:
    return f"event: state\ndata: {json.dumps(job.to_json())}\n\n"
