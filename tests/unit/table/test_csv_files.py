import gzip
import os
import sys
from collections.abc import Callable
from csv import field_size_limit
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from eremite.table.csv_files import read, schema
from eremite.table.files import file_schema, read_file
from eremite.table.numeric import float_columns
from tests.refusals import refused


@pytest.fixture
def csv(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(content: bytes) -> Path:
        path = tmp_path / "people.csv"
        path.write_bytes(content)
        return path

    return write


Write = Callable[[bytes], Path]


def values(path: Path, *names: str) -> list[list[float]]:
    return [column.tolist() for column in float_columns(read(path, names), names, str(path)).values()]


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,x\n-2.5e1,y\n",
        b"\xef\xbb\xbfa,b\n1,x\n-2.5e1,y",
        b'"a","b"\r\n" 1 ",x\r\n\t-25.0,"y, z"\r\n',
        b"a,b\r1,x\r-25.,y",
        b"a,b\n1,\xff\xfe\n-25,y\n",
    ],
    ids=["plain", "byte order mark", "quotes and blanks", "carriage returns", "other bytes elsewhere"],
)
def test_csv_dialects_are_read(csv: Write, content: bytes) -> None:
    assert values(csv(content), "a") == [[1.0, -25.0]]


@pytest.mark.parametrize("cell", ["", '""', "NA", "null", "nan", "inf", "1_0", "0x1", "1;5", "SECRETCELL", "true"])
def test_csv_names_the_column_of_cells_that_are_no_number(csv: Write, cell: str) -> None:
    path = csv(f"a,b\n1,31337.4242\n{cell},1\n{cell},1\n".encode())
    sentence = refused(lambda: values(path, "a", "b"))
    assert f"In {path}, column 'a' has cells that are missing or not a number;" in sentence
    assert "'b'" not in sentence


def test_csv_names_every_column_of_a_large_file(csv: Write) -> None:
    good = b"1,2.5,31337.4242\n" * 700_000  # more than one block
    path = csv(b"a,b,c\n" + good + b"SECRETCELL,\xff,3\nx,1,1\n")
    sentence = refused(lambda: values(path, "a", "b", "c"))
    assert "column 'a' has cells that are missing or not a number" in sentence
    assert "column 'b' has cells that are missing or not a number" in sentence
    assert "'c'" not in sentence


def test_csv_reads_an_empty_line_of_a_single_column_as_a_missing_cell(csv: Write) -> None:
    assert "column 'a' has cells that are missing or not a number" in refused(lambda: values(csv(b"a\n1\n\n2\n"), "a"))


