"""`eremite ledger`: back up a ledger, and accept a restored or new one."""

from pathlib import Path
from typing import Annotated

import typer

from eremite.cli.options import AsJson, DescriptionFile, LedgerPlace, local_file
from eremite.cli.output import dump_json, print_notice
from eremite.errors import LedgerError

ledger_app = typer.Typer(
    help="Copy a ledger, or accept an older or a new one. For the custodian.", rich_markup_mode=None
)


@ledger_app.command()
def backup(
    description: DescriptionFile,
    file: Annotated[
        Path, typer.Argument(callback=local_file, help="Where to write the copy; the file must not exist yet.")
    ],
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """Copy the ledger to FILE, and verify the copy. The ledger may be in use."""
    from eremite.session import ledger_to_look_at

    _, opened, complaint = ledger_to_look_at(description, ledger)
    if complaint is not None:
        print_notice(complaint)
    found = opened.backup(file)
    if not found.sound:
        raise LedgerError(
            f"{file} was written, but does not hold together, as {opened.where} does not: {found.findings[0]} "
            "See eremite history --verify."
        )
    facts = {"file": str(file), "events": found.head.seq, "hash": found.head.hash}
    words = (
        f"Wrote {file}: {found.head.seq:,} events, every sum right. It ends with {found.head.hash}. It does not have "
        "what is charged from now on; restore it only if the ledger itself is lost."
    )
    typer.echo(dump_json(facts) if as_json else words)


@ledger_app.command()
def accept(
    description: DescriptionFile,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the history.")],
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """Continue with an older, another or a new ledger. What was spent and is not in it can be spent again."""
    from eremite.ledger.to_json import privacy_to_json
    from eremite.privacy import Privacy
    from eremite.session import accept_ledger

    accepted = accept_ledger(description, ledger, reason=reason)
    _, whole = accepted.ledger.budgets(accepted.dataset)[0]
    spent = Privacy(whole.spent.epsilon, whole.spent.delta)
    known = accepted.known
    facts = {
        "dataset": accepted.dataset,
        "spent": privacy_to_json(spent),
        "witness": None if known is None else {
            "events": known.head.seq, "hash": known.head.hash, "spent": privacy_to_json(known.spent),
        },
    }  # fmt: skip
    words = (
        f"{accepted.ledger.where} is accepted: {spent} spent. Its witness "
        f"{'cannot be read' if known is None else f'knew of {known.in_words}'}. What was spent and is not in this "
        "ledger can be spent again; lower the cap by it with eremite budget set."
    )
    typer.echo(dump_json(facts) if as_json else words)
