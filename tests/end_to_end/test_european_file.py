"""A file as a European program exports it goes from `eremite init` to a private count, without a script."""

import re
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from eremite.table import open_table, read_description
from tests.end_to_end.command_line import Captured, refused, run, run_json

WARDS = [
    "Augen",
    "Chirurgie",
    "Gynäkologie",
    "Hals",
    "Haut",
    "Innere",
    "Kinder",
    "Nerven",
    "Orthopädie",
    "Süd",
    "Öffnung",
]
ROWS = 600
START = date(2024, 1, 1)


def numbers() -> np.ndarray:
    """Body mass and blood sugar with one decimal; NaN where the cell is empty."""
    rng = np.random.default_rng(5)
    mass = rng.uniform(18, 35, ROWS)
    found = np.round(np.column_stack([mass, 4 * mass + rng.normal(20, 3, ROWS)]), 1)
    found[::7, 0], found[::11, 1] = np.nan, np.nan
    return found


def write(path: Path) -> None:
    def field(number: float) -> str:
        return " " if np.isnan(number) else f"{number:.1f}".replace(".", ",")

    lines = [
        f"{i};{WARDS[i % 11]};{field(mass)};{field(sugar)};{START + timedelta(days=i % 300)}"
        for i, (mass, sugar) in enumerate(numbers())
    ]
    path.write_bytes("\r\n".join([";Station; Größe ;Zucker;Aufnahme", *lines, ""]).encode("latin-1"))


def fill_in(path: Path, **lines: str) -> None:
    """What a person does in an editor: the line of a column, by its name, gets another value."""
    text = path.read_text(encoding="utf-8").replace("# [budget]\n# epsilon = 1.0", "[budget]\nepsilon = 20")
    for name, value in lines.items():
        text, done = re.subn(rf'^("?{name}"?) = .*$', rf"\1 = {value}", text, flags=re.MULTILINE)
        assert done == 1
    path.write_text(text, encoding="utf-8")


def test_european_file_is_counted_without_a_script(capsys: Captured, tmp_path: Path) -> None:
    file, description = tmp_path / "patienten.csv", tmp_path / "patienten.toml"
    write(file)
    assert "--encoding" in refused(capsys, "init", file)
    assert '--separator ";"' in refused(capsys, "init", file, "--encoding", "latin-1")
    code, out, _ = run(capsys, "init", file, "--encoding", "latin-1", "--separator", ";", "--decimal", ",")
    assert (code, out.splitlines()[0]) == (
        0,
        f"Wrote {description} with 2 numeric columns, 1 date column and 1 text column.",
    )
    assert not [ward for ward in WARDS if ward in description.read_text(encoding="utf-8")]

    assert 'still needs bounds for "Größe", Zucker and Aufnahme' in refused(capsys, "check", description)
    bounds = {"Größe": "{ min = 10, max = 60 }", "Zucker": "{ min = 40, max = 400 }"}
    fill_in(description, **bounds, Aufnahme="{ min = 2024-01-01, max = 2024-12-31 }")
    assert "still needs categories for Station" in refused(capsys, "check", description)
    fill_in(description, Station=f"{{ categories = {WARDS} }}".replace("'", '"'))
    assert "column 'Größe' has cells that are missing" in refused(capsys, "check", description)
    fill_in(description, **{name: value.replace(" }", ', missing = "leave-out" }') for name, value in bounds.items()})
    assert run(capsys, "check", description)[0] == 0

    expected = (numbers() - [10, 40]) / [50, 360]
    table = open_table(read_description(description))
    np.testing.assert_array_equal(table.points(["Größe", "Zucker"]), expected[~np.isnan(expected).any(axis=1)])
    assert [len(part.points) for part in table.groups(["Aufnahme"], ["Station"])] == [
        ROWS // 11 + (i < 6) for i in range(11)
    ]

    asked = ("count", description, "-k", 5, "-r", 0.01, "--columns", "Größe,Zucker", "--epsilon", 1)
    assert isinstance(run_json(capsys, *asked)["value"], int)
    assert f"of {ROWS} rows are outliers in Größe and Zucker" in run(capsys, *asked)[1]
