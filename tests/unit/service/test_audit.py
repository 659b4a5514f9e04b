"""Each request leaves one line: who, what and the outcome. No value, duration, body, token or address is in it."""

import asyncio
import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response

from eremite.errors import InputError
from eremite.service.audit import Audit, note, open_audit

NOW = datetime(2026, 11, 18, 1, 2, 3, 999_999, tzinfo=UTC)
app = FastAPI()
app.add_middleware(Audit, clock=lambda: NOW)


@app.post("/v1/datasets/{name}/forecast/count/epsilon")
async def forecast(request: Request) -> Response:
    note(request.scope, who="alice")
    return JSONResponse({"value": "private"}, 202)


@app.get("/v1/datasets/{name}")
async def dataset(name: str) -> Response:
    raise HTTPException(404, "No.")


@app.get("/v1/jobs/{job}")
async def job(request: Request) -> Response:
    note(request.scope, who="bob", dataset="wages", question="count")
    return JSONResponse({})


@app.get("/broken")
async def broken() -> Response:
    raise RuntimeError


def ask(file: Path, *requests: tuple[str, str]) -> list[dict[str, Any]]:
    """The lines that requests leave."""

    async def send() -> None:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            for method, path in requests:
                await client.request(method, path, content=b"secret body", headers={"Authorization": "Bearer secret"})

    with open_audit(file):
        asyncio.run(send())
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def test_line_says_when_who_what_and_the_outcome_and_nothing_else(file: Path) -> None:
    assert ask(file, ("POST", "/v1/datasets/patients/forecast/count/epsilon?x=secret")) == [
        {
            "time": "2026-11-18T01:02:03Z",
            "who": "alice",
            "method": "POST",
            "route": "/v1/datasets/{name}/forecast/count/epsilon",
            "dataset": "patients",
            "question": "forecast/count/epsilon",
            "status": 202,
        }
    ]


@pytest.mark.parametrize(
    ("method", "path", "who", "route", "dataset", "question", "status"),
    [
        ("GET", "/v1/datasets/wages", "-", "/v1/datasets/{name}", "wages", None, 404),
        ("GET", "/v1/datasets/a%0Ab", "-", "/v1/datasets/{name}", "'a\\nb'", None, 404),
        ("GET", "/v1/jobs/17", "bob", "/v1/jobs/{job}", "wages", "count", 200),
        ("PUT", "/v1/jobs/17", "-", "/v1/jobs/{job}", None, None, 405),
        ("SECRET", "/v1/jobs/17", "-", "/v1/jobs/{job}", None, None, 405),
        ("GET", "/secret", "-", "-", None, None, 404),
        ("GET", "/broken", "-", "/broken", None, None, None),  # the boundary further in makes a 500 of it
    ],
)
def test_what_was_sent_is_not_written_but_for_the_dataset(
    file: Path, method: str, path: str, who: str, route: str, dataset: str | None, question: str | None, status: int
) -> None:
    [line] = ask(file, (method, path))
    assert [line[name] for name in ("who", "route", "dataset", "question", "status")] == [
        who,
        route,
        dataset,
        question,
        status,
    ]
    assert "secret" not in file.read_text().lower()


def test_long_name_is_cut(file: Path) -> None:
    [line] = ask(file, ("GET", "/v1/datasets/" + "a" * 5000))
    assert len(line["dataset"]) == 200


def test_file_is_the_owners_and_grows_at_its_end(file: Path) -> None:
    file.touch(0o600)
    file.write_text('{"old": 1}\n')
    assert len(ask(file, ("GET", "/v1/jobs/1"))) == 2
    file.unlink()
    ask(file, ("GET", "/v1/jobs/1"))
    assert file.stat().st_mode & 0o777 == 0o600


def test_file_that_was_moved_is_made_anew(file: Path, tmp_path: Path) -> None:
    with open_audit(file):
        logger = logging.getLogger("eremite.audit")
        logger.info("%s", "first")
        file.rename(tmp_path / "audit.1")
        logger.info("%s", "second")
    assert (tmp_path / "audit.1").read_text() == "first\n"
    assert file.read_text() == "second\n"
    assert file.stat().st_mode & 0o777 == 0o600


def test_file_that_cannot_be_written_any_more_is_told_once_and_used_again_later(
    file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("eremite.audit")
    with open_audit(file):
        file.unlink()
        file.mkdir()
        logger.info("%s", "lost")
        logger.info("%s", "lost too")
        file.rmdir()
        logger.info("%s", "kept")
    assert file.read_text() == "kept\n"
    assert [record.getMessage().count("cannot be written") for record in caplog.records] == [1]


@pytest.mark.parametrize("kind", ["folder", "link", "writable"])
def test_file_that_is_no_place_for_it_is_refused_at_once(file: Path, tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.touch()
        file.chmod(0o622)
    with pytest.raises(InputError, match=r"Cannot write .* for --audit|can be written by others"), open_audit(file):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_without_a_file_nothing_is_written(caplog: pytest.LogCaptureFixture) -> None:
    with open_audit(None):
        logging.getLogger("eremite.audit").info("%s", "line")
    assert caplog.records == []
