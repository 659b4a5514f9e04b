import copy
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from eremite.errors import InputError, TableError
from eremite.names import list_names
from eremite.table import Bounds, Table
from tests.refusals import refused

BOUNDS = {"a": (0.0, 10.0), "b": (0.0, 1.0)}
PRIVATE = 31337.4242


@pytest.fixture
def table() -> Table:
    return some_table()


def some_table() -> Table:
    return Table.from_frame(np.array([[1, 0.25], [5, PRIVATE], [20, -1.0]]), BOUNDS)


def test_table_shows_public_facts_only(table: Table) -> None:
    assert repr(table) == "Table(n_rows=3, rows_per_person=1, bounds={'a': (0.0, 10.0), 'b': (0.0, 1.0)})"
    assert str(PRIVATE) not in f"{table!r} {table} {[table]}"
    assert not hasattr(table, "__dict__")
    assert table != some_table()


@pytest.mark.parametrize("leak", [pickle.dumps, copy.copy, copy.deepcopy])
def test_table_is_not_pickled_or_copied(table: Table, leak: Callable[[Table], object]) -> None:
    with pytest.raises(TypeError, match="private rows"):
        leak(table)


def test_table_cannot_be_changed(table: Table) -> None:
    with pytest.raises(AttributeError):
        table.rows_per_person = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        table.bounds["a"] = Bounds(0, 1)  # type: ignore[index]
    for array in (table.points(), table.column("a"), table.scale([[1.0, 1.0]])):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.5
    with pytest.raises(ValueError, match="WRITEABLE"):
        table.column("a").flags.writeable = True


def test_points_follow_the_chosen_columns(table: Table) -> None:
    points = table.points(["b", "a"])
    assert points.tolist() == [[0.25, 0.1], [1.0, 0.5], [0.0, 1.0]]
    assert points.flags.c_contiguous
    assert table.points(["b"]).shape == (3, 1)
    assert table.column("a").tolist() == [0.1, 0.5, 1.0]
    assert table.column("a").flags.c_contiguous


def test_scale_treats_points_as_the_rows_were_treated(table: Table) -> None:
    np.testing.assert_array_equal(table.scale([[1, 0.25], [5, PRIVATE], [20, -1]]), table.points())
    assert table.scale([[0.5, 5]], ["b", "a"]).tolist() == [[0.5, 0.5]]
    assert table.scale(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("points", [[1, 2], [[1]], [[1, "SECRETCELL"]], [[1], [2, 3]], [[[1, 2]]], 3])
def test_scale_refuses_points_of_another_shape(table: Table, points: Any) -> None:
    assert "rows of 2 numbers" in refused(lambda: table.scale(points))


def test_scale_asks_for_one_number_a_row(table: Table) -> None:
    assert "rows of 1 number, one" in refused(lambda: table.scale([[1, 2]], ["a"]))


def test_scale_refuses_points_without_a_number(table: Table) -> None:
    assert "column 'a' has cells" in refused(lambda: table.scale([[np.nan, PRIVATE], [np.inf, 1], [1, 1]]))
    assert "column 'b' has cells" in refused(lambda: table.scale([[1, None]]))
    assert "column 'b' has cells" in refused(lambda: table.scale(np.ma.array([[1, 1]], mask=[[False, True]])))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["c"], "Column 'c' is not in the table, which has: 'a' and 'b'"),
        (["c", "d"], "Columns 'c' and 'd' are not in the table"),
        (["a", "a"], "more than once"),
        ([], "one or more columns; the table has: 'a' and 'b'"),
        ("a", "Give a list"),
        (3, "Give a list"),
        ({"a", "b"}, "Give a list"),
        ([["a"]], "Give a list"),
        (np.array(["c"]), "Column 'c' is not in the table"),
        (np.array([]), "Give a list"),
        (np.array("a"), "Give a list"),
    ],
)
def test_points_names_columns_that_do_not_fit(table: Table, columns: Any, words: str) -> None:
    assert words in refused(lambda: table.points(columns))


def test_points_takes_names_from_anything_with_an_order(table: Table) -> None:
    swapped = table.points(["b", "a"]).tolist()
    assert table.points(np.array(["b", "a"])).tolist() == swapped
    assert table.points(name for name in "ba").tolist() == swapped
    assert table.points(pd.Index(["b", "a"])).tolist() == swapped
    assert table.scale([[0.5, 5]], np.array(["b", "a"])).tolist() == [[0.5, 0.5]]
    assert table.scale([[0.5, 5]], (name for name in "ba")).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("name", [["a"], 3, None, np.array(["a"])])
