"""Pages that would load something from a network are found."""

import pytest

from tools.network import loads


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (".html", '<script src="https://cdn.example/x.js"></script>'),
        (".html", '<link rel="stylesheet" href="//fonts.example/css">'),
        (".html", '<img alt="x" src="http://example.org/x.png">'),
        (".html", '<pre class="mermaid">'),
        (".html", "<style>body { background: url(https://example.org/x.png) }</style>"),
        (".css", "@font-face { src: url(https://fonts.example/x.woff2) }"),
        (".css", "@import 'https://fonts.example/css';"),
        (".js", 'fetch("https://example.org/x.json")'),
        (".svg", '<image href="https://example.org/x.png"/>'),
    ],
)
def test_load_from_a_network_is_found(ending, text):
    assert list(loads(ending, text))


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (".html", '<a href="https://example.org/">a link to follow</a> <script src="../x.js"></script>'),
        (".css", "src: url(fonts/x.woff2)"),
        (".js", 'document.createElementNS("http://www.w3.org/2000/svg", "svg") // a comment'),
        (".svg", '<svg xmlns="http://www.w3.org/2000/svg"><use href="#a"/></svg>'),
    ],
)
def test_what_lies_beside_the_page_is_no_load(ending, text):
    assert list(loads(ending, text)) == []
