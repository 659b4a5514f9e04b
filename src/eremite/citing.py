"""How to cite eremite and the paper it is based on. A test compares this with CITATION.cff."""

from collections.abc import Mapping

from eremite.version import __version__

SOFTWARE: Mapping[str, str] = {
    "title": "eremite: differentially private answers about the outliers of a private table",
    "author": "{The eremite contributors}",  # the inner braces keep a group from being split into names
    "note": f"Version {__version__}",
}
PAPER: Mapping[str, str] = {
    "title": "Differentially Private Analysis of Outliers",
    "author": "Okada, Rina and Fukuchi, Kazuto and Kakizaki, Kazuya and Sakuma, Jun",
    "year": "2015",
    "eprint": "1507.06763",
    "archiveprefix": "arXiv",
    "url": "https://arxiv.org/abs/1507.06763",
}


def citation() -> str:
    """BibTeX entries for this version of eremite and for the paper by Okada and others: please cite both."""
    return "\n\n".join([_entry("eremite", SOFTWARE), _entry("okada2015outliers", PAPER)])


def _entry(key: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{{key},\n{lines}}}"
