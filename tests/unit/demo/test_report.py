"""What the report shows, and what it keeps out."""

import sys

import numpy as np

import eremite
from eremite.demo.report import Dataset, report
from eremite.demo.steps import Step
from eremite.ledger import Ledger, MemoryStore
from eremite.page import PublicTable

DEFINITION = eremite.OutlierDefinition(min_neighbors=2, radius=0.01)
COLUMN = "a<b>&\"c'"


def asked(exact=""):
    """A session with one answer, and names that would break a careless page."""
    ledger = Ledger(MemoryStore())
    rows = {COLUMN: np.linspace(0, 1, 50), "<u>": ["<q>"] * 50}
    table = eremite.Table.from_frame(rows, {COLUMN: (0, 1)}, categories={"<u>": ["<q>"]}, missing={COLUMN: "leave-out"})
    session = eremite.Session(table, epsilon=2, ledger=ledger, dataset="<b>data</b>")
    release = session.count_outliers(DEFINITION, epsilon=1)
    step = Step(
        title="<script>alert(1)</script>", why="why & how", command=("eremite count '<x>'",), answer="<p>about 3",
        facts={"<dt>": "</dd>"}, reading="so & so", exact=exact, release=release,
    )  # fmt: skip
    public = PublicTable.of("<b>data</b>", session.facts)
    return report(Dataset(public, "rows & more", {COLUMN: "<i>"}, DEFINITION), session, ledger, [step])


def test_everything_in_the_report_is_escaped():
    page = asked(exact="<em>exactly 4")
    for raw in (
        "<script",
        "<b>data",
        "a<b>",
        "<p>about",
        "'<x>'",
        "<dt></dt>",
        "why & how",
        "<em>",
        "<i>",
        "<u>",
        "<q>",
    ):
        assert raw not in page
    for shown in ("&lt;script&gt;", "&lt;b&gt;data", "&lt;p&gt;about 3", "why &amp; how", "&lt;em&gt;exactly 4"):
        assert shown in page


def test_report_without_exact_numbers_has_no_box_for_them_and_no_times():
    page = asked()
    assert "made up" not in page
    assert '<aside class="made-up">' not in page
    assert "UTC" not in page


def test_report_has_its_pictures_without_matplotlib(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("matplotlib", "eremite.plots"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert asked("exactly 4").count("<svg") == 2  # the count, and what it spent
