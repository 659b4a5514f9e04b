"""The comparison of promised with true errors counts what it says it counts."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import forecasts
from benchmarks.forecast_figures import ratios
from benchmarks.forecasts import Compared, compare, covered_share, tables_covered
from eremite import OutlierDefinition, Session, Table

DEFINITION = OutlierDefinition(min_neighbors=3, radius=0.1)


def one(table: str, promised: float, true: float = 10.0, epsilon: str = "1") -> Compared:
    return Compared(table, DEFINITION, epsilon, promised, true)


SEEN = [one("a", 10.0), one("a", 20.0, epsilon="2"), one("b", 9.9), one("b", 30.0)]


def test_promise_covers_what_is_at_most_as_large() -> None:
    assert covered_share(SEEN) == 0.75
    assert tables_covered(SEEN) == "1 of 2"


@pytest.mark.parametrize("mechanism", ["reach", "smooth-laplace"])
def test_truth_is_the_forecast_with_the_rows_as_stand_in(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasts, "NEIGHBORS", (3,))
    monkeypatch.setattr(forecasts, "SHARES", (0.05,))
    monkeypatch.setattr(forecasts, "EPSILONS", ("1", "2"))
    rows = np.random.default_rng(6).uniform(0, 1, (300, 2))
    seen = list(compare({"rows": rows}, "cautious", mechanism))
    assert [each.epsilon for each in seen] == ["1", "2"]
    table = Table.from_frame(rows, bounds={"c0": (0, 1), "c1": (0, 1)})
    for each in seen:
        asked = {"epsilon": each.epsilon, "mechanism": mechanism}
        made, real = (
            Session(table, epsilon=1, stand_in=stand_in).forecast_count(each.definition, **asked).errors[0].most
            for stand_in in (None, table)
        )
        assert (each.promised, each.true) == (made, real)


def test_figure_has_a_line_for_each_table(tmp_path: Path) -> None:
    ratios(tmp_path / "a.svg", SEEN)
    assert "<svg" in (tmp_path / "a.svg").read_text()
