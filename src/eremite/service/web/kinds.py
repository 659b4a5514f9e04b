"""The questions that can be asked with a form: their titles, their fields, and the JSON of a question out of a form."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from eremite.errors import InputError
from eremite.privacy import LARGEST_EPSILON, SMALLEST_EPSILON, checked_epsilon, exact, shown
from eremite.service.limits import MAX_RADII
from eremite.service.web.forms import Form
from eremite.service.web.pasted import points_of
from eremite.table import Facts

Goal = Literal["within", "probability"]
_LADDER = ("0.1", "0.2", "0.5", "1", "2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of question."""

    path: str  # as in addresses of the API
    short: str
    title: str
    lead: str
    fields: tuple[str, ...]
    goal: Goal | None = None  # what an epsilon can be found for
    ladder: bool = False  # whether a forecast for many epsilons is quick


_NEAR = "A row is an outlier if fewer than k others are near it."

KINDS: Mapping[str, Kind] = {
    kind.path: kind
    for kind in (
        Kind(
            path="count",
            short="Count",
            title="How many outliers?",
            lead=f"{_NEAR} The answer is their number, with noise.",
            fields=("definition", "columns", "delta", "confidence"),
            goal="within",
            ladder=True,
        ),
        Kind(
            path="count-by",
            short="Count by group",
            title="How many outliers, group by group?",
            lead="One number for each group, with noise. A row is compared with the rows of its own group.",
            fields=("definition", "columns", "by", "confidence"),
            ladder=True,
        ),
        Kind(
            path="subspaces",
            short="Subspaces",
            title="In which columns do outliers gather?",
            lead="The sets of columns with the most outliers, drawn with a chance that protects every row.",
            fields=("definition", "family", "h", "delta"),
            goal="probability",
        ),
        Kind(
            path="report",
            short="Report",
            title="In which columns, and how many?",
            lead="The sets of columns with the most outliers, each with its number. Part of epsilon is for the counts.",
            fields=("definition", "family", "h", "delta"),
            goal="probability",
        ),
        Kind(
            path="detect",
            short="Detect",
            title="Which of these stand alone?",
            lead="Of points that you paste, those with the fewest rows near them.",
            fields=("definition", "columns", "candidates", "h"),
            goal="probability",
        ),
        Kind(
            path="explain",
            short="Explain",
            title="In which columns does a point stand alone?",
            lead="For points that you paste, the sets of columns in which the fewest rows are near.",
            fields=("definition", "columns", "point", "h", "max_size"),
            goal="probability",
        ),
        Kind(
            path="radius",
            short="Radius",
            title="Which radius?",
            lead="The radius at which about the wanted share of the rows are outliers, from a public list.",
            fields=("k", "share", "columns", "radii"),
        ),
        Kind(
            path="rows",
            short="Rows",
            title="How many rows?",
            lead="The number of rows, or of those that take part in questions about some columns, with noise.",
            fields=("part_columns",),
            ladder=True,
        ),
    )
}

#: What a new form holds; columns are all chosen.
_DEFAULTS = {
    "k": "5",
    "r": "0.05",
    "epsilon": "0.1",
    "delta": "0",
    "h": "1",
    "family": "max_size",
    "size": "2",
    "max_size": "2",
    "share": "0.01",
    "within_rows": "50",
    "probability": "0.9",
}


def new_form(kind: Kind, facts: Facts, nonce: str) -> Form:
    """A form with usual values. The nonce makes it differ from all other forms."""
    columns = [] if kind.path == "rows" else list(facts.bounds)
    sizes = {name: str(min(int(_DEFAULTS[name]), len(facts.bounds))) for name in ("size", "max_size")}
    single = {name: [value] for name, value in (_DEFAULTS | sizes).items()}
    first = list(facts.categories)[:1] if "by" in kind.fields else []
    return Form(single | {"columns": columns, "strata": [], "by": first, "nonce": [nonce]})


def question_of(kind: Kind, form: Form, facts: Facts) -> dict[str, Any]:
    """The fields of the question, without its epsilon; an `InputError` in one sentence if a field does not fit.

    Only what JSON needs is checked here: what fits the table is decided where the question is planned.
    """
    asked: dict[str, Any] = {}
    for name in kind.fields:
        asked |= _FIELDS[name](form, facts)
    return asked


def body_of(kind: Kind, form: Form, facts: Facts) -> bytes:
    """The JSON of a question that spends.

    The same form with the same fields has the same request id: sent twice, it is charged once.
    """
    asked = question_of(kind, form, facts) | {"epsilon": _epsilon(form)}
    fingerprint = hashlib.sha256(json.dumps([kind.path, asked], sort_keys=True).encode()).hexdigest()
    request_id = form.text("label") or f"page-{form.text('nonce')}-{fingerprint[:12]}"
    return json.dumps(asked | {"request_id": request_id}).encode()


