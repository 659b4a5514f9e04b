"""Turns links between files of the repository into links of the site."""

import posixpath
import re


def repository_links_turned(markdown: str, place: str, brought_in: dict[str, str]) -> str:
    """The page at `place`, with links to files of the repository turned into links to their pages in the site."""
    written_in = {site: source for source, site in brought_in.items()}.get(place, f"docs/{place}")

    def turned(link: re.Match[str]) -> str:
        target, _, anchor = link[1].partition("#")
        source = posixpath.normpath(posixpath.join(posixpath.dirname(written_in), target))
        site = brought_in.get(source, source.removeprefix("docs/") if source.startswith("docs/") else None)
        if site is None or not target:
            return link[0]
        return f"]({posixpath.relpath(site, posixpath.dirname(place) or '.')}{'#' + anchor if anchor else ''})"

    return re.sub(r"\]\((?!\w+:)([^)\s]+)\)", turned, markdown)


def proofs_linked(html: str, place: str, brought_in: dict[str, str]) -> str:
    """The page with each `<code>queries/radius.proof.md</code>`, or its file name, turned into a link."""

    def linked(code: re.Match[str]) -> str:
        found = [site for source, site in brought_in.items() if f"/{source}".endswith(f"/{code[1]}")]
        if len(found) != 1:
            return code[0]
        address = found[0].removesuffix(".md") + ".html"
        return f'<a href="{posixpath.relpath(address, posixpath.dirname(place) or ".")}">{code[0]}</a>'

    return re.sub(r"(?<!>)<code>([\w/]+\.proof\.md)</code>", linked, html)
