"""kill -9 at every step of a real release: what was handed over is stored, what was stored was charged."""

import json
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from eremite import BudgetRefused, OutlierDefinition, Privacy, Release, Session, Table
from eremite.ledger import Charged, Released, open_ledger

VICTIM = """
import os, signal, sys
import numpy as np
from eremite import OutlierDefinition, Session, Table
from eremite.ledger import Ledger
from eremite.queries.count import CountPlan

def dying(owner, name, when):
    original = getattr(owner, name)
    def step(*given, **named):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(owner, name, step)

place, step = sys.argv[1:]
table = Table.from_frame(np.random.default_rng(0).random((60, 2)), {"a": (0, 1), "b": (0, 1)})
session = Session(table, epsilon=1, ledger=place, dataset="rows")
owners = {"reserve": Ledger, "compute": CountPlan, "store": Ledger}
when, name = step.split()
if name in owners:
    dying(owners[name], name, when)
release = session.count_outliers(OutlierDefinition(min_neighbors=3, radius=0.1), epsilon="0.1", request_id="one")
print(release.to_json(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
#: what is left afterwards, and whether the answer can be had again
STEPS = {
    "before reserve": (Fraction(1), False),
    "after reserve": (Fraction(9, 10), False),
    "after compute": (Fraction(9, 10), False),
    "after store": (Fraction(9, 10), True),
    "after printing": (Fraction(9, 10), True),
}
DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)


@pytest.mark.parametrize("step", STEPS)
def test_killed_release_loses_budget_and_never_privacy(tmp_path: Path, step: str) -> None:
    place, (left, stored) = tmp_path / "rows.db", STEPS[step]
    done = subprocess.run([sys.executable, "-c", VICTIM, str(place), step], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (done.stdout != "") == (step == "after printing")
    ledger = open_ledger(place)
    assert ledger.verify().sound
    events = [entry.event for entry in ledger.history("rows")]
    assert [type(event) for event in events[1:]] == [Charged] * (left < 1) + [Released] * stored
    table = Table.from_frame(np.random.default_rng(0).random((60, 2)), {"a": (0, 1), "b": (0, 1)})
    session = Session(table, epsilon=1, ledger=ledger, dataset="rows")
    assert session.remaining == Privacy(left)
    if stored:
        again = session.count_outliers(DEFINITION, epsilon="0.1", request_id="one")
        assert again == Release.from_json(events[-1].release)
        assert not done.stdout or json.loads(done.stdout) == json.loads(again.to_json())
    elif left < 1:
        with pytest.raises(BudgetRefused, match="lost in a crash"):
            session.count_outliers(DEFINITION, epsilon="0.1", request_id="one")
    assert session.remaining == Privacy(left)
    session.count_outliers(DEFINITION, epsilon="0.1", request_id="two")
