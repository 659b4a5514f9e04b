"""The demo as a newcomer runs it."""

import json
import re
import subprocess
import sys
from html import escape
from html.parser import HTMLParser


def eremite(*arguments, cwd):
    command = [sys.executable, "-c", "from eremite.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_demo_keeps_its_promises(tmp_path):
    """One run for all claims: it takes seconds of computing."""
    folder = tmp_path / "tour"
    folder.mkdir()
    (folder / "patients.db").write_text("the ledger of an older demo")
    (folder / "notes.txt").write_text("not ours")
    done = eremite("demo", "--folder", "tour", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "notes.txt").read_text() == "not ours"
    report = (folder / "report.html").read_text()
    it_asks_every_question_in_80_columns_without_colors(done.stdout)
    commands_that_cost_nothing_run_as_shown(done.stdout, tmp_path)
    the_ledger_agrees_with_the_report(report, tmp_path)
    the_report_is_well_formed_and_loads_nothing(report)
    the_report_tells_exact_numbers_in_the_marked_box_alone(report, done.stdout)


def it_asks_every_question_in_80_columns_without_colors(said):
    for word in (
        "20,000",
        "How many?",
        "Where, in two columns?",
        "Odd for their ward?",
        "Which of these?",
        "Why this one?",
        "Refused.",
        "holds together",
    ):
        assert word in said
    assert "Left of the budget: epsilon 0.2." in said
    assert max(map(len, said.splitlines())) <= 80
    assert "\x1b" not in said


def commands_that_cost_nothing_run_as_shown(said, place):
    commands = re.findall(r"^\$ eremite ((?:.*\\\n)*.*)", said, flags=re.MULTILINE)
    assert len(commands) == 11
    for command in commands:
        if command.startswith("history") or command == commands[8]:
            done = eremite(*command.replace("\\\n", " ").split(), cwd=place)
            assert (done.returncode, done.stderr) == (0, "")


def the_ledger_agrees_with_the_report(report, place):
    events = json.loads(eremite("history", "tour/patients.toml", "--json", cwd=place).stdout)
    values = [event["release"]["value"] for event in events if event["event"] == "released"]
    assert f"About {values[0]:,} of 20,000" in report
    assert len(values) == 6


def the_report_is_well_formed_and_loads_nothing(report):
    seen = Seen()
    seen.feed(report)
    assert seen.open == []
    assert all(target.startswith("#") for target in seen.loads)
    assert not seen.names & {"script", "link", "img", "iframe", "object"}
    assert "url(http" not in report
    assert "@import" not in report
    assert {"main", "section", "h1", "h2", "table", "caption", "dl", "svg", "aside"} <= seen.names


def the_report_tells_exact_numbers_in_the_marked_box_alone(report, said):
    box = re.search(r'<aside class="made-up">.*?</aside>', report, flags=re.DOTALL).group()
    exact = re.findall(r"Because this table is made up:(.*?)(?:\n\n|\Z)", said, flags=re.DOTALL)
    assert len(exact) == 6
    for words in exact:
        sentence = escape(" ".join(words.split()))
        assert sentence in box
        assert sentence not in report.replace(box, "")


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


def test_demo_that_cannot_write_says_so_in_one_sentence(tmp_path):
    (tmp_path / "taken").write_text("a file")
    done = eremite("demo", "--folder", "taken", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: Cannot write the demo to taken")
    assert done.stderr.count("\n") == 1
