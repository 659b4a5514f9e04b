"""A real browser before a real service.

These tests need a browser and minutes, so they run when they are named (`make test-web`), not with all the others.
Screenshots are written to the folder in EREMITE_SCREENSHOTS, or else to one that pytest makes.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eremite.session import opened_ledger
from tests.end_to_end.patients import BOUNDS, people, write_csv
from tests.end_to_end.served import Served, command, serving

HERE = Path(__file__).parent
DESCRIPTION = """
[dataset]
name = "{name}"
source = "patients.csv"
neighbors = "add-remove"
rows_about = 40

[columns]
bmi = {{ min = 10, max = 60 }}
pulse = {{ min = 30, max = 200 }}
ward = {{ categories = ["heart", "surgery"], other = "refuse" }}

[budget]
epsilon = 50
"""
#: Width and color scheme. Each look has its own account, so that the budget of one is not that of another.
LOOKS = [(400, "light"), (400, "dark"), (1600, "light"), (1600, "dark")]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave these tests out of a run of all tests."""
    named = [Path(config.invocation_params.dir, argument.split("::")[0]).resolve() for argument in config.args]
    return None if any(path.is_relative_to(HERE) for path in named) else True


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service with two datasets, an analyst for each look, and a custodian."""
    folder = tmp_path_factory.mktemp("served")
    rows = [[*row, ward] for row, ward in zip(people(40).tolist(), ["heart", "surgery"] * 20, strict=True)]
    write_csv(folder / "patients.csv", [*BOUNDS, "ward"], rows)
    for name in ("patients", "wages"):
        (folder / f"{name}.toml").write_text(DESCRIPTION.format(name=name))
        opened_ledger(folder / f"{name}.toml", create="quietly")[1].close()
    grants = {f"{width}-{scheme}": ["--account", f"{width}-{scheme}"] for width, scheme in LOOKS}
    grants |= {"boss": ["--account", "house", "--custodian"], "carol": ["--account", "carol"]}
    tokens = {}
    for name, options in grants.items():
        made = command(folder, "token", "add", name, *options, "--dataset", "patients", "--dataset", "wages")
        tokens[name] = made.splitlines()[0]
    with serving(folder, tokens, "--tick", "0.1") as started:
        yield started


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The browser of the system; none is ever fetched."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("These tests need a browser: apt-get install chromium fonts-dejavu-core")
    return browser_type_launch_args | {"executable_path": found, "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def screenshot(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any, str], None]:
    """Writes a picture of a page, to be looked at."""
    folder = Path(os.environ.get("EREMITE_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)

    def write(page: Any, name: str) -> None:
        page.screenshot(path=folder / f"{name}.png", full_page=True)

    return write
