"""The report: one self-contained HTML page, to mail to a colleague, of the same sections as `eremite page`.

It is made from public facts, releases and events of the ledger. Exact numbers, which only a made-up table may show, are
in one box that says so; without exact numbers there is no box.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from eremite.charts import svg
from eremite.demo.shell import shell
from eremite.demo.steps import Step
from eremite.forecast import errors_chart
from eremite.html import element, grid
from eremite.ledger import Ledger
from eremite.outliers import OutlierDefinition
from eremite.page.document import footer, page, prose
from eremite.page.sections import (
    CHARGED_FIRST,
    Part,
    PublicTable,
    absent_section,
    events_table,
    part_section,
    section,
    spending_figure,
    summary_list,
    table_section,
)
from eremite.release.picture import pictured
from eremite.release.summary import summary
from eremite.release.words import definition_in_words
from eremite.session import Session


@dataclass(frozen=True, slots=True)
class Dataset:
    """The public facts about a table before any question."""

    table: PublicTable
    words: str  # what the rows are
    units: Mapping[str, str]
    definition: OutlierDefinition


def report(dataset: Dataset, session: Session, ledger: Ledger, steps: Sequence[Step]) -> str:
    """The report as an HTML page; all texts in it are escaped."""
    title = f"Outliers of {dataset.table.name}: what was asked, and what came out"
    parts = [
        element("header", element("h1", escape(title)), _summary(dataset, session, steps)),
        table_section(dataset.table, {"outlier": definition_in_words(dataset.definition)}, dataset.units),
        *(part_section(number, _part(step)) for number, step in enumerate(steps, 1)),
        _budget(dataset.table.name, ledger, steps),
        absent_section(),
        _made_up(steps),
    ]
    return page(title, element("main", *parts) + footer())


def _summary(dataset: Dataset, session: Session, steps: Sequence[Step]) -> str:
    lead = (
        f"{session.n_rows:,} {dataset.words}, {len(dataset.units)} columns. The answers below are differentially "
        "private: with any one row replaced, no answer would be likelier by more than the factor given with it. They "
        "may be passed on."
    )
    left = f"All answers together leave {session.remaining} of the budget."
    return prose(lead, "lead") + summary_list([_part(step) for step in _asked(steps)]) + prose(left)


def _asked(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if step.release is not None]


def _part(step: Step) -> Part:
    return Part(
        title=step.title,
        why=step.why,
        answer=step.answer,
        picture=_picture(step),
        facts=step.facts,
        reading=step.reading,
        command=shell(step.command),
    )


def _picture(step: Step) -> str:
    """The picture of a step's release, or of its forecast."""
    if step.release is not None:
        shown = pictured(step.release)
        return svg(shown.chart, shown.title)
    return "" if step.forecast is None else svg(errors_chart(step.forecast, step.within), step.answer)


def _budget(name: str, ledger: Ledger, steps: Sequence[Step]) -> str:
    cap = next(budget.cap for whose, budget in ledger.budgets(name) if whose is None)
    releases = [(number, step.release) for number, step in enumerate(steps, 1) if step.release is not None]
    spent = [(f"{number}. {summary(release).kind}", float(release.epsilon)) for number, release in releases]
    return section(
        "The budget, event by event",
        prose(CHARGED_FIRST),
        spending_figure(spent, None if cap is None else float(cap.epsilon)),
        events_table(ledger.history(name)),
    )


def _made_up(steps: Sequence[Step]) -> str:
    rows = [(step.title, step.answer, step.exact) for step in steps if step.exact]
    if not rows:
        return ""
    heading = element("h2", "Because this table is made up")
    words = prose(
        "These patients do not exist, so the exact numbers can be shown beside the private answers. With a private "
        "table nobody sees them, and the report has no such box."
    )
    table = grid("Private answers and exact numbers", ("question", "private answer", "exactly"), rows)
    return element("aside", heading, words, table, of="made-up")
