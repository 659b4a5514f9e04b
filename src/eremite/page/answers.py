"""The page of a ledger's answers: all of a dataset, those of one account, or a single one."""

from collections.abc import Sequence
from html import escape

from eremite.errors import InputError
from eremite.html import element
from eremite.ledger import Account, Budget, Ledger
from eremite.ledger.remaining import in_words
from eremite.names import quote_name, show_name
from eremite.page.asked import Asked, asked
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
from eremite.release.summary import release_svg, summary


def answers_page(
    table: PublicTable, ledger: Ledger, *, account: str | None = None, request_id: str | None = None
) -> str:
    """One self-contained HTML page: what was asked, the answers with their pictures and costs, and what is left.

    Spends nothing, and reads the ledger alone. All texts are escaped.

    Args:
        table: The public facts of the table.
        ledger: Its ledger.
        account: Show only what this account asked; None, for the custodian: what all accounts did.
        request_id: Show only the answers under this id; an `InputError` if there is none.
    """
    entries = ledger.history(table.name, account)
    chosen = asked(entries)
    if request_id is not None:
        chosen = [one for one in chosen if one.request_id == request_id]
        if not chosen:
            raise InputError(
                f"Nothing was asked of {quote_name(table.name)} under the id {quote_name(request_id)}; "
                "eremite history --json lists all ids."
            )
    several = len({one.account for one in chosen}) > 1 or (account is None and request_id is not None)
    parts = [_part(one, table, several) for one in chosen]
    single = len(parts) == 1 and request_id is not None
    title = f"Outliers of {show_name(table.name)}: what was asked, and what came out"
    body = [
        element("header", element("h1", escape(title)), _lead(table, account, parts, single)),
        *(part_section(None if single else number, part) for number, part in enumerate(parts, 1)),
        table_section(table, {}),
        _left(table.name, ledger, account),
    ]
    if request_id is None:
        spent = _spending(table.name, ledger, account, chosen)
        body.append(section("The budget, event by event", prose(CHARGED_FIRST), spent, events_table(entries)))
    return page(title, element("main", *body, absent_section()) + footer())


def _lead(table: PublicTable, account: str | None, parts: Sequence[Part], single: bool) -> str:
    whose = "" if account is None else f" by account {show_name(account)}"
    if not parts:
        return prose(f"Nothing was asked{whose} yet.", "lead")
    one = "row" if table.rows_per_person == 1 else "person"
    differing = "replaced" if table.neighbors == "replace" else "more or less"
    number = "One answer" if len(parts) == 1 else f"{len(parts):,} answers"
    lead = (
        f"{number}{whose and f', asked for{whose}'}. Answers are differentially private: with any one {one} "
        f"{differing}, none would be likelier by more than the factor given with it. They may be passed on."
    )
    return prose(lead, "lead") + ("" if single else summary_list(parts))


def _part(one: Asked, table: PublicTable, several: bool) -> Part:
    about = {"request id": show_name(one.request_id)}
    if several:
        about = {"account": show_name(one.account)} | about
    if one.release is None:
        return _without_release(one, about)
    said = summary(one.release, rows=table.rows)
    return Part(
        title=said.question,
        answer=said.sentence if len(said.lines) == 1 else said.answer,
        short=said.short,
        warning=said.warning,
        heads=said.heads,
        lines=said.lines if len(said.lines) > 1 else (),
        picture=release_svg(one.release),
        facts=said.facts | about,
        reading=said.reading,
    )


def _without_release(one: Asked, about: dict[str, str]) -> Part:
    facts = {"asked": one.words, "spent": str(one.spent)} | about
    if one.stored:
        return Part(title="An answer of an older version", answer=f"the value is {one.stored}", facts=facts)
    if one.query == "open_screen":
        answer = "a screen was opened; its answers were given one by one, and are not kept"
        return Part(title="Would these be outliers?", answer=answer, facts=facts)
    answer = "no answer was stored: it is being computed, or was interrupted; what was charged stays charged"
    return Part(title="A question without an answer", answer=answer, facts=facts)


def _left(name: str, ledger: Ledger, account: str | None) -> str:
    """What is left for the account; for the custodian, of the whole dataset."""
    words = in_words(_whole(name, ledger)) if account is None else ledger.remaining(Account(name, account)).words
    return section("What is left", prose(words, "answer"), prose(_ONE_BUDGET))


_ONE_BUDGET = (
    "The budget is a promise about all answers together. A question that exceeds it is refused before any row is read."
)


def _whole(name: str, ledger: Ledger) -> Budget:
    return next(budget for whose, budget in ledger.budgets(name) if whose is None)


def _spending(name: str, ledger: Ledger, account: str | None, chosen: Sequence[Asked]) -> str:
    """The charges as bars, one after the other under the cap where they add up."""
    bars = [(f"{number}. {_kind(one)}", float(one.spent.epsilon)) for number, one in enumerate(chosen, 1)]
    own = next((budget for whose, budget in ledger.budgets(name) if whose == account and budget.cap), None)
    budget = own or _whole(name, ledger)
    if budget.cap is None or budget.cap.delta:
        return spending_figure(bars, None)
    others = float(budget.spent.epsilon - sum(one.spent.epsilon for one in chosen))
    return spending_figure([*bars, *([("other accounts", others)] if others > 0 else [])], float(budget.cap.epsilon))


def _kind(one: Asked) -> str:
    return "asked" if one.release is None else summary(one.release).kind
