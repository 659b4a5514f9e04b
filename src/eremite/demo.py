"""A guided tour on a generated table, so that nothing shown is private.

A table with public bounds, its description file, a private count, and the exact counts it was made from. The exact
numbers are shown only because the table is made up; of a private table they would never be.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Column
from rich.table import Table as Grid

from eremite.errors import InputError
from eremite.outliers import OutlierDefinition, Subspaces, count_outliers, count_outliers_in_each
from eremite.session import open_session
from eremite.table import Table, open_table, read_description

_SEED = 20150611
_ROWS = 20_000
_COLUMNS = {"age": (0, 100), "bmi": (10, 60), "glucose": (40, 400), "pressure": (60, 220)}
_DEFINITION = OutlierDefinition(min_neighbors=5, radius=0.05)
_DESCRIPTION = """\
# Everything public about the table. Bounds come from medicine, not from the rows.
[dataset]
name = "patients"
source = "patients.csv"

[columns]
{columns}

[budget]
epsilon = 2.0
"""


def run(folder: Path) -> None:
    """Generate a table and its description into `folder`, open them and count outliers, with a word on each step."""
    out = Console(highlight=False)
    description = _write(folder)
    out.print(f"Generated {_ROWS:,} patients and their description in [bold]{folder}[/bold].")
    table = open_table(read_description(description))
    out.print(f"Opened: {table.n_rows:,} rows, columns {', '.join(table.columns)}, scaled by their public bounds.\n")
    _count_privately(out, description)
    _count_all(out, table)
    _count_pairs(out, table)
    out.print("\nThese counts are exact. Of a private table they stay with its custodian.")


def _count_privately(out: Console, description: Path) -> None:
    session = open_session(description)
    release = session.count_outliers(_DEFINITION, epsilon=0.5)
    out.print(
        f"Asked privately, with epsilon 0.5: about [bold]{release.value}[/bold] outliers over all columns, "
        f"by {release.mechanism}. Left of the budget: {session.remaining}.\n"
    )


def _count_all(out: Console, table: Table) -> None:
    outliers = count_outliers(table.points(), _DEFINITION)
    out.print(
        f"Exactly, rows with fewer than {_DEFINITION.min_neighbors} others within {_DEFINITION.radius}: "
        f"[bold]{outliers}[/bold]."
    )


def _count_pairs(out: Console, table: Table) -> None:
    grid = Grid(
        "columns", Column("outliers", justify="right"), title="Outliers by pair of columns", title_justify="left"
    )
    family = Subspaces.of_size(table.columns, 2)
    counted = sorted(count_outliers_in_each(table, _DEFINITION, family), key=lambda pair: -pair[1])
    for subspace, outliers in counted:
        grid.add_row(" x ".join(subspace), str(outliers))
    out.print(grid)


def _write(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        np.savetxt(
            folder / "patients.csv",
            _patients(),
            delimiter=",",
            header=",".join(_COLUMNS),
            comments="",
            fmt="%.2f",
        )
        columns = "\n".join(f"{name} = {{ min = {low}, max = {high} }}" for name, (low, high) in _COLUMNS.items())
        description = folder / "patients.toml"
        description.write_text(_DESCRIPTION.format(columns=columns))
        for old in folder.glob("patients.db*"):
            old.unlink()  # the ledger of a table that was just made anew
    except OSError as error:
        raise InputError(f"Cannot write the demo to {folder}: {error.strerror}; choose another --folder.") from None
    return description


def _patients() -> NDArray[np.float64]:
    """Two common kinds of patient, 1 % with an unusual pair of bmi and glucose, 0.5 % unusual throughout."""
    rng = np.random.default_rng(_SEED)
    young = rng.normal([35, 24, 95, 118], [12, 3, 10, 10], (_ROWS // 2, 4))
    old = rng.normal([68, 28, 125, 140], [10, 4, 20, 14], (_ROWS - _ROWS // 2, 4))
    rows = np.vstack([young, old])
    odd = rng.choice(_ROWS, _ROWS // 100, replace=False)
    rows[odd, 1:3] = rng.uniform([35, 60], [60, 300], (len(odd), 2))
    rows[: _ROWS // 200] = rng.uniform([0, 10, 40, 60], [100, 60, 400, 220], (_ROWS // 200, 4))
    return rng.permutation(rows)
