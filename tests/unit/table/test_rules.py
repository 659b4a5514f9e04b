"""What one cell becomes, in every form in which libraries hold it."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from eremite.table import Categories, Table
from eremite.table.categories import MISSING, UNLISTED
from eremite.table.rules import CellRules
from tests.refusals import refused

BERLIN = ZoneInfo("Europe/Berlin")
DAYS = (date(2020, 1, 1), date(2021, 1, 1))


def days(column: Any, zone: str = "UTC", spelled: tuple[str, ...] = ()) -> list[float]:
    rules = CellRules.of({"a": DAYS}, missing_values=spelled, time_zone=zone)
    return rules.read_numbers({"a": column}, "the frame")["a"].tolist()


def codes(column: Any, values: list[Any], spelled: tuple[str, ...] = ()) -> list[int]:
    rules = CellRules.of({"b": (0, 1)}, categories={"a": values}, missing_values=spelled)
    return rules.read_codes({"a": column}, "the frame")["a"].tolist()


def truths(column: Any) -> list[float]:
    return CellRules.of({"a": (False, True)}).read_numbers({"a": column}, "the frame")["a"].tolist()


def dictionary(values: list[Any], order: list[Any]) -> pa.DictionaryArray:
    places = pa.array([None if value is None else order.index(value) for value in values], pa.int8())
    return pa.DictionaryArray.from_arrays(places, pa.array(order))


TEXTS = ["B", "A", None, "zz", "B"]
TEXT_FORMS: dict[str, Any] = {
    "list": TEXTS,
    "objects": np.array(TEXTS, dtype=object),
    "pandas": pd.Series(TEXTS),
    "pandas objects": pd.Series(TEXTS, dtype=object),
    "pandas categorical": pd.Series(TEXTS, dtype="category"),
    "pandas categorical in another order": pd.Series(pd.Categorical(TEXTS, ["zz", "unused", "B", "A"])),
    "pandas Arrow": pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series(TEXTS),
    "polars Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "polars Enum": pl.Series(TEXTS, dtype=pl.Enum(["zz", "unused", "B", "A"])),
    "polars objects": pl.Series(TEXTS, dtype=pl.Object),
    "Arrow": pa.array(TEXTS),
    "Arrow large": pa.array(TEXTS, pa.large_string()),
    "Arrow view": pa.array(TEXTS, pa.string_view()),
    "dictionary": dictionary(TEXTS, ["zz", "A", "B"]),
    "chunks with dictionaries of their own": pa.chunked_array(
        [dictionary(TEXTS[:2], ["A", "B"]), dictionary(TEXTS[2:], ["B", "zz", "A"])]
    ),
}


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_codes_come_from_the_declared_list(form: str) -> None:
    assert codes(TEXT_FORMS[form], ["A", "B"]) == [1, 0, MISSING, UNLISTED, 1]
    assert codes(TEXT_FORMS[form], ["B", "C", "A"], ("zz",)) == [0, 2, MISSING, MISSING, 0]


WHOLE = [3, 1, None, 4, -0]
WHOLE_FORMS: dict[str, Any] = {
    "list": WHOLE,
    "texts": ["3", " 1 ", "", "+4", "-0"],
    "texts of floats": ["3.0", "1.", None, "4.00", "0.0"],
    "floats": np.array([3.0, 1.0, np.nan, 4.0, -0.0]),
    "pandas": pd.Series(WHOLE),
    "pandas Int64": pd.Series(WHOLE, dtype="Int64"),
    "polars": pl.Series(WHOLE, dtype=pl.Int8),
    "Arrow": pa.array(WHOLE, pa.int32()),
    "float16": pa.array([None if cell is None else np.float16(cell) for cell in WHOLE]),
    "decimals": pa.array([None if cell is None else Decimal(cell) for cell in WHOLE], pa.decimal128(9, 4)),
    "short decimals": pa.array([None if cell is None else Decimal(cell) for cell in WHOLE], pa.decimal32(5, 2)),
    "objects": [Fraction(3), np.int8(1), Decimal("NaN"), Decimal("4.0"), np.float32(0)],
    "dictionary": dictionary(WHOLE, [4, 1, 0, 3]),
    "masked": np.ma.array([3, 1, 9, 4, 0], mask=[0, 0, 1, 0, 0]),
    "other byte order": np.array([3, 1, np.nan, 4, 0], dtype=">f8"),
    "long doubles": np.array([3, 1, np.nan, 4, 0], dtype=np.longdouble),
}


@pytest.mark.parametrize("form", WHOLE_FORMS)
@pytest.mark.parametrize("listed", [[0, 1, 3], ["0", "1", "3"], ["0", 1, "3.0"]])
def test_whole_numbers_match_however_they_are_written(form: str, listed: list[Any]) -> None:
    assert codes(WHOLE_FORMS[form], listed) == [2, 1, MISSING, UNLISTED, 0]
    assert codes(WHOLE_FORMS[form], listed, ("4",))[3] == MISSING


def test_other_cells_are_not_listed() -> None:
    odd = [b"1", 1.5, "01", "1e0", 10**400, Decimal("1e99999999"), float("inf"), date(2020, 1, 1), [1], object(), 1j]
    assert codes(odd, [1, "A"]) == [UNLISTED] * len(odd)
    large = [2**53 + 1, Decimal(2**53 + 1), str(2**53 + 1), 2**53, "1" * 5000]
    assert codes(large, [2**53 + 1]) == [0, 0, 0, UNLISTED, UNLISTED]


TRUTHS = [True, False, None, True]
TRUTH_FORMS: dict[str, Any] = {
    "list": TRUTHS,
    "words": ["TRUE", " false ", "", "true"],
    "answers": ["Yes", "NO", None, "yes"],
    "digits": ["1", "0", " ", "1.0"],
    "numbers": [1, 0.0, None, Decimal(1)],
    "floats": np.array([1.0, 0.0, np.nan, 1.0]),
    "pandas": pd.Series(TRUTHS, dtype="boolean"),
    "polars": pl.Series(TRUTHS),
    "Arrow": pa.array(TRUTHS),
    "integers": pa.array([1, 0, None, 1], pa.int8()),
}


@pytest.mark.parametrize("form", TRUTH_FORMS)
def test_booleans_are_the_same_in_every_form(form: str) -> None:
    np.testing.assert_array_equal(truths(TRUTH_FORMS[form]), [1.0, 0.0, np.nan, 1.0])
    assert codes(TRUTH_FORMS[form], [True, False]) == [0, 1, MISSING, 0]


@pytest.mark.parametrize("form", [form for form in TRUTH_FORMS if form != "answers"])
@pytest.mark.parametrize("listed", [[1, 0], ["TRUE", "False"], ["1", "0.0"]])
def test_booleans_are_one_and_zero(form: str, listed: list[Any]) -> None:
    assert codes(TRUTH_FORMS[form], listed) == [0, 1, MISSING, 0]


def test_other_cells_are_no_booleans() -> None:
    assert np.isnan(truths([2, 0.5, "t", "on", "-1", b"1", date(2020, 1, 1)])).all()


# Half past one in Berlin, on a summer night, in whatever way it is written.
NIGHT = datetime(2020, 6, 2, 1, 30, 0, 250_000)
IN_UTC = datetime(2020, 6, 1, 23, 30, 0, 250_000, tzinfo=UTC)
ZONED: dict[str, Any] = {
    "datetime": [IN_UTC],
    "datetime of the zone": [NIGHT.replace(tzinfo=BERLIN)],
    "offset": [IN_UTC.astimezone(timezone(timedelta(hours=-7)))],
    "text": ["2020-06-01T23:30:00.25Z"],
    "text with an offset": [" 2020-06-02 09:00:00.2500009+09:30 "],
    "text with a short offset": ["2020-06-02T00:30:00.250+01"],
    "pandas": pd.Series([IN_UTC]),
    "pandas of another zone": pd.Series([IN_UTC]).dt.tz_convert("Asia/Kolkata").dt.as_unit("ns"),
    "pandas Timestamp": [pd.Timestamp(IN_UTC) + pd.Timedelta(999, "ns")],
    "polars": pl.Series([IN_UTC]).dt.convert_time_zone("America/New_York"),
    "Arrow": pa.array([IN_UTC], pa.timestamp("ns", "UTC")),
    "dictionary": pa.array(["2020-06-01T23:30:00.25Z"]).dictionary_encode(),
}
ZONELESS: dict[str, Any] = {
    "datetime": [NIGHT],
    "text": ["2020-06-02T01:30:00.25"],
    "datetime64": np.array([NIGHT], dtype="datetime64[ms]"),
    "datetime64 in steps": np.array([NIGHT], dtype="datetime64[10ms]"),
    "scalar": [np.datetime64(NIGHT, "ns")],
    "pandas": pd.Series([NIGHT]),
    "pandas categorical": pd.Series([NIGHT], dtype="category"),
    "pandas Arrow": pd.Series([NIGHT], dtype=pd.ArrowDtype(pa.timestamp("ns"))),
    "polars": pl.Series([NIGHT]),
    "Arrow": pa.array([NIGHT], pa.timestamp("ms")),
    "masked": np.ma.array(np.array([NIGHT], dtype="datetime64[us]"), mask=[False]),
}


@pytest.mark.parametrize("form", ZONED)
def test_time_with_a_zone_is_put_on_the_declared_clock(form: str) -> None:
    assert days(ZONED[form], "Europe/Berlin") == days([NIGHT])
    assert days(ZONED[form]) == days([IN_UTC.replace(tzinfo=None)])


@pytest.mark.parametrize("form", ZONELESS)
def test_time_without_a_zone_is_read_as_it_is(form: str) -> None:
    assert days(ZONELESS[form]) == days(ZONELESS[form], "Europe/Berlin") == days([NIGHT])


DATES: dict[str, Any] = {
    "date": [date(2020, 6, 2)],
    "text": ["2020-06-02"],
    "midnight": ["2020-06-02 00:00"],
    "date32": pa.array([date(2020, 6, 2)]),
    "date64": pa.array([date(2020, 6, 2)], pa.date64()),
    "datetime64": np.array(["2020-06-02"], dtype="datetime64[D]"),
    "polars": pl.Series([date(2020, 6, 2)]),
    "pandas": pd.Series([date(2020, 6, 2)]),
}


@pytest.mark.parametrize("form", DATES)
def test_date_is_the_midnight_it_begins_with(form: str) -> None:
    assert days(DATES[form]) == days(DATES[form], "America/New_York") == [18_415.0]


def test_clock_that_is_put_back_shows_an_hour_once() -> None:
    twice = ["2020-10-25T02:30+02:00", "2020-10-25T02:30+01:00", "2020-10-25T02:30"]
    assert len(set(days(twice, "Europe/Berlin"))) == 1
    assert len(set(days(twice))) == 3


def test_months_years_and_times_far_away_are_dates() -> None:
    assert days(np.array(["2020-06", "NaT"], dtype="datetime64[M]"))[0] == 18_414.0
    for unit in ("s", "ms", "us", "ns"):
        far = pa.array([2**63 - 1, -(2**63) + 1], pa.timestamp(unit, "UTC"))
        table = Table.from_frame({"a": far}, {"a": DAYS}, time_zone="Asia/Tokyo")
        assert table.column("a").tolist() == [1.0, 0.0]
    assert days([datetime.max.replace(tzinfo=UTC)], "Asia/Tokyo")[0] > days([datetime.max])[0]


def test_other_cells_are_no_dates() -> None:
    odd = [
        None,
        pd.NaT,
        np.datetime64("NaT"),
        "",
        "2020-13-01",
        "02.06.2020",
        "20200602",
        "2020-W05-1",
        "2020-06-02T24:00",
    ]
    odd += [18_415, 18_415.0, True, "18415", b"2020-06-02", timedelta(1), "2020-06-02T", "\u0662020-06-02", "today"]
    assert np.isnan(days(odd)).all()
    assert np.isnan(days(pa.array([None, None], pa.null()))).all()
    assert np.isnan(days(pd.Series([pd.NaT, pd.NaT], dtype="datetime64[ns, UTC]"))).all()


@pytest.mark.parametrize("form", DATES)
def test_spelled_date_is_missing_in_every_form(form: str) -> None:
    assert np.isnan(days(DATES[form], spelled=("2020-06-02",))).all()


WRONG_TYPES: list[tuple[Any, Callable[[Any], object]]] = [
    (pa.array([1.5]), days),
    (np.array([1]), days),
    (np.array([b"x"]), days),
    (pa.array([date(2020, 1, 1)]), truths),
    (pa.array([b"x"]), truths),
    (np.array(["2020-01-01"], dtype="datetime64[D]"), truths),
    (pd.Series([timedelta(1)]), truths),
    (pa.array([[1]]), days),
    (pa.array([b"x"]).dictionary_encode(), truths),
]


@pytest.mark.parametrize("place", range(len(WRONG_TYPES)))
def test_column_of_another_type_is_refused(place: int) -> None:
    column, read = WRONG_TYPES[place]
    assert "column 'a' is of type" in refused(lambda: read(column))


def test_fill_value_takes_the_place_of_a_missing_cell() -> None:
    data = {"a": [1.0, None, 0.25], "w": ["A", None, "B"]}
    table = Table.from_frame(data, {"a": (0, 1)}, categories={"w": ["A", "B"]}, missing={"a": 0.5, "w": "B"})
    assert table.points().ravel().tolist() == [1.0, 0.5, 0.25]
    assert [part.places.tolist() for part in table.groups(None, ["w"])] == [[0], [1, 2]]
    assert repr(table).endswith("categories={'w': ['A', 'B']}, missing={'a': '0.5'})")


def test_points_follow_the_rules_of_the_rows() -> None:
    bounds = {"a": (0, 1), "d": DAYS, "s": (False, True)}
    data = {"a": [None], "d": ["2020-07-01"], "s": ["no"]}
    table = Table.from_frame(data, bounds, missing={"a": 0.5}, missing_values=["NA"])
    expected = table.points().tolist()
    for points in ([["NA", "2020-07-01", False]], [[0.5, date(2020, 7, 1), "no"]], data, pd.DataFrame(data)):
        assert table.scale(points).tolist() == expected
    strict = Table.from_frame(data, bounds, missing={"a": "leave-out"})
    assert "column 'a' has a missing cell; give every point a value" in refused(lambda: strict.scale(data))


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"missing": {"x": 1}}, "missing names 'x', which has no bounds"),
        ({"missing": "leave-out"}, "missing must be a mapping"),
        ({"missing": {"a": None}}, "missing of column 'a' must be a number"),
        ({"categories": {"a": ["A"]}}, "Column 'a' has both bounds and categories"),
        ({"categories": ["ward"]}, "Categories must be a mapping"),
        ({"categories": {"w": []}}, "Categories of column 'w' do not fit: the list is empty"),
        ({"categories": {"w": "AB"}}, "Categories of column 'w' do not fit: give a list of values"),
        ({"categories": {"w": ["A", "A "]}}, "Categories of column 'w' do not fit: a category is listed twice"),
        ({"categories": {"w": Categories(("A",))}, "missing": {"w": "B"}}, "one of the listed categories"),
        ({"missing_values": "NA"}, "missing_values must be a list of texts"),
        ({"missing_values": [1]}, "missing_values must be a list of texts"),
        ({"time_zone": "Mars"}, "time_zone 'Mars' is not a time zone"),
        ({"time_zone": None}, "time_zone NoneType is not a time zone"),
    ],
)
def test_rules_that_do_not_fit_are_one_sentence(rules: dict[str, Any], words: str) -> None:
    assert words in refused(lambda: Table.from_frame({"a": [0.5], "w": ["A"]}, {"a": (0, 1)}, **rules))


def test_column_without_any_value_has_missing_cells_alone() -> None:
    assert codes(pa.nulls(2), ["A"]) == codes([None, None], ["A"]) == [MISSING, MISSING]
    assert np.isnan(truths(pa.nulls(2))).all()


def test_listed_number_is_missing_also_where_missing_cells_are_refused() -> None:
    for column in ([1, -999], np.array([1.0, -999.0]), pa.array([Decimal("1.00"), Decimal("-999.00")])):
        assert Table.from_frame({"a": column}, {"a": (-999, 1)}).n_rows == 2
        assert "column 'a' has cells" in refused(
            lambda column=column: Table.from_frame({"a": column}, {"a": (-999, 1)}, missing_values=[" -999.0"])
        )


def test_bytes_that_are_not_utf8_are_a_text_of_their_own() -> None:
    odd = pa.array([b"\xff", b"A", b" 5 "], pa.binary()).view(pa.string())
    assert codes(odd, ["A"]) == [UNLISTED, 0, UNLISTED]
    rules = CellRules.of({"a": (0, 10)}, missing={"a": "leave-out"})
    np.testing.assert_array_equal(rules.numbers({"a": odd}, "the frame")["a"], [np.nan, np.nan, 5.0])
