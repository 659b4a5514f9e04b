"""`eremite history`: the audit trail, as a table, JSON or CSV, and whether it holds together."""

import csv
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Column
from rich.table import Table as Grid
from rich.text import Text

from eremite.cli.notices import notice
from eremite.cli.terminal import framed
from eremite.cli.told import Told
from eremite.errors import InputError
from eremite.ledger import Ledger, Verification
from eremite.ledger.to_json import FIELDS, entry_to_json, line_to_json
from eremite.names import show_name
from eremite.session import ledger_to_look_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HASH = re.compile("[0-9a-f]{64}")


def run(path: Path, place: str | None, account: str | None, as_json: bool, csv_file: Path | None) -> Told:
    """Everything that happened to a dataset's budget, or to an account's; its picture is the budget over time."""
    dataset, ledger, complaint = ledger_to_look_at(path, place)
    if complaint is not None:
        notice(complaint)
    entries = ledger.history(dataset, account)
    lines = [line_to_json(entry) for entry in entries]
    draw = _drawing(ledger, dataset, account)
    if csv_file is not None:
        _write(csv_file, lines)
        return Told(f"Wrote {len(lines):,} events to {csv_file}.", draw)
    return Told(json.dumps([entry_to_json(entry) for entry in entries]) if as_json else _table(lines), draw)


def _drawing(ledger: Ledger, dataset: str, account: str | None) -> Callable[[], "Figure"]:
    return lambda: ledger.timeline(dataset, account).plot()


def verify(path: Path, place: str | None, noted: str | None, as_json: bool) -> tuple[str, bool]:
    """What is wrong with the ledger, and whether nothing is."""
    if noted is not None and not _HASH.fullmatch(noted):
        raise InputError("--noted takes a hash of 64 digits and letters a to f, as --verify prints it; copy all of it.")
    _, ledger, complaint = ledger_to_look_at(path, place)
    found = ledger.verify(noted)
    if complaint is not None:
        found = replace(found, findings=(complaint, *found.findings))
    facts = {"sound": found.sound, "events": found.head.seq, "hash": found.head.hash, "findings": list(found.findings)}
    return json.dumps(facts) if as_json else _verdict(found), found.sound


def _verdict(found: Verification) -> str:
    if found.sound:
        return (
            f"The ledger holds together: {found.head.seq:,} events, every sum right, every release paid for. "
            f"It ends with {found.head.hash}; note this down elsewhere, and give it to a later --verify as --noted: "
            "only that finds an end that was cut off."
        )
    return "\n".join(["The ledger does not hold together; restore it from a backup.", *found.findings])


def _table(lines: list[dict[str, Any]]) -> str:
    time = Column("time", no_wrap=True, min_width=19)
    grid = Grid("", time, "event", "account", "epsilon", "delta", "what", box=None, padding=(0, 2, 0, 0))
    for line in lines:
        cells = [line["seq"], line["time"][:19].replace("T", " "), *(line[name] or "" for name in FIELDS[2:4])]
        cells += [line["epsilon"], line["delta"] or "", line["what"]]
        grid.add_row(*(Text("" if cell in (None, "") else show_name(str(cell), sys.maxsize)) for cell in cells))
    return framed(grid)


def _harmless(cell: Any) -> Any:
    """A spreadsheet must not take a request's id for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    try:
        with path.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows({name: _harmless(cell) for name, cell in line.items()} for line in lines)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}; choose another file for --csv.") from None
