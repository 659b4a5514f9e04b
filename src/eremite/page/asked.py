"""What was asked, out of the events of a ledger: each charge with the release that it paid for."""

from collections.abc import Iterable
from dataclasses import dataclass

from eremite.errors import InputError
from eremite.ledger import Charged, Entry, Released
from eremite.ledger.to_json import line_to_json
from eremite.privacy import Privacy
from eremite.release import Release


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was charged, and its answer.

    `release` is None if no answer was stored, or if it is in the format of an older version; `stored` is then its value
    as text, if there is one.
    """

    account: str
    request_id: str
    spent: Privacy
    words: str  # the fields of the question
    query: str  # empty in old ledgers, which describe a question by words
    release: Release | None
    stored: str


def asked(entries: Iterable[Entry]) -> list[Asked]:
    """The charges in order, each with its release."""
    kept = list(entries)
    released = {_key(entry.event): entry for entry in kept if isinstance(entry.event, Released)}
    return [
        _asked(entry, entry.event, released.get(_key(entry.event)))
        for entry in kept
        if isinstance(entry.event, Charged)
    ]


def _key(event: Charged | Released) -> tuple[str, str, str]:
    return event.dataset, event.analyst, event.request_id


def _asked(charge: Entry, event: Charged, answer: Entry | None) -> Asked:
    return Asked(
        account=event.analyst,
        request_id=event.request_id,
        spent=Privacy(event.cost.epsilon, event.cost.delta),
        words=line_to_json(charge)["what"],
        query=str((event.question or {}).get("query", "")),
        release=None if answer is None else _release(answer),
        stored="" if answer is None else line_to_json(answer)["what"],
    )


def _release(answer: Entry) -> Release | None:
    """The release; None if this version cannot read it, as it keeps those of older versions and their charges."""
    assert isinstance(answer.event, Released)  # noqa: S101 -- as `asked` chose it
    try:
        return Release.from_json(answer.event.release)
    except InputError:
        return None
