"""`eremite ledger`: copies of a ledger, and the custodian's word that one is to be gone on with."""

import json
from pathlib import Path

from eremite.cli.notices import notice
from eremite.errors import LedgerError
from eremite.ledger.to_json import privacy_to_json
from eremite.privacy import Privacy
from eremite.session import Accepted, accept_ledger, ledger_to_look_at


def backup(path: Path, file: Path, place: str | None, as_json: bool) -> str:
    """Copy, and say what the copy has; one of a ledger that does not hold together is of no use, and is said so."""
    _, ledger, complaint = ledger_to_look_at(path, place)
    if complaint is not None:
        notice(complaint)
    found = ledger.backup(file)
    if not found.sound:
        raise LedgerError(
            f"{file} was written, but does not hold together, as {ledger.where} does not: {found.findings[0]} "
            "See eremite history --verify."
        )
    facts = {"file": str(file), "events": found.head.seq, "hash": found.head.hash}
    if as_json:
        return json.dumps(facts)
    return (
        f"Wrote {file}: {found.head.seq:,} events, every sum right. It ends with {found.head.hash}. It knows nothing "
        "of what is charged from now on; put it back only if the ledger itself is lost."
    )


def accept(path: Path, reason: str, place: str | None, as_json: bool) -> str:
    """Accept, and say what may be spent twice."""
    accepted = accept_ledger(path, place, reason=reason)
    _, whole = accepted.ledger.budgets(accepted.dataset)[0]
    spent = Privacy(whole.spent.epsilon, whole.spent.delta)
    facts = {
        "dataset": accepted.dataset,
        "spent": privacy_to_json(spent),
        "witness": None if accepted.known is None else {
            "events": accepted.known.head.seq,
            "hash": accepted.known.head.hash,
            "spent": privacy_to_json(accepted.known.spent),
        },
    }  # fmt: skip
    return json.dumps(facts) if as_json else _words(accepted, spent)


def _words(accepted: Accepted, spent: Privacy) -> str:
    known = "what cannot be read" if accepted.known is None else accepted.known.in_words
    return (
        f"{accepted.ledger.where} is accepted: {spent} spent. Its witness knew of {known}. What was spent and is not "
        "in this ledger can be spent again; lower the cap by it with eremite budget set."
    )
