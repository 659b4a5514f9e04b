"""The public tables of the paper, read from a folder or fetched from the UCI archive. The package holds none."""

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from eremite.errors import InputError
from eremite.table.numeric import or_input_error

Rows = list[dict[str, str]]

ADULT_COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
IONOSPHERE_COLUMNS = (*(f"a{i}" for i in range(1, 35)), "class")
_IDS = {"Adult": 2, "Ionosphere": 52}  # in the UCI archive


@dataclass(frozen=True, slots=True)
class Files:
    """The rows of each table as text, or None if the table is missing."""

    adult: Rows | None = None
    ionosphere: Rows | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the missing tables."""
        return tuple(name for name, rows in (("Adult", self.adult), ("Ionosphere", self.ionosphere)) if rows is None)


def where_to_get(missing: Iterable[str]) -> str:
    """A sentence that says which tables were left out and where to get them."""
    names = " and ".join(missing)
    return (
        f"{names} left out: get adult.data, adult.test and ionosphere.data, the datasets Adult and Ionosphere of the "
        "UCI Machine Learning Repository (archive.ics.uci.edu), and name their folder with --data, or add --download."
    )


def read_files(folder: Path) -> Files:
    """The tables in a folder: adult.csv.gz and ionosphere.csv.gz with a header, or the files of the archive."""
    sentence = f"--data {folder} is not a folder; name the one that holds adult.data and ionosphere.data."
    if not or_input_error(folder.is_dir, sentence):
        raise InputError(sentence)
    return Files(_adult(folder), _ionosphere(folder))


def fetch_files() -> Files:
    """Both tables from the archive, by ucimlrepo."""
    try:
        fetch = import_module("ucimlrepo").fetch_ucirepo
    except ImportError:
        raise InputError("--download needs ucimlrepo: pip install 'eremite[paper]'.") from None
    try:
        adult, ionosphere = (fetch(id=number).data.original for number in _IDS.values())
        return Files(fetched_adult(adult), fetched_ionosphere(ionosphere))
    except Exception as error:
        words = f"The UCI archive gave no table ({type(error).__name__})"
        raise InputError(f"{words}; try later, or get the files by hand and use --data.") from None


def fetched_adult(frame: Any) -> Rows:
    """The archive's frame as rows of text."""
    return _told_apart([str(value) for value in row] for row in frame[list(ADULT_COLUMNS)].to_numpy().tolist())


def fetched_ionosphere(frame: Any) -> Rows:
    """The archive's frame as rows of text; its columns are in order, the class last."""
    rows = ([str(value) for value in row] for row in frame.to_numpy().tolist())
    return [dict(zip(IONOSPHERE_COLUMNS, row, strict=True)) for row in rows]


def _adult(folder: Path) -> Rows | None:
    if (rows := _with_header(folder / "adult.csv.gz")) is not None:
        return rows
    parts = [_lines(folder / f"adult.{part}") for part in ("data", "test")]
    if any(part is None for part in parts):
        return None
    return _told_apart(row for row in chain(*(part or [] for part in parts)) if len(row) == len(ADULT_COLUMNS))


def _told_apart(rows: Iterable[list[str]]) -> Rows:
    """Rows with a column `split`. In the archive, the labels of test rows end in a full stop, which is removed."""
    named = (dict(zip(ADULT_COLUMNS, (value.strip() for value in row), strict=True)) for row in rows)
    return [
        row | {"income": row["income"].rstrip("."), "split": "test" if row["income"].endswith(".") else "train"}
        for row in named
    ]


def _ionosphere(folder: Path) -> Rows | None:
    if (rows := _with_header(folder / "ionosphere.csv.gz")) is not None:
        return rows
    lines = _lines(folder / "ionosphere.data")
    return None if lines is None else [dict(zip(IONOSPHERE_COLUMNS, row, strict=True)) for row in lines if row]


def _with_header(path: Path) -> Rows | None:
    if not path.exists():
        return None
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


def _lines(path: Path) -> list[list[str]] | None:
    """The lines of a file of the archive, compressed or not."""
    zipped = path.with_name(path.name + ".gz")
    if zipped.exists():
        with gzip.open(zipped, "rt") as file:
            return list(_split(file))
    if not path.exists():
        return None
    with path.open() as file:
        return list(_split(file))


def _split(file: TextIO) -> Iterator[list[str]]:
    return csv.reader(file)