def test_column_takes_one_name(table: Table, name: Any) -> None:
    assert "Give the name of one column" in refused(lambda: table.column(name))
    assert "Column 'c' is not in the table" in refused(lambda: table.column("c"))


def test_table_may_have_no_rows() -> None:
    table = Table.from_frame(np.empty((0, 2)), BOUNDS)
    assert (table.n_rows, table.points().shape) == (0, (0, 2))
    assert Table.from_frame(pa.table({"a": [], "b": []}), BOUNDS).n_rows == 0


@pytest.mark.parametrize("rows", [0, -1, 1.0, True, "1"])
def test_rows_per_person_is_a_whole_number(rows: Any) -> None:
    assert "rows_per_person" in refused(lambda: Table.from_frame(np.ones((1, 2)), BOUNDS, rows_per_person=rows))


@pytest.mark.parametrize("bounds", [{}, {"a": (1,)}, {"a": 3}, {"a": (2, 1)}, {1: (0, 1)}, {"a": "01"}, [(0, 1)], None])
def test_bounds_that_do_not_fit_are_named(bounds: Any) -> None:
    assert "ounds" in refused(lambda: Table.from_frame(np.ones((1, 1)), bounds))


NUMBERS = {
    "bool": pa.array([True, False]),
    "uint64": pa.array([2**64 - 1, 0], pa.uint64()),
    "int64 beyond 2^53": pa.array([2**53 + 1, 0]),
    "float16": pa.array([np.float16(1), np.float16(0)]),
    "decimal": pa.array([Decimal("1.00"), Decimal("0")]),
    "decimal256": pa.array([Decimal("1.00"), Decimal("0")], pa.decimal256(40, 2)),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_every_numeric_type_is_read(kind: str) -> None:
    assert Table.from_frame(pa.table({"a": NUMBERS[kind]}), {"a": (0, 1)}).column("a").tolist() == [1.0, 0.0]


def parquet_file(rows: dict[str, list[Any]]) -> pa.Table:
    buffer = pa.BufferOutputStream()
    pyarrow.parquet.write_table(pa.table(rows), buffer)
    return pyarrow.parquet.read_table(pa.BufferReader(buffer.getvalue()))


LIBRARIES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "lists": dict,
    "parquet": parquet_file,
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("hostile", [Decimal("12.3456"), Decimal("0.50000000000000000001")])
def test_one_decimal_changes_no_other_row(library: str, hostile: Decimal) -> None:
    """Arrow's own cast rounds by the scale of the column, which one cell with more digits changes."""

    def others(first: Decimal) -> list[float]:
        cells = [first, *(Decimal(cents) / 100 for cents in range(1600))]
        return Table.from_frame(LIBRARIES[library]({"a": cells}), {"a": (0, 16)}).column("a").tolist()[1:]

    assert others(hostile) == others(Decimal("12.34")) == [cents / 100 / 16 for cents in range(1600)]


@pytest.mark.parametrize("library", ["pandas", "polars", "lists"])
def test_large_integers_become_the_nearest_float(library: str) -> None:
    cells = [2**64, 2**64 + 2049, 2**63, 2**66, -(2**70)]
    table = Table.from_frame(LIBRARIES[library]({"a": cells}), {"a": (0, 2**66)})
    assert table.column("a").tolist() == [0.25, (2**64 + 4096) / 2**66, 0.125, 1.0, 0.0]


@pytest.mark.parametrize("library", ["pandas", "lists"])
@pytest.mark.parametrize("huge", [10**400, -(10**400), Decimal("1e400"), Decimal("-Infinity"), float("inf")])
def test_numbers_beyond_the_range_of_floats_are_clipped(library: str, huge: Any) -> None:
    table = Table.from_frame(LIBRARIES[library]({"a": [0.5, huge, 2]}), {"a": (0, 1)})
    assert table.column("a").tolist() == [0.5, float(huge > 0), 1.0]


def test_rows_that_do_not_fit_are_an_error_of_their_own() -> None:
    for data in ({"a": [1, None]}, pa.table({"a": ["SECRETCELL"]})):
        with pytest.raises(TableError):
            Table.from_frame(data, {"a": (0, 1)})
    with pytest.raises(InputError) as caught:
        Table.from_frame({"b": [1]}, {"a": (0, 1)})
    assert type(caught.value) is InputError


def test_mapping_is_a_frame() -> None:
    columns = {"b": np.array([0.5, 1.0]), "a": (1, True), "note": ["SECRETCELL", None]}
    assert Table.from_frame(columns, BOUNDS).points().tolist() == [[0.1, 0.5], [0.1, 1.0]]
    assert "have different lengths" in refused(lambda: Table.from_frame({"a": [1], "b": [1, 2]}, BOUNDS))
    for odd in (3, "12", np.array(3), np.ones((1, 2)), {1: 2}, None):
        assert "Column 'a' of the frame is not a list of cells" in refused(
            lambda odd=odd: Table.from_frame({"a": odd, "b": [1]}, BOUNDS)
        )


def test_stream_is_read_once() -> None:
    stream = pa.table({"a": [1.0], "b": [0.5]}).to_reader()
    assert Table.from_frame(stream, BOUNDS).points().tolist() == [[0.1, 0.5]]


NAMED: dict[str, Callable[[dict[str, list[Any]]], Any]] = LIBRARIES | {
    "record batch": pa.RecordBatch.from_pydict,
    "structured": lambda rows: np.rec.fromarrays(list(rows.values()), names=list(rows)),
    "objects": lambda rows: pd.DataFrame(rows, dtype=object),
    "stream": lambda rows: pa.table(rows).to_reader(),
}


@pytest.mark.parametrize("library", NAMED)
def test_scale_matches_frames_by_name(table: Table, library: str) -> None:
    swapped = {"b": [0.25, 1.0], "a": [1, 20]}
    assert table.scale(NAMED[library](swapped)).tolist() == [[0.1, 0.25], [1.0, 1.0]]
    assert table.scale(NAMED[library](swapped), ["b", "a"]).tolist() == [[0.25, 0.1], [1.0, 1.0]]
    assert table.scale(NAMED[library]({"b": [0.25]}), ["b"]).tolist() == [[0.25]]


@pytest.mark.parametrize("library", NAMED)
def test_scale_refuses_frames_with_other_columns(table: Table, library: str) -> None:
    for rows in ({"a": [1]}, {"a": [1], "b": [1], "c": [1]}, {"a": [1], "c": [1]}):
        sentence = refused(lambda rows=rows: table.scale(NAMED[library](rows)))
        assert f"the columns {list_names(list(rows), show=repr)}; it must have exactly 'a' and 'b'" in sentence


def test_scale_refuses_a_frame_without_names(table: Table) -> None:
    assert "the columns '0' and '1'; it must have" in refused(lambda: table.scale(pd.DataFrame([[1, 2]])))


def test_scale_refuses_cells_of_a_frame_that_are_no_numbers(table: Table) -> None:
    frame = pd.DataFrame({"b": [1.0, None], "a": [1, 2]})
    with pytest.raises(InputError, match=r"In the points, column 'b' has cells that") as caught:
        table.scale(frame)
    assert type(caught.value) is InputError  # the points belong to whoever asks


def test_scale_reads_decimals_and_large_integers_as_the_rows_were_read(table: Table) -> None:
    assert table.scale([[Decimal("2.5"), 2**64]]).tolist() == [[0.25, 1.0]]


def test_frame_may_be_a_slice_of_many_chunks() -> None:
    whole = pa.concat_tables([pa.table({"a": [0.0, 1.0, 2.0]}), pa.table({"a": [3.0, 4.0, 5.0]})])
    assert Table.from_frame(whole.slice(2, 3), {"a": (0, 4)}).column("a").tolist() == [0.5, 0.75, 1.0]


OTHERS = {
    "string": pa.array(["SECRETCELL", "1"]),
    "date": pa.array([1, 2], pa.date32()),
    "duration": pa.array([1, 2], pa.duration("s")),
    "list": pa.array([[1.0], [2.0]]),
    "struct": pa.array([{"x": 1}, {"x": 2}]),
    "dictionary": pa.array(["SECRETCELL", "1"]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_no_other_type_is_a_number(kind: str) -> None:
    sentence = refused(lambda: Table.from_frame(pa.table({"a": OTHERS[kind]}), {"a": (0, 1)}))
    assert "column 'a' is of type" in sentence


@pytest.mark.parametrize("value", [None, float("nan")])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frame_names_columns_without_a_number(frame: Callable[[Any], Any], value: float | None) -> None:
    data = frame({"a": [1.0, value, PRIVATE], "b": [1.0, 2.0, 3.0]})
    assert "column 'a' has cells that" in refused(lambda: Table.from_frame(data, BOUNDS))


def test_frame_columns_without_bounds_are_not_touched() -> None:
    frame = pd.DataFrame({"a": [1.0], "odd": [object()], "b": [0.5]}, index=["SECRETCELL"])
    assert Table.from_frame(frame, BOUNDS).points().tolist() == [[0.1, 0.5]]


def test_frame_of_mixed_objects_is_refused_without_its_values() -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "SECRETCELL", {}], dtype=object)})
    assert "column 'a' has cells that" in refused(lambda: Table.from_frame(frame, {"a": (0, 1)}))
    frame["b"] = 0.5
    sentence = refused(lambda: Table.from_frame(frame, BOUNDS))
    assert "column 'a' has cells that" in sentence
    assert "'b'" not in sentence


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
        pa.table([[1.0], [2.0]], names=["a", "a"]),
        np.rec.fromarrays([[1.0], [2.0]], names="b,c"),
    ],
)
def test_frame_must_have_each_column_once(frame: Any) -> None:
    assert "Column 'a' is" in refused(lambda: Table.from_frame(frame, {"a": (0, 1)}))


