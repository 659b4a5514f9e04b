"""What the service answers with, as JSON schemas: every field with its meaning."""

from typing import Any

Schema = dict[str, Any]


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _number(description: str) -> Schema:
    return {"type": "number", "description": description}


def _whole(description: str) -> Schema:
    return {"type": "integer", "description": description}


def _exact(description: str) -> Schema:
    """A fraction: as a number where a decimal says it in full, else as a text."""
    return {"anyOf": [{"type": "number"}, {"type": "string"}], "description": description}


def _object(description: str, **fields: Schema) -> Schema:
    return {"type": "object", "description": description, "properties": fields, "required": list(fields)}


def _list(description: str, items: Schema) -> Schema:
    return {"type": "array", "description": description, "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": schema["description"]}


ERROR = _object("Why there is no answer.", error=_text("One sentence: what is wrong, and what to do."))

HEALTH = _object("The service is up, and its ledgers answer.", status=_text("ok"), version=_text("Of eremite."))

_DEFINITION = _object(
    "What an outlier is.",
    min_neighbors=_whole("A row with fewer other rows near it is an outlier."),
    radius=_number("How near is near."),
)

RELEASE = _object(
    "One answer and what it cost. Of the rows it carries the value alone; all else was public before it was drawn.",
    value={"description": "The answer: a count, a radius as text, or lists of sets, counts, places."},
    query=_text("What was asked."),
    columns=_list("In which columns.", _text("A column.")),
    definition=_DEFINITION,
    epsilon=_exact("What it spent."),
    delta=_exact("What it spent beside epsilon."),
    mechanism=_text("How it was drawn."),
    neighbors=_text("What differs between the tables that are told apart no better than epsilon and delta say."),
    parameters={"type": "object", "description": "What else was asked for, by name."},
    request_id=_text("Asked again under it, the same answer comes, for free."),
    time=_text("When it was charged."),
    version=_text("Of eremite."),
)

RELEASES = _object("What this account was told.", releases=_list("In the order of the ledger.", RELEASE))

_BOUNDS = _object(
    "Of one column.",
    min=_number("Smaller values count as this."),
    max=_number("Larger values count as this."),
)

DATASET = _object(
    "All that is public about a dataset.",
    name=_text("As addresses have it."),
    n_rows=_whole("How many rows it has."),
    rows_per_person=_whole("How many rows one person has at most; they are protected together."),
    columns={"type": "object", "description": "The public bounds by column.", "additionalProperties": _BOUNDS},
)

DATASETS = _object("What this token may ask about.", datasets=_list("By name.", DATASET))

_PRIVACY = _object("Epsilon and delta.", epsilon=_exact("Epsilon."), delta=_exact("Delta."))

BUDGET = _object(
    "What one more release of this account may ask for at most.",
    dataset=_text("Of which dataset."),
    account=_text("Whose budget."),
    remaining=_PRIVACY,
    words=_text("The same in words, of the account and of the dataset."),
)

_BUDGET = _object(
    "One budget.",
    account=_or_null(_text("Whose; null is the dataset as a whole.")),
    cap=_or_null(_PRIVACY),
    spent=_PRIVACY,
    rho=_exact("What was spent, in zCDP."),
    remaining=_or_null(_PRIVACY),
    charges=_whole("How many releases were paid for."),
    sums_only={"type": "boolean", "description": "Whether charges are only ever added up."},
)

BUDGETS = _object("All budgets of a dataset.", dataset=_text("Which."), budgets=_list("By account.", _BUDGET))

_EVENT = _object(
    "One event of the ledger.",
    seq=_whole("Its place."),
    time=_text("When; of a release, when it was charged."),
    event=_text("opened, cap set, source noted, ledger accepted, charged, released or refused."),
    account=_or_null(_text("Whose.")),
    request_id=_or_null(_text("Of which request.")),
    epsilon=_or_null(_exact("Which was charged, refused or set.")),
    delta=_or_null(_exact("Which was charged, refused or set.")),
    what=_text("In words."),
    hash=_text("Of the chain up to here."),
)

_EVENT["properties"]["release"] = RELEASE | {"description": "All of a release; other events have none."}

HISTORY = _object("The audit trail of a dataset.", history=_list("In order.", _EVENT))


def _forecast(words: str, **fields: Schema) -> Schema:
    """What every forecast says, and what this one says beside it."""
    computed_on = _text("On which rows it was computed, in words.")
    public = f"{words} All of it is public: it was computed on a stand-in."
    return _object(public, definition=_DEFINITION, stand_in=computed_on, **fields)


def _expected(of: str, **fields: Schema) -> Schema:
    """One line of a forecast."""
    return _object("What to expect for one epsilon.", epsilon=_exact(of), delta=_exact(of), **fields)


_COUNTED = {
    "columns": _list("In which columns.", _text("A column.")),
    "outliers": _whole("How many of those rows are outliers."),
}

_ERRORS = _expected(
    "Of the count.",
    mechanism=_text("The noise that would be used."),
    median=_number("Half of all counts are off by less."),
    most=_number("95 % of all counts are off by less."),
)

FORECAST = _forecast("The error to expect.", **_COUNTED, errors=_list("By epsilon.", _ERRORS))

_LEFT_OUT = _object(
    "A mechanism that does not answer at some epsilons.",
    mechanism=_text("Which."),
    epsilons=_list("At these.", _exact("An epsilon.")),
    reason=_text("Why, in one sentence."),
)

COMPARISON = _forecast(
    "The error to expect with each mechanism.",
    **_COUNTED,
    errors=_list("By mechanism, then by epsilon.", _ERRORS),
    left_out=_list("By mechanism and reason.", _LEFT_OUT),
)

_SET = _list("A set of columns.", _text("A column."))
_BEST = {
    "type": "array",
    "description": "A set of columns, and how many outliers it has.",
    "prefixItems": [_SET, _whole("Outliers.")],
}

_CHANCE = _expected(
    "Of the search.",
    utility=_text("How sets would be scored."),
    selection=_text("How they would be drawn."),
    found=_number("The chance that the first set named has the most outliers."),
    all_found=_number("The chance that the sets named are those with the most."),
    share=_number("Of those named, how many are among those with the most, on average."),
    missed=_number("How many outliers fewer those named have than those with the most, on average."),
    missed_error=_number("Half the width of a 95 % interval of missed, for being simulated."),
)

SEARCH_FORECAST = _forecast(
    "The chances to expect.",
    family=_text("Which sets are searched, in words."),
    h=_whole("How many are named."),
    best=_list("The sets of those rows with the most outliers.", _BEST),
    runner_up=_or_null(_whole("Outliers in the next set.")),
    chances=_list("By epsilon.", _CHANCE),
    sampling_error=_number("Half the width of a 95 % interval of chances and share, for being simulated."),
)

EPSILON = _object("The epsilon that is needed, as far as the stand-in tells.", epsilon=_exact("Of two digits."))
