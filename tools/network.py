"""What a page would load from a network: there must be none of it. A link that a person may follow is no load."""

import re
from collections.abc import Iterable

_ELSEWHERE = r"https?://[^\s\"'`)>]+|//[\w-]+(?:\.[\w-]+)+[^\s\"'`)>]*"
_STYLE = [rf"url\([\"']?({_ELSEWHERE})", rf"@import\s+[\"']({_ELSEWHERE})"]
_LOADS = {
    ".html": [
        rf"<(?!a\b)[a-z]+\b[^>]*?\b(?:src|href|srcset|data|poster)=[\"']?({_ELSEWHERE})",
        r"class=\"(mermaid)\"",  # the theme fetches what draws these
        *_STYLE,
    ],
    ".css": _STYLE,
    ".js": [rf"[\"'`]({_ELSEWHERE})"],
    ".svg": [rf"\bhref=[\"']({_ELSEWHERE})", *_STYLE],
}
# In scripts: names of namespaces, and what the theme fetches only for pages with diagrams, pages with a link to a
# repository, and browsers from before 2020.
_NEVER_FETCHED = (
    "http://www.w3.org/",
    "https://unpkg.com/mermaid@",
    "https://api.github.com/",
    "https://${e}/api/v4",
    "https://unpkg.com/resize-observer-polyfill",
)


def loads(ending: str, text: str) -> Iterable[str]:
    """Addresses elsewhere that a file of this kind would make a browser fetch."""
    found = [address for pattern in _LOADS.get(ending, []) for address in re.findall(pattern, text)]
    return [address for address in found if not (ending == ".js" and address.startswith(_NEVER_FETCHED))]
