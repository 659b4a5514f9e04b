"""After `compile_kernels` no question compiles anything, whatever the rows are."""

import subprocess
import sys

import pytest

# In a process of its own: here other tests have compiled already.
ASK = """
import gc, sys
import numpy as np
from numba.core.dispatcher import Dispatcher
import eremite
from eremite.session import compile_kernels

def compiled():
    found = [each for each in gc.get_objects() if isinstance(each, Dispatcher) and "eremite" in each.__module__]
    return {(each.__module__, each.__name__, str(signature)) for each in found for signature in each.signatures}

def ask(rows, k, radius):
    d = rows.shape[1]
    table = eremite.Table.from_frame(rows, bounds={f"c{i}": (0, 1) for i in range(d)})
    session = eremite.Session(table, epsilon=1000, delta=0.1)
    definition = eremite.OutlierDefinition(min_neighbors=k, radius=radius)
    session.count_outliers(definition, epsilon=1)
    session.count_outliers(definition, epsilon=1, mechanism="reach", reach=1)
    session.count_outliers(definition, epsilon=0.05, mechanism="smooth-laplace")
    session.count_outliers(definition, epsilon=1, delta=1e-4, mechanism="gaussian")
    session.outlier_report(definition, h=1, size=1, epsilon=1)
    session.top_subspaces(definition, h=1, size=d, epsilon=1, utility="dampened")
    session.detect_outliers(definition, candidates=rows[:5], h=2, epsilon=1)
    session.detect_outliers(definition, candidates=None, h=2, epsilon=1)
    session.explain_outlier(definition, point=rows[0], h=1, max_size=d, epsilon=1)
    session.explain_outlier(definition, point=rows[:3], h=1, max_size=1, epsilon=1)
    session.choose_radius(k, share=0.01, radii=[0.01, 0.1], epsilon=1)

def ring(n, d, radius):
    # Rows whose pairs and triples tie with the ball that is tested.
    angles = 2 * np.pi * np.arange(n) / n
    rows = np.full((n, d), 0.5)
    rows[:, 0] += radius * np.sqrt(d) * (1 + 1e-9) * np.cos(angles)
    rows[:, min(1, d - 1)] += radius * np.sqrt(d) * (1 + 1e-9) * np.sin(angles)
    return rows

most = int(sys.argv[1])
said = []
compile_kernels(most, said.append)
assert [one.partition(":")[0] for one in said] == [f"Compiling for up to {most} columns"]
before = compiled()
assert len(before) > 10
rng = np.random.default_rng(1)
for d in (1, 2, 3, 5):
    crowd = rng.normal(0.2, 0.02, (300, d))
    few = rng.random((10, d))
    for rows in (rng.random((90, d)), np.round(rng.random((200, d)), 1), np.zeros((200, d)), crowd, few):
        for k, radius in ((5, 0.02), (3, 0.1), (1, 1e-12)):
            ask(rows, k, radius)
    for k in (10, 20, 40):
        ask(ring(81, d, 0.1), k, 0.1)
    # So many rows that several threads split them; at the second radius in a tree, and most of them in a window.
    for radius, epsilon in ((0.3 / 70_000 ** (1 / d), 20), (1e-9, 1)):
        definition = eremite.OutlierDefinition(min_neighbors=2, radius=radius)
        table = eremite.Table.from_frame(rng.random((70_000, d)), bounds={f"c{i}": (0, 1) for i in range(d)})
        eremite.Session(table, epsilon=1000).count_outliers(definition, epsilon=epsilon)
print(sorted(compiled() - before))
"""


def compiled_later(most_columns: int) -> str:
    command = [sys.executable, "-c", ASK, str(most_columns)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout.strip()


@pytest.mark.long
def test_questions_compile_nothing_any_more() -> None:
    assert compiled_later(5) == "[]"


@pytest.mark.slow
def test_kernels_for_more_columns_are_others() -> None:
    """So the test above can fail."""
    assert "eremite.engines.tree" in compiled_later(2)
