"""An HTML page without scripts or external resources, for light and dark screens, phones and paper."""

from html import escape

from eremite.html import element
from eremite.version import __version__

#: Marks a page as one of ours.
GENERATOR = '<meta name="generator" content="eremite">'
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --page: #ffffff; --card: #f4f6f8; --line: #d5dae0;
  --accent: #0b5f94; --mark: #8a5200; --marked: #fff6e5; --eremite-accent: var(--accent); }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a3acb6; --page: #14171a; --card: #1f2429;
  --line: #39414a; --accent: #7cc0ee; --mark: #f0b95c; --marked: #2b2417; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 17px/1.55 system-ui, -apple-system, "Segoe UI",
  Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: break-word; }
main, footer { max-width: 47rem; margin: 0 auto; padding: 0 1.2rem; }
header { padding: 2.5rem 0 1rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; text-wrap: balance; }
h2 { font-size: 1.3rem; margin: 0 0 .6rem; }
section, aside { margin: 2.2rem 0; padding-top: 1.6rem; border-top: 1px solid var(--line); }
p { margin: .6rem 0; }
.lead { font-size: 1.12rem; }
.answers { padding-left: 1.2rem; }
.answers li { margin: .35rem 0; }
.answer { background: var(--card); border-left: 4px solid var(--accent); padding: .8rem 1rem; font-size: 1.15rem;
  font-weight: 600; margin: 1rem 0; }
.warning { background: var(--marked); border-left: 4px solid var(--mark); color: var(--mark); padding: .8rem 1rem;
  font-weight: 600; margin: 1rem 0; }
.note { color: var(--soft); font-style: italic; }
figure { max-width: 35.8rem; margin: 1.2rem 0; padding: .8rem; border: 1px solid var(--line); border-radius: 6px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.2rem; margin: 1rem 0; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); }
td { min-width: 4rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; min-width: 0; width: 1%; white-space: nowrap; }
pre { background: var(--card); padding: .7rem 1rem; border-radius: 6px; white-space: pre-wrap; font-size: .85rem;
  line-height: 1.45; }
.made-up { background: var(--marked); border: 2px dashed var(--mark); border-radius: 6px; padding: 1.2rem; }
.made-up h2 { color: var(--mark); }
footer { color: var(--soft); font-size: .9rem; padding-bottom: 2.5rem; }
@media (max-width: 34rem) { body { font-size: 16px; } h1 { font-size: 1.6rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } figure { padding: .6rem .4rem; } }
@media print { :root { --ink: #000; --soft: #444; --page: #fff; --card: #f4f4f4; --line: #bbb; --accent: #0b5f94;
  --mark: #8a5200; --marked: #fff; } body { font-size: 10.5pt; } main, footer { max-width: none; padding: 0; }
  section, aside { break-inside: auto; margin: 1.2rem 0; padding-top: 1rem; } h2 { break-after: avoid; }
  figure, .answer, tr, dl, pre { break-inside: avoid; } figure svg { max-width: 11cm !important; }
  .scroll { overflow: visible; } }
"""


def page(title: str, body: str) -> str:
    """A whole document; `body` is HTML, `title` is text."""
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{GENERATOR}\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def footer() -> str:
    """What made the page."""
    return element("footer", prose(f"Made by eremite {__version__}. This file loads nothing from anywhere."))


def prose(words: str, of: str = "") -> str:
    """A paragraph of text."""
    return element("p", escape(words), of=of)
