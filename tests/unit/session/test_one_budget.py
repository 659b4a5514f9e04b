"""A budget is spent once: by threads that ask at once, and by processes that were forked."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from eremite import BudgetRefused, InputError, OutlierDefinition, Session, Table
from eremite.queries import screening

FORK = """
import os, numpy as np
from eremite import BudgetRefused, OutlierDefinition, Session, Table
table = Table.from_frame(np.linspace(0, 1, 50)[:, None], bounds={"x": (0, 1)})
session = Session(table, epsilon=2)
definition = OutlierDefinition(min_neighbors=2, radius=0.1)
screen = session.open_screen(definition, most_yes=1, epsilon=1)
if os.fork() == 0:
    for ask in (lambda: session.count_outliers(definition, epsilon=1), lambda: screen.ask([[0.5]])):
        try:
            ask()
            os._exit(1)
        except BudgetRefused:
            pass
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]), session.remaining)
"""


@pytest.fixture
def session():
    table = Table.from_frame(np.linspace(0, 1, 200)[:, None], bounds={"x": (0, 1)})
    return Session(table, epsilon=100)


def test_a_forked_process_is_refused():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "epsilon", "1"]


def test_threads_get_no_more_yes_than_there_are(session, monkeypatch):
    """Every answer would be yes, and every draw lets the other threads run."""

    class Eager:
        def draw(self, center, bound):
            time.sleep(0.0005)
            return center + 10**6

    screen = session.open_screen(OutlierDefinition(min_neighbors=3, radius=0.05), most_yes=5, epsilon=1)
    monkeypatch.setattr(screen._screening, "_noise", Eager())

    def ask(_):
        try:
            return sum(screen.ask([[0.5]] * 3).value)
        except BudgetRefused:
            return 0

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(40))) == 5
    assert screen.yes_left == 0


def test_requests_that_cannot_be_answered_cost_nothing(session):
    definition = OutlierDefinition(min_neighbors=3, radius=0.05)
    screen = session.open_screen(definition, most_yes=screening._MOST_YES, epsilon=1)
    assert screen.yes_left == screening._MOST_YES
    left = session.remaining
    for most_yes in (0, screening._MOST_YES + 1, 10**400, True, 1.0):
        with pytest.raises(InputError, match="most_yes must be a whole number"):
            session.open_screen(definition, most_yes=most_yes, epsilon=1)
    assert session.remaining == left
