"""Pages of custodians: accounts and caps, requests under way, the audit trail, tokens."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from eremite.errors import InputError
from eremite.ledger import Budget, Verification, remaining
from eremite.ledger.to_json import line_to_json
from eremite.names import show_name
from eremite.privacy import Privacy, checked_budget
from eremite.service.auth import Caller
from eremite.service.tokens import Grant, change_grants, hash_of, new_token, read_grants, utc_today
from eremite.service.web import pictures, reads
from eremite.service.web.forms import Form
from eremite.service.web.guards import CurrentCustodian, CurrentForm, CurrentVisitor, Visitor
from eremite.service.web.rendering import redirect, render, web_of
from eremite.service.web.routing import PageRoute, status_of

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_NO_CUSTODIAN = "This page is for custodians."
_VERIFYING = "A ledger is being verified already; open this page again when that has ended."
_NOT_YOURS = "You may revoke only tokens that are for your datasets alone and are no custodian's; see eremite token."


@dataclass(frozen=True, slots=True)
class AccountLine:
    """The budget of an account, or of the dataset as a whole."""

    account: str | None
    budget: Budget
    left: Privacy | None

    @property
    def spent(self) -> Privacy:
        """What was spent, added up."""
        return Privacy(self.budget.spent.epsilon, self.budget.spent.delta)


@router.get("/datasets/{name}/accounts")
async def accounts(request: Request, caller: CurrentCustodian, done: str = "") -> Response:
    """What each account spent, its cap, and the requests under way."""
    return await _accounts_page(request, caller, done=done)


@router.get("/datasets/{name}/under-way")
async def under_way(request: Request, caller: CurrentCustodian) -> Response:
    """The requests under way, as a part of the page. States change at the ends of turns only."""
    return render(
        request, "_under_way.html", dataset=caller.dataset, jobs=caller.state.desk.under_way(caller.dataset.name)
    )


@router.post("/datasets/{name}/cap")
async def set_cap(request: Request, caller: CurrentCustodian, form: CurrentForm) -> Response:
    """Set the cap of the dataset or of an account. The reason is kept in the ledger."""
    name, account = caller.dataset.name, form.text("account") or None
    try:
        cap = checked_budget(form.text("epsilon"), form.text("delta") or "0")
        await reads.read(caller, lambda: caller.dataset.ledger.set_cap(name, account, cap, reason=form.text("reason")))
    except InputError as error:
        return await _accounts_page(request, caller, error=error, form=form)
    return redirect(request, "datasets", name, "accounts", done=account or "the dataset")


@router.get("/datasets/{name}/audit")
async def audit(request: Request, caller: CurrentCustodian, before: int | None = None) -> Response:
    """The events of the ledger, the newest first."""
    return await _audit_page(request, caller, before)


@router.get("/datasets/{name}/audit/verification")
async def verification(request: Request, caller: CurrentCustodian) -> Response:
    """The events, and whether the whole ledger holds together."""
    verifying = web_of(request).verifying
    if verifying.locked():
        raise HTTPException(503, _VERIFYING)
    async with verifying:  # in a thread of its own, as other reads of a long ledger must not wait for it
        found = await run_in_threadpool(caller.dataset.ledger.verify)
    return await _audit_page(request, caller, None, found)


@router.get("/tokens")
async def tokens(request: Request, visitor: CurrentVisitor, done: str = "") -> Response:
    """The tokens for the custodian's datasets."""
    return await _tokens_page(request, _custodian(visitor), done=done)


@router.post("/tokens")
async def add_token(request: Request, visitor: CurrentVisitor, form: CurrentForm) -> Response:
    """Make a token for own datasets, never a custodian's. It is shown once, in this response."""
    token = new_token()
    try:
        grant = _new_grant(_custodian(visitor), form, token)
        await run_in_threadpool(change_grants, visitor.state.token_file, lambda kept: _with_new(kept, grant))
    except InputError as error:
        return await _tokens_page(request, visitor, error=error, form=form)
    return await _tokens_page(request, visitor, made=(grant.name, token))


@router.post("/tokens/revoke")
async def revoke_token(request: Request, visitor: CurrentVisitor, form: CurrentForm) -> Response:
    """Revoke a token that is for own datasets alone, and no custodian's."""
    custodian, name = _custodian(visitor), form.text("name")

    def without(kept: tuple[Grant, ...]) -> tuple[Grant, ...]:
        found = next((grant for grant in kept if grant.name == name), None)
        if found is None or not _may_revoke(custodian, found):
            raise HTTPException(403, _NOT_YOURS)
        return tuple(grant for grant in kept if grant is not found)

    await run_in_threadpool(change_grants, visitor.state.token_file, without)
    return redirect(request, "tokens", done=name)


