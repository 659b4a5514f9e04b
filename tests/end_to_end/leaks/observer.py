"""Everything that an analyst or the reader of a terminal can see, as text.

Releases in every form, the session, errors and refusals, logs of every logger at every level, warnings, output, the
ledger file.
"""

import gc
import logging
import pickle
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import pytest

from eremite import InputError, Release
from eremite.cli import main

Sight = list[tuple[str, str]]


def ledger_text(path: Path) -> Sight:
    """Everything in a ledger's file and its witness; then they are gone, and the budget whole again."""
    sight = []
    if path.exists():
        with closing(sqlite3.connect(path)) as ledger:
            sight = [("ledger", line) for line in ledger.iterdump()]
    witness = path.with_suffix(".ledger-witness.json")
    if witness.exists():
        sight += [("witness", witness.read_text())]
    for file in [*path.parent.glob(f"{path.name}*"), *path.parent.glob(witness.name)]:
        file.unlink()
    return sight


@contextmanager
def watching(capfd: pytest.CaptureFixture[str], sight: Sight) -> Iterator[None]:
    """What is logged by any logger at any level, warned of, or written to stdout and stderr, meanwhile."""
    capfd.readouterr()
    handle, enabled = logging.Logger.handle, logging.Logger.isEnabledFor

    def record(self: logging.Logger, record: logging.LogRecord) -> None:
        if record.name.startswith("py4j"):  # a Spark session of another test forgets its objects in a thread of its own
            return
        shown = f"{record.levelname} {record.name} {record.getMessage()} {record.pathname}:{record.lineno}"
        sight.append(("log", f"{shown} {record.exc_info!r} {record.stack_info!r}"))

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        logging.Logger.handle, logging.Logger.isEnabledFor = record, lambda self, level: True  # type: ignore[method-assign]
        gc.disable()  # what other tests left behind must not be warned of now
        try:
            yield
        finally:
            gc.enable()
            logging.Logger.handle, logging.Logger.isEnabledFor = handle, enabled  # type: ignore[method-assign]
    sight += [("warning", str(warning)) for warning in warned]
    sight += zip(("stdout", "stderr"), capfd.readouterr(), strict=True)


LEAVES = (int, str, bool, float, bytes, type(None), Fraction, datetime)


def walked(value: object, path: str, hidden: bool) -> Iterator[tuple[str, str]]:
    """Every attribute that can be reached, to the leaves; with `hidden` also those whose name starts with _."""
    yield path, f"{type(value)} {value!r} {value!s} {sys.getsizeof(value)}"
    if type(value) in LEAVES or path.count(".") > 4:
        return
    if isinstance(value, tuple | list):
        for place, item in enumerate(value):
            yield from walked(item, f"{path}.{place}", hidden)
    for name in sorted({*dir(value), *getattr(value, "__dict__", {})}):
        try:
            attribute = getattr(value, name) if hidden or not name.startswith("_") else None
        except InputError as refusal:  # what is private has a name, and says so
            yield f"{path}.{name}", f"{refusal!r}"
            continue
        if not callable(attribute) and not name.startswith("__"):
            yield from walked(attribute, f"{path}.{name}", hidden)


def seen_release(release: Release) -> Sight:
    forms = [("json", release.to_json()), ("hash", str(hash(release))), ("pickle", repr(pickle.dumps(release)))]
    return [*walked(release, "release", hidden=True), *forms]


def seen_error(error: BaseException) -> Sight:
    """An error and those it travels with; of the traceback the text."""
    told = [("error", "".join(traceback.format_exception(error)))]
    for each in filter(None, (error, error.__cause__, error.__context__)):
        told.append(("error", f"{type(each)} {each} {each!r} {each.args!r} {vars(each)}"))
    return told


def seen_command(capfd: pytest.CaptureFixture[str], request: list[str], ledger: Path) -> Sight:
    """What a command prints, how it exits, and what the ledger holds then."""
    sight: Sight = []
    with watching(capfd, sight), pytest.raises(SystemExit) as stopped:
        main(request)
    return [*sight, ("exit", str(stopped.value.code)), *ledger_text(ledger)]
