"""A session from a description file, and the ledger that belongs to it."""

import shlex
import warnings
from dataclasses import dataclass
from pathlib import Path

from eremite.errors import InputError, LedgerError, LedgerNotice, NoLedger
from eremite.ledger import Creation, Ledger, Witness, Witnessed, open_ledger
from eremite.ledger.chain import Head
from eremite.names import list_names, quote_name
from eremite.privacy import Privacy, checked_budget
from eremite.session.session import Session
from eremite.session.sources import source_fingerprint
from eremite.table import Budget, Description, Engine, open_stand_in, read_description
from eremite.table.sources import source_kind
from eremite.tiles import open_rows


def open_session(
    path: str | Path,
    *,
    ledger: Ledger | str | Path | None = None,
    account: str = "analyst",
    engine: Engine | str | None = None,
) -> Session:
    """Open a session on the table of a description file.

    The description's budget is the dataset's cap when its ledger is new; from then on the ledger's cap holds. A ledger
    that has to be created is announced by a `LedgerNotice`; one that was lost or set back is refused.

    Rows that do not fit the description raise a `TableError`. Its message depends on the rows: it is for the custodian,
    whose process this is, and must not be passed on to analysts.

    Args:
        path: The description file (.toml).
        ledger: Where the budget is kept: a file, a postgresql:// URL, or a `Ledger`. Default: a file beside the
            description with the ending .db.
        account: The analyst's account whose budget is spent.
        engine: Where the table is counted: "memory", "files", "spark", or an `Engine` with its settings. Default: what
            the description says, and otherwise files if the table would not fit into memory.
    """
    description = read_description(path)
    budget = _budget(path, description)
    table = open_rows(description, Engine.of(engine, description.engine.record()))
    stand_in = open_stand_in(description)
    return Session(
        table,
        epsilon=budget.epsilon,
        delta=budget.delta,
        ledger=_ledger_of(description, ledger, "aloud"),
        account=account,
        dataset=description.dataset.name,
        stand_in=stand_in,
    )


def opened_ledger(
    path: str | Path, place: str | Path | None = None, *, create: Creation = "aloud"
) -> tuple[str, Ledger]:
    """The name of a description's dataset, and its ledger, as `open_session` uses it. Reads no rows.

    With `create="never"`, raises `NoLedger` if the ledger, or the dataset's budget in it, does not exist yet.
    """
    description = read_description(path)
    _budget(path, description)
    return description.dataset.name, _ledger_of(description, place, create)


def ledger_to_look_at(path: str | Path, place: str | Path | None = None) -> tuple[str, Ledger, str | None]:
    """The name of a dataset, its ledger as it is, and a sentence if the witness disagrees with the ledger.

    For the custodian who wants to know what happened: creates and changes nothing, and opens every ledger that can be
    read.
    """
    description = read_description(path)
    _budget(path, description)
    name, witness = description.dataset.name, _witness(description)
    ledger = _opened(description, _place(description, place), witness, "never")
    try:
        known = ledger.witnessed(witness).knows(name)
    except LedgerError as error:
        return name, ledger, str(error)
    if not known:
        raise _not_made(ledger.where, f"has no budget for dataset {name!r}", description)
    return name, ledger, None


@dataclass(frozen=True, slots=True)
class Accepted:
    """A ledger that the custodian continues with, and what its witness knew; None if the witness was unreadable."""

    dataset: str
    ledger: Ledger
    known: Witnessed | None


def accept_ledger(path: str | Path, place: str | Path | None = None, *, reason: str) -> Accepted:
    """Continue with a ledger that its witness disagrees with, or with a new one. For the custodian.

    The reason is kept in the ledger's history. Charges that the witness knew and this ledger lacks can be spent again.
    """
    description = read_description(path)
    name, cap, witness = description.dataset.name, _cap(path, description), _witness(description)
    if not reason.strip():
        raise InputError("--reason must say why; it is kept in the history.")
    known = _known(witness)
    if known is None and not _witness_path(description).exists():
        raise InputError(f"There is no witness {_witness_path(description)}, so there is nothing to accept.")
    ledger = open_ledger(_place(description, place), create="quietly")
    if known is not None and _agree(ledger, witness):
        raise InputError(f"{ledger.where} and its witness agree; there is nothing to accept.")
    dataset = description.dataset
    ledger.open_dataset(name, cap, dataset.rows_per_person, source_fingerprint(description), dataset.neighbors)
    ledger.accept(name, witness, reason=reason, known=Head(0, "") if known is None else known.head)
    return Accepted(name, ledger.witnessed(witness), known)


