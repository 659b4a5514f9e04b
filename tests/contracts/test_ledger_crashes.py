"""kill -9 at every step of a release: budget may be lost, never a charge, never an answer that was handed over."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.ledger_places import place

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    postgres = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return place(request.param, tmp_path, postgres)


def survives(where: str, rounds: int) -> None:
    command = [sys.executable, "-m", "tests.contracts.ledger_victim", where, str(rounds), "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    # three of the seven steps lie between charge and store, and leave a charge without a release
    assert f"'lost to a crash': {sum(turn % 7 in (2, 3, 4) for turn in range(rounds))}" in done.stdout


def test_ledger_survives_kills_at_every_step(where):
    survives(where, 21)


@pytest.mark.slow
def test_ledger_survives_200_kills(where):
    survives(where, 200)
