"""Finds resources that a page would load from the network; links that a person may follow do not count."""

import re
from collections.abc import Iterable

_ELSEWHERE = r"https?://[^\s\"'`)>]+|//[\w-]+(?:\.[\w-]+)+[^\s\"'`)>]*"
_STYLE = [rf"url\([\"']?({_ELSEWHERE})", rf"@import\s+[\"']({_ELSEWHERE})"]
_LOADS = {
    ".html": [
        rf"<(?!a\b)[a-z]+\b[^>]*?\b(?:src|href|srcset|data|poster)=[\"']?({_ELSEWHERE})",
        r"class=\"(mermaid)\"",  # the theme would fetch the library that draws these
        *_STYLE,
    ],
    ".css": _STYLE,
    ".js": [rf"[\"'`]({_ELSEWHERE})"],
    ".svg": [rf"\bhref=[\"']({_ELSEWHERE})", *_STYLE],
}
# Addresses in scripts that are never fetched here: names of namespaces, what the theme needs only for diagrams, links
# to a repository, and browsers from before 2020; and an example on a page, which the index of the search holds too.
_NEVER_FETCHED = (
    "http://www.w3.org/",
    "https://unpkg.com/mermaid@",
    "https://api.github.com/",
    "https://${e}/api/v4",
    "https://unpkg.com/resize-observer-polyfill",
    "https://login.example.org/",
)


def loads(ending: str, text: str) -> Iterable[str]:
    """The external addresses that a browser would fetch for a file with this ending."""
    found = [address for pattern in _LOADS.get(ending, []) for address in re.findall(pattern, text)]
    return [address for address in found if not (ending == ".js" and address.startswith(_NEVER_FETCHED))]
