"""The tour: writes the files, asks the questions, writes the report."""

import shlex
from pathlib import Path

from eremite.demo.exact import Exact
from eremite.demo.files import Files, write_files, writing
from eremite.demo.patients import COLUMNS
from eremite.demo.progress import bar
from eremite.demo.questions import BUDGET, DEFINITION, Tour
from eremite.demo.report import Dataset, report
from eremite.demo.terminal import Screen
from eremite.names import list_names
from eremite.page import PublicTable
from eremite.release.words import definition_in_words
from eremite.session import Session, open_session, opened_ledger


def run(folder: Path) -> None:
    """Make up a table, its description and its ledger in `folder`, ask the questions, and write `report.html`.

    Every step is printed as soon as it is done, and the remaining budget at the end.
    """
    screen = Screen()
    with bar("Making up 20,000 patients"):
        files = write_files(folder, BUDGET)
        name, ledger = opened_ledger(files.description, create="quietly")
        session = open_session(files.description, ledger=ledger)
    _welcome(screen, files, session.n_rows)
    tour = Tour(files, session, ledger, Exact(files.table, DEFINITION))
    steps = []
    for number, step in enumerate(tour.steps(), 1):
        screen.step(number, step)
        steps.append(step)
    with bar("Writing the report"):
        page = report(_dataset(name, session), session, ledger, steps)
    with writing(folder):
        files.report.write_text(page, encoding="utf-8")
    screen.head("Done")
    screen.say(f"Left of the budget: {session.remaining}. The questions, answers and pictures are in one file:")
    screen.say(f"  {files.report}", style="bold")
    screen.say(
        f"eremite page {shlex.quote(str(files.description))} writes such a page of any ledger, without exact numbers."
    )


def _dataset(name: str, session: Session) -> Dataset:
    units = {column: known.unit for column, known in COLUMNS.items()}
    return Dataset(PublicTable.of(name, session.facts), "made-up patients of an intensive care unit", units, DEFINITION)


def _welcome(screen: Screen, files: Files, n_rows: int) -> None:
    screen.head("eremite: a tour on a made-up table")
    screen.say(
        f"{n_rows:,} patients of an intensive care unit, one row each: {list_names([*COLUMNS, 'ward'])}. All of "
        "them are made up, and four kinds of outliers were planted among them. An outlier, from here on, is "
        f"{definition_in_words(DEFINITION)}."
    )
    screen.files(
        {
            "patients.toml": "everything public about the table, and its budget",
            "patients.csv": "the rows, to be treated as private",
            "public-sample.csv": "public rows of the same shape, for forecasts",
            "candidates.csv": "public points to ask about",
            "suspect.csv": "one more of them, to be explained",
            "patients.db": "the ledger: every charge, answer and refusal",
            "patients.ledger-witness.json": "the last event of the ledger, to notice if it is lost",
        }
    )
    screen.say(
        f"They are in {files.folder}. Each question below can also be asked with the command shown with it. The exact "
        "numbers beside the answers are shown because the table is made up; with a private table nobody sees them, "
        "nor how long an answer takes, nor a progress bar."
    )
