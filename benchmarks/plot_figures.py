"""The figures of docs/plots.md: pictures of releases, forecasts and budgets of a generated table, always the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import numpy as np

import eremite
from eremite.errors import BudgetRefused
from eremite.ledger import Account, Cost, Ledger, MemoryStore
from eremite.plots import write
from eremite.privacy import Privacy

DEFINITION = eremite.OutlierDefinition(min_neighbors=5, radius=0.03)
BOUNDS = {
    "age": (0.0, 100.0),
    "bmi": (10.0, 60.0),
    "glucose": (40.0, 400.0),
    "pulse": (30.0, 220.0),
    "visits": (0.0, 40.0),
}
CANDIDATES = [(25, 100), (55, 60), (31, 250), (20, 380), (27, 120), (40, 300), (24, 90), (58, 390)]
SUSPECTS = [(50, 20, 170, 75, 8), (50, 26, 110, 140, 8), (50, 34, 80, 75, 30)]


def patients(rows: int = 5_000) -> eremite.Table:
    """Bodies that go together, and some two hundred in which bmi and glucose do not."""
    rng = np.random.default_rng(2015)
    centers, deviations = [50, 26, 110, 75, 8], [15, 4, 20, 10, 3]
    values = rng.normal(centers, deviations, (rows, 5))
    values[:, 2] += 6 * (values[:, 1] - 26)
    values[: rows // 25, 1:3] = rng.uniform([12, 45], [58, 390], (rows // 25, 2))
    return eremite.Table.from_frame(values, bounds=BOUNDS)


def releases(folder: Path) -> None:
    """One of each kind."""
    session = eremite.Session(patients(), epsilon=20)
    pair = ["bmi", "glucose"]
    forecast = session.forecast_count(DEFINITION, pair, epsilon=[0.1, 0.2, 0.5, 1, 2])
    count = session.count_outliers(DEFINITION, pair, epsilon=0.5)
    report = session.outlier_report(DEFINITION, h=3, size=2, epsilon=4)
    detected = session.detect_outliers(DEFINITION, candidates=CANDIDATES, h=3, columns=pair, epsilon=1)
    radius = session.choose_radius(5, share="1/100", columns=pair, epsilon=1)
    explained = session.explain_outlier(DEFINITION, point=SUSPECTS, h=1, max_size=2, epsilon=4)
    write(count.plot(forecast), folder / "plots-count.svg")
    write(report.plot(), folder / "plots-report.svg")
    write(detected.plot(), folder / "plots-detection.svg")
    write(explained.plot(), folder / "plots-explanation.svg")
    write(radius.plot(), folder / "plots-radius.svg")
    write(forecast.plot(within=50), folder / "plots-forecast.svg")
    compared = session.compare_mechanisms(DEFINITION, pair, epsilon=[0.1, 0.2, 0.5, 1, 2], delta=1e-6)
    write(compared.plot(), folder / "plots-mechanisms.svg")
    searched = session.forecast_subspaces(DEFINITION, h=2, size=2, epsilon=[0.1, 0.2, 0.5, 1, 2, 5])
    write(searched.plot(probability=0.9), folder / "plots-chances.svg")


def budget(folder: Path) -> None:
    """Two analysts, a cap that is raised, and requests that come too late or ask for too much."""
    now = [datetime(2026, 3, 2, 9, tzinfo=UTC)]
    ledger = Ledger(MemoryStore(), lambda: now[0])
    ledger.open_dataset("patients", Privacy(Fraction(2)))
    rng = np.random.default_rng(6)
    for number in range(16):
        now[0] += timedelta(hours=float(rng.integers(10, 70)))
        account = Account("patients", ("alice", "bob")[int(rng.integers(0, 2))])
        if number == 10:
            ledger.set_cap("patients", None, Privacy(Fraction(3)), reason="decision of the board")
        try:
            ledger.reserve(
                account, str(number), "a count", Cost.pure(Fraction(int(rng.integers(1, 6)), 10)), {"query": "a count"}
            )
        except BudgetRefused:
            continue
    write(ledger.timeline("patients").plot(), folder / "plots-budget.svg")


@contextmanager
def _seeded() -> Iterator[None]:
    """Noise that is the same each time: fit for a table that is made up, and for no other."""
    source = np.random.default_rng(2015)
    with patch(
        "eremite.mechanisms.entropy.system_bits", lambda n: int.from_bytes(source.bytes(-(-n // 8))) >> (-n % 8)
    ):
        yield


def draw_all(folder: Path) -> None:
    """Every picture of the page."""
    with _seeded():
        releases(folder)
    budget(folder)
