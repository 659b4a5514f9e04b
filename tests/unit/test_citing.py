"""What one is asked to cite: CITATION.cff and `eremite.citation()` say the same."""

import re
from pathlib import Path

import eremite
from eremite.citing import PAPER, SOFTWARE

CFF = (Path(__file__).parents[2] / "CITATION.cff").read_text()
OURS, THEIRS = CFF.split("references:\n")


def test_citation_is_two_entries_of_bibtex() -> None:
    entries = re.findall(r"^@misc\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}$", eremite.citation(), flags=re.MULTILINE)
    assert [key for key, _ in entries] == ["eremite", "okada2015outliers"]
    assert f"note = {{Version {eremite.__version__}}}" in entries[0][1]
    assert eremite.citation().count("{") == eremite.citation().count("}")


def test_citation_file_names_this_version_of_eremite() -> None:
    assert f'title: "{SOFTWARE["title"]}"\n' in OURS
    assert f"version: {eremite.__version__}\n" in OURS
    assert re.findall(r'- name: "(.*)"', OURS) == [SOFTWARE["author"].strip("{}")]


def test_citation_file_names_the_paper() -> None:
    authors = re.findall(r'family-names: "(.*)", given-names: "(.*)"', THEIRS)
    assert " and ".join(map(", ".join, authors)) == PAPER["author"]
    for line in (f'title: "{PAPER["title"]}"', f"year: {PAPER['year']}", f'url: "{PAPER["url"]}"'):
        assert f"    {line}\n" in THEIRS or f"  - {line}\n" in THEIRS
    assert f'"arXiv:{PAPER["eprint"]}"' in THEIRS
