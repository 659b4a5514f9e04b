"""All routes of the API. Those that look spend nothing; those that ask are POST, and each makes a job."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from eremite.errors import EremiteError
from eremite.ledger import Account, Released
from eremite.ledger.to_json import budgets_to_json, entry_to_json, privacy_to_json
from eremite.service import schemas
from eremite.service.auth import Caller, CurrentCaller, CurrentCustodian, CurrentGrant, CurrentState
from eremite.service.errors import error_response
from eremite.service.jobs import Job
from eremite.service.ledger_reads import HEALTH_TIMEOUT
from eremite.service.questions import QUESTIONS, Question
from eremite.service.schemas import WITH_TOKEN, responses
from eremite.service.state import Dataset, ServiceState
from eremite.service.work import LEDGER_UNAVAILABLE
from eremite.version import __version__

router = APIRouter()

LONGEST_WAIT = 60.0
_STILL_THERE = 15.0  # seconds between signs of life of a stream of events


@router.get("/healthz", responses=responses(schemas.HEALTH, 503), tags=["service"])
async def health(state: CurrentState) -> Response:
    """Is the service up, and do its ledgers answer? Needs no token. Answers in time even if a ledger does not."""
    if not all(await asyncio.gather(*(_ledger_answers(state, dataset) for dataset in state.datasets.values()))):
        return error_response(503, LEDGER_UNAVAILABLE)
    return JSONResponse({"status": "ok", "version": __version__})


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


@router.get("/v1/datasets/{name}/releases", responses=responses(schemas.RELEASES, 404, *WITH_TOKEN), tags=["datasets"])
async def releases(caller: CurrentCaller) -> Response:
    """List every release of this account. One whose turn has not ended is not told yet."""
    dataset, account = caller.dataset.name, caller.grant.account
    found = await caller.state.ledger_reads.read(dataset, lambda: _releases(caller))
    untold = caller.state.desk.running(dataset, account)  # after the read: a turn may have begun meanwhile
    return JSONResponse({"releases": [release for release in found if release["request_id"] not in untold]})


@router.get(
    "/v1/datasets/{name}/budgets", responses=responses(schemas.BUDGETS, 403, 404, *WITH_TOKEN), tags=["custodian"]
)
async def budgets(caller: CurrentCustodian) -> Response:
    """Show all budgets of a dataset. For the custodian."""
    return await _read_ledger(caller, _budgets)


@router.get(
    "/v1/datasets/{name}/history", responses=responses(schemas.HISTORY, 403, 404, *WITH_TOKEN), tags=["custodian"]
)
async def history(caller: CurrentCustodian) -> Response:
    """List everything that was charged, released, refused and set, in order. For the custodian."""
    return await _read_ledger(caller, _history)


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


def _history(caller: Caller) -> Response:
    entries = caller.dataset.ledger.history(caller.dataset.name)
    return JSONResponse({"history": [entry_to_json(entry) for entry in entries]})


def _releases(caller: Caller) -> list[dict[str, Any]]:
    events = (entry.event for entry in caller.dataset.ledger.history(caller.dataset.name, caller.grant.account))
    return [json.loads(event.release) for event in events if isinstance(event, Released)]


# --- asking

Wait = Annotated[
    float,
    Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the answer; without it, the job is sent at once."),
]


def _endpoint(question: Question) -> Callable[..., Awaitable[Response]]:
    """Take the question, wait as long as asked, and send the answer, the error, or the job."""

    async def endpoint(caller: CurrentCaller, request: Request, wait: Wait = 0) -> Response:
        desk = caller.state.desk
        with desk.place(caller.grant.account):
            job = await desk.submit(caller, question.path, await request.body())
        return _told(await desk.wait(job, wait))

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
    errors = (400, 404, *((409,) if question.spends else ()), 413, 422, 429, *WITH_TOKEN)
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


def _job(state: CurrentState, grant: CurrentGrant, job: JobId) -> Job:
    return state.desk.find(grant, job)


CurrentJob = Annotated[Job, Depends(_job)]


@router.get("/v1/jobs", responses=responses(schemas.JOBS, *WITH_TOKEN), tags=["jobs"])
async def jobs(state: CurrentState, grant: CurrentGrant) -> Response:
    """List the last jobs of this account, the newest first, without their answers."""
    listed = [job.to_json() for job in state.desk.jobs_of(grant)]
    return JSONResponse({"jobs": [{name: job[name] for name in job if name != "answer"} for job in listed]})


@router.get("/v1/jobs/{job}", responses=responses(schemas.JOB, 404, 422, *WITH_TOKEN), tags=["jobs"])
async def job(state: CurrentState, found: CurrentJob, wait: Wait = 0) -> Response:
    """Show a job and, once it is done, its answer."""
    return JSONResponse((await state.desk.wait(found, wait)).to_json())


@router.delete("/v1/jobs/{job}", responses=responses(schemas.JOB, 404, 409, *WITH_TOKEN), tags=["jobs"])
async def cancel(state: CurrentState, grant: CurrentGrant, job: JobId) -> Response:
    """Cancel a question that waits. Once it was charged, it cannot be canceled."""
    return JSONResponse((await state.desk.cancel(grant, job)).to_json())


@router.get("/v1/jobs/{job}/events", responses=responses(schemas.EVENTS, 404, *WITH_TOKEN), tags=["jobs"])
async def events(state: CurrentState, found: CurrentJob) -> Response:
    """Send the job, and send it again whenever its state changes, as server-sent events, until it has ended."""
    return StreamingResponse(_events(state, found), media_type="text/event-stream")


async def _events(state: ServiceState, job: Job) -> AsyncIterator[str]:
    yield _event(job)
    while not job.ended and not state.desk.stopping:
        before, job = job, await state.desk.changed(job, _STILL_THERE)
        yield _event(job) if job.state != before.state else ": waiting\n\n"


def _event(job: Job) -> str:
    return f"event: state\ndata: {json.dumps(job.to_json())}\n\n"
