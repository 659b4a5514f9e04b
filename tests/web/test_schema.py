"""Whatever is sent, the service answers as its OpenAPI document says, and never with an internal error."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import one_of

from eremite.service import openapi
from tests.end_to_end.served import COUNT, PATIENCE, Served, serving, written

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.checks")
checks.load_all_checks()

#: What a schema says is answered: no internal error, no status, type or body that it does not describe. It does not say
#: which questions make sense, so what fits it may be refused with 422, and a number may be sent as a text.
STATUS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance"]
CHECKS = checks.CHECKS.get_by_names([*STATUS, "response_schema_conformance"])
#: A stream of events is described as one text, and is read as several objects.
CHECKS_OF_EVENTS = checks.CHECKS.get_by_names(STATUS)
EXAMPLES = 40
#: Each opens the rows again, in processes of their own, which takes seconds.
RELOADS = 1
PLENTY = ["--requests-per-second", "1000000", "--forecasts-per-hour", "1000000"]
#: A question that is not waited for takes one of the ten places of its account.
WAIT = {"wait": 60}

DOCUMENT = openapi()
ROUTES = sorted((method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods)
DESCRIBED = schemathesis.openapi.from_dict(DOCUMENT)
POSITIVE, NEGATIVE = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("described")
    with serving(folder, written(folder), *PLENTY) as served:
        yield served


@pytest.fixture(scope="module")
def job(service: Served) -> Any:
    """A job that has ended, of the custodian's account."""
    asked = service.ask("/patients/count?wait=0", COUNT, "boss").json()["id"]
    address = f"{service.address}/v1/jobs/{asked}?wait=60"
    assert service.client.get(address, headers=service.sent("boss")).json()["state"] == "done"
    return asked


@pytest.fixture(autouse=True)
def budget(service: Served) -> None:
    """Much is left, whatever an example did to the cap."""
    cap = {"account": None, "epsilon": 1_000_000, "delta": 0, "reason": "many examples"}
    address = f"{service.address}/v1/datasets/patients/cap"
    assert service.client.put(address, json=cap, headers=service.sent("boss")).status_code == 200


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_whatever_is_sent_is_answered_as_described(service: Served, job: str, method: str, path: str) -> None:
    operation = DESCRIBED[path][method]
    names = {name: value for name, value in (("name", "patients"), ("job", job)) if f"{{{name}}}" in path}
    there: dict[str, Any] = {"path_parameters": names} if names else {}
    kinds = (operation.as_strategy(POSITIVE), operation.as_strategy(POSITIVE, **there))
    negative = [operation.as_strategy(NEGATIVE, **there)] if operation.body or operation.query else []

    @given(case=one_of(*kinds, *negative))
    @settings(max_examples=RELOADS if path.endswith("/reload") else EXAMPLES)
    def send(case: Any) -> None:
        if method == "POST" and not (case.query or {}).keys() - {"wait"}:
            case.query = WAIT
        response = case.call(base_url=service.address, headers=service.sent("boss"), timeout=PATIENCE)
        case.validate_response(response, checks=CHECKS_OF_EVENTS if path.endswith("/events") else CHECKS)

    send()
