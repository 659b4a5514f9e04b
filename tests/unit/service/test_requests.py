"""A body becomes a query record, with numbers as written, or one sentence."""

import inspect
import sys
import tracemalloc
from decimal import Decimal
from typing import Any

import pytest
from fastapi import HTTPException

from eremite import (
    CompareMechanismsQuery,
    CountQuery,
    DetectQuery,
    EpsilonForCountQuery,
    EpsilonForSubspacesQuery,
    ExplainQuery,
    ForecastCountQuery,
    ForecastRadiusQuery,
    ForecastRowsQuery,
    ForecastSubspacesQuery,
    InputError,
    OutlierDefinition,
    RadiusQuery,
    ReportQuery,
    RowsQuery,
    Session,
    SubspacesQuery,
)
from eremite.privacy import exact
from eremite.service.limits import Facts
from eremite.service.requests import QueryBody

FACTS = Facts(rows=40, columns=2, longest_name=5)
WIDE = Facts(rows=40, columns=10**6, longest_name=7)
DEFINITION = b'"definition": {"min_neighbors": 5, "radius": 0.05}'
METHODS = {
    CountQuery: Session.count_outliers,
    SubspacesQuery: Session.top_subspaces,
    ReportQuery: Session.outlier_report,
    DetectQuery: Session.detect_outliers,
    ExplainQuery: Session.explain_outlier,
    RadiusQuery: Session.choose_radius,
    RowsQuery: Session.count_rows,
    ForecastCountQuery: Session.forecast_count,
    ForecastRadiusQuery: Session.forecast_radius,
    ForecastRowsQuery: Session.forecast_rows,
    EpsilonForCountQuery: Session.epsilon_for_count,
    CompareMechanismsQuery: Session.compare_mechanisms,
    ForecastSubspacesQuery: Session.forecast_subspaces,
    EpsilonForSubspacesQuery: Session.epsilon_for_subspaces,
}
COUNT, DETECT = QueryBody(CountQuery, spends=True), QueryBody(DetectQuery, spends=True)


def written(value: object) -> object:
    """A default, whether it is the number or its text."""
    return [str(part) for part in value] if isinstance(value, list | tuple) else str(value)


