"""Questions as JSON bodies. Numbers of privacy travel as texts, so that they arrive as they were written."""

from collections.abc import Callable, Mapping, Set
from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from typing import Any

from eremite.client.points import candidates_to_json, point_to_json
from eremite.errors import InputError
from eremite.outliers import OutlierDefinition
from eremite.privacy import exact

#: For each question and forecast, by the name of its record, the address below that of the dataset.
ROUTES = {
    "count_outliers": "count",
    "count_outliers_by": "count-by",
    "top_subspaces": "subspaces",
    "outlier_report": "report",
    "detect_outliers": "detect",
    "explain_outlier": "explain",
    "choose_radius": "radius",
    "count_rows": "rows",
    "forecast_count": "forecast/count",
    "forecast_count_by": "forecast/count-by",
    "epsilon_for_count": "forecast/count/epsilon",
    "compare_mechanisms": "forecast/count/mechanisms",
    "forecast_subspaces": "forecast/subspaces",
    "epsilon_for_subspaces": "forecast/subspaces/epsilon",
    "forecast_report": "forecast/report",
    "epsilon_for_report": "forecast/report/epsilon",
    "forecast_detect": "forecast/detect",
    "epsilon_for_detect": "forecast/detect/epsilon",
    "forecast_explain": "forecast/explain",
    "epsilon_for_explain": "forecast/explain/epsilon",
    "forecast_radius": "forecast/radius",
    "forecast_rows": "forecast/rows",
}


def is_forecast(name: str) -> bool:
    """Whether a question spends nothing."""
    return ROUTES[name].startswith("forecast/")


def body_of(name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a question, ready for JSON. Those without a value are left out."""
    several = is_forecast(name)
    body = {field: _field(field, value, several) for field, value in asked.items() if value is not None}
    if "candidates" in asked:  # where null means the rows of the table
        body.setdefault("candidates", None)
    return body


def fields_of(query: object) -> dict[str, Any]:
    """The fields of a query record, such as a `CountQuery`."""
    if not is_dataclass(query) or isinstance(query, type) or getattr(query, "name", None) not in ROUTES:
        raise InputError(
            "A service takes records such as CountQuery or ForecastCountQuery; screens are opened in a session, where "
            "the rows are."
        )
    return {field.name: getattr(query, field.name) for field in fields(query)}


def _field(name: str, value: Any, several: bool) -> Any:
    if name == "epsilon" and several:
        return [_number(one, name) for one in (value if isinstance(value, list | tuple) else [value])]
    if name == "within" and isinstance(value, list | tuple):
        return _names(value, name)
    return _FIELDS.get(name, _as_given)(value, name)


def _number(value: Any, name: str) -> str:
    return str(exact(value, name))


def _names(value: Any, name: str) -> list[str]:
    """Names in their order; a text is one name and a set has no order, as for a session."""
    try:
        listed = [] if isinstance(value, str | Set) else list(value)
    except TypeError:
        listed = []
    if not listed or not all(isinstance(one, str) for one in listed):
        raise InputError(f"{name} must be a list of one or more column names.")
    return [str(one) for one in listed]


def _name_or_names(value: Any, name: str) -> str | list[str]:
    return str(value) if isinstance(value, str) else _names(value, name)


def _sets(value: Any, name: str) -> list[list[str]]:
    if not isinstance(value, list | tuple):
        raise InputError(f"{name} must be a list of sets of columns, each a list of names.")
    return [_names(one, f"Each of {name}") for one in value]


def _definition(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, OutlierDefinition):
        raise InputError("definition must be an OutlierDefinition, with min_neighbors and radius.")
    return value.to_json()


def _radii(value: Any, name: str) -> list[float]:
    try:
        return [float(one) for one in value]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a list of numbers above 0.") from None


def _as_given(value: Any, name: str) -> Any:
    """A whole number or a word; what fits is decided by the service."""
    if isinstance(value, bool) or not isinstance(value, str | Integral | Real):
        raise InputError(f"{name} does not fit; give a number or a text.")
    return str(value) if isinstance(value, str) else int(value) if isinstance(value, Integral) else float(value)


_FIELDS: dict[str, Callable[[Any, str], Any]] = {
    "definition": _definition,
    "columns": _names,
    "by": _name_or_names,
    "subspaces": _sets,
    "radii": _radii,
    "candidates": lambda value, _: candidates_to_json(value),
    "point": lambda value, _: point_to_json(value),
    **dict.fromkeys(("epsilon", "delta", "share", "within", "probability"), _number),
}
