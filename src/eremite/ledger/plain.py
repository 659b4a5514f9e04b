"""Budgets and events as plain facts, ready for JSON: the command line and the service tell the same."""

import json
from collections.abc import Iterable
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
    SourceNoted,
)
from eremite.ledger.ledger import Entry
from eremite.ledger.left import left
from eremite.privacy import Privacy
from eremite.release import json_number

FIELDS = ("seq", "time", "event", "account", "request_id", "epsilon", "delta", "what", "hash")

_SHOWN = 16  # letters of a fingerprint, for people

_KINDS: dict[type[Event], str] = {
    DatasetOpened: "opened",
    CapSet: "cap set",
    Charged: "charged",
    Released: "released",
    Refused: "refused",
    SourceNoted: "source noted",
    LedgerAccepted: "ledger accepted",
}


def plain_budgets(dataset: str, budgets: Iterable[tuple[str | None, Budget]]) -> dict[str, Any]:
    """The budget of the dataset as a whole, under no account, and those of its accounts."""
    return {"dataset": dataset, "budgets": [{"account": account} | _numbers(budget) for account, budget in budgets]}


def plain_privacy(privacy: Privacy | None) -> dict[str, Any] | None:
    """Epsilon and delta as numbers that read back as the same fractions."""
    if privacy is None:
        return None
    return {"epsilon": json_number(privacy.epsilon), "delta": json_number(privacy.delta)}


def plain_line(entry: Entry) -> dict[str, Any]:
    """An event on one line, under `FIELDS`."""
    event, spent = entry.event, plain_privacy(_spent(entry.event)) or {}
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


def plain_entry(entry: Entry) -> dict[str, Any]:
    """The line of an event; of a release also the whole of it, as it was handed over."""
    whole = {"release": json.loads(entry.event.release)} if isinstance(entry.event, Released) else {}
    return plain_line(entry) | whole


def _numbers(budget: Budget) -> dict[str, Any]:
    return {
        "cap": plain_privacy(budget.cap),
        "spent": plain_privacy(Privacy(budget.spent.epsilon, budget.spent.delta)),
        "rho": json_number(budget.spent.rho),
        "left": plain_privacy(left(budget)),
        "charges": budget.spent.charges,
        "sums_only": budget.spent.sums_only,
    }


def _spent(event: Event) -> Privacy | None:
    """What the event is about, in epsilon and delta."""
    if isinstance(event, DatasetOpened | CapSet):
        return event.cap
    if isinstance(event, Charged):
        return Privacy(event.cost.epsilon, event.cost.delta)
    return Privacy(event.wanted.epsilon, event.wanted.delta) if isinstance(event, Refused) else None


def _what(event: Event) -> str:
    if isinstance(event, CapSet | LedgerAccepted):
        return event.reason
    if isinstance(event, SourceNoted):
        return f"fingerprint {event.source[:_SHOWN]}"
    if isinstance(event, Charged):
        return event.words
    if isinstance(event, Refused):
        return event.sentence
    return json.dumps(json.loads(event.release)["value"]) if isinstance(event, Released) else ""
