"""Budgets and events as values for JSON, the same for the command line and the service."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from eremite.ledger.budget import Budget
from eremite.ledger.events import (
    CapSet,
    Charged,
    DatasetOpened,
    Event,
    LedgerAccepted,
    Refused,
    Released,
    RowsReplaced,
    SourceNoted,
)
from eremite.ledger.ledger import Entry
from eremite.ledger.remaining import remaining
from eremite.names import list_names
from eremite.privacy import Privacy, json_number

FIELDS = ("seq", "time", "event", "account", "request_id", "epsilon", "delta", "what", "hash")

_SHOWN = 16  # letters of a fingerprint, for people
_MOST_LISTED = 5
_SAID_ELSEWHERE = ("query", "columns", "definition", "epsilon", "delta", "selection", "planned", "rows_per_person")

_KINDS: dict[type[Event], str] = {
    DatasetOpened: "opened",
    CapSet: "cap set",
    Charged: "charged",
    Released: "released",
    Refused: "refused",
    SourceNoted: "source noted",
    LedgerAccepted: "ledger accepted",
    RowsReplaced: "rows replaced",
}


def budgets_to_json(dataset: str, budgets: Iterable[tuple[str | None, Budget]]) -> dict[str, Any]:
    """The budget of the whole dataset, with account None, and those of its accounts."""
    return {"dataset": dataset, "budgets": [{"account": account} | _numbers(budget) for account, budget in budgets]}


def privacy_to_json(privacy: Privacy | None) -> dict[str, Any] | None:
    """Epsilon and delta as JSON numbers that convert back to the same fractions."""
    if privacy is None:
        return None
    return {"epsilon": json_number(privacy.epsilon), "delta": json_number(privacy.delta)}


def line_to_json(entry: Entry) -> dict[str, Any]:
    """An event as one flat record with the keys in `FIELDS`."""
    event, spent = entry.event, privacy_to_json(_spent(entry.event)) or {}
    values = (
        entry.seq,
        entry.time.isoformat(timespec="seconds"),
        _KINDS[type(event)],
        getattr(event, "analyst", None),
        getattr(event, "request_id", None),
        spent.get("epsilon"),
        spent.get("delta"),
        _what(event),
        entry.hash,
    )
    return dict(zip(FIELDS, values, strict=True))


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """The line of an event, with all fields of the question that was charged, or of the release handed over."""
    event, whole = entry.event, {}
    if isinstance(event, Released):
        whole = {"release": _release(event)}
    if isinstance(event, Charged) and event.question is not None:
        whole = {"question": dict(event.question)}
    return line_to_json(entry) | whole


def _numbers(budget: Budget) -> dict[str, Any]:
    return {
        "cap": privacy_to_json(budget.cap),
        "spent": privacy_to_json(Privacy(budget.spent.epsilon, budget.spent.delta)),
        "rho": json_number(budget.spent.rho),
        "remaining": privacy_to_json(remaining(budget)),
        "charges": budget.spent.charges,
        "sums_only": budget.spent.sums_only,
    }


def _spent(event: Event) -> Privacy | None:
    """The epsilon and delta of an event: its cap, charge or refused cost; None for other events."""
    if isinstance(event, DatasetOpened | CapSet):
        return event.cap
    if isinstance(event, Charged):
        return Privacy(event.cost.epsilon, event.cost.delta)
    return Privacy(event.wanted.epsilon, event.wanted.delta) if isinstance(event, Refused) else None


def _question_in_words(question: Mapping[str, Any]) -> str:
    """The fields of a question on one line, as planned where "auto" was asked, without what the line says elsewhere."""
    fields = question.get("definition", {}) | question | question.get("planned", {})
    told = [f"{name}={_short(value)}" for name, value in fields.items() if name not in _SAID_ELSEWHERE]
    return "; ".join([f"{question.get('query')} in {list_names(question.get('columns') or ())}", *told])


def _short(value: Any) -> str:
    """A value on one line: of a hashed list only its length, of another list its first parts."""
    if isinstance(value, dict):
        return ", ".join(f"{number} {name}" for name, number in value.items() if name != "sha256")
    if isinstance(value, list):
        return list_names([str(part) for part in value], "values", most=_MOST_LISTED)
    return str(value)


def _release(event: Released) -> dict[str, Any]:
    """The fields of a release; none of a text that is no release, which a store keeps all the same."""
    try:
        fields = json.loads(event.release)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _what(event: Event) -> str:
    if isinstance(event, CapSet | LedgerAccepted):
        return event.reason
    if isinstance(event, RowsReplaced):
        return "other rows from here on; what was spent stays spent"
    if isinstance(event, SourceNoted):
        return f"fingerprint {event.source[:_SHOWN]}"
    if isinstance(event, Charged):
        return event.words or _question_in_words(event.question or {})
    if isinstance(event, Refused):
        return event.sentence
    if isinstance(event, Released):
        return json.dumps(_release(event).get("value"), ensure_ascii=False)
    return ""
