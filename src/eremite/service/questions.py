"""Every question and forecast that the service takes: its address, its body, and what its answer looks like."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
    ForecastRadiusQuery,
    ForecastReportQuery,
    ForecastRowsQuery,
    ForecastSubspacesQuery,
    RadiusQuery,
    ReportQuery,
    RowsQuery,
    SubspacesQuery,
)
from eremite.service import schemas
from eremite.service.requests import QueryBody


@dataclass(frozen=True, slots=True)
class Question:
    """A question by its path after the dataset; a forecast spends nothing and looks at no private row."""

    path: str
    body: QueryBody
    answer: schemas.Schema
    words: str

    @property
    def spends(self) -> bool:
        """Whether it spends epsilon."""
        return self.body.spends


_ON_ROWS = "Computed on the stand-in, or on rows made up from public facts."
_ON_NUMBERS = "Computed on the stand-in, or on made-up numbers of rows near points."


def _spending() -> Iterator[tuple[str, type, str]]:
    at_most = "The value is an integer, 0 or more, and at most the number of rows where that is public."
    yield "count", CountQuery, at_most
    yield "count-by", CountByQuery, "The value is a list of groups, each with its count."
    yield "subspaces", SubspacesQuery, "The value is a list of sets of columns, in the order drawn."
    yield "report", ReportQuery, "The value is a list of sets of columns, each with its count."
    yield "detect", DetectQuery, "The value is a list of positions from 0, in the order drawn."
    lists = "The value is a list of sets of columns; for a list of points, a list of such lists."
    yield "explain", ExplainQuery, lists
    yield "radius", RadiusQuery, "The value is the radius; the definition has it too."
    yield "rows", RowsQuery, "The value is an integer, 0 or more. A number that is public is refused."


def _free() -> Iterator[tuple[str, type, schemas.Schema, str]]:
    yield "count", ForecastCountQuery, schemas.FORECAST, _ON_ROWS
    yield "count-by", ForecastCountByQuery, schemas.GROUPS_FORECAST, _ON_ROWS
    yield "count/epsilon", EpsilonForCountQuery, schemas.EPSILON, _ON_ROWS
    yield "count/mechanisms", CompareMechanismsQuery, schemas.COMPARISON, _ON_ROWS
    yield "subspaces", ForecastSubspacesQuery, schemas.SEARCH_FORECAST, _ON_ROWS
    yield "subspaces/epsilon", EpsilonForSubspacesQuery, schemas.EPSILON, _ON_ROWS
    yield "report", ForecastReportQuery, schemas.REPORT_FORECAST, _ON_ROWS
    yield "report/epsilon", EpsilonForReportQuery, schemas.EPSILON, _ON_ROWS
    yield "detect", ForecastDetectQuery, schemas.NAMING_FORECAST, _ON_NUMBERS
    yield "detect/epsilon", EpsilonForDetectQuery, schemas.EPSILON, _ON_NUMBERS
    yield "explain", ForecastExplainQuery, schemas.NAMING_FORECAST, _ON_NUMBERS
    yield "explain/epsilon", EpsilonForExplainQuery, schemas.EPSILON, _ON_NUMBERS
    exact = "The radius whose share of the stand-in, or of made-up rows, comes nearest to the wanted one."
    yield "radius", ForecastRadiusQuery, schemas.RADIUS_FORECAST, exact
    yield "rows", ForecastRowsQuery, schemas.ROWS_FORECAST, "Computed from epsilon and rows_per_person alone."


def _all() -> Iterator[Question]:
    for path, record, words in _spending():
        yield Question(path, QueryBody(record, spends=True), schemas.RELEASE, words)
    for path, record, schema, words in _free():
        yield Question(f"forecast/{path}", QueryBody(record, spends=False), schema, words)


QUESTIONS: Mapping[str, Question] = {question.path: question for question in _all()}
