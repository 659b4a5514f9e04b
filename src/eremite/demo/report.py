"""The report: one self-contained HTML page, to mail to a colleague.

It is made from public facts, releases and events of the ledger. Exact numbers, which only a made-up table may show, are
in one box that says so; without exact numbers there is no box.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from eremite.demo.html import page, prose
from eremite.demo.patients import Column
from eremite.demo.pictures import WITHOUT, budget_picture, step_picture
from eremite.demo.shell import shell
from eremite.demo.steps import Step
from eremite.html import definitions, element, grid
from eremite.ledger import Ledger
from eremite.ledger.to_json import line_to_json
from eremite.names import list_names
from eremite.outliers import OutlierDefinition
from eremite.release.words import definition_in_words
from eremite.session import Session
from eremite.version import __version__


@dataclass(frozen=True, slots=True)
class Dataset:
    """The public facts about a table before any question."""

    name: str
    words: str  # what the rows are
    columns: Mapping[str, Column]
    categories: Mapping[str, Sequence[str]]
    definition: OutlierDefinition


def report(dataset: Dataset, session: Session, ledger: Ledger, steps: Sequence[Step]) -> str:
    """The report as an HTML page; all texts in it are escaped."""
    title = f"Outliers of {dataset.name}: what was asked, and what came out"
    parts = [
        element("header", element("h1", escape(title)), _summary(dataset, session, steps)),
        _table(dataset, session),
        *(_step(number, step) for number, step in enumerate(steps, 1)),
        _budget(dataset.name, ledger),
        _absent(),
        _made_up(dataset.name, ledger, steps),
    ]
    footer = element("footer", prose(f"Made by eremite {__version__}. This file loads nothing from anywhere."))
    return page(title, element("main", *parts) + footer)


def _summary(dataset: Dataset, session: Session, steps: Sequence[Step]) -> str:
    answers = [element("li", element("strong", escape(step.title)), " ", escape(step.answer)) for step in _asked(steps)]
    spent = f"All answers together leave {session.remaining} of the budget."
    lead = (
        f"{session.n_rows:,} {dataset.words}, {len(dataset.columns)} columns. The answers below are differentially "
        "private: with any one row replaced, no answer would be likelier by more than the factor given with it. They "
        "may be passed on."
    )
    return prose(lead, "lead") + element("ul", *answers, of="answers") + prose(spent)


def _asked(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if step.release is not None]


def _table(dataset: Dataset, session: Session) -> str:
    facts = {
        "rows": f"{session.n_rows:,}, which is public",
        "protected": "every row" if session.rows_per_person == 1 else f"{session.rows_per_person} rows a person",
        "outlier": definition_in_words(dataset.definition),
    }
    facts |= {name: f"{list_names(values)}, for strata" for name, values in dataset.categories.items()}
    left_out = [name for name, column in dataset.columns.items() if column.missing == "leave-out"]
    if left_out:
        facts["left out"] = f"rows without a value, from questions about {list_names(left_out)}; how many is private"
    rows = [(name, column.unit, f"{column.low:g}", f"{column.high:g}") for name, column in dataset.columns.items()]
    return _section(
        "The table",
        prose("These facts are public: the custodian set them, and they were not taken from the rows."),
        definitions(facts),
        grid("Columns and their public bounds", ("column", "unit", "least", "most"), rows, numbers=(2, 3)),
    )


def _step(number: int, step: Step) -> str:
    return _section(
        f"{number}. {step.title}",
        prose(step.why),
        prose(step.answer, "answer"),
        _figure(step_picture(step)) if step.release or step.forecast else "",
        definitions(step.facts),
        prose(f"How to read this: {step.reading}"),
        element("pre", element("code", escape(shell(step.command))), of="command"),
    )


def _figure(drawn: str) -> str:
    """The picture in a figure that scrolls on a phone, also by keyboard; a note if there is no picture."""
    return f'<figure tabindex="0">{drawn}</figure>\n' if drawn else prose(WITHOUT, "note")


def _budget(name: str, ledger: Ledger) -> str:
    lines = [line_to_json(entry) for entry in ledger.history(name)]
    rows = [tuple("" if line[field] is None else str(line[field]) for field in _EVENT) for line in lines]
    return _section(
        "The budget, event by event",
        prose(
            "Every charge was made before a row was looked at. These are the events of the ledger, without their times."
            " It counts candidates from 0, where the answers above count from 1."
        ),
        grid("Events of the ledger", ("no.", "event", "epsilon", "what"), rows, numbers=(0, 2)),
    )


_EVENT = ("seq", "event", "epsilon", "what")


def _made_up(name: str, ledger: Ledger, steps: Sequence[Step]) -> str:
    rows = [(step.title, step.answer, step.exact) for step in steps if step.exact]
    if not rows:
        return ""
    heading = element("h2", "Because this table is made up")
    words = prose(
        "These patients do not exist, so the exact numbers can be shown beside the private answers. With a private "
        "table nobody sees them, and the report has no such box."
    )
    times = prose(
        "A program asked the questions one right after the other, so the time of each charge reveals how long the "
        "question before it took. With a made-up table this may be shown."
    )
    table = grid("Private answers and exact numbers", ("question", "private answer", "exactly"), rows)
    return element("aside", heading, words, table, times, _figure(budget_picture(ledger, name)), of="made-up")


def _absent() -> str:
    items = (
        "The rows, and which rows are outliers.",
        "Exact counts, and the error of each answer: together with the answer it would reveal the count.",
        "The size of the noise: it depends on the rows. A forecast says what to expect, from public rows.",
        "When each question was asked: that can reveal how long an answer took, which depends on the rows too.",
    )
    listed = element("ul", *(element("li", escape(item)) for item in items))
    return _section(
        "What is not in this report", prose("All of this depends on the rows, and stays with the custodian:"), listed
    )


def _section(title: str, *parts: str) -> str:
    return element("section", element("h2", escape(title)), *parts)
