"""`eremite page`: the answers of a ledger as one HTML page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eremite.cli.options import AsJson, DescriptionFile, LedgerPlace
from eremite.cli.output import dump_json, print_notice
from eremite.errors import InputError
from eremite.names import quote_name

if TYPE_CHECKING:
    from eremite.page import PublicTable
    from eremite.table import Description


def page(
    description: DescriptionFile,
    account: Annotated[
        str | None, typer.Option("--account", help="Only what this account asked; default: what all accounts did.")
    ] = None,
    request_id: Annotated[str | None, typer.Option("--id", help="Only the answer under this request id.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where to write; default: next to the description, ending in .html."),
    ] = None,
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """Write the answers so far as one HTML page. Spends nothing.

    The page has released values and public facts alone, so it may be passed on; with --account, nothing of others.
    """
    from eremite.page import answers_page
    from eremite.session import ledger_to_look_at
    from eremite.table import read_description

    file = description.with_suffix(".html") if output is None else output
    _require_replaceable(file, named=output is not None)
    dataset, opened, complaint = ledger_to_look_at(description, ledger)
    if complaint is not None:
        print_notice(complaint)
    if account is not None and not opened.history(dataset, account):
        raise InputError(
            f"Account {quote_name(account)} has asked nothing of {quote_name(dataset)}; eremite budget lists accounts."
        )
    table = _public_table(read_description(description))
    _write(file, answers_page(table, opened, account=account, request_id=request_id))
    facts = {"file": str(file), "dataset": dataset, "account": account, "request_id": request_id}
    typer.echo(dump_json(facts) if as_json else f"Wrote {file}.")


def _public_table(description: "Description") -> "PublicTable":
    """What the description says; it does not say how many rows there are, unless that is private."""
    from eremite.page import PublicTable

    dataset = description.dataset
    about = "" if dataset.rows_about is None else f"about {dataset.rows_about:,} rows"
    return PublicTable(dataset.name, description.rules(), about, dataset.rows_per_person, dataset.neighbors)


def _require_replaceable(file: Path, *, named: bool) -> None:
    """Replace an older page, or an .html file that was named; never a description, a table or a ledger."""
    from eremite.page.document import GENERATOR

    if not file.is_file() or (named and file.suffix.lower() in (".html", ".htm")):
        return
    try:
        ours = GENERATOR in file.read_text(encoding="utf-8", errors="replace")[:500]
    except OSError as error:
        raise _not_written(file, error) from None
    if not ours:
        raise InputError(f"{file} was not written by eremite page; choose another file with -o.")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _not_written(file, error) from None


def _not_written(file: Path, error: OSError) -> InputError:
    return InputError(f"Cannot write {file}: {error.strerror}; choose another file with -o.")
