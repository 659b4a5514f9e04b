"""What leaves of a table in tiles must be what leaves of one in memory: also refusals, and when they come."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from eremite.outliers import OutlierDefinition
from eremite.queries.groups import CountByQuery
from eremite.table import Engine, Table, read_description
from eremite.table.rules import CellRules
from eremite.tiles import open_rows
from eremite.tiles.table import _MOST_COPIES
from tests.refusals import refused
from tests.tiled import tiled

_WITHIN = tuple(f"x{i}" for i in range(62))


def _tables():
    columns = {"a": [0.1, 0.2, 0.9], "by": [0, 1, 2]} | {name: [0, 1, 1] for name in _WITHIN}
    rules = CellRules.of({"a": (0, 1)}, categories={"by": [0, 1, 2]} | {name: [0, 1] for name in _WITHIN})
    return Table.from_columns(columns, rules, place="the frame"), tiled(columns, rules)


def test_groups_and_strata_with_more_codes_than_fit_are_refused_wherever_the_rows_are() -> None:
    for table in _tables():
        assert "too many combinations" in refused(lambda table=table: table.groups(["a"], ["by"], _WITHIN))


def test_groups_and_strata_with_more_codes_than_fit_are_refused_before_they_are_charged() -> None:
    definition = OutlierDefinition(min_neighbors=1, radius=0.1, within=_WITHIN)
    for table in _tables():
        query = CountByQuery(definition=definition, by=["by"], epsilon=1)
        assert "too many combinations" in refused(lambda table=table, query=query: query.plan(table))


@pytest.mark.parametrize(("about", "kind"), [(10, "Table"), (10**8, "TiledTable")])
def test_a_private_number_of_rows_does_not_choose_the_engine(tmp_path: Path, about: int, kind: str) -> None:
    """One engine refuses questions that the other answers, so which of them it is must be public."""
    rows = 64 * 10**6 // 48
    (tmp_path / "t.toml").write_text(
        f'[dataset]\nname = "t"\nsource = "t.parquet"\nneighbors = "add-remove"\nrows_about = {about}\n'
        "rows_per_person = 1\n[columns]\na = { min = 0, max = 1 }\n"
    )
    for n in (rows, rows + 1):
        parquet.write_table(pa.table({"a": np.zeros(n)}), tmp_path / "t.parquet")
        description = read_description(tmp_path / "t.toml")
        assert type(open_rows(description, Engine(kind="auto", memory="64 MB"))).__name__ == kind


def test_tiles_that_could_not_be_cut_anew_are_not_taken_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """They keep fewer copies of a point that crowds a tile than the next question counts."""
    copies = _MOST_COPIES + 500
    columns = {"a": np.append(np.full(copies, 0.5), np.linspace(0.9, 1, 100))}
    table = tiled(columns, CellRules.of({"a": (0, 1)}), chunk_rows=10**5, tile_bytes=512)
    part = table.part()
    part.low(0.01, 5, 5)
    with monkeypatch.context() as full:
        full.setattr(table.source, "cut", _no_room)
        with pytest.raises(OSError, match="full"):
            part.low(0.01, copies - 1, copies - 1)
    assert [one.outliers for one in part.low(0.01, copies - 1, copies - 1)] == [100]


def _no_room(_cuts: object) -> None:
    raise OSError("full")


def test_a_scratch_folder_that_cannot_be_used_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(
        '[dataset]\nname = "t"\nsource = "t.parquet"\nrows_per_person = 1\n[columns]\na = { min = 0, max = 1 }\n'
    )
    parquet.write_table(pa.table({"a": np.zeros(3)}), tmp_path / "t.parquet")
    description, engine = read_description(tmp_path / "t.toml"), Engine(kind="files", scratch=str(tmp_path / "none"))
    assert "scratch folder" in refused(lambda: open_rows(description, engine))
