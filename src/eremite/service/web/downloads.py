"""Answers as files: CSV for spreadsheets, which must not run what a cell holds, and JSON."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi.responses import Response

from eremite.names import without_formula
from eremite.release import Release
from eremite.release.parts import parts

_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_FIELDS = ("time", "question", "columns", "epsilon", "delta", "value", "definition", "parameters", "request_id")


def csv_text(heads: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Lines of CSV; lists are joined, other values are JSON."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow([without_formula(head) for head in heads])
    writer.writerows([without_formula(_cell(row.get(head, ""))) for head in heads] for row in rows)
    return out.getvalue()


def release_csv(release: Release) -> str:
    """The parts of an answer, a line for each."""
    rows = parts(release)
    return csv_text(list(rows[0]) if rows else ["value"], rows)


def releases_csv(releases: Iterable[Release]) -> str:
    """Many answers, a line for each."""
    return csv_text(_FIELDS, map(_line, releases))


def file_response(content: str, media_type: str, name: str) -> Response:
    """A file to save, under a plain name."""
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{_NAME.sub("-", name)}"',
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content.encode("utf-8", "backslashreplace"), media_type=media_type, headers=headers)


def _line(release: Release) -> dict[str, Any]:
    fields = release.to_dict()
    return {name: fields["query"] if name == "question" else fields[name] for name in _FIELDS}


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return " & ".join(value)
    if value is None or isinstance(value, str | int | float):
        return "" if value is None else value
    return json.dumps(value, ensure_ascii=False)
