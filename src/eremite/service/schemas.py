"""JSON schemas of all responses, and the parts of OpenAPI that hold them."""

from typing import Any

Schema = dict[str, Any]


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _number(description: str) -> Schema:
    return {"type": "number", "description": description}


def _integer(description: str) -> Schema:
    return {"type": "integer", "description": description}


def _exact(description: str) -> Schema:
    """A fraction: a number if a finite decimal equals it, else a text such as "1/3"."""
    return {"anyOf": [{"type": "number"}, {"type": "string"}], "description": description}


def _object(description: str, **fields: Schema) -> Schema:
    return {"type": "object", "description": description, "properties": fields, "required": list(fields)}


def _with_optional(schema: Schema, **fields: Schema) -> Schema:
    """The object with fields that may be absent."""
    return schema | {"properties": schema["properties"] | fields}


def _list(description: str, items: Schema) -> Schema:
    return {"type": "array", "description": description, "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": schema["description"]}


def _each(schema: Schema) -> Schema:
    """A figure of a count's noise: one, a list with one for each count, or null."""
    words = f"{schema['description']} Of several counts: one for each, in their order."
    return {"anyOf": [schema, _list(words, _or_null(schema)), {"type": "null"}], "description": words}


_VERSION = _text("Version of eremite.")
_NEIGHBORS = _text(
    "The tables compared: replace, for those that differ in the replaced rows of one person; add-remove, for those of "
    "which one has the rows of a person and the other does not."
)
_COLUMNS = _list("The columns in which neighbors were counted.", _text("Name of a column."))

ERROR = _object("Why there is no answer.", error=_text("One sentence: what is wrong, and what to do."))

HEALTH = _object("The service is up; of readyz, ready to answer.", status=_text("Always ok."), version=_VERSION)

_PRIVACY = _object("Epsilon and delta.", epsilon=_exact("Epsilon."), delta=_exact("Delta."))

REFUSAL = _object(
    "Why the budget refuses. Nothing was charged.",
    **ERROR["properties"],
    needed=_or_null(_PRIVACY | {"description": "What the request would spend; null if the budget is not the reason."}),
    remaining=_or_null(_PRIVACY | {"description": "What the budget has left; null if the budget is not the reason."}),
)

_DEFINITION = _with_optional(
    _object(
        "What an outlier is.",
        min_neighbors=_integer("A row with fewer other rows within the radius is an outlier."),
        radius=_number("Distance up to which another row is a neighbor."),
    ),
    within=_list("Columns on which neighbors must agree; absent if there are none.", _text("Name of a column.")),
)

_END = _or_null(_integer("A number of rows."))

RELEASE = _with_optional(
    _object(
        "One answer and its cost. Only the value depends on the rows; everything else was public before it was drawn.",
        value={"description": "The answer: a count, a radius, or a list of column sets, counts or positions."},
        query=_text("Name of the question."),
        columns=_COLUMNS,
        definition=_or_null(_DEFINITION | {"description": "What an outlier is; null for a number of rows."}),
        epsilon=_exact("Epsilon that was spent."),
        delta=_exact("Delta that was spent."),
        mechanism=_text("Mechanism that drew the value."),
        neighbors=_NEIGHBORS,
        rows_per_person=_integer("Largest number of rows of one person."),
        parameters={"type": "object", "description": "The other parameters of the question, by name."},
        request_id=_text("Id of the request. The same question under the same id gets the same answer, for free."),
        time=_text("When the request was charged."),
        version=_VERSION,
    ),
    expected_error=_or_null(_integer("95 % of such counts are off by this at most, as far as public facts tell.")),
    expected_error_from=_or_null(_text("On which public or made-up rows that was computed.")),
    expected_chance=_or_null(_number("How likely all that was drawn is right, as far as public facts tell.")),
    expected_chance_from=_or_null(_text("On which public or made-up rows that was computed.")),
    reach=_each(_integer("How many rows one place may change the count by.")),
    reach_above=_each(_integer("The same from above, where both sides were drawn.")),
    noise_scale=_each(_number("Scale of the noise, in rows; null where it depends on the rows.")),
    noise_half_width=_each(_integer("95 % of such answers are within it of the capped count, whatever the rows are.")),
    at_least=_each(_integer("95 times in 100 the true count is no less, whatever the rows are.")),
    interval=_each(_list("The true count lies between, whatever the rows are; null: no bound.", _END)),
    confidence=_each(_number("How often it does.")),
    rows=_or_null(_integer("How many rows take part, with noise of the same draw; null if that was not asked for.")),
    rows_within=_or_null(_integer("As often, the true number of rows is within so many of it.")),
)

