"""The simulated draws against the real ones."""

from collections import Counter
from itertools import combinations, product

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from eremite import OutlierDefinition, Session, Table
from eremite.forecast.draws import Field, Floats, field
from eremite_paper.searches import OURS


def agreement(out: Console, times: int) -> bool:
    """The simulation against the real `top_subspaces` on a small table: how often each pair comes first."""
    points = np.clip(np.random.default_rng(5).normal(0.5, [0.3, 0.2, 0.15, 0.1], (200, 4)), 0, 1)
    definition, names = OutlierDefinition(min_neighbors=3, radius=0.03), ["c0", "c1", "c2", "c3"]
    session = Session(Table.from_frame(points, bounds=dict.fromkeys(names, (0, 1))), epsilon=10**6)
    pairs = list(combinations(range(4), 2))
    drawn = Counter(session.top_subspaces(definition, h=2, size=2, epsilon=2).value for _ in range(times))
    seen = [tuple((f"c{a}", f"c{b}") for a, b in both) for both in product(pairs, pairs)]
    shares = np.array([drawn[winners] / times for winners in seen]).reshape(6, 6)
    assert abs(shares.sum() - 1) < 1e-9
    return _shown(out, shares, field(points, definition, pairs), times)


def _shown(out: Console, real_share: Floats, of: Field, times: int) -> bool:
    runs = 100 * times
    picks = OURS.picks(of, 2, 2, runs, 9)
    simulated = np.bincount(picks @ [6, 1], minlength=36).reshape(6, 6) / runs
    error = np.sqrt(simulated * (1 - simulated) / times)
    off = float(np.max(np.abs(real_share - simulated)[error > 0] / error[error > 0]))
    grid = Grid("", *map(str, of.subspaces), title=f"Drawn first, {times:,} real calls and {runs:,} simulated")
    for name, share in (("real", real_share), ("simulated", simulated)):
        grid.add_row(name, *(f"{p:.3f}" for p in share.sum(axis=1)))
    out.print(grid)
    out.print(f"Of the 30 ordered pairs of winners, the furthest off is {off:.1f} standard errors.")
    return off < 4