def test_csv_refuses_uneven_rows_and_counts_none(csv: Write) -> None:
    path = csv(b"a,b\n1,2\n1,2,SECRETCELL\n31337.4242\n")
    assert f"In {path}, some row does not have the 2 fields of the first line;" in refused(lambda: values(path, "a"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("stray", [b'500,"500', b'"500,500', b'500,500,"'])
def test_csv_quote_left_open_swallows_no_rows(
    tmp_path: Path, stray: bytes, end: bytes, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / ("people.csv" if pack is bytes else "people.csv.gz")
    lines = [b"a,b", *(b"%d,31337.4242" % i for i in range(1000))]
    lines[501] = stray
    path.write_bytes(pack(end.join(lines)))
    sentence = refused(lambda: values(path, "a"))
    assert f"In {path}, some row has more than one line: a quote is left open" in sentence
    lines[801] = b'800,SECRETCELL"'
    path.write_bytes(pack(end.join(lines)))
    assert refused(lambda: values(path, "a")) == sentence


def test_csv_line_break_in_a_field_is_refused(csv: Write) -> None:
    path = csv(b'b,a\n"two\nlines",+1\ny,-25.\n')
    sentence = refused(lambda: values(path, "a"))
    assert f"In {path}, some row has more than one line: a quote is left open or a quoted field" in sentence
    assert sentence.endswith("holds a line break; put every row on one line.")
    assert refused(lambda: values(csv(b'a\n"1\n\n"\n'), "a")) == sentence


def test_csv_quote_left_open_for_long_is_named(csv: Write) -> None:
    path = csv(b'a,b\n1,"2\n' + b"1,31337.4242\n" * 1_500_000)
    assert f"{path} has a field longer than 8 MB: a quote is left open" in refused(lambda: values(path, "a"))


def test_csv_field_may_be_long(csv: Write) -> None:
    path = csv(b"a,b\n1," + b"x" * 1_000_000 + b"\nSECRETCELL,y\n")
    assert "column 'a' has cells that are missing or not a number" in refused(lambda: values(path, "a"))
    assert field_size_limit() == 131_072


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n\n3,4\n",
        b"a,b\n1,2\n3,4\n\n",
        b"a,b\r\n\r\n1,2\r\n3,4",
        b"a,b\r1,2\r\r3,4\r",
        b"a,b\n1,SECRETCELL\n+3,\xff\n\n",
        b"a,b\n\n",
    ],
)
def test_csv_empty_line_is_a_row_of_missing_values(csv: Write, content: bytes) -> None:
    """Else a row that is replaced by an empty line would change the number of rows, which is public."""
    path = csv(content)
    assert f"In {path}, column 'a' has cells that are missing or not a number" in refused(lambda: values(path, "a"))


@pytest.mark.parametrize("content", [b"a,b\n", b"a,b", b"a,b\r\n"])
def test_csv_with_a_header_alone_has_no_rows(csv: Write, content: bytes) -> None:
    path = csv(content)
    assert values(path, "a", "b") == [[], []]
    assert f"{path} has column names but no rows to judge their types by" in refused(lambda: schema(path))


def test_csv_uneven_rows_are_counted_before_types_are_judged(csv: Write) -> None:
    path = csv(b"a,b\n1,2\n1,2,SECRETCELL\n31337.4242\n")
    assert refused(lambda: schema(path)) == refused(lambda: values(path, "a"))


def test_csv_of_missing_values_has_types(csv: Write) -> None:
    assert [str(kind) for kind in schema(csv(b"a,b\n,\n")).types] == ["null", "null"]


@pytest.mark.parametrize("content", [b"", b"\n"], ids=["empty", "newline"])
def test_csv_that_cannot_be_read_is_named(csv: Write, content: bytes) -> None:
    path = csv(content)
    assert f"{path} cannot be read as CSV" in refused(lambda: values(path, "a"))


def test_csv_repeated_header_is_an_error_where_it_is_wanted(csv: Write) -> None:
    path = csv(b"a,b,a\n1,2,3\n")
    assert values(path, "b") == [[2.0]]
    assert f"Column 'a' is more than once in {path}" in refused(lambda: values(path, "a"))


def test_csv_blanks_around_names_are_no_part_of_them(csv: Write) -> None:
    assert values(csv(b' a ,"\tb c"\n1,2\n'), "a", "b c") == [[1.0], [2.0]]
    path = csv(b"a, a\n1,2\n")
    assert f"Column 'a' is more than once in {path}" in refused(lambda: values(path, "a"))
    assert schema(csv(b",bmi\n0,1\n")).names == ["bmi"]  # the index that data frames write


def test_csv_missing_column_is_named_with_those_there(csv: Write) -> None:
    path = csv(b"a,b\n1,2\n")
    sentence = refused(lambda: values(path, "x"))
    assert f"Column 'x' is not in {path}, which has: 'a' and 'b'" in sentence


@pytest.mark.parametrize("content", [b"SECRETCELL,31337.4242\nx,2\n", b'x,"y\nSECRETCELL,31337.4242\n'])
def test_csv_without_a_header_does_not_show_its_rows(csv: Write, content: bytes) -> None:
    path = csv(content)
    assert f"The first line of {path} does not look like" in refused(lambda: values(path, "a"))
    assert "put a line of names on top" in refused(lambda: schema(path))


@pytest.mark.parametrize(
    "field",
    [
        *("", " ", "nan", " -NaN", "inf", "Infinity", "0x1F", "-0x1.8p3", "1e5", '"1,000"', "1 000", "$100", "1%"),
        *("1980-01-01", "12:30", "\u0661\u0662", "#", "1_000", '"x\ny"'),
    ],
)
def test_csv_first_line_with_a_field_like_data_is_not_shown(csv: Write, field: str) -> None:
    path = csv(f"SECRETCELL,{field}\n1,2\n".encode())
    assert f"The first line of {path} does not look like" in refused(lambda: values(path, "a"))
    assert "put a line of names on top" in refused(lambda: schema(path))


def test_csv_wanted_names_are_read_whatever_the_others_are(csv: Write) -> None:
    assert values(csv(b",bmi,1980\n1,2,3\n"), "bmi", "1980") == [[2.0], [3.0]]


@pytest.mark.parametrize("name", ["x1", "\u5e74\u9f62", "info", "nano", "1st", "e", "0x", "a b", "A-1"])
def test_csv_names_need_one_letter(csv: Write, name: str) -> None:
    assert schema(csv(f"{name}\n1\n".encode())).names == [name]


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"SECRETCELL;b\n1;2\n", ";"),
        (b"SECRETCELL;b\n1,5;2,5\n", ";"),
        (b"SECRETCELL\tb\n1\t2\n", "\\t"),
        (b"SECRETCELL|b\n1|2\n", "|"),
    ],
)
def test_csv_with_another_separator_names_the_key(csv: Write, content: bytes, key: str) -> None:
    path = csv(content)
    for action in (lambda: values(path, "b"), lambda: schema(path)):
        sentence = refused(action)
        assert f"The first line of {path} is a single name" in sentence
        assert f'set separator = "{key}" in [dataset]' in sentence
    assert values(csv(b"a;b\n1\n"), "a;b") == [[1.0]]


