"""OpenAPI describes every route and field without a dataset; a missing extra is named."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest

from eremite import InputError, OutlierDefinition, Release, service
from eremite.service import openapi, schemas

ROUTES = {
    "/healthz": "get",
    "/readyz": "get",
    "/metrics": "get",
    "/v1/datasets/{name}/cap": "put",
    "/v1/datasets/{name}/jobs": "get",
    "/v1/datasets/{name}/reload": "post",
    "/v1/jobs": "get",
    "/v1/jobs/{job}": "get delete",
    "/v1/jobs/{job}/events": "get",
    "/v1/datasets": "get",
    "/v1/datasets/{name}": "get",
    "/v1/datasets/{name}/budget": "get",
    "/v1/datasets/{name}/budgets": "get",
    "/v1/datasets/{name}/history": "get",
    "/v1/datasets/{name}/releases": "get",
    "/v1/datasets/{name}/count": "post",
    "/v1/datasets/{name}/count-by": "post",
    "/v1/datasets/{name}/subspaces": "post",
    "/v1/datasets/{name}/report": "post",
    "/v1/datasets/{name}/detect": "post",
    "/v1/datasets/{name}/explain": "post",
    "/v1/datasets/{name}/radius": "post",
    "/v1/datasets/{name}/rows": "post",
    "/v1/datasets/{name}/forecast/count": "post",
    "/v1/datasets/{name}/forecast/count-by": "post",
    "/v1/datasets/{name}/forecast/count/epsilon": "post",
    "/v1/datasets/{name}/forecast/count/mechanisms": "post",
    "/v1/datasets/{name}/forecast/radius": "post",
    "/v1/datasets/{name}/forecast/rows": "post",
    "/v1/datasets/{name}/forecast/subspaces": "post",
    "/v1/datasets/{name}/forecast/subspaces/epsilon": "post",
    "/v1/datasets/{name}/forecast/report": "post",
    "/v1/datasets/{name}/forecast/report/epsilon": "post",
    "/v1/datasets/{name}/forecast/detect": "post",
    "/v1/datasets/{name}/forecast/detect/epsilon": "post",
    "/v1/datasets/{name}/forecast/explain": "post",
    "/v1/datasets/{name}/forecast/explain/epsilon": "post",
}


def properties(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of every object in a schema."""
    if isinstance(value, dict):
        for name, field in value.get("properties", {}).items():
            yield f"{path}.{name}", field
        for key, part in value.items():
            yield from properties(part, f"{path}.{key}")
    if isinstance(value, list):
        for part in value:
            yield from properties(part, path)


def test_routes_are_exactly_these_and_each_says_what_it_does() -> None:
    paths = openapi()["paths"]
    assert {path: " ".join(methods) for path, methods in paths.items()} == ROUTES
    for path, method in ((path, method) for path, methods in ROUTES.items() for method in methods.split()):
        route = paths[path][method]
        assert route["summary"], path
        assert route["description"], path
        content = route["responses"]["200"]["content"]
        assert "application/json" not in content or content["application/json"]["schema"]["properties"], path


def test_failures_are_told_in_our_own_form_alone() -> None:
    """FastAPI would add its own 422 to every route with a name in its address."""
    described = openapi()
    answers_of = [route["responses"] for methods in described["paths"].values() for route in methods.values()]
    told = [(status, each["content"]) for says in answers_of for status, each in says.items() if status > "299"]
    assert len(told) > 50
    for status, content in told:
        schema = schemas.REFUSAL if status == "409" else schemas.ERROR
        assert content == {"application/json": {"schema": schema}}
    assert "$ref" not in json.dumps(described)


def test_every_field_is_described() -> None:
    found = list(properties(openapi()["paths"]))
    assert len(found) > 100
    assert [path for path, field in found if not field.get("description")] == []


def test_schema_of_a_release_has_its_fields() -> None:
    release = Release(
        value=1,
        query="count_outliers",
        columns=("bmi",),
        definition=OutlierDefinition(min_neighbors=1, radius=1),
        epsilon=Fraction(1),
        delta=Fraction(0),
        mechanism="",
        request_id="",
        time=datetime(2026, 1, 1, tzinfo=UTC),
        version="",
    )
    assert list(json.loads(release.to_json())) == list(schemas.RELEASE["properties"])


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "find_spec", lambda name: None if name == "uvicorn" else object())
    with pytest.raises(InputError, match=r"pip install 'eremite\[service\]'"):
        openapi()
