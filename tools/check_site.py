"""Checks that the built site is complete and loads nothing from elsewhere. Run by `make docs` after mkdocs."""

import html
import re
import sys
from pathlib import Path

from eremite.cli.app import app
from eremite.service import openapi
from eremite.table import Budget, Dataset
from eremite.table.description import Interval, Listed
from tools.commands import commands
from tools.documented import missing_commands, missing_keys, missing_names, missing_routes, unmentioned
from tools.network import loads
from tools.public_names import canonical, docstring, public_names
from tools.routes import routes

ROOT = Path(__file__).parents[1]
SITE = ROOT / "site"


def problems() -> list[str]:
    """One sentence for each missing entry and each external resource."""
    listed, names = commands(app), public_names()
    prose = _prose()
    return [
        *missing_commands(listed, _shown("reference/command-line.html"), prose),
        *missing_routes(routes(openapi()), _shown("reference/http.html")),
        *missing_names({canonical(name): docstring(name) for name in names}, _names_shown()),
        *unmentioned([name for name in names if name.startswith("eremite.Session.")], prose),
        *missing_keys(_keys(), (ROOT / "docs/reference/description.md").read_text()),
        *_loaded(),
    ]


def _keys() -> list[str]:
    return [*Dataset.model_fields, *Budget.model_fields, *Interval.model_fields, *Listed.model_fields]


def _prose() -> str:
    pages = [path for path in (ROOT / "docs").rglob("*.md") if "reference" not in path.parts]
    return "\n".join(path.read_text() for path in [ROOT / "README.md", *pages])


def _shown(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", (SITE / page).read_text()))


def _names_shown() -> set[str]:
    pages = (SITE / "reference/python").glob("*.html")
    ids = {name for page in pages for name in re.findall(r'id="(eremite\.[\w.]+)"', page.read_text())}
    return {canonical(name) for name in ids}


def _loaded() -> list[str]:
    files = [path for path in SITE.rglob("*") if path.suffix in {".html", ".css", ".js", ".svg"}]
    return [
        f"{path.relative_to(SITE)} loads {address}"
        for path in files
        for address in loads(path.suffix, path.read_text())
    ]


def main() -> None:
    """Print all problems, and fail if there is one."""
    found = sorted(set(problems()))
    for sentence in found:
        print(sentence)
    sys.exit(f"The documentation is not complete: {len(found)} problems." if found else None)


if __name__ == "__main__":
    main()