_BEFORE = _or_null(_integer("Ask with this `before` for the next page; null if there is none."))

_BEFORE_REQUEST = _or_null(_text("Ask with this `before` for the next page; null if there is none."))

RELEASES = _object("Releases of this account.", releases=_list("The newest first.", RELEASE), before=_BEFORE_REQUEST)

_TRUTH: Schema = {"type": "boolean"}


def _value(description: str) -> Schema:
    """A value of a column: a number, true or false, or the text of a date."""
    return {"anyOf": [{"type": "number"}, _TRUTH, {"type": "string"}], "description": description}


_BOUNDS = _object(
    "Bounds of one column, and the rule for its missing cells.",
    min=_value("Smaller values count as this."),
    max=_value("Larger values count as this."),
    missing=_value(
        "refuse, leave-out (such a row takes no part in questions about the column), or the value filled in."
    ),
)

_CATEGORIES = _object(
    "Categories of one column, and the rules for other cells.",
    categories=_list("The declared values.", _value("A text, a whole number, true or false.")),
    other=_text("refuse, or keep: cells that are not listed are one more category."),
    missing=_value(
        "refuse, leave-out (such a row takes no part in questions about the column), or the value filled in."
    ),
)

DATASET = _with_optional(
    _object(
        "All that is public about a dataset.",
        name=_text("Name of the dataset, as in addresses."),
        neighbors=_NEIGHBORS,
        rows_per_person=_integer("Largest number of rows of one person; they are protected together."),
        columns={"type": "object", "description": "The public bounds by column.", "additionalProperties": _BOUNDS},
        categories={
            "type": "object",
            "description": "The columns for `within`, which have categories.",
            "additionalProperties": _CATEGORIES,
        },
    ),
    n_rows=_integer("Number of rows; absent with add-remove, where it is private."),
    rows_about=_integer("About how many rows there are, as declared; with add-remove alone."),
)

DATASETS = _object("The datasets that this token may ask about.", datasets=_list("Sorted by name.", DATASET))

BUDGET = _object(
    "The most that one more release of this account may spend.",
    dataset=_text("Name of the dataset."),
    account=_text("Name of the account."),
    remaining=_PRIVACY,
    words=_text("The same in words, for the account and the dataset."),
)

_BUDGET = _object(
    "One budget.",
    account=_or_null(_text("Name of the account; null is the dataset as a whole.")),
    cap=_or_null(_PRIVACY),
    spent=_PRIVACY,
    rho=_exact("What was spent, in zCDP."),
    remaining=_or_null(_PRIVACY),
    charges=_integer("Number of releases that were charged."),
    sums_only={"type": "boolean", "description": "Whether charges are added up without a tighter composition."},
)

BUDGETS = _object(
    "All budgets of a dataset.",
    dataset=_text("Name of the dataset."),
    budgets=_list("The dataset as a whole, and each account.", _BUDGET),
)

_EVENT = _object(
    "One event of the ledger.",
    seq=_integer("Position in the ledger."),
    time=_text("When it happened; for a release, when it was charged."),
    event=_text("opened, cap set, source noted, ledger accepted, rows replaced, charged, released or refused."),
    account=_or_null(_text("Name of the account.")),
    request_id=_or_null(_text("Id of the request.")),
    epsilon=_or_null(_exact("Epsilon that was charged, refused or set.")),
    delta=_or_null(_exact("Delta that was charged, refused or set.")),
    what=_text("The event in words."),
    hash=_text("Hash of the chain up to this event."),
)

_EVENT["properties"] |= {
    "question": {"type": "object", "description": "The fields of the question that was charged; absent elsewhere."},
    "release": RELEASE | {"description": "The whole release; absent in other events."},
}

