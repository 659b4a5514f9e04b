"""The demo as a newcomer runs it."""

import json
import re
import subprocess
import sys
from html import escape
from html.parser import HTMLParser

import pytest


def eremite(*arguments, cwd):
    command = [sys.executable, "-c", "from eremite.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def toured(tmp_path_factory):
    """One demo, into a folder that held an older one."""
    place = tmp_path_factory.mktemp("demo")
    (place / "tour").mkdir()
    (place / "tour" / "patients.db").write_text("the ledger of an older demo")
    (place / "tour" / "notes.txt").write_text("not ours")
    done = eremite("demo", "--folder", "tour", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    return place, done.stdout


@pytest.fixture(scope="module")
def report(toured):
    return (toured[0] / "tour" / "report.html").read_text()


def test_demo_asks_every_question_and_ends_with_what_is_left(toured):
    place, said = toured
    for word in ("20,000", "How many?", "Where, in two columns?", "Which of these?", "Refused.", "holds together"):
        assert word in said
    assert "Left of the budget: epsilon 0.2." in said
    assert (place / "tour" / "notes.txt").read_text() == "not ours"


def test_demo_fits_80_columns_and_has_no_colours_in_a_file(toured):
    assert max(map(len, toured[1].splitlines())) <= 80
    assert "\x1b" not in toured[1]


def test_commands_of_the_demo_that_cost_nothing_run_as_shown(toured):
    place, said = toured
    commands = re.findall(r"^\$ eremite ((?:.*\\\n)*.*)", said, flags=re.MULTILINE)
    assert len(commands) == 9
    for command in commands:
        if command.startswith(("budget", "history")) or "--request-id" in command:
            done = eremite(*command.replace("\\\n", " ").split(), cwd=place)
            assert (done.returncode, done.stderr) == (0, "")


def test_demo_leaves_a_description_and_a_ledger_that_agree_with_the_report(toured, report):
    place, _ = toured
    assert eremite("check", "tour/patients.toml", cwd=place).returncode == 0
    events = json.loads(eremite("history", "tour/patients.toml", "--json", cwd=place).stdout)
    values = [event["release"]["value"] for event in events if event["event"] == "released"]
    assert f"About {values[0]:,} of 20,000" in report
    assert len(values) == 4


class Seen(HTMLParser):
    """What a page loads, which elements it has, and whether they are closed in order."""

    def __init__(self):
        super().__init__()
        self.loads, self.names, self.open = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href", "xlink:href", "srcset", "action")]
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_report_is_well_formed_and_loads_nothing(report):
    seen = Seen()
    seen.feed(report)
    assert seen.open == []
    assert all(target.startswith("#") for target in seen.loads)
    assert not seen.names & {"script", "link", "img", "iframe", "object"}
    assert "url(http" not in report
    assert "@import" not in report
    assert {"main", "section", "h1", "h2", "table", "caption", "dl", "svg", "aside"} <= seen.names


def test_report_tells_exact_numbers_in_the_marked_box_alone(toured, report):
    box = re.search(r'<aside class="made-up">.*?</aside>', report, flags=re.DOTALL).group()
    exact = re.findall(r"Because this table is made up:(.*?)(?:\n\n|\Z)", toured[1], flags=re.DOTALL)
    assert len(exact) == 4
    for words in exact:
        sentence = escape(" ".join(words.split()))
        assert sentence in box
        assert sentence not in report.replace(box, "")


def test_demo_that_cannot_write_says_so_in_one_sentence(tmp_path):
    (tmp_path / "taken").write_text("a file")
    done = eremite("demo", "--folder", "taken", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: Cannot write the demo to taken")
    assert done.stderr.count("\n") == 1
