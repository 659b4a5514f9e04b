"""The README's Python blocks run, and its description file can be read."""

import re
from pathlib import Path

from eremite.table import read_description

README = (Path(__file__).parents[2] / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_readme_python_blocks_run_in_order(capsys):
    scope: dict[str, object] = {}
    for block in blocks("python"):
        exec(block, scope)  # noqa: S102
    assert "Table(n_rows=10000" in capsys.readouterr().out


def test_readme_description_file_is_valid(tmp_path):
    [text] = blocks("toml")
    path = tmp_path / "patients.toml"
    path.write_text(text)
    assert read_description(path).budget.epsilon == 2
