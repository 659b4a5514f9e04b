"""Real tables, where they are at hand: read, scaled and counted, against the definition on a sample of rows."""

from pathlib import Path

import numpy as np
import pytest

from eremite.outliers import degrees
from eremite.table import open_table, read_description
from tests.definition import are_neighbors

DATA = Path(__file__).parents[3] / "shared" / "data" / "benchmarks"
TABLES = {"mammography": 6, "shuttle": 9, "http": 3}


@pytest.mark.parametrize("name", TABLES)
def test_real_table_opens_and_its_degrees_follow_the_definition(name, tmp_path):
    source = DATA / f"{name}.csv.gz"
    if not source.exists():
        pytest.skip(f"{name} is not at hand; the benchmark tables of ADBench are not part of this repository")
    columns = "\n".join(f"x{i + 1} = {{ min = -10, max = 10 }}" for i in range(TABLES[name]))
    description = tmp_path / "real.toml"
    description.write_text(f'[dataset]\nname = "real"\nsource = "{source}"\n[columns]\n{columns}\n')
    points = open_table(read_description(description)).points()
    found = degrees(points, 0.01, cap=50)
    for row in np.random.default_rng(0).choice(len(points), 3, replace=False):
        close = np.flatnonzero((np.abs(points - points[row]) <= 0.01 * np.sqrt(TABLES[name]) * 1.001).all(axis=1))
        exact = sum(are_neighbors(points[row], points[other], 0.01) for other in close[:20_000] if other != row)
        assert found[row] == min(exact, 50)
