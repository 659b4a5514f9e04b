"""Text files, plain or packed (.gz, .bz2, .zip), as UTF-8 bytes or as text, whatever encoding they are written in."""

import bz2
import csv
import gzip
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

import pyarrow as pa

from eremite.errors import InputError
from eremite.table.writing import Writing

BLOCK_BYTES = 1 << 23  # the block that Arrow reads at once, and so the longest row that can be read
KINDS = (".csv", ".tsv", ".txt")
PACKED = (".gz", ".bz2", ".zip")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file and how it is written, with its separator resolved; `member` is its name inside a .zip file."""

    path: Path
    writing: Writing
    separator: str
    member: str | None

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """The file as bytes of UTF-8. Bytes that another encoding does not have raise `UnicodeError`."""
        with self._raw() as file:
            if self.writing.is_utf8:
                yield file
            else:
                yield pa.transcoding_input_stream(pa.PythonFile(file, "r"), self.writing.encoding, "utf-8")

    @contextmanager
    def opened_text(self) -> Iterator[IO[str]]:
        """The file as text for `csv.reader`, which accepts fields as long as Arrow does while the file is open.

        Bytes that the encoding does not have become U+FFFD.
        """
        limit = csv.field_size_limit(BLOCK_BYTES)
        encoding = "utf-8-sig" if self.writing.is_utf8 else self.writing.encoding
        try:
            with self._raw() as file, io.TextIOWrapper(file, encoding, "replace", newline="") as text:
                yield text
        finally:
            csv.field_size_limit(limit)

    @contextmanager
    def _raw(self) -> Iterator[IO[bytes]]:
        if self.member is not None:
            with zipfile.ZipFile(self.path) as packed, packed.open(self.member) as file:
                yield file
        else:
            opener: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(self.path.suffix.lower(), open)
            with opener(self.path, "rb") as file:
                yield file


def text_file(path: Path, writing: Writing) -> TextFile:
    """The file with its separator: the declared one, or else a tab where its name ends in .tsv, and a comma."""
    member = _member(path) if path.suffix.lower() == ".zip" else None
    name = (member or path.name).lower()
    tabs = any(name.endswith(f".tsv{packed}") for packed in ("", *PACKED))
    separator = writing.separator or ("\t" if tabs else ",")
    return TextFile(path, replace(writing, separator=separator), separator, member)


def _member(path: Path) -> str:
    """The name of the one text file in a .zip file; folders, and what macOS adds, do not count."""
    with zipfile.ZipFile(path) as packed:
        members = [info for info in packed.infolist() if not info.is_dir() and not _is_hidden(info.filename)]
    if len(members) != 1 or not members[0].filename.lower().endswith(KINDS):
        raise InputError(f"{path} must hold exactly one file, ending in {', '.join(KINDS)}; pack that file alone.")
    if members[0].flag_bits & 1:
        raise InputError(f"{path} is encrypted; unpack it, or pack it without a password.")
    return members[0].filename


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