HISTORY = _object("The audit trail of a dataset.", history=_list("In order.", _EVENT), before=_BEFORE)


def _forecast(description: str, **fields: Schema) -> Schema:
    """The fields of every forecast and those of this one."""
    rows = _text("The rows on which it was computed, in words.")
    public = f"{description} All of it is public: it was computed on a stand-in."
    return _object(public, definition=_DEFINITION, stand_in=rows, **fields)


def _expected(of: str, **fields: Schema) -> Schema:
    """One line of a forecast."""
    spent = {"epsilon": _exact(f"Epsilon {of}."), "delta": _exact(f"Delta {of}.")}
    return _object("What to expect for one epsilon.", **spent, **fields)


_COUNTED = {
    "columns": _COLUMNS,
    "outliers": _or_null(_integer("Number of outliers among those rows; null where they are made up cautiously.")),
}

_ERRORS = _expected(
    "of the count",
    mechanism=_text("Mechanism that would be used."),
    median=_number("Half of all counts are off by less."),
    most=_number("95 % of all counts are off by less."),
    length=_or_null(_number("95 % of all intervals are no longer; null where there is no end from above.")),
)

FORECAST = _forecast("The error to expect.", **_COUNTED, errors=_list("One for each epsilon.", _ERRORS))

_GROUP = _object(
    "What to expect for one group.",
    group={"description": "The value of the column; of several columns, a list with a value of each."},
    outliers=_or_null(_integer("Number of outliers in this group of those rows; null as in other forecasts.")),
    errors=_list("One for each epsilon.", _ERRORS),
)

GROUPS_FORECAST = _forecast(
    "The errors to expect, by group.",
    columns=_COLUMNS,
    by=_list("The columns whose values make a group.", _text("Name of a column.")),
    groups=_list("One for each declared group, in order.", _GROUP),
)

ROWS_FORECAST = _object(
    "The error of a number of rows, which is the same for every table.",
    rows_per_person=_integer("Largest number of rows of one person."),
    errors=_list("One for each epsilon.", _ERRORS),
)

_LEFT_OUT = _object(
    "A mechanism that does not answer at some epsilons.",
    mechanism=_text("Name of the mechanism."),
    epsilons=_list("The epsilons at which it does not answer.", _exact("An epsilon.")),
    reason=_text("Why, in one sentence."),
)

COMPARISON = _forecast(
    "The error to expect with each mechanism.",
    **_COUNTED,
    errors=_list("One for each mechanism and epsilon.", _ERRORS),
    left_out=_list("One for each mechanism and reason.", _LEFT_OUT),
)

_BEST = {
    "type": "array",
    "description": "A set of columns and its number of outliers.",
    "prefixItems": [_list("A set of columns.", _text("Name of a column.")), _integer("Number of outliers.")],
}

_CHANCE = _expected(
    "of the search",
    utility=_text("How sets would be scored."),
    selection=_text("How sets would be drawn."),
    found=_number("Probability that the first set named has the most outliers."),
    all_found=_number("Probability that the sets named are those with the most outliers."),
    share=_number("Average share of the sets named that are among those with the most outliers."),
    missed=_number("Average number of outliers that the sets named have less than those with the most."),
    missed_error=_number("Half the width of a 95 % interval of missed, which is simulated."),
)

SEARCH_FORECAST = _forecast(
    "The chances to expect.",
    family=_text("The sets that are searched, in words."),
    h=_integer("Number of sets that are named."),
    best=_list("The sets with the most outliers among those rows.", _BEST),
    runner_up=_or_null(_integer("Number of outliers of the next set.")),
    chances=_list("One for each epsilon.", _CHANCE),
    sampling_error=_number("Half the width of a 95 % interval of the chances and shares, which are simulated."),
)

_REPORT_CHANCE = _expected(
    "of the report",
    found=_number("Probability that the first set named has the most outliers."),
    all_found=_number("Probability that the sets named are those with the most outliers."),
    share=_number("Average share of the sets named that are among those with the most outliers."),
    most=_number("95 % of the counts in the sets with the most outliers are off by less."),
)

