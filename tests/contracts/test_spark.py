"""What Spark alone can get wrong; the contract of all readers is in test_readers.py."""

import re
from pathlib import Path
from typing import Any

import pytest

from eremite import Table
from eremite.table.frames import columns_by_name, with_names
from eremite.table.rules import CellRules
from tests.refusals import refused

SECRET = "SECRETCELL"  # noqa: S105
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "spark.md"
BOUNDS = {"bmi": (10.0, 60.0)}


@pytest.fixture(params=["spark", "spark_connect"])
def anywhere(request: pytest.FixtureRequest) -> Any:
    """A session of Spark in this process, then one of Spark Connect."""
    return request.getfixturevalue(request.param)


def numbers(frame: Any) -> Any:
    return CellRules.of(BOUNDS).read_numbers(columns_by_name(with_names(frame), ["bmi"]), "the frame")["bmi"]


def refusal(frame: Any, bounds: dict[str, tuple[float, float]]) -> str:
    return refused(lambda: Table.from_frame(frame, bounds))


def test_other_columns_are_never_collected(anywhere: Any) -> None:
    frame = anywhere.sql(f"SELECT id + 20.0D AS bmi, CAST(raise_error('{SECRET}') AS DOUBLE) AS other FROM range(3)")
    assert Table.from_frame(frame, BOUNDS).points().tolist() == [[0.2], [0.22], [0.24]]


def test_error_of_a_job_is_one_sentence_without_a_cell(anywhere: Any) -> None:
    frame = anywhere.sql(f"SELECT CAST(note AS DOUBLE) AS bmi FROM VALUES ('1'), ('{SECRET}') AS t(note)")
    assert refusal(frame, BOUNDS) == "Spark cannot give 'bmi' of the frame; collect them in Spark to see why."


def test_names_may_hold_dots_blanks_and_backticks(anywhere: Any) -> None:
    bounds = {"blood.sugar": (0.0, 10.0), "two words": (0.0, 10.0), "tick`ed": (0.0, 10.0)}
    frame = anywhere.createDataFrame([(1.0, 2, True)], list(bounds))
    assert Table.from_frame(frame, bounds).points().tolist() == [[0.1, 0.2, 0.1]]


def test_names_that_differ_in_case_alone_are_refused(anywhere: Any) -> None:
    assert "Spark cannot give 'bmi'" in refusal(anywhere.sql("SELECT 1.0D AS bmi, 2.0D AS BMI"), BOUNDS)


def test_decimals_and_empty_frames_are_read(anywhere: Any) -> None:
    assert Table.from_frame(anywhere.sql("SELECT 35.00BD AS bmi"), BOUNDS).points().tolist() == [[0.5]]
    assert Table.from_frame(anywhere.sql("SELECT 35.00BD AS bmi WHERE 1 = 0"), BOUNDS).n_rows == 0


@pytest.mark.parametrize("hostile", ["12.3456BD", "0.5000000000000001BD", "CAST(NULL AS DECIMAL(20, 10))", "1D", "2"])
def test_one_cell_changes_no_other_row(anywhere: Any, hostile: str) -> None:
    """Spark gives the column a type that fits all of its cells; the others are the same numbers in it."""
    cents = "SELECT CAST(id AS DECIMAL(10, 2)) / 100 AS bmi, id + 1 AS place FROM range(1600)"
    frame = anywhere.sql(f"SELECT bmi FROM (SELECT {hostile} AS bmi, 0L AS place UNION ALL {cents}) ORDER BY place")
    read = numbers(frame)
    assert read[1:].tolist() == [cents / 100 for cents in range(1600)]


def test_large_integers_and_wide_decimals_are_read(anywhere: Any) -> None:
    frame = anywhere.sql("SELECT 10000000000000000000000000000000000000BD AS bmi UNION ALL SELECT 9007199254740993BD")
    read = numbers(frame)
    assert sorted(read.tolist()) == [9007199254740992.0, 1e37]


def test_page_on_spark_runs(spark: Any) -> None:
    scope: dict[str, Any] = {}
    [block] = re.findall(r"```py\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    exec(block, scope)  # noqa: S102
    assert scope["table"].n_rows == 100_000
    assert scope["session"].remaining.epsilon == 0.5


def test_old_spark_is_refused_with_what_to_install() -> None:
    class FrameOfSpark3:
        sparkSession = None  # noqa: N815
        columns = ("bmi",)

    assert "needs Spark 4.0 or newer; install it with: pip install 'eremite[spark]'" in refusal(FrameOfSpark3(), BOUNDS)
