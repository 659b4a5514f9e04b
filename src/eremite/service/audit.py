"""One line for every request: when it arrived, who sent it, what it asked for, and the status of the response.

A line is a JSON object. It holds no value, no duration, no body, no token and no address. The path is that of the
route, with names instead of what was sent; of what was sent, only the name of the dataset is there. Times are whole
seconds, and are those of arrival: how long a question took is in no line.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eremite.errors import InputError
from eremite.names import show_name
from eremite.service.errors import LOG
from eremite.service.file_permissions import require_private_file

AUDIT = logging.getLogger("eremite.audit")
AUDIT.propagate = False  # lines go to the file of --audit, and nowhere else
AUDIT.addHandler(logging.NullHandler())

_NOTES = "eremite.audit"
_NOBODY = "-"
_QUESTIONS = "/v1/datasets/{name}/"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def note(scope: Scope, **fields: str) -> None:
    """Add fields to the line of a request: `who` sent it; or the `dataset` and `question` of a job."""
    scope.setdefault(_NOTES, {}).update(fields)


class Audit:
    """Writes the line of a request when its response begins, or when it ends without one."""

    def __init__(self, app: ASGIApp, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._app = app
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        arrived, written = self._clock(), False
        scope = {**scope, _NOTES: {}}  # one dictionary for all copies of the scope that are made further in

        def write(status: int | None) -> None:
            nonlocal written
            if not written:
                AUDIT.info("%s", json.dumps(_line(scope, arrived, status), ensure_ascii=False))
            written = True

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                write(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            write(None)


def _line(scope: Scope, arrived: datetime, status: int | None) -> dict[str, Any]:
    """The fields of a line. The router adds the route to the scope, once it has found one."""
    route = getattr(scope.get("route"), "path", _NOBODY)
    method = scope["method"] if scope["method"] in _METHODS else _NOBODY
    is_question = method == "POST" and route.startswith(_QUESTIONS)
    found = {
        "dataset": scope.get("path_params", {}).get("name") if route.startswith(_QUESTIONS[:-1]) else None,
        "question": route.removeprefix(_QUESTIONS) if is_question else None,
        "who": _NOBODY,
    } | scope[_NOTES]
    return {
        "time": arrived.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "who": found["who"],
        "method": method,
        "route": route,
        "dataset": None if found["dataset"] is None else show_name(found["dataset"]),
        "question": found["question"],
        "status": status,
    }


class _AuditFile(WatchedFileHandler):
    """Appends lines to a file that only its owner reads, and opens it anew when it was moved away."""

    _failing = False

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        handle = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            require_private_file(path, os.fstat(handle))
        except BaseException:
            os.close(handle)
            raise
        return os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.reopenIfNeeded()
            if self.stream is None:  # it could not be opened anew before
                self.stream = self._open()
                self._statstream()
            self.stream.write(f"{record.getMessage()}\n")
            self.stream.flush()
        except (OSError, ValueError, InputError) as error:
            self._complain(error)
        else:
            self._failing = False

    def _complain(self, error: Exception) -> None:
        """Tell the custodian once, and not for each request."""
        if not self._failing:
            reason = getattr(error, "strerror", None) or str(error)
            LOG.error("%s cannot be written (%s); requests are answered, and missing there.", self.baseFilename, reason)
        self._failing = True


@contextmanager
def open_audit(path: Path | None) -> Iterator[None]:
    """Write audit lines to the end of this file, if there is one; a file that cannot be written is an error now."""
    if path is None:
        yield
        return
    try:
        handler = _AuditFile(path, encoding="utf-8")
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}; choose another file for --audit.") from None
    level = AUDIT.level
    AUDIT.addHandler(handler)
    AUDIT.setLevel(logging.INFO)
    try:
        yield
    finally:
        AUDIT.setLevel(level)
        AUDIT.removeHandler(handler)
        handler.close()
