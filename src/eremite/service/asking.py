"""Routes that ask: private questions, which spend, and forecasts, which do not. All of them take turns."""

from collections.abc import Awaitable, Callable
from fractions import Fraction
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from eremite import Release, Session
from eremite.forecast.to_json import to_json
from eremite.privacy import json_number
from eremite.service import answers
from eremite.service.asker import Asking
from eremite.service.limits import facts_of
from eremite.service.outcomes import WITH_TOKEN, body_of, outcomes
from eremite.service.questions import (
    CompareMechanisms,
    Count,
    Detect,
    EpsilonForCount,
    EpsilonForSubspaces,
    ForecastCount,
    ForecastSubspaces,
    Question,
    Radius,
    Report,
    Subspaces,
)
from eremite.service.reading import read_question

router = APIRouter()

#: A method of a session, and how its answer is written.
Ask = Callable[..., Any]
Written = Callable[[Any], Response]


def _release(release: Release) -> Response:
    """Byte by byte what the ledger keeps."""
    return Response(release.to_json(), media_type="application/json")


def _forecast(forecast: object) -> Response:
    return JSONResponse(to_json(forecast))


def _epsilon(epsilon: Fraction) -> Response:
    return JSONResponse({"epsilon": json_number(epsilon)})


def _endpoint(kind: type[Question], ask: Ask, written: Written) -> Callable[..., Awaitable[Response]]:
    """Read the question, wait for its turn, ask the session, and give the answer when the turn ends.

    A turn may be long in coming. When it comes, the token is looked up again before anything is charged.
    """

    async def endpoint(asker: Asking, request: Request) -> Response:
        turns = asker.house.turns
        with turns.place(asker.grant.account):
            facts = facts_of(asker.dataset.table)
            question = await run_in_threadpool(read_question, await request.body(), kind, facts)
            answer = await turns.take(lambda: ask(asker.still().session(), **question.arguments()))
        return written(answer)

    return endpoint


def _add(path: str, kind: type[Question], ask: Ask, written: Written, answer: answers.Schema, words: str) -> None:
    """One route. A question that spends can be refused by the budget."""
    spends = written is _release
    statuses = (400, 404, *((409,) if spends else ()), 413, 422, *WITH_TOKEN)
    router.add_api_route(
        f"/v1/datasets/{{name}}/{path}",
        _endpoint(kind, ask, written),
        methods=["POST"],
        name=path.replace("/", "_"),
        summary=kind.__doc__,
        description=f"{words} {'Spends epsilon.' if spends else 'Spends nothing, looks at no private row.'}",
        tags=["questions" if spends else "forecasts"],
        openapi_extra=body_of(kind),
        responses=outcomes(answer, *statuses),
    )


def _question(path: str, kind: type[Question], ask: Ask, words: str) -> None:
    _add(path, kind, ask, _release, answers.RELEASE, words)


#: Where forecasts are computed.
_ON = "Computed on the stand-in, or on rows made up from public facts."

_question("count", Count, Session.count_outliers, "The value is an integer between 0 and the number of rows.")
_question("subspaces", Subspaces, Session.top_subspaces, "The value is a list of sets of columns, in the order drawn.")
_question("report", Report, Session.outlier_report, "The value is a list of sets of columns, each with its count.")
_question("detect", Detect, Session.detect_outliers, "The value is a list of places from 0, in the order drawn.")
_question("radius", Radius, Session.choose_radius, "The value is the radius as a text; the definition has it too.")
_add("forecast/count", ForecastCount, Session.forecast_count, _forecast, answers.FORECAST, _ON)
_add("forecast/count/epsilon", EpsilonForCount, Session.epsilon_for_count, _epsilon, answers.EPSILON, _ON)
_add("forecast/count/mechanisms", CompareMechanisms, Session.compare_mechanisms, _forecast, answers.COMPARISON, _ON)
_add("forecast/subspaces", ForecastSubspaces, Session.forecast_subspaces, _forecast, answers.SEARCH_FORECAST, _ON)
_add("forecast/subspaces/epsilon", EpsilonForSubspaces, Session.epsilon_for_subspaces, _epsilon, answers.EPSILON, _ON)