def test_csv_gzip_that_is_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"31337.4242\n" * 1000)[:-20])
    assert str(path) in refused(lambda: values(path, "a"))


def test_csv_types_come_from_the_first_rows(csv: Write) -> None:
    found = schema(csv(b"i,f,s,t,d,e\n1,1.5,x,true,2020-01-01,\n2,2,y,false,2020-01-02,\n"))
    assert [str(kind) for kind in found.types] == [
        "int64",
        "double",
        "string",
        "bool",
        "date32[day]",
        "null",
    ]


def steps_of(work: Callable[[], object]) -> int:
    """How many lines of Python are run."""
    before, steps = sys.gettrace(), 0

    def step(*_: object) -> Any:
        nonlocal steps
        steps += 1
        return step

    sys.settrace(step)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


def test_csv_of_many_rows_is_read_quickly(tmp_path: Path) -> None:
    """There is no step of Python for each row: 100,000 of them take 0.1 s on two cores."""
    path = tmp_path / "large.csv"
    column = np.random.default_rng(0).random(100_000)
    pyarrow.csv.write_csv(pa.table({f"c{i}": column for i in range(8)}), path)
    found: list[list[float]] = []
    assert steps_of(lambda: found.extend(values(path, *(f"c{i}" for i in range(8))))) < 50_000
    assert [len(column) for column in found] == [100_000] * 8


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow", "feather"])
def test_file_with_other_content_is_refused_by_name(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people.{ending}"
    path.write_bytes(b"\x00\xffSECRETCELL,31337.4242\n\x80")
    assert str(path) in refused(lambda: read_file(path, ["a"]))
    assert str(path) in refused(lambda: file_schema(path))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_file_with_a_damaged_column_name_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people.{ending}"
    write = pyarrow.parquet.write_table if ending == "parquet" else pyarrow.feather.write_feather
    write(pa.table({"abcdef": [31337.4242]}), str(path))
    path.write_bytes(path.read_bytes().replace(b"abcdef", b"\xff\xfe\xff\xfe\xff\xfe"))
    assert str(path) in refused(lambda: read_file(path, ["a"]))
    assert str(path) in refused(lambda: file_schema(path))


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    assert "does not exist" in refused(lambda: read_file(tmp_path / "none.csv", ["a"]))
    assert "is a folder without .parquet files" in refused(lambda: read_file(tmp_path / "folder.csv", ["a"]))
    assert "eremite reads .csv, .tsv, .txt (also packed: .gz, .bz2, .zip), .parquet, .arrow" in refused(
        lambda: read_file(tmp_path / "x.xls", ["a"])
    )


def test_file_that_may_not_be_opened_is_not_called_malformed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "t.csv").chmod(0)
    before = os.geteuid()
    os.seteuid(before or 65534)  # root may open everything
    try:
        said = refused(lambda: read_file(tmp_path / "t.csv", ["a"]))
    finally:
        os.seteuid(before)
    assert said.endswith("t.csv cannot be opened (Permission denied); check its permissions.")
