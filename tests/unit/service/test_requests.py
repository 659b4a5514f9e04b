"""A body becomes the arguments of a session's method, numbers as written, or one sentence."""

import inspect
import sys
import tracemalloc
from decimal import Decimal

import pytest
from fastapi import HTTPException

from eremite import InputError, OutlierDefinition, Session
from eremite.privacy import exact
from eremite.service.limits import Facts
from eremite.service.requests import (
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
    read_question,
)

FACTS = Facts(rows=40, columns=2, longest_name=5)
WIDE = Facts(rows=40, columns=10**6, longest_name=7)
DEFINITION = b'"definition": {"min_neighbors": 5, "radius": 0.05}'
METHODS = {
    Count: Session.count_outliers,
    Subspaces: Session.top_subspaces,
    Report: Session.outlier_report,
    Detect: Session.detect_outliers,
    Radius: Session.choose_radius,
    ForecastCount: Session.forecast_count,
    EpsilonForCount: Session.epsilon_for_count,
    CompareMechanisms: Session.compare_mechanisms,
    ForecastSubspaces: Session.forecast_subspaces,
    EpsilonForSubspaces: Session.epsilon_for_subspaces,
}


def written(value: object) -> object:
    """A default, whether it is the number or its text."""
    return [str(part) for part in value] if isinstance(value, list | tuple) else str(value)


@pytest.mark.parametrize("kind", METHODS)
def test_body_has_the_arguments_of_the_method_with_its_defaults(kind: type[Question]) -> None:
    parameters = dict(inspect.signature(METHODS[kind]).parameters)
    del parameters["self"]
    parameters.pop("progress", None)  # its pace depends on the rows
    assert set(kind.model_fields) == set(parameters)
    for name, parameter in parameters.items():
        field = kind.model_fields[name]
        assert field.is_required() == (parameter.default is inspect.Parameter.empty)
        if not field.is_required():
            assert written(field.default) == written(parameter.default)


def test_numbers_are_taken_as_written() -> None:
    question = read_question(b'{%s, "epsilon": 0.1000000000000000000001}' % DEFINITION, Count, FACTS)
    assert question.arguments() == {
        "definition": OutlierDefinition(min_neighbors=5, radius=0.05),
        "columns": None,
        "epsilon": Decimal("0.1000000000000000000001"),
        "delta": 0,
        "mechanism": "auto",
        "request_id": None,
    }
    assert exact(question.epsilon, "epsilon") * 10**22 == 10**21 + 1
    assert read_question(b'{%s, "epsilon": "1/3"}' % DEFINITION, Count, FACTS).epsilon == "1/3"
    points = read_question(
        b'{%s, "epsilon": 1, "h": 1, "candidates": [[1, 2.5]]}' % DEFINITION, Detect, FACTS
    ).candidates
    assert points == [[1.0, 2.5]]


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
        (b'{"definition": {"min_neighbors": 1, "radius": "1"}, "epsilon": 1, "columns": [%.0s]}', "must be a number"),
    ],
)
def test_body_that_does_not_fit_is_told_in_one_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        read_question(body % DEFINITION, Count, FACTS)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_name_of_an_unknown_field_is_shown_on_one_line_and_cut() -> None:
    with pytest.raises(InputError) as refused:
        read_question(b'{%s, "epsilon": 1, "a\\n%s": 1}' % (DEFINITION, b"b" * 10**5), Count, FACTS)
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
        read_question(body, Count, FACTS)
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
            read_question(b'{%s, "epsilon": %s}' % (DEFINITION, number), Count, FACTS)
    finally:
        sys.set_int_max_str_digits(before)


def test_digits_in_a_name_are_no_number() -> None:
    """Numbers in the same body are read as usual."""
    name, facts = "9" * 800, Facts(rows=40, columns=2, longest_name=800)
    body = b'{%s, "epsilon": 0.25, "columns": ["%s"]}' % (DEFINITION, name.encode())
    question = read_question(body, Count, facts)
    assert (question.columns, question.epsilon) == ([name], Decimal("0.25"))


@pytest.mark.parametrize(
    ("kind", "field", "mistake"),
    [
        (Detect, b'"h": 1, "candidates": [[1%s]]', b",[]"),
        (Detect, b'"h": 1, "candidates": [[]%s]', b",5"),
        (Subspaces, b'"h": 1, "subspaces": [[]%s]', b",[5]"),
        (Count, b'"columns": [5%s]', b",5"),
        (Count, b'"a": 1%s', None),
    ],
)
def test_one_mistake_is_told_and_a_hundred_thousand_are_not_collected(
    kind: type[Question], field: bytes, mistake: bytes | None
) -> None:
    """Collecting all mistakes in 4 MiB took half a minute and 2 GB."""
    many = b"".join(b', "%d": 1' % i for i in range(10**5)) if mistake is None else mistake * (10**5 - 1)
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_question(b'{%s, "epsilon": 1, %s}' % (DEFINITION, field % many), kind, WIDE)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25 * 2**20
