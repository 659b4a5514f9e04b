"""Data files in batches: a table that is larger than memory, some of its rows at a time.

Where a batch ends changes nothing: what a cell becomes depends on that cell and on the type of its column (L2 of
`loading.proof.md`), and the types are those of the whole table, decided by the schemas of all files before a row is
read.
"""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa

from eremite.errors import InputError, TableError
from eremite.table import arrow_files, parquet_files, parquet_folders
from eremite.table.bounds import FloatArray
from eremite.table.categories import Codes
from eremite.table.files import format_of
from eremite.table.numeric import or_input_error, or_table_error, require_columns
from eremite.table.rules import CellRules

ROWS = 1 << 16  # of a batch
_PIECES = 16  # of one file, at most: each opens it once more


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one file, which one thread reads while others read other pieces."""

    path: Path
    groups: range  # row groups of a Parquet file, record batches of an Arrow file
    version: tuple[int, ...]  # of the file


@dataclass(frozen=True, slots=True)
class Pieces:
    """A table in pieces; together they have all of its rows.

    Attributes:
        path: The file, folder or pattern.
        schema: Names and types of the columns that are read, in every batch.
        pieces: By file, in the order of the rows.
    """

    path: Path
    schema: pa.Schema
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, path: Path, wanted: Sequence[str], as_text: Collection[str] = ()) -> "Pieces":
        """The wanted columns of a file, with the types that `read_file` gives them."""
        reader, files = _reader(path), _files(path)
        if reader is None:
            raise InputError(
                f"{path} cannot be read piece by piece; write it as a Parquet file, or choose the engine memory."
            )
        versions = [_version(file) for file in files]
        schemas = [reader.schema(file) for file in files]
        for file, schema in zip(files, schemas, strict=True):
            require_columns(wanted, schema.names, str(file))
        joint = parquet_folders.joint_schema(path, schemas, wanted, as_text)
        groups = [_shares(reader.groups(file)) for file in files]
        found = zip(files, groups, versions, strict=True)
        return cls(path, joint, tuple(Piece(file, some, version) for file, all_, version in found for some in all_))

    def batches(self, piece: Piece, most: int = ROWS) -> Iterator[pa.Table]:
        """The rows of a piece, at most so many at a time. A file that is broken or changed raises `TableError`."""
        reader = _reader(piece.path) or parquet_files
        _require_version(piece)
        with closing(reader.batches(piece.path, self.schema.names, piece.groups, most)) as read:
            while True:
                batch = or_table_error(lambda: next(read, None), reader.unreadable(piece.path))
                _require_version(piece)
                if batch is None:
                    return
                if batch.num_rows:
                    yield self._with_types(pa.Table.from_batches([batch]))

    def written(self) -> list[tuple[str | int, ...]]:
        """The files, and what changes if somebody writes or replaces them, on this machine."""
        paths = dict.fromkeys(piece.path for piece in self.pieces)
        return [(str(path.resolve()), *_version(path), path.stat().st_ctime_ns) for path in paths]

    def require_unchanged(self) -> None:
        """Raise `TableError` if a file has changed since the table was opened, and `InputError` if it is gone."""
        for piece in self.pieces:
            _require_version(piece)

    def scaled(self, rules: CellRules, place: str) -> tuple[FloatArray, dict[str, Codes]]:
        """What the rules make of all rows, as `CellRules.rows` gives it; only the result has the size of the table."""
        none = self.schema.empty_table()
        rules.rows({name: none.column(name) for name in self.schema.names}, place)  # types are refused without rows too
        sizes = [rows_of(piece) for piece in self.pieces]
        ends = list(accumulate(sizes, initial=0))
        found = np.empty((len(rules.bounds), ends[-1]))
        codes: dict[str, Codes] = {name: np.empty(ends[-1], np.int32) for name in rules.categories}

        def fill(piece: Piece, start: int, stop: int) -> None:
            for batch in self.batches(piece):
                numbers, listed = rules.rows({name: batch.column(name) for name in self.schema.names}, place)
                end = start + batch.num_rows
                _require_same(piece, end <= stop)
                found[:, start:end] = numbers
                for name, values in listed.items():
                    codes[name][start:end] = values
                start = end
            _require_same(piece, start == stop)

        with ThreadPoolExecutor() as pool:
            list(pool.map(fill, self.pieces, ends, ends[1:]))
        return found, codes

    def _with_types(self, rows: pa.Table) -> pa.Table:
        return or_table_error(lambda: parquet_folders.converted(rows, self.schema), parquet_folders.unjoined(self.path))


def is_read_in_pieces(path: Path) -> bool:
    """Whether a file should be read piece by piece even if it fits into memory.

    Not an Arrow file: its pieces are mapped, and one that is cut short while it is read ends the process.
    """
    return _reader(path) is parquet_files


def rows_of(piece: Piece) -> int:
    """How many rows a piece has; private."""
    return int((_reader(piece.path) or parquet_files).rows(piece.path, piece.groups))


def shape_of(path: Path) -> tuple[int, int] | None:
    """How many rows and columns a file has; None if it cannot be read piece by piece. The rows are private.

    It reads what the file says about itself, and no row.
    """
    reader, files = _reader(path), _files(path)
    return None if reader is None else (sum(map(reader.rows, files)), len(reader.schema(files[0]).names))


def _reader(path: Path) -> ModuleType | None:
    """The module that reads the files in batches; None if none does."""
    found = format_of(path)
    if found is parquet_folders:
        return parquet_files
    return found if found in (parquet_files, arrow_files) else None


def _files(path: Path) -> list[Path]:
    return parquet_folders.parts_of(path) if parquet_folders.is_folder(path) else [path]


def _shares(groups: int) -> list[range]:
    shares = min(groups, _PIECES)
    return (
        [range(*pair) for pair in pairwise(groups * share // shares for share in range(shares + 1))] if shares else []
    )


def _version(path: Path) -> tuple[int, ...]:
    """What changes if somebody writes the file anew."""
    found = or_input_error(path.stat, f"{path} does not exist; correct the path or put the file there.")
    return found.st_size, found.st_mtime_ns  # the same on all machines that share the file


def _require_version(piece: Piece) -> None:
    """Rows are read more than once, and must be the same each time."""
    _require_same(piece, _version(piece.path) == piece.version)


def _require_same(piece: Piece, same: bool) -> None:
    if not same:
        raise TableError(f"{piece.path} changed while it was read; open it again once it is written.")
