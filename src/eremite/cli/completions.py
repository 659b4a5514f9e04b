"""Completion of options in a shell, from public files and names alone: no table and no ledger is opened.

Each function gives the words that begin with `incomplete`. Where it gives none, the shell offers files.
"""

import shlex
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import typer

# Repeated here, as the modules that define them take long to import; a test compares.
MECHANISMS = (
    "auto", "reach", "reach-pair", "smooth-laplace", "global-laplace", "reach-gaussian", "gaussian", "gaussian-paper",
    "global-gaussian",
)  # fmt: skip
UTILITIES = ("auto", "compared", "centered", "dampened", "paper")
SELECTIONS = ("permute-and-flip", "exponential")
SHAPES = ("cautious", "clusters", "normal", "uniform")
ROW_SHAPES = ("clusters", "normal", "uniform")
ENGINES = ("auto", "memory", "files", "spark")
SEARCH_SHAPES = ("cautious", "planted", "clusters", "normal", "uniform")


def one_of(words: Iterable[str]) -> Callable[[str], list[str]]:
    """Completion of an option that takes one of these words."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def description_files(incomplete: str) -> list[str]:
    """The .toml files of the folder typed so far; none if one needs quotes, since the shell quotes files itself."""
    folder = incomplete[: incomplete.rfind("/") + 1]
    paths: list[str] = []
    with suppress(OSError):
        paths = sorted(folder + path.name for path in Path(folder or ".").glob("*.toml") if path.name[0] != ".")
    fitting = [path for path in paths if path.startswith(incomplete)]
    return fitting if all(map(_is_plain, fitting)) else []


def described_columns(context: typer.Context, incomplete: str) -> list[str]:
    """Columns with bounds of the description typed before; several are separated by commas."""
    return _listed([name for name, listed in _columns(_description(context)).items() if not listed], incomplete)


def described_categories(context: typer.Context, incomplete: str) -> list[str]:
    """Columns with categories, in the same way."""
    return _listed([name for name, listed in _columns(_description(context)).items() if listed], incomplete)


def _listed(names: Iterable[str], incomplete: str) -> list[str]:
    chosen = incomplete[: incomplete.rfind(",") + 1]
    others = [name for name in names if name not in chosen.split(",") and "," not in name]
    return [chosen + name for name in others if _is_plain(name) and (chosen + name).startswith(incomplete)]


def _description(context: typer.Context) -> Path:
    """The description typed so far; the parser leaves it in `args` when it stops at an option without a value."""
    return Path(context.params.get("description") or next(iter(context.args), ""))


def _columns(description: Path) -> dict[str, bool]:
    """The columns, and whether each has categories."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        columns = dict(tomllib.loads(description.read_text(encoding="utf-8"))["columns"])
        return {name: "categories" in column for name, column in columns.items()}
    return {}


def _is_plain(word: str) -> bool:
    return shlex.quote(word) == word
