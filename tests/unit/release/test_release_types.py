"""What a type checker knows about answers: right claims pass, wrong ones are found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RIGHT = """
from typing import assert_type

import eremite
from eremite.release import ByGroup
from eremite.session import Screen

Columns = tuple[str, ...]

def asked(session: eremite.Session, screen: Screen, definition: eremite.OutlierDefinition) -> None:
    count = session.count_outliers(definition, epsilon=1)
    assert_type(count, eremite.Release[int])
    assert_type(count.value, int)
    assert_type(session.count_outliers_by(definition, by="ward", epsilon=1).value, ByGroup)
    assert_type(session.count_outliers_by(definition, by="ward", epsilon=1).value["A"], int)
    assert_type(session.top_subspaces(definition, h=1, size=2, epsilon=1).value, tuple[Columns, ...])
    assert_type(session.outlier_report(definition, h=1, size=2, epsilon=1).value, tuple[tuple[Columns, int], ...])
    assert_type(session.detect_outliers(definition, candidates=[], h=1, epsilon=1).value, tuple[int, ...])
    assert_type(
        session.explain_outlier(definition, point=[], h=1, max_size=1, epsilon=1).value,
        tuple[Columns, ...] | tuple[tuple[Columns, ...], ...],
    )
    assert_type(session.choose_radius(5, share=0.01, epsilon=1).value, float)
    assert_type(session.count_rows(epsilon=1).value, int)
    assert_type(screen.ask([]).value, tuple[bool, ...])
    assert_type(session.ask(eremite.CountQuery(definition=definition, epsilon=1)).value, int)
    assert_type(session.ask(eremite.RadiusQuery(min_neighbors=5, share=1, epsilon=1)), eremite.RadiusRelease)

def named(release: eremite.CountRelease) -> eremite.Release[float]:
    return release  # covariant: a whole number is a number

def bare(release: eremite.Release) -> eremite.Release:
    return release
"""
WRONG = """
import eremite

def wrong(session: eremite.Session, definition: eremite.OutlierDefinition) -> str:
    named: eremite.CountRelease = session.choose_radius(5, share=0.01, epsilon=1)
    session.count_outliers(definition, epsilon=1).value.keys()
    session.count_outliers(definition, epsilon=1).value = 3
    return session.count_outliers(definition, epsilon=1).value
"""


@pytest.mark.long
def test_types_of_answers_are_known(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", ROOT / ".mypy_cache",
         tmp_path / "right.py", tmp_path / "wrong.py"],
        capture_output=True, text=True, cwd=tmp_path, check=False, env=os.environ | {"MYPYPATH": str(ROOT / "src")},
    )  # fmt: skip
    found = [line for line in checked.stdout.splitlines() if ": error: " in line]
    assert [line.split(":")[:2] for line in found] == [["wrong.py", str(line)] for line in (5, 6, 7, 8)], checked.stdout
    for line, code in zip(found, ("[assignment]", "[attr-defined]", "[misc]", "[return-value]"), strict=True):
        assert line.endswith(code)