def test_frame_columns_can_be_chosen() -> None:
    frame = pl.DataFrame({"a": [1], "b": [1]})
    assert Table.from_frame(frame, BOUNDS, columns=["b"]).columns == ("b",)
    assert "Column 'c' is not in the bounds" in refused(lambda: Table.from_frame(frame, BOUNDS, columns=["c"]))
    assert "different column names" in refused(lambda: Table.from_frame(frame, BOUNDS, columns=["a", "a"]))
    assert Table.from_frame(frame, BOUNDS, columns=np.array(["b", "a"])).columns == ("b", "a")
    assert Table.from_frame(frame, BOUNDS, columns=(name for name in "ba")).columns == ("b", "a")


@pytest.mark.parametrize("columns", [3, [1], [["a"]], "a", [], np.array([])])
def test_frame_columns_are_names(columns: Any) -> None:
    frame = pl.DataFrame({"a": [1], "b": [1]})
    assert "different column names" in refused(lambda: Table.from_frame(frame, BOUNDS, columns=columns))


def test_array_columns_are_named_in_order() -> None:
    array = np.array([[1.0, 99.0, 0.5]])
    table = Table.from_frame(array, BOUNDS, columns=["a", "dropped", "b"])
    assert (table.columns, table.points().tolist()) == (("a", "b"), [[0.1, 0.5]])
    assert "The array has 3 columns;" in refused(lambda: Table.from_frame(array, BOUNDS))
    assert "The array has 1 dimension;" in refused(lambda: Table.from_frame(array[0], BOUNDS))
    assert "it must have rows and 1 column, for 'a'" in refused(lambda: Table.from_frame(array, {"a": (0, 1)}))


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_array_may_be_a_matrix() -> None:
    assert Table.from_frame(np.matrix([[1.0, 0.5], [2.0, 1.0]]), BOUNDS).points().tolist() == [[0.1, 0.5], [0.2, 1.0]]
    bad = np.matrix([[np.nan, 0.5], [2.0, PRIVATE]])
    assert "column 'a' has cells that" in refused(lambda: Table.from_frame(bad, BOUNDS))


def test_array_masked_values_are_missing() -> None:
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[True, False], [True, False]])
    assert "column 'a' has cells" in refused(lambda: Table.from_frame(masked, BOUNDS))
    assert Table.from_frame(np.ma.array([[1, 1]]), BOUNDS).n_rows == 1


@pytest.mark.parametrize("data", [3, "text", None, [["SECRETCELL"]], pl.LazyFrame({"a": [1]})])
def test_other_objects_are_refused(data: Any) -> None:
    assert type(data).__name__ in refused(lambda: Table.from_frame(data, {"a": (0, 1)}))
