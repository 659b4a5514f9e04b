"""The sections that a page is made of. All texts in them are escaped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from eremite.charts import SpendingChart, svg
from eremite.html import definitions, element, grid
from eremite.ledger import Entry, Released
from eremite.ledger.to_json import line_to_json
from eremite.names import list_names, show_name
from eremite.page.document import prose
from eremite.privacy import Neighbors
from eremite.table import Facts
from eremite.table.bounds import Bounds
from eremite.table.rules import CellRules

_EVENT = ("event", "epsilon", "what")
_MOST_BARS = 30
#: What a reader should know of the events.
CHARGED_FIRST = (
    "Every charge was made before a row was looked at. These are the events of the ledger, without their times."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question and its answer, as a section shows them; what is empty is left out."""

    title: str
    answer: str
    facts: Mapping[str, str]
    short: str = ""  # for the list of all answers; default: the answer
    warning: str = ""  # what nobody may miss
    why: str = ""  # what the question is for
    heads: Sequence[str] = ()
    lines: Sequence[Sequence[str]] = ()  # of the answer, if it has several parts
    picture: str = field(default="", repr=False)  # an <svg> element
    reading: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class PublicTable:
    """The public facts about a table, as far as they are known without opening it."""

    name: str
    rules: CellRules
    rows: str  # in words; empty if their number is not known here
    rows_per_person: int
    neighbors: Neighbors

    @classmethod
    def of(cls, name: str, facts: Facts) -> "PublicTable":
        """The facts of a table that was opened."""
        return cls(name, facts.rules, facts.rows_in_words, facts.rows_per_person, facts.neighbors)


def section(title: str, *parts: str) -> str:
    """A heading, and what belongs to it."""
    return element("section", element("h2", escape(title)), *parts)


def part_section(number: int | None, part: Part) -> str:
    """A question with its answer, its picture, what it cost and how to read it."""
    return section(
        part.title if number is None else f"{number}. {part.title}",
        prose(part.why) if part.why else "",
        prose(_sentence(part.answer), "answer"),
        prose(part.warning, "warning") if part.warning else "",
        grid("The answer in parts", part.heads, part.lines, numbers=(0,)) if part.lines else "",
        figure(part.picture),
        definitions(part.facts),
        prose(f"How to read this: {part.reading}") if part.reading else "",
        element("pre", element("code", escape(part.command)), of="command") if part.command else "",
    )


def summary_list(parts: Sequence[Part]) -> str:
    """All questions with their answers, in a list."""
    items = [
        element("li", element("strong", escape(part.title)), " ", escape(_sentence(part.short or part.answer)))
        for part in parts
    ]
    return element("ul", *items, of="answers")


def figure(drawn: str) -> str:
    """A picture on its own ground; nothing if there is none."""
    return f"<figure>{drawn}</figure>\n" if drawn else ""


def table_section(table: PublicTable, facts: Mapping[str, str], units: Mapping[str, str] | None = None) -> str:
    """What the custodian declared about a table: bounds, categories and rules; with units, if they are known."""
    rules = table.rules
    named = [
        (show_name(name), *([units[name]] if units else []), *_ends(bound)) for name, bound in rules.bounds.items()
    ]
    heads = ("column", *(["unit"] if units else []), "least", "most")
    places = (len(heads) - 2, len(heads) - 1)
    return section(
        "The table",
        prose("These facts are public: the custodian set them, and they were not taken from the rows."),
        definitions(_table_facts(table) | dict(facts)),
        grid("Columns and their public bounds", heads, named, numbers=places),
    )


def _ends(bound: Bounds) -> tuple[str, str]:
    least, most = (bound.show(end).removesuffix(".0") for end in (bound.min, bound.max))
    return least, most


def _table_facts(table: PublicTable) -> dict[str, str]:
    rules, several = table.rules, table.rows_per_person != 1
    public = ", which is public" if table.neighbors == "replace" else "; their exact number is private"
    facts = {"rows": f"{table.rows}{public}"} if table.rows else {}
    facts["protected"] = f"every person, with up to {table.rows_per_person:,} rows" if several else "every row"
    for name, column in rules.categories.items():
        facts[show_name(name)] = f"{list_names([str(value) for value in column.names], 'categories')}, for strata"
    left_out = [name for name in (*rules.bounds, *rules.categories) if rules.leaves_out(name)]
    if left_out:
        facts["left out"] = f"rows without a value, from questions about {list_names(left_out)}; how many is private"
    return facts


def events_table(entries: Sequence[Entry]) -> str:
    """The events of a ledger without the answers, which the page has elsewhere.

    Without their times as well, which can reveal how long an answer took, and without their numbers, which tell how
    much others asked.
    """
    lines = [line_to_json(entry) for entry in entries if not isinstance(entry.event, Released)]
    rows = [tuple("" if line[field] is None else str(line[field]) for field in _EVENT) for line in lines]
    return grid("Events of the ledger", _EVENT, rows, numbers=(1,))


def spending_figure(spent: Sequence[tuple[str, float]], cap: float | None) -> str:
    """What each question spent, in order, as a picture; of many, the first ones together."""
    if not spent:
        return ""
    many = len(spent) - _MOST_BARS
    if many > 0:
        spent = [(f"1 to {many + 1:,}", sum(epsilon for _, epsilon in spent[: many + 1])), *spent[many + 1 :]]
    chart = SpendingChart(tuple(name for name, _ in spent), tuple(epsilon for _, epsilon in spent), cap)
    return figure(svg(chart, "Epsilon spent, question by question"))


def absent_section() -> str:
    """What depends on the rows, and is on no page."""
    items = (
        "The rows, and which rows are outliers.",
        "Exact counts, and the error of each answer: together with the answer it would reveal the count.",
        "The size of the noise: it depends on the rows. A forecast says what to expect, from public rows.",
        "When each question was asked: that can reveal how long an answer took, which depends on the rows too.",
    )
    listed = element("ul", *(element("li", escape(item)) for item in items))
    return section(
        "What is not on this page", prose("All of this depends on the rows, and stays with the custodian:"), listed
    )


def _sentence(answer: str) -> str:
    """The answer with a capital, and a full stop unless it ends with one."""
    whole = answer[:1].upper() + answer[1:]
    return whole if whole.endswith((".", "!", "?", "\N{HORIZONTAL ELLIPSIS}")) else f"{whole}."
