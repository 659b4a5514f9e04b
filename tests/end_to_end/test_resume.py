"""A question that was killed goes on where it was when it is asked again, with the answer that memory gives."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from tests.end_to_end.patients import description

# Asks one question with fixed bits and prints the answer, the budget before it, and how many tiles each work looked at.
_ASKS = """
import json, os, random, signal, sys
import eremite
from eremite.mechanisms import entropy
from eremite.tiles import counting
from eremite.tiles.files import FilesSource

engine, killed_work, killed_at = sys.argv[2], sys.argv[3], int(sys.argv[4])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])  # one thread: what was found before the kill is kept
entropy.system_bits = random.Random(5).getrandbits
FilesSource.tile_bytes = 12_000  # so that there are eight tiles
calls = dict.fromkeys(("CountWithin", "CountVisitorsAndKeep", "CountVisitors"), 0)

def counted(name):
    work = getattr(counting, name)
    honest = work.__call__
    def call(self, *given):
        calls[name] += 1
        if name == killed_work and calls[name] == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return honest(self, *given)
    work.__call__ = call

for name in calls:
    counted(name)
with eremite.open(sys.argv[1], engine=engine) as session:
    before = str(session.remaining.epsilon)
    definition = eremite.OutlierDefinition(min_neighbors=5, radius=float(sys.argv[5]))
    value = session.count_outliers(definition, epsilon=1).value
print(json.dumps({"value": value, "before": before, "calls": calls}))
"""
NARROW, WIDE = 0.01, 0.03  # with the second, a grid as wide as the radius would put no rows aside


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    rows = np.random.default_rng(1).normal([25, 100], [4, 20], (6000, 2))
    parquet.write_table(pa.table({"bmi": rows[:, 0], "sugar": rows[:, 1]}), tmp_path / "patients.parquet")
    written = description({"bmi": (10, 60), "sugar": (40, 400)}, budget="epsilon = 9").replace("csv", "parquet")
    engine = f'\n[engine]\nmemory = "64 MB"\nresume = true\nscratch = "{tmp_path}"\n'
    (tmp_path / "patients.toml").write_text(written + engine)
    return tmp_path / "patients.toml"


def ask(
    patients: Path, engine: str, radius: float = NARROW, killed_work: str = "none", killed_at: int = 0
) -> dict[str, Any]:
    command = [sys.executable, "-c", _ASKS, str(patients), engine, killed_work, str(killed_at), str(radius)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == (-signal.SIGKILL if killed_at else 0), done.stderr
    return {} if killed_at else json.loads(done.stdout)


def left(patients: Path) -> list[Path]:
    return [path for home in patients.parent.glob("eremite-*") for path in home.iterdir()]


@pytest.mark.long
@pytest.mark.parametrize(
    ("radius", "visits"),
    [(NARROW, "CountVisitorsAndKeep"), pytest.param(WIDE, "CountVisitors", marks=pytest.mark.slow)],
)
def test_a_killed_question_goes_on_and_has_the_answer_of_memory(patients: Path, radius: float, visits: str) -> None:
    expected = ask(patients, "memory", radius)
    whole = ask(patients, "files", radius)
    assert left(patients) == []
    assert whole["value"] == expected["value"]
    for work in ("CountWithin", visits):  # it is killed twice, in the last tile of each
        assert whole["calls"][work] > 2
        ask(patients, "files", radius, work, whole["calls"][work] if work == visits else 8)
        assert len(left(patients)) == 1
    again = ask(patients, "files", radius)
    assert again["value"] == expected["value"]
    assert (again["calls"]["CountWithin"], again["calls"][visits]) == (0, 1)
    assert left(patients) == []
    assert (whole["before"], again["before"]) == ("8", "5")  # what was killed stays charged
