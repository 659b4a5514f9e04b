"""An ordinary table over HTTP: strata, dates, booleans, rows left out, and a private number of rows."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from eremite import Table
from eremite.service import schemas
from tests.unit.service.in_process import Service, service

DEFINITION = {"min_neighbors": 3, "radius": 0.05, "within": ["ward"]}
ASKED = {"definition": DEFINITION, "epsilon": 8, "h": 1}
DATASET: dict[str, Any] = schemas.DATASET["properties"]
START = date(2020, 1, 1)


@pytest.fixture
def served(tmp_path: Path) -> Service:
    """Everybody is in ward A; whoever is in ward B stands alone."""
    frame = {
        "bmi": [25.0 + i / 100 for i in range(60)],
        "admitted": [START + timedelta(days=180 + i % 3) for i in range(60)],
        "smokes": [False] * 60,
        "pulse": [None] * 60,
        "ward": ["A"] * 60,
    }
    table = Table.from_frame(
        frame,
        {"bmi": (10, 60), "admitted": (START, date(2021, 1, 1)), "smokes": (False, True), "pulse": (30, 200)},
        categories={"ward": ["A", "B"]},
        missing={"pulse": "leave-out"},
        neighbors="add-remove",
        rows_about=50,
    )
    return service(tmp_path, table=table, epsilon=20)


def answer(served: Service, route: str, question: dict[str, Any]) -> tuple[int, Any]:
    [got] = served.ask(("POST", f"/v1/datasets/patients/{route}", json.dumps(question).encode()))
    return got.status_code, got.json()


def test_facts_have_rules_and_categories_and_no_number_of_rows(served: Service) -> None:
    [facts] = (got.json() for got in served.ask(("GET", "/v1/datasets/patients", b"")))
    assert set(facts) == set(DATASET) - {"n_rows"}
    assert (facts["neighbors"], facts["rows_about"]) == ("add-remove", 50)
    assert facts["columns"]["admitted"] == {"min": "2020-01-01", "max": "2021-01-01", "missing": "refuse"}
    assert facts["columns"]["smokes"] == {"min": False, "max": True, "missing": "refuse"}
    assert facts["columns"]["pulse"]["missing"] == "leave-out"
    assert facts["categories"] == {"ward": {"categories": ["A", "B"], "other": "refuse", "missing": "refuse"}}
    for part in ("columns", "categories"):
        described = DATASET[part]["additionalProperties"]["properties"]
        assert all(set(column) == set(described) for column in facts[part].values())


NAMES = ["bmi", "admitted", "smokes"]
BUSY, ALONE = ([25.3, "2020-06-30", False, ward] for ward in "AB")


@pytest.mark.parametrize("by_name", [False, True])
def test_points_have_dates_truths_and_strata(served: Service, by_name: bool) -> None:
    points: Any = [dict(zip((*NAMES, "ward"), point, strict=True)) if by_name else point for point in (BUSY, ALONE)]
    status, release = answer(served, "detect", ASKED | {"columns": NAMES, "candidates": points})
    assert (status, release["value"], release["neighbors"]) == (200, [1], "add-remove"), release
    assert release["definition"] == DEFINITION
    status, release = answer(served, "explain", ASKED | {"columns": NAMES, "max_size": 1, "point": points[1]})
    assert (status, len(release["value"])) == (200, 1), release


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"candidates": [[25.3, "2020-06-30", False, "C"]]}, "column 'ward' has cells that are not among its"),
        ({"candidates": [[25.3, "in June", False, "A"]]}, "column 'admitted' has cells that are missing or not a date"),
        (
            {"candidates": [[25.3, "2020-06-30", "maybe", "A"]]},
            "column 'smokes' has cells that are missing or not true",
        ),
        ({"candidates": [["many", "2020-06-30", False, "A"]]}, "column 'bmi'"),
        ({"candidates": [[25.3, "2020-06-30", False]]}, "Points must be rows of 4 values"),
        ({"candidates": [{"bmi": 25.3}]}, "it must have exactly 'bmi', 'admitted', 'smokes' and 'ward'"),
        ({"candidates": None}, "it is private which rows there are"),
        ({"definition": DEFINITION | {"within": ["bmi"]}}, "Column 'bmi' is a coordinate"),
        ({"definition": DEFINITION | {"within": ["room"]}}, "Column 'room' is not in the categories"),
    ],
)
def test_point_that_does_not_fit_is_refused_for_free(served: Service, changes: Any, sentence: str) -> None:
    status, said = answer(served, "detect", ASKED | {"columns": NAMES, "candidates": [BUSY]} | changes)
    assert (status, list(said)) == (422, ["error"])
    assert sentence in said["error"]
    assert served.events() == ["DatasetOpened"]


def test_forecasts_and_radii_know_strata(served: Service) -> None:
    status, forecast = answer(served, "forecast/count", {"definition": DEFINITION, "columns": ["bmi"], "epsilon": [1]})
    assert (status, forecast["definition"]) == (200, DEFINITION)
    question = {"min_neighbors": 3, "share": 0.1, "columns": ["bmi"], "within": ["ward"], "epsilon": 1}
    status, release = answer(served, "radius", question)
    assert (status, release["definition"]["within"]) == (200, ["ward"])


def test_number_of_rows_is_a_release_without_a_definition(served: Service) -> None:
    status, release = answer(served, "rows", {"epsilon": 1})
    assert (status, release["definition"], set(release)) == (200, None, set(schemas.RELEASE["properties"]))
