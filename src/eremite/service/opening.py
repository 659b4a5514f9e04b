"""Opens what the parts of a service hold: the listening process ledgers and facts, the workers rows and stand-ins."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from eremite import Session
from eremite.errors import InputError, LedgerError
from eremite.ledger import Creation, Ledger
from eremite.session import opened_ledger
from eremite.session.forecasts import Forecasts
from eremite.table import Facts, open_stand_in, read_description
from eremite.tiles import open_rows


def open_ledgers(
    paths: Iterable[Path], place: str | None, create: Creation = "never"
) -> dict[str, tuple[Path, Ledger]]:
    """The description and the ledger of every dataset, by name. Reads no row. Unsound ledgers are errors now."""
    found: dict[str, tuple[Path, Ledger]] = {}
    for path in paths:
        name = read_description(path).dataset.name
        if "/" in name or name in (".", ".."):
            raise InputError(
                f"{path} names its dataset {name!r}, which cannot be part of an address; use another name."
            )
        if name in found:
            raise InputError(f"Two descriptions name their dataset {name!r}; serve one of them.")
        found[name] = path, opened_ledger(path, place, create=create)[1]
    for ledger in {ledger.where: ledger for _, ledger in found.values()}.values():
        _require_sound(ledger)
    return found


def _require_sound(ledger: Ledger) -> None:
    """Refuse a ledger whose events were changed, or whose sums do not match its events."""
    findings = ledger.verify().findings
    if findings:
        more = f" ({len(findings)} findings in all)" if len(findings) > 1 else ""
        raise LedgerError(
            f"{ledger.where} does not hold together, and is not served: {findings[0]}{more} "
            "See eremite history --verify, and restore it from a backup."
        )


def open_session(path: Path, place: str | None) -> tuple[str, Session]:
    """A dataset's name, and a session on its rows whose account is set for every question."""
    description = read_description(path)
    name, ledger = opened_ledger(path, place, create="never")
    budget = description.budget
    assert budget is not None, "the ledger was opened with it"  # noqa: S101 -- for the type checker
    session = Session(
        open_rows(description),
        epsilon=budget.epsilon,
        delta=budget.delta,
        ledger=ledger,
        dataset=name,
        stand_in=open_stand_in(description),
    )
    return name, session


def forecasts_of(described: Iterable[tuple[Path, Facts]]) -> Mapping[str, Forecasts]:
    """What can be asked for free about datasets, by their names: from their facts and stand-ins, without their rows."""
    descriptions = [(read_description(path), facts) for path, facts in described]
    return {one.dataset.name: Forecasts(facts, open_stand_in(one)) for one, facts in descriptions}
