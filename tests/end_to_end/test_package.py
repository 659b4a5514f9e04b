"""What is installed: the archive and the wheel hold what they must, and a plain install needs no extra."""

import subprocess
import sys
import tarfile
from collections.abc import Iterable
from email.message import Message
from email.parser import Parser
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest

from eremite.session import opened_ledger
from eremite.version import __version__
from tests.end_to_end.patients import description

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"
EXTRAS = {
    "accounting": ("dp_accounting",),
    "client": ("httpx",),
    "excel": ("python_calamine",),
    "paper": ("matplotlib", "ucimlrepo"),
    "plots": ("matplotlib",),
    "postgres": ("adbc_driver_postgresql", "psycopg"),
    "service": ("fastapi", "jinja2", "jwt", "uvicorn"),
    "spark": ("pyspark",),
}
COUNT = """
import sys
import eremite
from eremite.cli import main
try:
    main(["count", "patients.toml", "-k", "1", "-r", "0.1", "--epsilon", "0.1"])
except SystemExit as stopped:
    assert not stopped.code
print(*set(sys.argv[1:]) & set(sys.modules))
"""
WITHOUT_EXTRAS = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None
from fractions import Fraction
from importlib import import_module
from eremite import EremiteError
from eremite.ledger import open_ledger
from eremite.ledger.plan_total import plan_total
from eremite_paper.files import fetch_files
from eremite.service import require_extra
from eremite.table.postgres import read_postgres

for extra, ask in [
    ("accounting", lambda: plan_total([], Fraction(0))),
    ("paper", fetch_files),
    ("plots", lambda: import_module("eremite.plots")),
    ("postgres", lambda: read_postgres("postgresql://nobody@nowhere/none", "SELECT 1", ["a"])),
    ("postgres", lambda: open_ledger("postgresql://nobody@nowhere/none")),
    ("service", require_extra),
]:
    try:
        ask()
    except EremiteError as error:
        print(extra, "|", error)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive, and in `tree` and `archive` the wheels made from either."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder, "--sdist")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    build(ROOT, folder / "tree", "--wheel")
    build(folder / "unpacked" / f"eremite-{__version__}", folder / "archive", "--wheel")
    return folder


def build(source: Path, target: Path, what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", what, "--outdir", target, source],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()


def wheel(folder: Path) -> ZipFile:
    [path] = folder.glob("*.whl")
    assert path.name == f"eremite-{__version__}-py3-none-any.whl"  # pure Python: no compiler, any machine
    return ZipFile(path)


def metadata(folder: Path) -> Message:
    return Parser().parsestr(wheel(folder).read(f"eremite-{__version__}.dist-info/METADATA").decode())


def files(folder: Path) -> set[str]:
    kept = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in kept}


def contents(archive: ZipFile) -> dict[str, bytes]:
    return {name: archive.read(name) for name in archive.namelist()}


def test_wheel_holds_both_packages_and_nothing_else(built: Path) -> None:
    names = {name for name in wheel(built / "tree").namelist() if ".dist-info/" not in name}
    assert names == files(SOURCES)
    assert {name.split("/")[0] for name in names} == {"eremite", "eremite_paper"}
    assert {"eremite/py.typed", "eremite/geometry/bounds.proof.md", "eremite_paper/py.typed"} <= names


def test_wheel_from_the_archive_is_the_wheel_from_the_tree(built: Path) -> None:
    assert contents(wheel(built / "archive")) == contents(wheel(built / "tree"))


def test_archive_is_enough_to_test_and_to_document(built: Path) -> None:
    top = {path.name for path in (built / "unpacked" / f"eremite-{__version__}").iterdir()}
    wanted = {
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "Makefile",
        "README.md",
        "docs",
        "requirements",
        "src",
        "tests",
    }
    assert wanted <= top
    assert not top & {".venv", ".numba_cache", "demo", "dist", "paper", "site"}


def test_metadata_names_python_command_and_extras(built: Path) -> None:
    facts = metadata(built / "tree")
    points = wheel(built / "tree").read(f"eremite-{__version__}.dist-info/entry_points.txt").decode()
    assert (facts["Name"], facts["Version"], facts["Requires-Python"]) == ("eremite", __version__, ">=3.11")
    assert facts["License-Expression"] == "Apache-2.0"
    assert set(facts.get_all("Provides-Extra", [])) == set(EXTRAS)
    assert "eremite = eremite.cli:main" in points


def test_count_of_a_csv_file_loads_no_extra_and_no_frames(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("bmi\n20\n21\n22\n")
    (tmp_path / "patients.toml").write_text(description({"bmi": (10, 60)}))
    opened_ledger(tmp_path / "patients.toml", create="quietly")[1].close()
    modules = {"numba", "pandas", "polars", *chain(*EXTRAS.values())}
    assert run(COUNT, tmp_path, modules).splitlines()[-1] == "numba"


def test_missing_extra_is_named_in_one_sentence(tmp_path: Path) -> None:
    sentences = run(WITHOUT_EXTRAS, tmp_path, chain(*EXTRAS.values())).splitlines()
    asked = [sentence.partition(" | ")[0] for sentence in sentences]
    assert asked == ["accounting", "paper", "plots", "postgres", "postgres", "service"]
    assert all(f"pip install 'eremite[{extra}]'" in line for extra, line in zip(asked, sentences, strict=True))


def run(code: str, folder: Path, arguments: Iterable[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