@pytest.mark.parametrize("record", METHODS)
def test_body_has_the_arguments_of_the_method_with_its_defaults(record: type) -> None:
    parameters = dict(inspect.signature(METHODS[record]).parameters)
    del parameters["self"]
    parameters.pop("progress", None)  # its pace depends on the rows
    entry = QueryBody(record, spends="request_id" in parameters).openapi()["requestBody"]
    schema = entry["content"]["application/json"]["schema"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(parameters)
    for name, parameter in parameters.items():
        required = parameter.default is inspect.Parameter.empty
        assert (name in schema.get("required", ())) == required
        if not required:
            assert written(schema["properties"][name]["default"]) == written(parameter.default)


def test_numbers_are_taken_as_written() -> None:
    query, request_id = COUNT.read(b'{%s, "epsilon": 0.1000000000000000000001}' % DEFINITION, FACTS)
    definition = OutlierDefinition(min_neighbors=5, radius=0.05)
    assert query == CountQuery(definition=definition, epsilon=Decimal("0.1000000000000000000001"))
    assert (query.columns, query.delta, query.mechanism, request_id) == (None, 0, "auto", None)
    assert exact(query.epsilon, "epsilon") * 10**22 == 10**21 + 1
    assert COUNT.read(b'{%s, "epsilon": "1/3"}' % DEFINITION, FACTS)[0].epsilon == "1/3"
    points = DETECT.read(b'{%s, "epsilon": 1, "h": 1, "candidates": [[1, 2.5]]}' % DEFINITION, FACTS)[0].candidates
    assert points == [[1.0, 2.5]]


POINTS = [
    (b"[[1, 2.5], [3, 4]]", [[1.0, 2.5], [3.0, 4.0]]),
    (b'[["2026-01-31", true]]', [["2026-01-31", True]]),
    (b'[{"bmi": 1, "ward": "A"}, {"ward": "B", "bmi": 2.5}]', {"bmi": [1.0, 2.5], "ward": ["A", "B"]}),
]
ONE_POINT = [(b"[1, 2.5]", [1.0, 2.5]), (b'{"bmi": 1, "ward": "A"}', {"bmi": 1.0, "ward": "A"})]
NO_POINTS = [
    (b'"a"', "be a list of points, each a list of values or an object"),
    (b"[[1], 2]", "be a list of points"),
    (b'[{"bmi": 1}, [2]]', "be a list of points"),
    (b'[{"bmi": 1}, {"ward": "A"}]', "have the same names in all points"),
    (b"[[null]]", "have as each coordinate a number or a text"),
    (b"[[[1]]]", "have as each coordinate a number or a text"),
]


def test_points_are_lists_or_objects_of_cells() -> None:
    body, sent = QueryBody(ExplainQuery, spends=True), b'{%s, "epsilon": 1, "h": 1, "max_size": 1, "point": %s}'
    for point, read in (*POINTS, *ONE_POINT):
        assert body.read(sent % (DEFINITION, point), FACTS)[0].point == read
    ranked = b'{%s, "epsilon": 1, "h": 1, "candidates": %s}'
    for points, read in (*POINTS, (b"null", None)):
        assert DETECT.read(ranked % (DEFINITION, points), FACTS)[0].candidates == read
    for points, sentence in NO_POINTS:
        for asked, each, name in ((body, sent, "point"), (DETECT, ranked, "candidates")):
            with pytest.raises(InputError, match=f"The field '{name}' must {sentence}"):
                asked.read(each % (DEFINITION, points), FACTS)


def test_definition_has_its_strata() -> None:
    facts = Facts(rows=40, columns=2, longest_name=5, categories=2)
    sent = b'{"definition": {"min_neighbors": 5, "radius": 0.05, "within": %s}, "epsilon": 1}'
    assert COUNT.read(sent % b'["sex", "ward"]', facts)[0].definition.within == ("sex", "ward")
    radius = b'{"min_neighbors": 5, "share": 0.1, "epsilon": 1, "within": ["ward"]}'
    assert QueryBody(RadiusQuery, spends=True).read(radius, facts)[0].within == ["ward"]
    for within, sentence in (
        (b'"sex"', "within must be a list of columns with categories"),
        (b"[5]", "within must be a list of columns with categories"),
        (b'["sex", "sex"]', "within names a column more than once"),
        (b'["a", "b", "c"]', "within must have at most 2 entries: the table has 2 columns with categories."),
    ):
        with pytest.raises(InputError, match=sentence):
            COUNT.read(sent % within, facts)


@pytest.mark.parametrize(("sent", "request_id"), [(b'"march"', "march"), (b"null", None)])
def test_request_id_is_read_beside_the_query(sent: bytes, request_id: str | None) -> None:
    assert COUNT.read(b'{%s, "epsilon": 1, "request_id": %s}' % (DEFINITION, sent), FACTS)[1] == request_id


def test_forecast_has_no_request_id() -> None:
    with pytest.raises(InputError, match="There is no field 'request_id' in this question"):
        QueryBody(ForecastCountQuery, spends=False).read(b'{%s, "request_id": null}' % DEFINITION, FACTS)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{%s}", "The question needs 'epsilon'."),
        (b'{%s, "epsilon": 1, "eps": 1}', "There is no field 'eps' in this question; it has: definition, columns,"),
        (b'{%s, "epsilon": true}', "The field 'epsilon' must be a number, or a text"),
        (b'{%s, "epsilon": null}', "The field 'epsilon' must be a number, or a text"),
        (b'{%s, "epsilon": 1, "columns": "bmi"}', "The field 'columns' does not fit: input should be a valid list."),
        (b'{%s, "epsilon": 1, "request_id": 5}', "The field 'request_id' does not fit: input should be a valid"),
        (b"[%.0s]", "The body must be one JSON object"),
        (b'{"definition": {"min_neighbors": 5}, "epsilon": 1, "columns": [%.0s]}', "The field 'definition' must be"),
        (b'{"definition": {"min_neighbors": 0, "radius": 1}, "epsilon": 1, "columns": [%.0s]}', "min_neighbors must"),
        (b'{"definition": {"min_neighbors": 1, "radius": 1e999}, "epsilon": 1, "columns": [%.0s]}', "radius must have"),
        (b'{"definition": {"min_neighbors": 1, "radius": "1"}, "epsilon": 1, "columns": [%.0s]}', "as radius a number"),
    ],
)
def test_body_that_does_not_fit_is_told_in_one_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        COUNT.read(body % DEFINITION, FACTS)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_name_of_an_unknown_field_is_shown_on_one_line_and_cut() -> None:
    with pytest.raises(InputError) as refused:
        COUNT.read(b'{%s, "epsilon": 1, "a\\n%s": 1}' % (DEFINITION, b"b" * 10**5), FACTS)
    assert len(str(refused.value)) < 200
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        "{}".encode("utf-16"),
        b'{"epsilon": NaN}',
        b'{"epsilon": Infinity}',
        b"[" * 10**5,
    ],
)
def test_body_that_is_no_json_is_told_so(body: bytes) -> None:
    with pytest.raises(HTTPException, match="The body is not JSON") as refused:
        COUNT.read(body, FACTS)
    assert refused.value.status_code == 400


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (b"9" * 701, "A number in the body has more than 700 characters"),
        (b"-" + b"9" * 10**6, "A number in the body has more than 700 characters"),
        (b"0." + b"9" * 701, "A number in the body has more than 700 characters"),
        (b"1e" + b"9" * 99, "A number in the body is out of range"),
        (b"1e-" + b"9" * 99, "A number in the body is out of range"),
    ],
)
def test_number_that_is_too_long_is_not_made(number: bytes, sentence: str) -> None:
    """This holds even if Python's own limit on the length of integers is off."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(InputError, match=sentence):
            COUNT.read(b'{%s, "epsilon": %s}' % (DEFINITION, number), FACTS)
    finally:
        sys.set_int_max_str_digits(before)


def test_digits_in_a_name_are_no_number() -> None:
    """Numbers in the same body are read as usual."""
    name, facts = "9" * 800, Facts(rows=40, columns=2, longest_name=800)
    body = b'{%s, "epsilon": 0.25, "columns": ["%s"]}' % (DEFINITION, name.encode())
    query, _ = COUNT.read(body, facts)
    assert (query.columns, query.epsilon) == ([name], Decimal("0.25"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("record", "field", "mistake"),
    [
        (DetectQuery, b'"h": 1, "candidates": [[1%s]]', b",[]"),
        (DetectQuery, b'"h": 1, "candidates": [[]%s]', b",5"),
        (SubspacesQuery, b'"h": 1, "subspaces": [[]%s]', b",[5]"),
        (CountQuery, b'"columns": [5%s]', b",5"),
        (CountQuery, b'"a": 1%s', None),
    ],
)
def test_one_mistake_is_told_and_a_hundred_thousand_are_not_collected(
    record: type[Any], field: bytes, mistake: bytes | None
) -> None:
    """Collecting all mistakes in 4 MiB took half a minute and 2 GB."""
    many = b"".join(b', "%d": 1' % i for i in range(10**5)) if mistake is None else mistake * (10**5 - 1)
    body = QueryBody(record, spends=True)
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            body.read(b'{%s, "epsilon": 1, %s}' % (DEFINITION, field % many), WIDE)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25 * 2**20
