"""Questions that a service works on, and what came of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal, get_args

from eremite.client.refusals import error_of
from eremite.errors import EremiteError, InputError, ServiceError
from eremite.forecast.record import ForecastRecord
from eremite.forecast.records import (
    CountByForecast,
    CountForecast,
    MechanismComparison,
    NamingForecast,
    RadiusForecast,
    ReportForecast,
    RowsForecast,
    SubspacesForecast,
)
from eremite.forecast.to_json import from_json
from eremite.names import show_name
from eremite.privacy import exact
from eremite.release import Release

State = Literal["queued", "running", "done", "refused", "lost", "canceled"]

#: The record of each forecast, by its address; those of an epsilon are fractions.
_FORECASTS: dict[str, type[ForecastRecord]] = {
    "forecast/count": CountForecast,
    "forecast/count-by": CountByForecast,
    "forecast/count/mechanisms": MechanismComparison,
    "forecast/subspaces": SubspacesForecast,
    "forecast/report": ReportForecast,
    "forecast/detect": NamingForecast,
    "forecast/explain": NamingForecast,
    "forecast/radius": RadiusForecast,
    "forecast/rows": RowsForecast,
}

#: What a question is answered with.
AnyAnswer = Release | ForecastRecord | Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A question as the service sees it. All of it is public, and nothing in it says how far the service is.

    `state` is "queued", "running", "done", "refused" (`error` says why, and nothing was charged), "lost" (it was
    charged, and its answer is lost) or "canceled". `answer` is there when it is done, `error` when it ended otherwise.
    """

    id: str
    state: State
    dataset: str
    question: str  # its address below that of the dataset, such as "count" or "forecast/count"
    request_id: str | None  # None for forecasts
    asked_at: datetime | None = None
    answer: AnyAnswer | None = None
    error: EremiteError | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state not in ("queued", "running")


def job_of(fields: Mapping[str, Any]) -> Job:
    """The job that a service describes; a `ServiceError` for anything else."""
    try:
        id, state, dataset, question = (fields[name] for name in ("id", "state", "dataset", "question"))  # noqa: A001
        asked_at, request_id = fields.get("asked_at"), fields.get("request_id")
        _require(all(isinstance(text, str) for text in (id, dataset, question)) and isinstance(request_id, str | None))
        _require(state in get_args(State))
        return Job(
            id=id,
            state=state,
            dataset=dataset,
            question=question,
            request_id=request_id,
            asked_at=None if asked_at is None else datetime.fromisoformat(asked_at),
            answer=answer_of(question, fields["answer"]) if state == "done" and "answer" in fields else None,
            error=_error(state, fields, request_id),
        )
    except (KeyError, TypeError, ValueError):
        raise ServiceError("The service describes a job in a way that this version does not know.") from None


def answer_of(question: str, plain: Any) -> AnyAnswer:
    """A release, a forecast or an epsilon out of its JSON, by the address of the question."""
    try:
        if question.endswith("/epsilon"):
            return exact(plain["epsilon"], "epsilon")
        if question.startswith("forecast/"):
            return from_json(_FORECASTS[question], plain)
        return Release.from_json(json.dumps(plain))
    except (KeyError, TypeError, InputError):
        raise ServiceError(
            "The service answered with something that this version does not know; update eremite. The answer is kept "
            "by the service."
        ) from None


def _error(state: State, fields: Mapping[str, Any], request_id: str | None) -> EremiteError | None:
    match state:
        case "refused":
            status = fields.get("status")
            return error_of(status if type(status) is int else 422, fields)
        case "lost":
            return ServiceError(_lost(request_id), request_id=request_id)
        case "canceled":
            return ServiceError("The question was canceled before it was charged.", request_id=request_id)
        case _:
            return None


def _lost(request_id: str | None) -> str:
    if request_id is None:
        return "The forecast was lost; ask again."
    return (
        f"Request {show_name(request_id)} was charged and its answer is lost. What it spent stays spent; ask again "
        "under another id."
    )


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError
