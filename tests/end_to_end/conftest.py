"""Where the tests of commands run: in a folder of their own, before a terminal of one width."""

from pathlib import Path

import pytest

from tests.end_to_end.patients import BOUNDS, description, people, write_csv


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of a hundred letters."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wide: None) -> Path:
    """The current folder, which holds a description whose table is not there."""
    (tmp_path / "patients.toml").write_text(description())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def patients(folder: Path) -> Path:
    """The current folder, which holds a description and its table of 300 rows."""
    write_csv(folder / "patients.csv", BOUNDS, people(300))
    return folder
