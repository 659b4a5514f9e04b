"""Routes that look and spend nothing: public facts, budgets, releases, the history."""

import asyncio
import json
from collections.abc import Callable

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from eremite.errors import EremiteError
from eremite.ledger import Released
from eremite.ledger.to_json import budgets_to_json, entry_to_json, privacy_to_json
from eremite.service import answers
from eremite.service.asker import Asker, Asking, Auditing, Granted, HouseOf
from eremite.service.failures import LEDGER_OUT_OF_REACH, failure
from eremite.service.house import Dataset, House
from eremite.service.ledger_reads import HEALTH_PATIENCE
from eremite.service.outcomes import WITH_TOKEN, outcomes
from eremite.version import __version__

router = APIRouter()


@router.get("/healthz", responses=outcomes(answers.HEALTH, 503), tags=["service"])
async def health(house: HouseOf) -> Response:
    """Is the service up, and do its ledgers answer? Needs no token. Comes in time whatever the ledgers do."""
    if not all(await asyncio.gather(*(_answers(house, dataset) for dataset in house.datasets.values()))):
        return failure(503, LEDGER_OUT_OF_REACH)
    return JSONResponse({"status": "ok", "version": __version__})


async def _answers(house: House, dataset: Dataset) -> bool:
    """Whether the ledger of a dataset answers. Nothing is logged: anybody may ask this, and as often as they like."""
    try:
        await house.ledger_reads.read(dataset.name, dataset.ledger.ping, HEALTH_PATIENCE)
    except EremiteError:
        return False
    return True


@router.get("/v1/datasets", responses=outcomes(answers.DATASETS, *WITH_TOKEN), tags=["datasets"])
def datasets(house: HouseOf, grant: Granted) -> Response:
    """Name the datasets that this token may ask about, with all that is public about them."""
    served = (house.datasets[name] for name in sorted(set(grant.datasets)) if name in house.datasets)
    return JSONResponse({"datasets": [dataset.facts() for dataset in served]})


@router.get("/v1/datasets/{name}", responses=outcomes(answers.DATASET, 404, *WITH_TOKEN), tags=["datasets"])
def dataset(asker: Asking) -> Response:
    """Tell all that is public about a dataset."""
    return JSONResponse(asker.dataset.facts())


@router.get("/v1/datasets/{name}/budget", responses=outcomes(answers.BUDGET, 404, *WITH_TOKEN), tags=["datasets"])
async def budget(asker: Asking) -> Response:
    """Tell what this account has left."""
    return await _read(asker, _budget)


@router.get("/v1/datasets/{name}/releases", responses=outcomes(answers.RELEASES, 404, *WITH_TOKEN), tags=["datasets"])
async def releases(asker: Asking) -> Response:
    """Repeat every release of this account. Waits for the question under way, as its answer is not given yet."""
    turns = asker.house.turns
    with turns.place(asker.grant.account):
        return await turns.between(lambda: _releases(asker.still()))


@router.get(
    "/v1/datasets/{name}/budgets", responses=outcomes(answers.BUDGETS, 403, 404, *WITH_TOKEN), tags=["custodian"]
)
async def budgets(asker: Auditing) -> Response:
    """Tell all budgets of a dataset. For the custodian."""
    return await _read(asker, _budgets)


@router.get(
    "/v1/datasets/{name}/history", responses=outcomes(answers.HISTORY, 403, 404, *WITH_TOKEN), tags=["custodian"]
)
async def history(asker: Auditing) -> Response:
    """Tell everything that was charged, released, refused and set, in order. For the custodian."""
    return await _read(asker, _history)


async def _read(asker: Asker, what: Callable[[Asker], Response]) -> Response:
    """An answer out of the ledger, written in the thread that read it: a history can be long."""
    return await asker.house.ledger_reads.read(asker.dataset.name, lambda: what(asker))


def _budget(asker: Asker) -> Response:
    remaining = asker.dataset.ledger.remaining(asker.dataset.account(asker.grant))
    whose = {"dataset": asker.dataset.name, "account": asker.grant.account}
    return JSONResponse(whose | {"remaining": privacy_to_json(remaining.privacy), "words": remaining.words})


def _budgets(asker: Asker) -> Response:
    return JSONResponse(budgets_to_json(asker.dataset.name, asker.dataset.ledger.budgets(asker.dataset.name)))


def _history(asker: Asker) -> Response:
    entries = asker.dataset.ledger.history(asker.dataset.name)
    return JSONResponse({"history": [entry_to_json(entry) for entry in entries]})


def _releases(asker: Asker) -> Response:
    events = (entry.event for entry in asker.dataset.ledger.history(asker.dataset.name, asker.grant.account))
    return JSONResponse({"releases": [json.loads(event.release) for event in events if isinstance(event, Released)]})
