"""`eremite serve` in its own process, with two small datasets and some tokens.

Kernels run without being compiled; ticks are short.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from eremite.cli import main
from eremite.service.tokens import Grant, change_grants, hash_of, new_token
from eremite.session import opened_ledger
from tests.end_to_end.command_line import MAIN, MINDS_INTERRUPTS
from tests.end_to_end.patients import BOUNDS, description, people, write_csv

DEFINITION = {"min_neighbors": 3, "radius": 0.05}
COUNT = {"definition": DEFINITION, "epsilon": 0.1}
TICK = "0.02"
PATIENCE = 600  # seconds; only for what hangs, however busy the machine
#: What a service that is interrupted says at its end.
STOPPED = '{"error": "Stopping; a question that is under way is answered and stored first.", "exit_code": 130}\n'
QUESTIONS = {
    "count": COUNT,
    "subspaces": COUNT | {"h": 1, "size": 1},
    "report": COUNT | {"h": 1, "max_size": 2},
    "detect": COUNT | {"h": 1, "candidates": [[25, 75.5], [58, 190]]},
    "explain": COUNT | {"h": 1, "max_size": 2, "point": [25, 75.5]},
    "radius": {"min_neighbors": 3, "share": 0.1, "epsilon": "1/10"},
}


@dataclass(frozen=True)
class Served:
    """A running service, its folder, and the tokens by name."""

    address: str
    folder: Path
    tokens: dict[str, str]
    client: httpx.Client
    process: subprocess.Popen[str]

    def get(self, path: str, who: str = "alice") -> httpx.Response:
        return self.client.get(f"{self.address}/v1/datasets{path}", headers=self.sent(who))

    def ask(self, path: str, question: object, who: str = "alice") -> httpx.Response:
        content = question if isinstance(question, bytes) else json.dumps(question).encode()
        address = f"{self.address}/v1/datasets{path}{'' if '?' in path else '?wait=60'}"
        return self.client.post(address, content=content, headers=self.sent(who))

    def sent(self, who: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[who]}"} if who in self.tokens else {}

    def left(self, who: str = "alice") -> Any:
        return self.get("/patients/budget", who).json()["remaining"]["epsilon"]


def written(folder: Path, more: str = "") -> dict[str, str]:
    """Write two datasets, with `more` about them, and make four tokens, which are returned by name."""
    write_csv(folder / "patients.csv", BOUNDS, people(40))
    for name in ("patients", "wages"):
        (folder / f"{name}.toml").write_text(description(name=name, more=more))
        opened_ledger(folder / f"{name}.toml", create="quietly")[1].close()
    grants = {
        "alice": ["--account", "research", "--dataset", "patients"],
        "bob": ["--account", "press", "--dataset", "wages", "--dataset", "patients", "--dataset", "elsewhere"],
        "boss": ["--account", "house", "--dataset", "patients", "--custodian"],
    }
    tokens = {
        name: json.loads(command(folder, "token", "add", name, *more, "--json"))["token"]
        for name, more in grants.items()
    }
    return tokens | {"gone": expired(folder)}


def expired(folder: Path) -> str:
    """A token whose last day has passed, which no command makes."""
    token, last = new_token(), date(2020, 1, 1)
    gone = Grant(name="gone", account="research", datasets=("patients",), expires=last, hash=hash_of(token))
    change_grants(folder / "tokens.json", lambda grants: (*grants, gone))
    return token


def command(folder: Path, *arguments: str) -> str:
    """The output of a command that runs in this process, with the folder's token file."""
    with redirect_stdout(StringIO()) as out, pytest.raises(SystemExit) as stopped:
        main([*arguments, "--tokens", str(folder / "tokens.json")])
    assert stopped.value.code == 0
    return out.getvalue()


@contextmanager
def serving(folder: Path, tokens: dict[str, str], *options: str, first: str = "") -> Iterator[Served]:
    """A service that runs until the block ends, and prints its first line only.

    It, and every worker it starts, runs the code `first` before all else.
    """
    if first:
        (folder / "site").mkdir(exist_ok=True)
        (folder / "site" / "sitecustomize.py").write_text(first)
    paths = [str(folder / "site"), os.environ.get("PYTHONPATH", "")]
    lanes = [] if "--lanes" in options else ["--lanes", "1"]  # one worker starts sooner than three
    rate = (
        [] if "--requests-per-second" in options else ["--requests-per-second", "100000"]
    )  # tests ask as fast as they can
    arguments = [
        "serve",
        "patients.toml",
        "wages.toml",
        "--port",
        "0",
        "--tick",
        TICK,
        "--json",
        *lanes,
        *rate,
        *options,
    ]
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", f"{MINDS_INTERRUPTS}\n{MAIN}", *arguments],
        cwd=folder,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        fresh = httpx.Limits(max_keepalive_connections=0)  # the service may close an idle connection at any time
        with httpx.Client(timeout=PATIENCE, limits=fresh, trust_env=False) as client:
            yield Served(json.loads(line)["address"], folder, tokens, client, process)
    finally:
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE)
    assert (out, err) == ("", STOPPED if process.returncode == 130 else ""), err


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)
