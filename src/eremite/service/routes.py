"""All routes. Those that look spend nothing; those that ask are POST, and each takes a turn of the scheduler."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from fractions import Fraction

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from eremite import (
    CompareMechanismsQuery,
    CountByQuery,
    CountQuery,
    DetectQuery,
    EpsilonForCountQuery,
    EpsilonForDetectQuery,
    EpsilonForExplainQuery,
    EpsilonForReportQuery,
    EpsilonForSubspacesQuery,
    ExplainQuery,
    ForecastCountByQuery,
    ForecastCountQuery,
    ForecastDetectQuery,
    ForecastExplainQuery,
    ForecastReportQuery,
    ForecastRowsQuery,
    ForecastSubspacesQuery,
    RadiusQuery,
    Release,
    ReportQuery,
    RowsQuery,
    SubspacesQuery,
)
from eremite.errors import EremiteError
from eremite.forecast.to_json import to_json
from eremite.ledger import Account, Released
from eremite.ledger.to_json import budgets_to_json, entry_to_json, privacy_to_json
from eremite.privacy import json_number
from eremite.service import schemas
from eremite.service.auth import Caller, CurrentCaller, CurrentCustodian, CurrentGrant, CurrentState
from eremite.service.errors import LEDGER_UNAVAILABLE, error_response
from eremite.service.ledger_reads import HEALTH_TIMEOUT
from eremite.service.limits import facts_of
from eremite.service.requests import QueryBody
from eremite.service.schemas import WITH_TOKEN, responses
from eremite.service.state import Dataset, ServiceState
from eremite.version import __version__

router = APIRouter()


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
    """List every release of this account. Waits for the turn under way, whose answer was not given yet."""
    scheduler = caller.state.scheduler
    with scheduler.place_in_queue(caller.grant.account):
        return await scheduler.run_between_turns(lambda: _releases(caller.reauthorized()))


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


def _releases(caller: Caller) -> Response:
    events = (entry.event for entry in caller.dataset.ledger.history(caller.dataset.name, caller.grant.account))
    return JSONResponse({"releases": [json.loads(event.release) for event in events if isinstance(event, Released)]})


def _answer(answer: object) -> Response:
    """The response to a question: a release, in the bytes that the ledger keeps; an epsilon; or a forecast."""
    if isinstance(answer, Release):
        return Response(answer.to_json(), media_type="application/json")
    return JSONResponse({"epsilon": json_number(answer)} if isinstance(answer, Fraction) else to_json(answer))


def _endpoint(body: QueryBody) -> Callable[..., Awaitable[Response]]:
    """Read the question, wait for a turn, ask the session, and respond when the turn ends.

    The wait may be long. So the token is checked again when the turn begins, before anything is charged.
    """

    async def endpoint(caller: CurrentCaller, request: Request) -> Response:
        scheduler = caller.state.scheduler
        with scheduler.place_in_queue(caller.grant.account):
            facts = facts_of(caller.dataset.table)
            query, request_id = await run_in_threadpool(body.read, await request.body(), facts)

            def ask() -> object:
                session = caller.reauthorized().session()
                return session.ask(query, request_id=request_id) if body.spends else session.forecast(query)

            answer = await scheduler.run_in_turn(ask)
        return _answer(answer)

    return endpoint


def _add(path: str, body: QueryBody, schema: schemas.Schema, words: str) -> None:
    """Add one route. The budget can refuse a question that spends."""
    errors = (400, 404, *((409,) if body.spends else ()), 413, 422, *WITH_TOKEN)
    router.add_api_route(
        f"/v1/datasets/{{name}}/{path}",
        _endpoint(body),
        methods=["POST"],
        name=path.replace("/", "_"),
        summary=body.record.__doc__,
        description=f"{words} {'Spends epsilon.' if body.spends else 'Spends nothing, looks at no private row.'}",
        tags=["questions" if body.spends else "forecasts"],
        openapi_extra=body.openapi(),
        responses=responses(schema, *errors),
    )


def _add_question(path: str, record: type, words: str) -> None:
    _add(path, QueryBody(record, spends=True), schemas.RELEASE, words)


def _add_forecast(
    path: str,
    record: type,
    schema: schemas.Schema,
    words: str = "Computed on the stand-in, or on rows made up from public facts.",
) -> None:
    _add(f"forecast/{path}", QueryBody(record, spends=False), schema, words)


_ON_NUMBERS = "Computed on the stand-in, or on made-up numbers of rows near points."

_add_question(
    "count", CountQuery, "The value is an integer, 0 or more, and at most the number of rows where that is public."
)
_add_question("count-by", CountByQuery, "The value is a list of groups, each with its count.")
_add_question("subspaces", SubspacesQuery, "The value is a list of sets of columns, in the order drawn.")
_add_question("report", ReportQuery, "The value is a list of sets of columns, each with its count.")
_add_question("detect", DetectQuery, "The value is a list of positions from 0, in the order drawn.")
_add_question(
    "explain", ExplainQuery, "The value is a list of sets of columns; for a list of points, a list of such lists."
)
_add_question("radius", RadiusQuery, "The value is the radius; the definition has it too.")
_add_question("rows", RowsQuery, "The value is an integer, 0 or more. A number that is public is refused.")
_add_forecast("count", ForecastCountQuery, schemas.FORECAST)
_add_forecast("count-by", ForecastCountByQuery, schemas.GROUPS_FORECAST)
_add_forecast("count/epsilon", EpsilonForCountQuery, schemas.EPSILON)
_add_forecast("count/mechanisms", CompareMechanismsQuery, schemas.COMPARISON)
_add_forecast("subspaces", ForecastSubspacesQuery, schemas.SEARCH_FORECAST)
_add_forecast("subspaces/epsilon", EpsilonForSubspacesQuery, schemas.EPSILON)
_add_forecast("report", ForecastReportQuery, schemas.REPORT_FORECAST)
_add_forecast("report/epsilon", EpsilonForReportQuery, schemas.EPSILON)
_add_forecast("detect", ForecastDetectQuery, schemas.NAMING_FORECAST, _ON_NUMBERS)
_add_forecast("detect/epsilon", EpsilonForDetectQuery, schemas.EPSILON, _ON_NUMBERS)
_add_forecast("explain", ForecastExplainQuery, schemas.NAMING_FORECAST, _ON_NUMBERS)
_add_forecast("explain/epsilon", EpsilonForExplainQuery, schemas.EPSILON, _ON_NUMBERS)
_add_forecast("rows", ForecastRowsQuery, schemas.ROWS_FORECAST, "Computed from epsilon and rows_per_person alone.")
