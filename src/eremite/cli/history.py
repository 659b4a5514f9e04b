"""`eremite history`: the audit trail of a budget, and whether it is intact."""

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eremite.cli.options import AsJson, DescriptionFile, LedgerPlace, PlotFile, local_file
from eremite.cli.output import dump_json, print_answer, print_notice, render
from eremite.errors import InputError
from eremite.names import show_name, without_formula

if TYPE_CHECKING:
    from eremite.ledger import Entry, Verification

_HASH = re.compile("[0-9a-f]{64}")
_WIDEST = 24  # letters of an account; a longer one is not aligned
_AT_ONCE = 1000  # events that are printed together


def history(
    description: DescriptionFile,
    account: Annotated[str | None, typer.Option("--account", help="Only events of this account.")] = None,
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only the last so many events.")] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", callback=local_file, help="Write a CSV file instead.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check that no event was changed, removed or reordered.")
    ] = False,
    noted: Annotated[
        str | None, typer.Option("--noted", help="With --verify: check that this hash, noted earlier, is still there.")
    ] = None,
    ledger: LedgerPlace = None,
    plot: PlotFile = None,
    as_json: AsJson = False,
) -> None:
    """List every charge, release, refusal and cap, in order. Spends nothing."""
    if noted is not None and not verify:
        raise InputError("Give --noted together with --verify.")
    if not verify:
        _print_events(description, ledger, account, last, csv_file, plot, as_json)
    elif last is not None:
        raise InputError("Give --last or --verify, not both: only the whole ledger can be verified.")
    elif plot is not None:
        raise InputError("Give --plot or --verify, not both.")
    else:
        _print_verification(description, ledger, noted, as_json)


def _print_events(
    path: Path,
    place: str | None,
    account: str | None,
    last: int | None,
    csv_file: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Print events as they are read: a ledger may be longer than memory."""
    from eremite.session import ledger_to_look_at

    dataset, ledger, complaint = ledger_to_look_at(path, place)
    if complaint is not None:
        print_notice(complaint)
    entries = ledger.entries(dataset, account) if last is None else ledger.history(dataset, account, limit=last)
    if csv_file is not None:
        text = f"Wrote {_write_csv(csv_file, entries):,} events to {csv_file}."
    else:
        text = _print_but_the_last(_as_json(entries) if as_json else _as_tables(entries))
    print_answer(text, lambda: ledger.timeline(dataset, account).plot(), plot)


def _print_but_the_last(texts: Iterable[str]) -> str:
    """Print texts one after the other, and return the last, which ends the answer."""
    last = ""
    for text in texts:
        typer.echo(last, nl=False)
        last = text
    return last


def _as_json(entries: Iterable["Entry"]) -> Iterator[str]:
    """The parts of one JSON list."""
    from eremite.ledger.to_json import entry_to_json

    before = "["
    for some in _in_parts(entries):
        yield before + dump_json([entry_to_json(entry) for entry in some])[1:-1]
        before = ", "
    yield "]" if before == ", " else "[]"


def _as_tables(entries: Iterable["Entry"]) -> Iterator[str]:
    from eremite.ledger.to_json import line_to_json

    before = ""
    for some in _in_parts(entries):
        yield before + _table([line_to_json(entry) for entry in some])
        before = "\n"


def _in_parts(entries: Iterable["Entry"]) -> Iterator[list["Entry"]]:
    left = iter(entries)
    while some := list(islice(left, _AT_ONCE)):
        yield some


def _print_verification(path: Path, place: str | None, noted: str | None, as_json: bool) -> None:
    from eremite.session import ledger_to_look_at

    if noted is not None and not _HASH.fullmatch(noted):
        raise InputError("--noted takes a hash of 64 digits and letters a to f, as --verify prints it; copy all of it.")
    _, ledger, complaint = ledger_to_look_at(path, place)
    found = ledger.verify(noted)
    if complaint is not None:
        found = replace(found, findings=(complaint, *found.findings))
    facts = {"sound": found.sound, "events": found.head.seq, "hash": found.head.hash, "findings": list(found.findings)}
    typer.echo(dump_json(facts) if as_json else _verdict(found))
    raise typer.Exit(0 if found.sound else 2)


def _verdict(found: "Verification") -> str:
    if found.sound:
        return (
            f"The ledger holds together: {found.head.seq:,} events, every sum right, every release paid for. "
            f"It ends with {found.head.hash}; note this hash down elsewhere, and give it to a later --verify as "
            "--noted: nothing else shows that the end of a ledger was cut off."
        )
    return "\n".join(["The ledger does not hold together; restore it from a backup.", *found.findings])


def _table(lines: list[dict[str, Any]]) -> str:
    """Each event on one line, and what it was about below it, where even a narrow terminal has room for the words."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    heads = [
        [str(line["seq"]), line["time"][:19].replace("T", " "), line["event"], _cell(line["account"])] for line in lines
    ]
    widths = [max([0, *(len(cell) for cell in cells if len(cell) <= _WIDEST)]) for cells in zip(*heads, strict=True)]
    shown: list[Text | Padding] = []
    for line, head in zip(lines, heads, strict=True):
        aligned = "  ".join(cell.ljust(width) for cell, width in zip(head, widths, strict=True))
        shown.append(Text(f"{aligned}  {_spent(line)}".rstrip(), overflow="fold"))
        if line["what"]:
            shown.append(Padding(Text(_cell(line["what"]), overflow="fold"), (0, 0, 0, widths[0] + 2)))
    return "\n".join(row.rstrip() for row in render(Group(*shown)).splitlines())


def _cell(value: object) -> str:
    """The value on one line, in full."""
    return "" if value in (None, "") else show_name(str(value), sys.maxsize)


def _spent(line: dict[str, Any]) -> str:
    """Such as "epsilon 0.2, delta 1e-06"."""
    return ", ".join(f"{name} {_cell(line[name])}" for name in ("epsilon", "delta") if line[name])


def _write_csv(path: Path, entries: Iterable["Entry"]) -> int:
    """Write a line for every event, and return how many there are."""
    from eremite.ledger.to_json import FIELDS, line_to_json

    written = 0
    try:
        with path.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            for entry in entries:  # whoever asks chooses the request's id
                writer.writerow({name: without_formula(cell) for name, cell in line_to_json(entry).items()})
                written += 1
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}; choose another file for --csv.") from None
    return written
