"""Hooks for mkdocs: generated pages, pages from outside docs/, links to both, and folders in the menu.

Pages link to files of the repository (`../src/eremite/queries/radius.proof.md`); these hooks turn such links into links
of the site. A `name.proof.md` in backticks becomes a link too.
"""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

from eremite.cli.app import app
from eremite.service import openapi
from tools.commands import command_page, commands
from tools.links import proofs_linked, repository_links_turned
from tools.routes import route_page, routes

ROOT = Path(__file__).parents[1]


def on_config(config: Any) -> Any:
    """Replace each `folder/*` in the navigation by the pages of the folder."""
    config.nav = _unfolded(config.nav, sorted({*_own_pages(), *_brought_in().values(), *_generated()}))
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages and those from outside docs/."""
    for source, place in _brought_in().items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text()))
    for place, text in _generated().items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links to files of the repository into links of the site."""
    return repository_links_turned(markdown, page.file.src_uri, _brought_in())


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Make every mention of a proof a link to it."""
    return proofs_linked(html, page.file.dest_uri, _brought_in())


def on_post_page(output: str, **_: Any) -> str:
    """Label the search dialog for screen readers, which the theme does not."""
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">')


def _own_pages() -> list[str]:
    return [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]


def _brought_in() -> dict[str, str]:
    """Pages from outside docs/: their place in the site, by their path in the repository."""
    homes = {"src/eremite": "proofs", "benchmarks": "proofs/benchmarks"}
    proofs = {
        path.relative_to(ROOT).as_posix(): f"{place}/{path.relative_to(ROOT / home).as_posix()}"
        for home, place in homes.items()
        for path in sorted((ROOT / home).rglob("*.proof.md"))
    }
    return proofs | {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def _generated() -> dict[str, str]:
    return {
        "reference/command-line.md": command_page(commands(app)),
        "reference/http.md": route_page(routes(openapi())),
    }


def _unfolded(nav: Any, pages: list[str]) -> Any:
    if isinstance(nav, dict):
        return {title: _unfolded(below, pages) for title, below in nav.items()}
    if isinstance(nav, list):
        return [_unfolded(each, pages) for each in nav]
    return [page for page in pages if page.startswith(nav.removesuffix("*"))] if nav.endswith("/*") else nav