def _custodian(visitor: Visitor) -> Visitor:
    if not visitor.grant.custodian:
        raise HTTPException(403, _NO_CUSTODIAN)
    return visitor


async def _accounts_page(
    request: Request, caller: Caller, *, done: str = "", error: Exception | None = None, form: Form | None = None
) -> Response:
    name = caller.dataset.name
    budgets = await reads.read(caller, lambda: caller.dataset.ledger.budgets(name))
    status, sentence = (200, "") if error is None else status_of(error)
    bars = [
        (
            "the dataset" if account is None else account,
            budget.spent.epsilon,
            budget.cap.epsilon if budget.cap else None,
        )
        for account, budget in budgets
    ]
    return render(
        request,
        "accounts.html",
        status,
        dataset=caller.dataset,
        lines=[AccountLine(account, budget, remaining(budget)) for account, budget in budgets],
        picture=pictures.budgets(bars),
        jobs=caller.state.desk.under_way(name),
        error=sentence,
        done=show_name(done) if done else "",
        form=form or Form({}),
    )


async def _audit_page(
    request: Request, caller: Caller, before: int | None, found: Verification | None = None
) -> Response:
    listed = await reads.events(caller, before, reads.PAGE_LENGTH + 1)
    page = listed[: reads.PAGE_LENGTH]
    return render(
        request,
        "audit.html",
        dataset=caller.dataset,
        lines=[line_to_json(entry) for entry in page],
        older=page[-1].seq if len(listed) > len(page) else None,
        newest=before is None,
        found=found,
    )


async def _tokens_page(
    request: Request,
    visitor: Visitor,
    *,
    done: str = "",
    error: Exception | None = None,
    form: Form | None = None,
    made: tuple[str, str] | None = None,
) -> Response:
    grants = await run_in_threadpool(read_grants, visitor.state.token_file)
    status, sentence = (200, "") if error is None else status_of(error)
    values: dict[str, Any] = {"error": sentence, "done": show_name(done) if done else "", "made": made}
    return render(
        request,
        "tokens.html",
        status,
        grants=[_token_line(visitor, grant) for grant in grants if _concerns(visitor, grant)],
        datasets=visitor.datasets,
        today=utc_today(),
        form=form or Form({"datasets": visitor.datasets if len(visitor.datasets) == 1 else []}),
        **values,
    )


def _token_line(visitor: Visitor, grant: Grant) -> dict[str, Any]:
    """What a custodian sees of a token. Datasets that are not theirs are not named."""
    others = len(set(grant.datasets) - set(visitor.grant.datasets))
    return {
        "name": grant.name,
        "account": grant.account,
        "datasets": [name for name in grant.datasets if name in visitor.grant.datasets],
        "others": others > 0,
        "custodian": grant.custodian,
        "expires": grant.expires,
        "expired": grant.expires is not None and grant.expires < utc_today(),
        "may_revoke": _may_revoke(visitor, grant),
    }


def _concerns(visitor: Visitor, grant: Grant) -> bool:
    return bool(set(grant.datasets) & set(visitor.grant.datasets))


def _may_revoke(visitor: Visitor, grant: Grant) -> bool:
    return not grant.custodian and set(grant.datasets) <= set(visitor.grant.datasets)


def _new_grant(visitor: Visitor, form: Form, token: str) -> Grant:
    datasets = tuple(name for name in visitor.datasets if name in form.texts("datasets"))
    if not datasets or len(datasets) < len(set(form.texts("datasets"))):
        raise InputError("Choose at least one of your datasets.")
    return Grant(
        name=form.text("name"),
        account=form.text("account"),
        datasets=datasets,
        expires=_day(form.text("expires")),
        hash=hash_of(token),
    )


def _with_new(kept: tuple[Grant, ...], grant: Grant) -> tuple[Grant, ...]:
    if any(one.name == grant.name for one in kept):
        raise InputError(f"There is a token of {show_name(grant.name)} already; revoke it first, or use another name.")
    return (*kept, grant)


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InputError("The last day must be written like 2027-01-31.") from None
    if day < utc_today():
        raise InputError(f"The last day, {day}, is in the past; choose today or a later day.")
    return day
