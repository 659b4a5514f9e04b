"""Errors of a service as the exceptions that a session raises for the same reason."""

from collections.abc import Mapping
from typing import Any

from eremite.errors import BudgetRefused, EremiteError, InputError, LedgerError, ServiceError
from eremite.names import show_name
from eremite.privacy import Privacy, exact

_LONGEST = 2_000  # characters of a sentence

#: Statuses of what may succeed later.
NOT_NOW = (429, 502, 503, 504)
_NOT_VALID = (400, 404, 413, 422)
_REDIRECTS = range(300, 400)


def error_of(status: int, fields: Mapping[str, Any], request_id: str | None = None) -> EremiteError:
    """The exception for a response, or for a job that ended, with this status and these fields."""
    said = fields.get("error")
    if not isinstance(said, str):
        return ServiceError(_unexplained(status, fields), status=status, request_id=request_id)
    sentence = show_name(said, _LONGEST)
    if status in _NOT_VALID:
        return InputError(sentence)
    if status == 409:
        return BudgetRefused(
            sentence, needed=privacy_of(fields.get("needed")), remaining=privacy_of(fields.get("remaining"))
        )
    if status in NOT_NOW:
        sentence += again_in_words(request_id)
    if status == 503:
        return LedgerError(sentence)
    return ServiceError(sentence, status=status, request_id=request_id)


def again_in_words(request_id: str | None) -> str:
    """How to ask again without being charged twice; nothing where no id is known."""
    return "" if request_id is None else f" To ask again without a second charge, use request_id={request_id!r}."


def privacy_of(fields: Any) -> Privacy | None:
    """Epsilon and delta, as the service writes them; None where it says none."""
    if not isinstance(fields, Mapping):
        return None
    try:
        return Privacy(exact(fields["epsilon"], "epsilon"), exact(fields["delta"], "delta"))
    except (KeyError, InputError):
        return None


def _unexplained(status: int, fields: Mapping[str, Any]) -> str:
    if status in _REDIRECTS:
        place = fields.get("location")
        where = f" to {show_name(place, 200)}" if isinstance(place, str) and place else ""
        return f"The service redirects{where}, and a token does not follow; connect to the right address."
    return (
        f"The answer (status {status}) is not that of an eremite service; check the address, and what is between you "
        "and the service."
    )