REPORT_FORECAST = _forecast(
    "The chances and errors to expect.",
    family=_text("The sets that are searched, in words."),
    h=_integer("Number of sets that are named."),
    best=_list("The sets with the most outliers among those rows.", _BEST),
    runner_up=_or_null(_integer("Number of outliers of the next set.")),
    chances=_list("One for each epsilon.", _REPORT_CHANCE),
    sampling_error=_number("Half the width of a 95 % interval of the chances, which are simulated."),
)

_NAMING_CHANCE = _object(
    "What to expect for one epsilon.",
    epsilon=_exact("Epsilon of the draws."),
    all_found=_number("Probability that all that is named is right."),
)

NAMING_FORECAST = _forecast(
    "The chances to expect.",
    columns=_COLUMNS,
    h=_integer("How many are named, for each point."),
    chances=_list("One for each epsilon.", _NAMING_CHANCE),
    sampling_error=_number("Half the width of a 95 % interval of the chances, which are simulated."),
)

RADIUS_FORECAST = _forecast(
    "The radius to expect, in its definition.",
    columns=_COLUMNS,
    rows=_integer("Number of those rows."),
    outliers=_integer("Number of outliers among those rows, with that radius."),
)

EPSILON = _object("The epsilon that is needed, by the stand-in.", epsilon=_exact("Epsilon, with two digits."))

JOB = _with_optional(
    _object(
        "A question that was asked, and what became of it.",
        id=_text("Id of the job."),
        state=_text("queued, running, done, refused, lost (charged, without an answer) or canceled."),
        dataset=_text("Name of the dataset."),
        question=_text("The question, as in its address."),
        request_id=_or_null(_text("Id of the request; null for a forecast.")),
        asked_at=_text("When it was asked."),
    ),
    answer={"type": "object", "description": "The release or the forecast, once the job is done."},
    status=_integer("Status of the error in which the job ended."),
    error=_text("Why the job has no answer, in one sentence."),
    needed=_or_null(_PRIVACY | {"description": "What the request would spend, if the budget refuses it."}),
    remaining=_or_null(_PRIVACY | {"description": "What the budget has left, if it refuses the request."}),
)

JOBS = _object("The last jobs of this account.", jobs=_list("The newest first, without answers.", JOB))

METRICS = {"type": "string", "description": "Numbers in the text format of Prometheus."}
EVENTS = {"type": "string", "description": "Server-sent events named state, each with the job as its data."}

#: Statuses of the errors that every route with a token may give.
WITH_TOKEN = (401, 429, 500, 503)

_MEANING = {
    400: "The body is not JSON.",
    401: "The token is missing, unknown, revoked or expired; nothing is charged from then on.",
    403: "The token is not a custodian's.",
    404: "There is no dataset of this name that the token may ask about.",
    409: "The budget does not cover it, or the request is still being computed; nothing was charged.",
    413: "The body is too long.",
    422: "The question is invalid; nothing was charged.",
    429: "This account sends too many requests; nothing was charged.",
    500: "An internal error; what was charged stays charged.",
    503: "Ledger or tokens are out of reach, too many questions wait, or the service stops.",
}


def responses(schema: Schema, *errors: int, accepted: Schema | None = None) -> dict[int | str, Schema]:
    """The OpenAPI entries of a route's responses: 200 with this schema, 202 with that of a job, and these errors."""
    described: dict[int | str, Schema] = {200: {"description": schema["description"], "content": _content(schema)}}
    if accepted is not None:
        described[202] = {"description": "The question waits, or is computed.", "content": _content(accepted)}
    for status in sorted(errors):
        described[status] = {"description": _MEANING[status], "content": _content(REFUSAL if status == 409 else ERROR)}
    return described


def _content(schema: Schema) -> Schema:
    kinds = {id(EVENTS): "text/event-stream", id(METRICS): "text/plain"}
    return {kinds.get(id(schema), "application/json"): {"schema": schema}}


def without_fastapi_errors(openapi: Schema) -> Schema:
    """OpenAPI without the 422 that FastAPI adds to every route with a path parameter, which never occurs."""
    for listed in (route["responses"] for methods in openapi["paths"].values() for route in methods.values()):
        if "422" in listed and listed["422"]["content"] != _content(ERROR):
            del listed["422"]
    openapi["components"].pop("schemas", None)
    return openapi
