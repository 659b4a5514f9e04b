"""The paper's tables: drawn as described, read from folders in both forms, and one sentence where they are missing."""

import gzip
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from eremite.errors import InputError
from eremite_paper.datasets import (
    BOUNDS,
    adult_1,
    adult_2,
    ionosphere,
    synthetic_1,
    synthetic_2,
    whole_adult,
    within_bounds,
)
from eremite_paper.files import (
    ADULT_COLUMNS,
    Files,
    fetch_files,
    fetched_adult,
    fetched_ionosphere,
    read_files,
    where_to_get,
)

SHARED = Path(__file__).parents[4] / "shared" / "data"
LINE = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, US, "


def some_adult(more, less):
    row = dict.fromkeys(ADULT_COLUMNS, "1") | {"split": "train", "sex": "Male", "race": "Other"}
    labels = [">50K"] * more + ["<=50K"] * less
    return [row | {"age": str(20 + i), "income": label} for i, label in enumerate(labels)]


def test_synthetic_tables_have_the_shapes_of_the_paper_and_follow_the_seed():
    assert synthetic_1(1).shape == (50, 2)
    assert synthetic_2(1).shape == (500, 10)
    assert np.array_equal(synthetic_2(1), synthetic_2(1))
    assert not np.array_equal(synthetic_1(1), synthetic_1(2))
    far = np.abs(synthetic_2(1)) > 6
    assert not far[:490].any()
    assert far[490:, :2].mean() > 0.8


def test_adult_tables_draw_so_many_of_each_class():
    rows = some_adult(400, 20)
    for make, n, few in ((adult_1, 50, 5), (adult_2, 379, 10)):
        drawn = make(rows, 3)
        assert drawn.points.shape == (n, 7)
        assert drawn.outlying.sum() == few
        assert (drawn.points[drawn.outlying, 0] >= 420).all()  # ages tell the classes apart here
        assert set(drawn.points[:, 5]) == {1.0}
        assert set(drawn.points[:, 6]) == {0.0}


def test_ionosphere_takes_all_good_rows_and_ten_bad_ones():
    rows = [{f"a{i}": str(j) for i in range(1, 35)} | {"class": "g" if j < 225 else "b"} for j in range(351)]
    drawn = ionosphere(rows, 0)
    assert drawn.points.shape == (235, 34)
    assert sorted(drawn.points[:225, 0]) == list(range(225))


def test_public_bounds_scale_adult_row_by_row():
    points = within_bounds(adult_1(some_adult(45, 5), 0).points)
    assert points.min() >= 0
    assert points.max() <= 1
    assert whole_adult(some_adult(3, 2)).columns == tuple(BOUNDS)


def test_folder_with_the_files_of_the_archive_is_read(tmp_path):
    (tmp_path / "adult.data").write_text(LINE + "<=50K\n\n")
    with gzip.open(tmp_path / "adult.test.gz", "wt") as file:
        file.write("|1x3 Cross validator\n" + LINE + ">50K.\n")
    (tmp_path / "ionosphere.data").write_text(",".join(["0.5"] * 34) + ",g\n")
    files = read_files(tmp_path)
    assert files.missing == ()
    assert [(row["income"], row["split"], row["sex"]) for row in files.adult] == [
        ("<=50K", "train", "Male"), (">50K", "test", "Male"),
    ]  # fmt: skip
    assert files.ionosphere == [{f"a{i}": "0.5" for i in range(1, 35)} | {"class": "g"}]


def test_frames_of_the_archive_become_the_same_rows():
    adult = pd.DataFrame([[39, *["x"] * 13, "<=50K."]], columns=ADULT_COLUMNS)
    assert fetched_adult(adult)[0]["split"] == "test"
    assert fetched_adult(adult)[0]["income"] == "<=50K"
    radar = pd.DataFrame([[1, 0, *[0.5] * 32, "g"]], columns=[f"Attribute{i}" for i in range(1, 35)] + ["Class"])
    assert fetched_ionosphere(radar)[0]["class"] == "g"
    assert float(fetched_ionosphere(radar)[0]["a34"]) == 0.5


def test_empty_folder_has_neither_and_the_sentence_says_where_they_are(tmp_path):
    files = read_files(tmp_path)
    assert files == Files()
    sentence = where_to_get(files.missing)
    assert sentence.startswith("Adult and Ionosphere left out")
    assert "archive.ics.uci.edu" in sentence
    assert sentence.count(". ") == 0


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (None, r"pip install 'eremite\[paper\]'"),
        (SimpleNamespace(fetch_ucirepo=lambda **_: 1 / 0), r"no table \(ZeroDivisionError\); try later"),
    ],
)
def test_archive_that_cannot_be_asked_or_fails_is_one_sentence(module, words, monkeypatch):
    monkeypatch.setitem(sys.modules, "ucimlrepo", module)
    with pytest.raises(InputError, match=words):
        fetch_files()


def test_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a folder"):
        read_files(tmp_path / "nowhere")


@pytest.mark.skipif(not (SHARED / "adult.csv.gz").exists(), reason="the UCI tables are not at hand")
def test_real_files_have_the_rows_of_the_archive():
    files = read_files(SHARED)
    assert len(files.adult) == 48_842
    assert sum(row["income"] == ">50K" for row in files.adult if row["split"] == "train") == 7_841
    assert len(files.ionosphere) == 351
