"""Where a table is counted: in memory, in files, or on a Spark cluster. Public; every engine gives the same answers."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from eremite.errors import InputError

EngineKind: TypeAlias = Literal["auto", "memory", "files", "spark"]

_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]B)\s*", re.IGNORECASE)
_LEAST_MEMORY = 64 * 10**6
_MOST_LOW_ROWS = 2**32
_DEFAULT_SHARE = 4  # one part in so many of the memory, and of the rows
_FEWEST_LOW_ROWS = 10**6
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Which engine counts, and what it may use. Answers are the same with every engine; times are not.

    Attributes:
        kind: "memory" reads the whole table; "files" reads Parquet or Arrow files piece by piece, with files for
            scratch; "spark" counts on a Spark cluster; "auto" takes files if the table would not fit into `memory`,
            and Spark for what Spark alone can read.
        memory: How much memory the rows may take on this machine, such as "2 GB"; default: a quarter of it.
        scratch: The folder for scratch files; default: the system's. Nobody can open them, and they vanish with the
            process, unless `resume` is set.
        resume: Whether files that a process leaves if it is killed serve the same question when it is asked again.
            They have private rows, in a folder that its owner alone can read.
        master: The Spark cluster, such as "local[2]", "spark://host:7077", or "sc://host:15002" of Spark Connect;
            default: all cores of this machine.
        max_low_rows: For how many rows with few neighbors this machine must have room, or questions are refused before
            the charge; default: a quarter of the rows, and a million at least.
    """

    kind: EngineKind = "auto"
    memory: str | None = None
    scratch: str | None = None
    resume: bool = False
    master: str | None = None
    max_low_rows: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(EngineKind):
            raise InputError(f"engine must be one of {', '.join(get_args(EngineKind))}.")
        if self.memory is not None:
            _bytes_of(self.memory)
        if type(self.resume) is not bool:
            raise InputError("resume must be true or false.")
        if self.master is not None and self.kind != "spark":
            raise InputError('master names a Spark cluster; give engine = "spark" with it.')
        limit = self.max_low_rows
        if limit is not None and (type(limit) is not int or not 1 <= limit <= _MOST_LOW_ROWS):
            raise InputError(f"max_low_rows must be a whole number from 1 to {_MOST_LOW_ROWS:,}.")

    @classmethod
    def of(cls, given: "Engine | str | None", otherwise: "Engine | None" = None) -> "Engine":
        """An engine by its name, as it is, or another one if none is given."""
        if given is None:
            return otherwise or cls()
        if isinstance(given, Engine):
            return given
        if not isinstance(given, str):
            raise InputError(f"engine must be one of {', '.join(get_args(EngineKind))}, or an Engine.")
        if otherwise is None or otherwise.kind == given:
            return replace(otherwise or cls(), kind=given)  # type: ignore[arg-type]
        return replace(otherwise, kind=given, master=None)  # type: ignore[arg-type]

    def memory_bytes(self) -> int:
        """How much memory the rows may take here."""
        return machine_memory() // _DEFAULT_SHARE if self.memory is None else _bytes_of(self.memory)

    def most_low_rows(self, rows: int) -> int:
        """For how many rows with few neighbors there must be room, of a table of so many rows, exactly or about."""
        return max(_FEWEST_LOW_ROWS, rows // _DEFAULT_SHARE) if self.max_low_rows is None else self.max_low_rows

    def scratch_folder(self) -> Path | None:
        """The folder for scratch files; None for the system's."""
        return None if self.scratch is None else Path(self.scratch)


def machine_memory() -> int:
    """How much memory this machine has, or the container that this process is in."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # without a limit, the file says "max"
        return min(machine, int(_CONTAINER.read_text()))
    return machine


def _bytes_of(text: object) -> int:
    found = _SIZE.fullmatch(text) if isinstance(text, str) else None
    size = 0 if found is None else int(float(found[1]) * _UNITS[found[2].upper()])
    if size < _LEAST_MEMORY:
        raise InputError('memory must be a size of 64 MB or more, such as "512 MB" or "2 GB".')
    return size
