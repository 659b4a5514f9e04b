"""What can happen to a budget: frozen records whose meaning never changes.

A record is kept as canonical JSON: sorted keys, no spaces, fractions as "p/q", and the format it is written in. One of
a later kind or format is refused, not guessed at.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from eremite.errors import InputError
from eremite.ledger.cost import Cost
from eremite.privacy import Privacy, checked_budget

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetOpened:
    """A dataset came under this ledger, with this cap on everything that is ever released of it.

    The cap speaks of a person with at most so many rows.
    """

    dataset: str
    cap: Privacy
    rows_per_person: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CapSet:
    """The custodian set the cap of a dataset, or of one analyst's account with it."""

    dataset: str
    analyst: str | None
    cap: Privacy
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Charged:
    """A release was paid for. `words` says what it is, for people; the fingerprint says so for machines."""

    dataset: str
    analyst: str
    request_id: str
    fingerprint: str
    cost: Cost
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The release that was paid for, as the JSON text that was handed over."""

    dataset: str
    analyst: str
    request_id: str
    release: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A request that was not paid for, and the sentence that said so."""

    dataset: str
    analyst: str
    request_id: str
    wanted: Cost
    sentence: str


Event = DatasetOpened | CapSet | Charged | Released | Refused
"""What the history holds."""

_KINDS: dict[str, type[Event]] = {
    "dataset opened": DatasetOpened,
    "cap set": CapSet,
    "charged": Charged,
    "released": Released,
    "refused": Refused,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_NUMBERS = {"cap": Privacy, "cost": Cost, "wanted": Cost}


def kind_of(event: Event) -> str:
    """The kind, as rows call it."""
    return _NAMES[type(event)]


def to_payload(event: Event) -> str:
    """The event as canonical JSON."""
    return canonical({"format": FORMAT} | {name: _plain(getattr(event, name)) for name in event.__slots__})


def from_payload(kind: str, payload: str) -> Event:
    """The event that `to_payload` wrote; a ValueError if it is none."""
    try:
        values = json.loads(payload)
        if type(payload) is not str or values.pop("format") != FORMAT:
            raise ValueError
        read = {name: _NUMBERS[name](**_fractions(values[name])) for name in _NUMBERS.keys() & values.keys()}
        event = _KINDS[kind](**(values | read))
        _require_well_formed(event)
    except (KeyError, TypeError, AttributeError, RecursionError, ZeroDivisionError, OverflowError, InputError):
        raise ValueError from None
    return event


def _require_well_formed(event: Event) -> None:
    """Names are texts, numbers are numbers, caps are caps."""
    for name in event.__slots__:
        value = getattr(event, name)
        if isinstance(value, Privacy):
            checked_budget(value.epsilon, value.delta)
        elif value is None and isinstance(event, CapSet):
            continue  # the cap of the dataset as a whole
        elif not isinstance(value, Cost) and type(value) is not (int if name == "rows_per_person" else str):
            raise ValueError


def canonical(value: Any) -> str:
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Privacy | Cost):
        return {name: str(getattr(value, name)) for name in value.__slots__}
    return value


def _fractions(texts: dict[str, str]) -> dict[str, Fraction]:
    return {name: Fraction(text) for name, text in texts.items()}