def forecast_body(kind: Kind, form: Form, facts: Facts) -> bytes:
    """The JSON of a forecast: the epsilon of the form first, then some around it. A radius is forecast without one."""
    if kind.path == "radius":
        return json.dumps(question_of(kind, form, facts)).encode()
    wanted = checked_epsilon(_epsilon(form))
    around = _LADDER if kind.ladder else [shown(number) for number in (wanted / 2, wanted * 2)]
    others = [text for text in around if SMALLEST_EPSILON <= exact(text, "epsilon") <= LARGEST_EPSILON]
    epsilons = [shown(wanted), *(text for text in others if exact(text, "epsilon") != wanted)]
    asked = {} if kind.path == "rows" else question_of(kind, form, facts)
    return json.dumps(asked | {"epsilon": epsilons}).encode()


def goal_body(kind: Kind, form: Form, facts: Facts) -> bytes:
    """The JSON of the question which epsilon an accuracy, or a chance, requires."""
    if kind.goal is None:
        raise InputError("For this question no epsilon can be found by an accuracy; try the forecast.")
    name = "within_rows" if kind.goal == "within" else "probability"
    words = "How far off a count may be" if kind.goal == "within" else "The probability"
    asked = question_of(kind, form, facts)
    asked.pop("confidence", None)  # it is about the interval, and the goal is about the count
    return json.dumps(asked | {kind.goal: _exact(form, name, words)}).encode()


def _definition(form: Form, _: Facts) -> dict[str, Any]:
    near = {"min_neighbors": _whole(form, "k", "k"), "radius": _float(form, "r", "The radius")}
    strata = form.texts("strata")
    return {"definition": near | ({"within": strata} if strata else {})}


def _k(form: Form, _: Facts) -> dict[str, Any]:
    strata = form.texts("strata")
    return {"min_neighbors": _whole(form, "k", "k")} | ({"within": strata} if strata else {})


def _columns(form: Form, _: Facts) -> dict[str, Any]:
    chosen = form.texts("columns")
    if not chosen:
        raise InputError("Choose at least one column.")
    return {"columns": chosen}


def _part_columns(form: Form, _: Facts) -> dict[str, Any]:
    chosen = form.texts("columns")
    return {"columns": chosen} if chosen else {}


def _by(form: Form, _: Facts) -> dict[str, Any]:
    chosen = form.texts("by")
    if not chosen:
        raise InputError("Choose at least one column with categories, whose values make the groups.")
    return {"by": chosen}


def _family(form: Form, _: Facts) -> dict[str, Any]:
    name = "size" if form.text("family") == "size" else "max_size"
    return {name: _whole(form, "size", "The number of columns in a set")}


def _h(form: Form, _: Facts) -> dict[str, Any]:
    return {"h": _whole(form, "h", "How many to name")}


def _max_size(form: Form, _: Facts) -> dict[str, Any]:
    return {"max_size": _whole(form, "max_size", "The number of columns in a set")}


def _delta(form: Form, _: Facts) -> dict[str, Any]:
    delta = form.text("delta") or "0"
    return {} if delta == "0" else {"delta": delta}


def _confidence(form: Form, _: Facts) -> dict[str, Any]:
    return {"confidence": _exact(form, "confidence", "The confidence")} if form.text("confidence") else {}


def _share(form: Form, _: Facts) -> dict[str, Any]:
    return {"share": _exact(form, "share", "The share")}


def _radii(form: Form, _: Facts) -> dict[str, Any]:
    listed = form.text("radii").replace(",", " ").replace(";", " ").split()
    if len(listed) > MAX_RADII:
        raise InputError(f"A question takes at most {MAX_RADII:,} radii; list fewer.")
    return {"radii": [_to_float(text, "Each radius") for text in listed]} if listed else {}


def _candidates(form: Form, facts: Facts) -> dict[str, Any]:
    return {"candidates": points_of(form.text("candidates"), names_of_points(form), facts)}


def _point(form: Form, facts: Facts) -> dict[str, Any]:
    points = points_of(form.text("point"), names_of_points(form), facts)
    return {"point": points[0] if len(points) == 1 else points}


def names_of_points(form: Form) -> Sequence[str]:
    """The columns of a pasted point, in order."""
    return [*form.texts("columns"), *form.texts("strata")]


_FIELDS = {
    "definition": _definition,
    "k": _k,
    "columns": _columns,
    "part_columns": _part_columns,
    "by": _by,
    "family": _family,
    "h": _h,
    "max_size": _max_size,
    "delta": _delta,
    "confidence": _confidence,
    "share": _share,
    "radii": _radii,
    "candidates": _candidates,
    "point": _point,
}


def _epsilon(form: Form) -> str:
    return _exact(form, "epsilon", "Epsilon")


def _exact(form: Form, name: str, words: str) -> str:
    """A number as it was written; 0.1 stays 1/10."""
    text = form.text(name)
    if not text:
        raise InputError(f"{words} is missing; write a number.")
    exact(text, words)
    return text


def _whole(form: Form, name: str, words: str) -> int:
    text = form.text(name)
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise InputError(f"{words} must be a whole number, such as 5.")
    return int(text)


def _float(form: Form, name: str, words: str) -> float:
    return _to_float(form.text(name), words)


def _to_float(text: str, words: str) -> float:
    number = float(exact(text, words)) if text else float("nan")
    if not isfinite(number):
        raise InputError(f"{words} must be a number, such as 0.05.")
    return number