def _known(witness: Witness) -> Witnessed | None:
    try:
        return witness.known()
    except LedgerError:
        return None  # an unreadable witness is replaced, too


def _agree(ledger: Ledger, witness: Witness) -> bool:
    try:
        ledger.witnessed(witness)
    except LedgerError:
        return False
    return True


def _ledger_of(description: Description, given: Ledger | str | Path | None, create: Creation) -> Ledger:
    """The ledger, checked by its witness, with a budget for the dataset: the existing one, or a new one if allowed."""
    dataset, cap, witness = description.dataset, _cap(description.path, description), _witness(description)
    found = given if isinstance(given, Ledger) else _opened(description, _place(description, given), witness, create)
    ledger = found.witnessed(witness)
    if not ledger.knows(dataset.name):
        _tell_new(ledger.where, description, cap, create)
    source = source_fingerprint(description)
    ledger.open_dataset(dataset.name, cap, dataset.rows_per_person, source, dataset.neighbors)
    _tell_shared(dataset.name, ledger.note_source(dataset.name, source))
    ledger.settle()
    return ledger


def _opened(description: Description, place: str | Path, witness: Witness, create: Creation) -> Ledger:
    """The existing ledger, or a new one, unless the witness remembers one or creation is not allowed."""
    try:
        return open_ledger(place, create="never")
    except NoLedger as none:
        missing = none.ledger
    witness.require_none(missing)
    if create == "never":
        raise _not_made(missing, "is not there", description)
    return open_ledger(place, create="quietly")  # the caller announces the new budget


def _tell_new(ledger: str, description: Description, cap: Privacy, create: Creation) -> None:
    """Announce a new budget: it is a full one, which nobody should get by mistake."""
    name = description.dataset.name
    if create == "never":
        raise _not_made(ledger, f"has no budget for dataset {name!r}", description)
    if create == "aloud":
        _notice(
            f"{ledger} has a new budget for dataset {name!r}: {cap}. "
            "If it was asked about before, put its ledger back before anybody asks."
        )


def _not_made(ledger: str, what: str, description: Description) -> NoLedger:
    return NoLedger(
        ledger,
        f"{ledger} {what}, and a new one would have all of its budget, so none was made. Put it back, mount its disk "
        "or correct its address; for a dataset that was never asked about, run: "
        f"eremite budget open {shlex.quote(str(description.path))}",
    )


def _tell_shared(name: str, others: tuple[str, ...]) -> None:
    """Warn that the same rows have a budget under another name, too."""
    if others:
        _notice(
            f"The rows of dataset {name!r} are in this ledger under another name as well, with a budget of its own: "
            f"{list_names(others, 'datasets', show=quote_name)}. What is released of all of them adds up; use one name."
        )


def _notice(words: str) -> None:
    warnings.warn(words, LedgerNotice, stacklevel=5)


def _cap(path: str | Path, description: Description) -> Privacy:
    budget = _budget(path, description)
    return checked_budget(budget.epsilon, budget.delta)


def _budget(path: str | Path, description: Description) -> Budget:
    if description.budget is None:
        raise InputError(f"{path} sets no budget; add [budget] with epsilon before asking.")
    return description.budget


def _witness(description: Description) -> Witness:
    return Witness(_witness_path(description), description.dataset.name)


def _witness_path(description: Description) -> Path:
    """patients.ledger-witness.json beside patients.toml, as an absolute path."""
    return description.path.absolute().with_suffix(".ledger-witness.json")


def _place(description: Description, place: str | Path | None) -> str | Path:
    """patients.db beside patients.toml, unless the rows themselves are in that file."""
    if place is not None:
        return place
    beside = description.path.with_suffix(".db")
    if source_kind(description.dataset.source) == "sqlite" and description.source_path.resolve() == beside.resolve():
        return description.path.with_suffix(".ledger.db")
    return beside
