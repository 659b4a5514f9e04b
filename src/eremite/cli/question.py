"""One question to a private table: what is said before it is charged, while it is computed, and when it is interrupted.

Whether an interrupted question was charged, and whether it was answered, is read in the ledger itself.
"""

import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from eremite.cli import interrupts
from eremite.cli.output import print_notice, spinner
from eremite.errors import InputError, TableError

if TYPE_CHECKING:
    from eremite import Engine, Privacy, Release, Session
    from eremite.session.session import ReleasedQuery

_LONG = 20.0  # seconds from which on a question is said to take long
_TIME_TO_LOOK = 2.0  # seconds to look into the ledger of an interrupted question


@dataclass(frozen=True, slots=True)
class Counting:
    """Where the table is counted, as far as it was said; the description says the rest."""

    engine: str | None
    master: str | None
    max_low_rows: int | None

    def chosen(self, description: Path) -> "Engine":
        """The engine, with what was said in place of what the description says."""
        from eremite.table import Engine, read_description

        described = Engine.of(self.engine, read_description(description).engine.record())
        return replace(
            described,
            master=described.master if self.master is None else self.master,
            max_low_rows=described.max_low_rows if self.max_low_rows is None else self.max_low_rows,
        )


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, where the charge goes, and where the table is counted."""

    description: Path
    ledger: str | None
    account: str
    request_id: str | None
    counting: Counting


def ask(query: "ReleasedQuery", asker: Asker, doing: str, counted: str | None = None) -> "tuple[Session, Release]":
    """Open the table, ask the question, and return the session and the release.

    `doing` is shown meanwhile; with the number of things `counted` so far, if that is given: for the custodian alone.
    """
    from eremite import Privacy

    with spinner(doing) as say:
        session = open_session(asker)
        _warn_if_long(query, session)
        number = session.new_request_id() if asker.request_id is None else asker.request_id
        interrupts.explain_with(_look_up(asker, number))
        progress = None if counted is None else lambda so_far: say(f"{doing}: {so_far:,} {counted}")
        release = session.ask(query, request_id=number, progress=progress)
    answered = _answered(Privacy(release.epsilon, release.delta), number)
    interrupts.explain_with(lambda _: answered)
    return session, release


def _warn_if_long(query: "ReleasedQuery", session: "Session") -> None:
    """Say that an answer may take long, before it is charged; judged from public facts alone."""
    seconds = session.expected_seconds(query)
    if seconds >= _LONG:
        print_notice(f"This may take about {duration_in_words(seconds)} ({_size(query, session)}).")


def _size(query: "ReleasedQuery", session: "Session") -> str:
    family = getattr(query, "family", None)
    columns = getattr(query, "columns", None) or session.columns
    sets = f"{len(columns):,} columns" if family is None else f"{family(session.columns).count:,} sets of columns"
    return f"{sets}, {session.facts.rows_in_words}"


def duration_in_words(seconds: float) -> str:
    """About so long, in the unit in which it is a short number."""
    for unit, size, most in (("seconds", 1, 90), ("minutes", 60, 90), ("hours", 3600, 48)):
        if seconds < most * size:
            whole = round(seconds / size)
            return f"{round(whole, -1) if whole > 20 else whole} {unit}"
    return f"{round(seconds / 86400):,} days"


def open_session(asker: Asker) -> "Session":
    """A session that charges this account. One sentence covers everything that can be wrong with private rows."""
    import eremite

    description = asker.description
    engine = asker.counting.chosen(description)
    with suppress(TableError):
        return eremite.open(description, ledger=asker.ledger, account=asker.account, engine=engine)
    # Raised out here, so that it does not carry the TableError along, whose details depend on the rows.
    path = shlex.quote(str(description))
    raise InputError(f"The table does not fit its description; the custodian can run: eremite check {path}")


def _look_up(asker: Asker, number: str) -> interrupts.Sentence:
    """What became of a request, once it may have been charged. All that it needs is imported now."""
    from eremite.errors import LedgerError
    from eremite.ledger.events import Charged, Released
    from eremite.privacy import Privacy
    from eremite.session import ledger_to_look_at

    def look(at_rest: bool) -> str:
        try:
            dataset, ledger, _ = ledger_to_look_at(asker.description, asker.ledger)
            events = [entry.event for entry in ledger.history(dataset, asker.account)]
            ledger.close()
        except LedgerError:
            return _unknown(asker, number)
        mine = [event for event in events if getattr(event, "request_id", None) == number]
        costs = [Privacy(event.cost.epsilon, event.cost.delta) for event in mine if isinstance(event, Charged)]
        if any(isinstance(event, Released) for event in mine):
            return _answered(costs[0], number)
        if not at_rest:
            return _unknown(asker, number)
        return _unanswered(costs[0], number) if costs else interrupts.nothing_charged()

    return lambda at_rest: _in_time(lambda: look(at_rest), _unknown(asker, number))


def _in_time(look: Callable[[], str], otherwise: str) -> str:
    """What the look says, unless the ledger is out of reach for too long."""
    seen: list[str] = []
    looking = Thread(target=lambda: seen.append(look()), daemon=True)
    looking.start()
    looking.join(_TIME_TO_LOOK)
    return seen[0] if seen else otherwise


def _answered(spent: "Privacy", number: str) -> str:
    return (
        f"Interrupted; {spent} was charged under request id {number}, and the answer is stored: the same question with "
        f"--request-id {shlex.quote(number)} returns it, for free."
    )


def _unanswered(spent: "Privacy", number: str) -> str:
    return (
        f"Interrupted; {spent} was charged under request id {number} and stays charged without an answer: asking again "
        "under this id is refused, and under another id it is charged anew."
    )


def _unknown(asker: Asker, number: str) -> str:
    return (
        f"Interrupted while the ledger was in use; whether request id {number} was charged and answered is shown by: "
        f"eremite history {shlex.quote(str(asker.description))}"
    )
