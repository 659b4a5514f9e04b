"""The events of a ledger: frozen records whose meaning never changes.

A record is stored as canonical JSON: sorted keys, no spaces, fractions as "p/q", and the number of its format. A record
of an unknown kind or format is refused.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from eremite.errors import InputError
from eremite.ledger.cost import Cost
from eremite.privacy import Privacy, checked_budget, written_fraction

#: 2 adds `source` to an opened dataset, 3 has `question` instead of `words` in a charge, 4 adds `neighbors` to an
#: opened dataset, 5 is that of replaced rows; all else is written in 1.
FORMATS = (1, 2, 3, 4, 5)

#: The analyst of what concerns a whole dataset; no analyst can have this name.
EVERYONE = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetOpened:
    """A dataset was opened in this ledger, with this cap on all of its releases together.

    The cap holds for a person with at most `rows_per_person` rows. `source` is a fingerprint of the text that names the
    source of the rows, if known; it does not depend on the rows. `neighbors` says which tables its releases do not
    tell apart; None stands for "replace", as before there was a choice.
    """

    dataset: str
    cap: Privacy
    rows_per_person: int
    source: str | None = None
    neighbors: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapSet:
    """The custodian set the cap of a dataset, or of one analyst's account with it."""

    dataset: str
    analyst: str | None
    cap: Privacy
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Charged:
    """A release was paid for. The fingerprint identifies its question; `question` holds the question's fields.

    Charges of format 1 describe the question by `words` instead.
    """

    dataset: str
    analyst: str
    request_id: str
    fingerprint: str
    cost: Cost
    question: Mapping[str, Any] | None = None
    words: str | None = None

    def __post_init__(self) -> None:
        if (self.question is None) == (self.words is None):
            raise InputError("A charge describes its question by fields, or, in old ledgers, by words.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The release of a request that was charged, as the JSON text that the analyst got."""

    dataset: str
    analyst: str
    request_id: str
    release: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A request that was refused and not charged, and the sentence that the analyst got."""

    dataset: str
    analyst: str
    request_id: str
    wanted: Cost
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNoted:
    """The fingerprint of the source of a dataset that was opened before."""

    dataset: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerAccepted:
    """The custodian accepted this ledger although its witness knew of another ledger, or of more events in this one.

    `events` and `hash` are the head that the witness had; 0 and an empty text if the witness could not be read.
    """

    dataset: str
    reason: str
    events: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsReplaced:
    """A service went on with other rows of the dataset. Its budget stays the same, and so does what was spent."""

    dataset: str


Event = DatasetOpened | CapSet | Charged | Released | Refused | SourceNoted | LedgerAccepted | RowsReplaced
"""Any event of the history."""

_KINDS: dict[str, type[Event]] = {
    "dataset opened": DatasetOpened,
    "cap set": CapSet,
    "charged": Charged,
    "released": Released,
    "refused": Refused,
    "source noted": SourceNoted,
    "ledger accepted": LedgerAccepted,
    "rows replaced": RowsReplaced,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_LEFT_OUT: dict[type[Event], tuple[str, ...]] = {DatasetOpened: ("source", "neighbors"), Charged: ("question", "words")}
_WHOLE = ("rows_per_person", "events")
_NUMBERS = {"cap": Privacy, "cost": Cost, "wanted": Cost}


def kind_of(event: Event) -> str:
    """The name of the kind of an event, as rows store it."""
    return _NAMES[type(event)]


def filed_under(event: Event) -> tuple[str, str]:
    """The dataset and the analyst under which an event is found; `EVERYONE` if it concerns the whole dataset."""
    return event.dataset, getattr(event, "analyst", None) or EVERYONE


def to_payload(event: Event) -> str:
    """The event as canonical JSON."""
    values = {name: _plain(getattr(event, name)) for name in event.__slots__}
    for name in _LEFT_OUT.get(type(event), ()):
        if values[name] is None:
            del values[name]
    return canonical({"format": _format(event)} | values)


def _format(event: Event) -> int:
    if isinstance(event, RowsReplaced):
        return 5
    if isinstance(event, DatasetOpened) and event.neighbors is not None:
        return 4
    if isinstance(event, DatasetOpened) and event.source is not None:
        return 2
    return 3 if isinstance(event, Charged) and event.question is not None else 1


def from_payload(kind: str, payload: str) -> Event:
    """The event that `to_payload` wrote; a ValueError for any other text."""
    try:
        values = json.loads(payload, parse_constant=_no_number)
        written_in = values.pop("format")
        read = {name: _NUMBERS[name](**_fractions(values[name])) for name in _NUMBERS.keys() & values.keys()}
        event = _KINDS[kind](**(values | read))
        _require_well_formed(event)
        if type(payload) is not str or type(written_in) is not int or written_in != _format(event):
            raise ValueError
    except (KeyError, TypeError, AttributeError, RecursionError, ZeroDivisionError, OverflowError, InputError):
        raise ValueError from None
    return event


def _no_number(_: str) -> NoReturn:
    raise ValueError  # NaN and Infinity are not JSON


def _require_well_formed(event: Event) -> None:
    """Raise a ValueError unless every field has the right type."""
    for name in event.__slots__:
        value = getattr(event, name)
        if isinstance(value, Privacy):
            checked_budget(value.epsilon, value.delta)
        elif value is None and name in ("analyst", "source", "neighbors", "question", "words"):
            if name == "analyst" and not isinstance(event, CapSet):
                raise ValueError  # only a cap may be that of the dataset as a whole
        elif name == "question":
            _require_question(value)
        elif not isinstance(value, Cost) and type(value) is not (int if name in _WHOLE else str):
            raise ValueError


def _require_question(value: object) -> None:
    """A question is an object; its columns are a list of names, its definition and what was planned are objects."""
    if type(value) is not dict or not all(isinstance(value.get(part, {}), dict) for part in ("definition", "planned")):
        raise ValueError
    columns = value.get("columns", [])
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise ValueError


def canonical(value: Any) -> str:
    """The canonical JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Privacy | Cost):
        return {name: str(getattr(value, name)) for name in value.__slots__}
    return dict(value) if isinstance(value, Mapping) else value


def _fractions(texts: dict[str, str]) -> dict[str, Fraction]:
    return {name: written_fraction(text) for name, text in texts.items()}
