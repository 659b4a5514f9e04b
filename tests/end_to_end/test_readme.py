"""The Python blocks of the README and the docs run, and the README's description file can be read."""

import re
from pathlib import Path

import pytest

from eremite.table import read_description

ROOT = Path(__file__).parents[2]
PAGES = sorted(p.relative_to(ROOT).as_posix() for p in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python_blocks_of_a_page_run_in_order(page):
    scope: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(block, scope)  # noqa: S102


def test_readme_description_file_is_valid(tmp_path):
    [text] = blocks("README.md", "toml")
    path = tmp_path / "patients.toml"
    path.write_text(text)
    assert read_description(path).budget.epsilon == 2
