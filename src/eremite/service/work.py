"""What a worker does: it charges questions, computes them, and computes forecasts.

A worker has the private rows and passes on nothing about them but releases that are stored. Its replies are records of
public things: a release, a forecast, or a fixed sentence. What goes into the log for the custodian is the sentence of
an unreachable ledger, and of an unexpected error its type alone, because its message could hold rows.
"""

import json
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import TypeVar

from eremite import Release, Session
from eremite.errors import BudgetRefused, InputError, LedgerError
from eremite.forecast.to_json import to_json
from eremite.privacy import Privacy, json_number
from eremite.service.limits import facts_of
from eremite.service.questions import QUESTIONS
from eremite.session.forecasts import Forecasts
from eremite.session.request import Paid, Prepared

INTERNAL = "eremite hit an internal error; what was charged stays charged. Tell the custodian."
LEDGER_UNAVAILABLE = "The ledger is out of reach; nothing was released. Ask again later, or tell the custodian."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was sent, and whose account it is charged to."""

    dataset: str
    account: str
    question: str  # its path, as in `QUESTIONS`
    body: bytes = field(repr=False)
    request_id: str = ""  # of a question that spends


@dataclass(frozen=True, slots=True)
class Begun:
    """The question was charged then, and is to be computed."""

    charged_at: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON text of a release that is stored, or of a forecast."""

    text: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no answer: the status and the sentence of the response, and what the custodian's log says."""

    status: int
    sentence: str
    needed: Privacy | None = None
    remaining: Privacy | None = None
    log: str | None = None


class Work:
    """Answers questions about some datasets, one at a time."""

    def __init__(self, sessions: Mapping[str, Session], forecasts: Mapping[str, Forecasts]) -> None:
        self._sessions = dict(sessions)
        self._forecasts = dict(forecasts)
        self._prepared: dict[Asked, Prepared] = {}  # the questions of the turn that were charged

    def charge(self, turn: Sequence[Asked]) -> list[Begun | Answer | Failed]:
        """Prepare all questions of a turn, then charge each of them, before any is computed.

        So when a charge appears in the ledger depends on public facts alone. A question that was answered before gives
        its stored release.
        """
        self._prepared.clear()
        prepared = [(asked, guarded(partial(self._prepare, asked))) for asked in turn]
        return [
            one if isinstance(one, Failed) else guarded(partial(self._charge, asked, one)) for asked, one in prepared
        ]

    def compute(self, asked: Asked, charged_at: datetime) -> Answer | Failed:
        """Compute a question that was charged then, and was not computed yet. A new worker can go on with a turn."""

        def answer() -> Answer:
            prepared = self._prepared.pop(asked, None) or self._prepare(asked)
            return Answer(self._session(asked).compute(Paid(prepared, charged_at)).to_json())

        return guarded(answer, charged=True)

    def forecast(self, asked: Asked) -> Answer | Failed:
        """Compute a forecast, from public facts and public rows."""

        def answer() -> Answer:
            forecasts = self._forecasts[asked.dataset]
            query, _ = QUESTIONS[asked.question].body.read(asked.body, facts_of(forecasts.facts))
            found = forecasts.forecast(query)
            return Answer(
                json.dumps({"epsilon": json_number(found)} if isinstance(found, Fraction) else to_json(found))
            )

        return guarded(answer)

    def close(self) -> None:
        """Close the ledgers."""
        for session in self._sessions.values():
            session.close()

    def _session(self, asked: Asked) -> Session:
        return self._sessions[asked.dataset].of_account(asked.account)

    def _prepare(self, asked: Asked) -> Prepared:
        session = self._session(asked)
        query, _ = QUESTIONS[asked.question].body.read(asked.body, facts_of(session.facts))
        return session.prepare(query, request_id=asked.request_id)

    def _charge(self, asked: Asked, prepared: Prepared) -> Begun | Answer:
        paid = self._session(asked).charge(prepared)
        if isinstance(paid, Release):
            return Answer(paid.to_json())
        self._prepared[asked] = prepared
        return Begun(paid.charged_at)


def guarded(action: Callable[[], T], *, charged: bool = False) -> T | Failed:
    """The result of an action, or its error as a reply; a question that was `charged` is no longer invalid."""
    try:
        return action()
    except BudgetRefused as error:
        return Failed(409, str(error), error.needed, error.remaining)
    except LedgerError as error:
        return Failed(500 if charged else 503, INTERNAL if charged else LEDGER_UNAVAILABLE, log=str(error))
    except InputError as error:
        if not charged:
            return Failed(422, str(error))
        return _unexpected(error)
    except Exception as error:
        return _unexpected(error)


def _unexpected(error: Exception) -> Failed:
    if os.environ.get("EREMITE_DEBUG") == "1":
        traceback.print_exception(error)
    return Failed(500, INTERNAL, log=f"An internal error, which EREMITE_DEBUG=1 shows in full: {type(error).__name__}")
