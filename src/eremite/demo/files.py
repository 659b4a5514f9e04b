"""The files that the demo writes into its folder. It replaces its own files and no others."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from eremite.demo.patients import COLUMNS, N_ROWS, ODD_TRIPLE, WARDS, Column, Floats, Patients, patients, public_sample
from eremite.errors import InputError

#: Public points to ask about, in the columns of `ODD_TRIPLE`; the 2nd, 5th and 7th are not plausible.
CANDIDATES = np.array(
    [
        [7.40, 40.0, 24.0],
        [7.48, 44.0, 20.5],
        [7.31, 38.0, 18.5],
        [7.45, 34.0, 22.9],
        [7.30, 32.0, 24.5],
        [7.36, 52.0, 28.5],
        [7.50, 48.0, 25.0],
        [7.39, 33.0, 19.3],
        [7.43, 47.0, 30.2],
        [7.35, 44.0, 23.5],
    ]
)
#: A patient from elsewhere, in the order of `COLUMNS`: every value is ordinary, hemoglobin and hematocrit disagree.
SUSPECT = np.array([[62, 85, 6.5, 14.5, 33.0, 7.40, 40.0, 24.5]])

_SERVED_EPSILON = "10"  # enough for an hour of trying, and little enough to see a refusal

_DESCRIPTION = """\
# Everything public about the table, in one file. The rows themselves are not public.

[dataset]
name = "patients"
source = "patients.csv"           # {rows:,} patients of an intensive care unit, made up
rows_per_person = 1               # one row a patient: every patient is protected
stand_in = "public-sample.csv"    # public rows of the same shape, made up as well; forecasts use these alone

[columns]                         # what is possible in a living patient: from medicine, never taken from the rows
{columns}
# A patient without a pulse takes no part in questions about the pulse. A ward is not measured: it is for --within.
{ward}

[budget]                          # for the questions of all analysts together
epsilon = {epsilon}
"""


@dataclass(frozen=True, slots=True)
class Files:
    """The made-up table, and the paths of the files in the demo's folder."""

    folder: Path
    table: Patients

    @property
    def description(self) -> Path:
        return self.folder / "patients.toml"

    @property
    def candidates(self) -> Path:
        return self.folder / "candidates.csv"

    @property
    def suspect(self) -> Path:
        return self.folder / "suspect.csv"

    @property
    def report(self) -> Path:
        return self.folder / "report.html"


def write_files(folder: Path, epsilon: str) -> Files:
    """Write the table, its public stand-in, candidates and description; remove the ledger of an earlier demo."""
    files = Files(folder, patients())
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _write_table(files, epsilon)
        _write_columns(files.candidates, _by_name(CANDIDATES, ODD_TRIPLE.columns))
        _write_columns(files.suspect, _by_name(SUSPECT, list(COLUMNS)))
        for old in [*folder.glob("patients.db*"), folder / "patients.ledger-witness.json", files.report]:
            old.unlink(missing_ok=True)
    return files


def write_served(folder: Path) -> Path:
    """Write the table and its public stand-in into a folder for the service, which only its owner can look into.

    The ledger stays as it is: what was asked before stays charged. The path of the description is returned.
    """
    files = Files(folder, patients())
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)  # the service refuses tokens that others could write
        _write_table(files, _SERVED_EPSILON)
    return files.description


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn an error of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot write the demo to {folder}: {error.strerror}; choose another --folder.") from None


def _write_table(files: Files, epsilon: str) -> None:
    _write_columns(files.folder / "patients.csv", files.table.columns)
    _write_columns(files.folder / "public-sample.csv", public_sample().columns)
    files.description.write_text(_description(epsilon), encoding="utf-8")


def _by_name(points: Floats, names: Sequence[str]) -> dict[str, Floats]:
    return dict(zip(names, points.T, strict=True))


def _write_columns(path: Path, columns: Mapping[str, Any]) -> None:
    """A line of names, and a line a row; a cell without a value is empty."""
    cells = [_cells(name, values.tolist()) for name, values in columns.items()]
    lines = [",".join(columns), *map(",".join, zip(*cells, strict=True)), ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def _cells(name: str, values: list[Any]) -> list[str]:
    if name not in COLUMNS:
        return values  # wards
    decimals = COLUMNS[name].decimals
    return ["" if isnan(value) else f"{value:.{decimals}f}" for value in values]


def _description(epsilon: str) -> str:
    columns = "\n".join(_bounds(name, column).ljust(60) + f"# {column.unit}" for name, column in COLUMNS.items())
    ward = f"ward        = {{ categories = {json.dumps(WARDS)} }}"
    return _DESCRIPTION.format(rows=N_ROWS, columns=columns, ward=ward, epsilon=epsilon)


def _bounds(name: str, column: Column) -> str:
    missing = "" if column.missing == "refuse" else f', missing = "{column.missing}"'
    return f"{name:<11} = {{ min = {column.low:g}, max = {column.high:g}{missing} }}"
