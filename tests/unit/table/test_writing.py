import bz2
import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from eremite.errors import TableError
from eremite.table.description import read_description
from eremite.table.files import read_file
from eremite.table.opening import open_table
from eremite.table.writing import Writing
from tests.refusals import refused

TEXT = ' ward ;bmi; note\nÄußere;1,5;"a;b"\n;-2,5e1;\n\n Süd ;1.234,5;x\n'
EUROPEAN = Writing(";", ",")
READ = {"bmi": [1.5, -25.0, None, None], "ward": ["Äußere", "", "", " Süd "]}


def read(path: Path, writing: Writing) -> dict[str, list[object]]:
    found: dict[str, list[object]] = read_file(path, ["bmi", "ward"], writing, as_text=["ward"]).to_pydict()
    return found


@pytest.mark.parametrize(
    "encoding", ["utf-8", "UTF8", "utf-8-sig", "latin-1", "cp1252", "iso8859-15", "mac_roman", "utf-16", "utf-32-be"]
)
def test_writing_of_any_encoding_gives_the_same_columns(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.csv").write_bytes(TEXT.encode(encoding))
    assert read(tmp_path / "t.csv", Writing(";", ",", encoding)) == READ


def zipped(content: bytes, path: Path, *more: str) -> None:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("folder/", b"")
        packed.writestr("__MACOSX/._t.csv", b"")
        for name in ("folder/t.csv", *more):
            packed.writestr(name, content)


PACK: dict[str, Callable[[bytes, Path], object]] = {
    "t.csv": lambda content, path: path.write_bytes(content),
    "t.txt": lambda content, path: path.write_bytes(content),
    "T.CSV.GZ": lambda content, path: path.write_bytes(gzip.compress(content)),
    "t.csv.bz2": lambda content, path: path.write_bytes(bz2.compress(content)),
    "t.zip": zipped,
    "t.csv.zip": zipped,
}


@pytest.mark.parametrize("name", PACK)
def test_writing_packed_in_any_way_gives_the_same_columns(tmp_path: Path, name: str) -> None:
    PACK[name](TEXT.encode("latin-1"), tmp_path / name)
    assert read(tmp_path / name, Writing(";", ",", "latin-1")) == READ


@pytest.mark.parametrize("name", ["t.tsv", "t.tsv.gz", "t.zip"])
def test_writing_of_tsv_has_tabs_unless_declared_otherwise(tmp_path: Path, name: str) -> None:
    for sign, writing in (("\t", Writing(decimal=",")), (";", EUROPEAN)):
        content = TEXT.replace(";", sign).encode()
        if name == "t.zip":
            with zipfile.ZipFile(tmp_path / name, "w") as packed:
                packed.writestr("t.tsv", content)
        else:
            (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
        assert read(tmp_path / name, writing) == READ


def test_zip_of_other_files_is_refused(tmp_path: Path) -> None:
    zipped(b"a\n1\n", tmp_path / "two.zip", "u.csv")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04SECRETCELL")
    assert "must hold exactly one file, ending in .csv, .tsv, .txt" in refused(
        lambda: read(tmp_path / "two.zip", EUROPEAN)
    )
    assert "bad.zip cannot be unpacked" in refused(lambda: read(tmp_path / "bad.zip", EUROPEAN))


@pytest.mark.parametrize(
    ("content", "writing", "kind"),
    [
        ("wärd;bmi\nx;1\n".encode("latin-1"), EUROPEAN, "InputError"),
        ("ward;bmi\nx;1\n".encode("utf-16"), EUROPEAN, "InputError"),
        ("ward;bmi\nx;1\n".encode("utf-16-le"), EUROPEAN, "InputError"),
        ("ward;bmi\nx;1\n".encode("utf-16-le"), Writing(";", encoding="utf-16"), "InputError"),
        ("ward;bmi\nÄSECRETCELL;1\n".encode("latin-1"), EUROPEAN, "TableError"),
        (b"ward;bmi\n\x81SECRETCELL;1\n", Writing(";", encoding="cp1252"), "TableError"),
        ("ward;bmi\nx;1\n".encode("utf-16") + b"1", Writing(";", encoding="utf-16"), "TableError"),
    ],
)
def test_bytes_of_another_encoding_ask_for_the_key(tmp_path: Path, content: bytes, writing: Writing, kind: str) -> None:
    """What depends on the rows is for the custodian alone."""
    (tmp_path / "t.csv").write_bytes(content)
    assert "set encoding in [dataset]" in refused(lambda: read(tmp_path / "t.csv", writing))
    with pytest.raises(Exception, match="encoding") as caught:
        read(tmp_path / "t.csv", writing)
    assert type(caught.value).__name__ == kind


def test_decimal_commas_ask_for_the_key(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward;bmi\nx;1\ny;31337,4242\n")
    sentence = refused(lambda: read(tmp_path / "t.csv", Writing(";")))
    assert "column 'bmi' has numbers with commas; if these are decimal commas, set decimal = \",\" in" in sentence
    assert "31337" not in sentence
    with pytest.raises(TableError):
        read(tmp_path / "t.csv", Writing(";"))


@pytest.mark.parametrize("separator", ["", ";;", "a", "1", '"', "\n", "\r", ".", "-", "+", "\0", "§"])
def test_writing_refuses_separators_that_fields_need(separator: str) -> None:
    assert "separator must be one character" in refused(lambda: Writing(separator))


@pytest.mark.parametrize(
    "encoding",
    [
        "",
        "latin-l",
        "\0",
        "rot13",
        "hex",
        "utf-7",
        "hz",
        "iso2022_jp",
        "cp037",
        "unicode_escape",
        "raw_unicode_escape",
        "idna",
    ],
)
def test_writing_refuses_encodings_in_which_one_line_can_change_another(encoding: str) -> None:
    assert "encoding must be one that Python knows" in refused(lambda: Writing(encoding=encoding))


def test_writing_refuses_other_decimal_signs() -> None:
    assert 'decimal must be "." or ","' in refused(lambda: Writing(decimal="'"))


def test_numbers_with_decimal_commas_know_no_thousands() -> None:
    texts = pa.chunked_array([["1,5", "1.5", "1.234,5", "1,2,3", ",5", "-3,", " 7 ", "", None, "1 000", "inf"]])
    assert EUROPEAN.numbers(texts).to_pylist() == [1.5, None, None, None, 0.5, -3.0, 7.0, None, None, None, None]


def test_missing_values_may_be_numbers_with_decimal_commas(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("bmi;pulse\n-9,90;-9.9\n20;70\n-9,9;71\n")
    (tmp_path / "t.toml").write_text(
        '[dataset]\nname = "t"\nsource = "t.csv"\nseparator = ";"\ndecimal = ","\nmissing_values = ["-9,9"]\n\n'
        '[columns]\nbmi = { min = 10, max = 60, missing = "leave-out" }\n'
        "pulse = { min = 30, max = 200, missing = 80 }\n\n"
        "[budget]\nepsilon = 1\n"
    )
    table = open_table(read_description(tmp_path / "t.toml"))
    assert table.part(["bmi"]).points.tolist() == [[0.2]]
    assert EUROPEAN.with_points(("NA", "-9,9", "1.234,5", "7")) == ("NA", "-9,9", "1.234,5", "7", "-9.9")
