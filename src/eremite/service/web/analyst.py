"""Pages of analysts: datasets, questions, jobs and answers."""

import json
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from eremite.errors import BudgetRefused, InputError, LedgerError
from eremite.page.sections import spending_figure
from eremite.privacy import Privacy, checked_epsilon, exact, shown
from eremite.release import Release
from eremite.release.summary import summary
from eremite.service.auth import Caller, require_still
from eremite.service.errors import TooManyWaiting
from eremite.service.jobs import Job
from eremite.service.web import pictures, reads
from eremite.service.web.downloads import file_response, release_csv, releases_csv
from eremite.service.web.drafts import Draft
from eremite.service.web.forms import Form
from eremite.service.web.guards import CurrentCaller, CurrentForm, CurrentVisitor, Visitor
from eremite.service.web.kinds import KINDS, Kind, body_of, forecast_body, goal_body, names_of_points, new_form
from eremite.service.web.pasted import points_of
from eremite.service.web.rendering import is_fragment, redirect, render, web_of
from eremite.service.web.routing import PageRoute, status_of
from eremite.service.web.views import AnswerView, ForecastView, answer_view, forecast_view, parsed_release

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_NO_KIND = "There is no question of this name."
_NO_ANSWER = "There is no answer under this id, or it is not given yet."


@router.get("/")
async def home(request: Request, visitor: CurrentVisitor) -> Response:
    """The datasets that the visitor may ask about, and what is left for each."""
    shown_datasets = []
    for name in visitor.datasets:
        caller = visitor.caller(name)
        try:
            standing = await reads.standing(caller)
        except LedgerError as error:
            status_of(error)  # logs it
            standing = None
        shown_datasets.append((caller.dataset, standing, None if standing is None else _budget_picture(standing)))
    return render(request, "home.html", datasets=shown_datasets)


@router.get("/datasets/{name}")
async def dataset(request: Request, caller: CurrentCaller) -> Response:
    """The public facts of a dataset, what is left of its budget, and the questions."""
    standing = await reads.standing(caller)
    return render(
        request,
        "dataset.html",
        dataset=caller.dataset,
        facts=caller.dataset.facts,
        standing=standing,
        budget=_budget_picture(standing),
        kinds=list(KINDS.values()),
        waiting=_waiting(caller),
    )


@router.get("/datasets/{name}/ask/{path}")
async def question_form(
    request: Request, caller: CurrentCaller, path: str, job: str = "", epsilon: str = ""
) -> Response:
    """The form of a question; of a job that was asked with it before, with the same fields."""
    kind = _kind(path)
    form = new_form(kind, caller.dataset.facts, secrets.token_hex(6))
    draft = _draft(request, caller, job) if job else None
    if draft is not None and draft.kind == path:
        form = Form({**form.fields, "columns": [], **draft.form.fields, "nonce": form.texts("nonce"), "label": [""]})
    if epsilon:
        form = Form({**form.fields, "epsilon": [epsilon[:40]]})
    return await _question_page(request, caller, kind, form)


@router.post("/datasets/{name}/ask/{path}")
async def ask(request: Request, caller: CurrentCaller, form: CurrentForm, path: str) -> Response:
    """Ask the question, which spends; a refusal shows the form again, with the reason."""
    kind = _kind(path)
    try:
        job = await _submit(caller, path, partial(body_of, kind, form, caller.dataset.facts))
    except (InputError, BudgetRefused, TooManyWaiting, HTTPException) as error:
        if isinstance(error, HTTPException) and error.status_code == 401:
            raise  # the page with the form tells what is left of the budget
        return await _question_page(request, caller, kind, form, error)
    web_of(request).drafts.keep(job.id, Draft(path, form))
    return redirect(request, "jobs", job.id)


@router.post("/datasets/{name}/forecast/{path}")
async def forecast(request: Request, caller: CurrentCaller, form: CurrentForm, path: str) -> Response:
    """Forecast the question, for free."""
    kind = _kind(path)
    make = partial(forecast_body, kind, form, caller.dataset.facts)
    return await _forecast(request, caller, form, path, f"forecast/{path}", make)


@router.post("/datasets/{name}/epsilon/{path}")
async def epsilon_for(request: Request, caller: CurrentCaller, form: CurrentForm, path: str) -> Response:
    """Find the epsilon that an accuracy, or a chance, requires; for free."""
    make = partial(goal_body, _kind(path), form, caller.dataset.facts)
    return await _forecast(request, caller, form, path, f"forecast/{path}/epsilon", make)


@router.get("/jobs")
async def jobs(request: Request, visitor: CurrentVisitor) -> Response:
    """What the visitor's account asked lately."""
    listed = [job for job in visitor.state.desk.jobs_of(visitor.grant) if job.dataset in visitor.datasets]
    return render(request, "jobs.html", jobs=[(job, _title_of(job)) for job in listed])


@router.get("/jobs/{job_id}")
async def job_page(request: Request, visitor: CurrentVisitor, job_id: str) -> Response:
    """A job, until it ends: then its answer."""
    return await _job_page(request, visitor, job_id, "job.html")


@router.get("/jobs/{job_id}/state")
async def job_state(request: Request, visitor: CurrentVisitor, job_id: str) -> Response:
    """The same as a part of a page."""
    return await _job_page(request, visitor, job_id, "_job.html")


@router.post("/jobs/{job_id}/cancel")
async def cancel(request: Request, visitor: CurrentVisitor, _: CurrentForm, job_id: str) -> Response:
    """Cancel a job that was not charged yet."""
    await visitor.state.desk.cancel(visitor.grant, job_id)
    return redirect(request, "jobs", job_id)


@router.get("/datasets/{name}/answers")
async def answers(request: Request, caller: CurrentCaller, before: str | None = None) -> Response:
    """The answers of the visitor's account as a table, and what they spent as a picture."""
    standing = await reads.standing(caller)
    given = await reads.answers(caller, before, reads.PAGE_LENGTH + 1)
    page = given[: reads.PAGE_LENGTH]
    return render(
        request,
        "answers.html",
        dataset=caller.dataset,
        answers=[(one, None if one.release is None else summary(one.release)) for one in page],
        older=page[-1].request_id if len(given) > len(page) else None,
        newest=before is None,
        standing=standing,
        spending=_spending_picture(page, standing),
    )


@router.get("/datasets/{name}/answer")
async def answer(request: Request, caller: CurrentCaller, request_id: str = Query(alias="id")) -> Response:
    """One answer with its meaning and its picture."""
    release = await _release(caller, request_id)
    view = answer_view(release, caller.dataset.facts.rows_in_words)
    return render(request, "answer.html", dataset=caller.dataset, view=view)


@router.get("/datasets/{name}/answer.json")
async def answer_json(caller: CurrentCaller, request_id: str = Query(alias="id")) -> Response:
    """One answer as a file."""
    release = await _release(caller, request_id)
    return file_response(release.to_json() + "\n", "application/json", f"{caller.dataset.name}-{request_id}.json")


@router.get("/datasets/{name}/answer.csv")
async def answer_csv(caller: CurrentCaller, request_id: str = Query(alias="id")) -> Response:
    """The parts of one answer as a file for spreadsheets."""
    release = await _release(caller, request_id)
    return file_response(release_csv(release), "text/csv", f"{caller.dataset.name}-{request_id}.csv")


@router.get("/datasets/{name}/answers.json")
async def answers_json(caller: CurrentCaller) -> Response:
    """All answers as a file."""
    given = await reads.all_answers(caller)

    def content() -> str:
        listed = {"dataset": caller.dataset.name, "releases": [json.loads(one.text) for one in reversed(given)]}
        return json.dumps(listed, indent=1) + "\n"

    return file_response(await run_in_threadpool(content), "application/json", f"{caller.dataset.name}.json")


@router.get("/datasets/{name}/answers.csv")
async def answers_csv(caller: CurrentCaller) -> Response:
    """All answers as a file for spreadsheets, a line for each."""
    given = await reads.all_answers(caller)
    releases = [one.release for one in reversed(given) if one.release is not None]
    return file_response(await run_in_threadpool(releases_csv, releases), "text/csv", f"{caller.dataset.name}.csv")


def _kind(path: str) -> Kind:
    if path not in KINDS:
        raise HTTPException(404, _NO_KIND)
    return KINDS[path]


async def _question_page(
    request: Request, caller: Caller, kind: Kind, form: Form, error: Exception | None = None
) -> Response:
    standing = await reads.standing(caller)
    status, sentence = (200, "") if error is None else status_of(error)
    facts = caller.dataset.facts
    return render(
        request,
        "ask.html",
        status,
        dataset=caller.dataset,
        facts=facts,
        kind=kind,
        kinds=list(KINDS.values()),
        form=form,
        standing=standing,
        error=sentence,
        budget=_budget_picture(standing),
        unanswerable=kind.path == "rows" and facts.neighbors == "replace" and not _leaves_out(caller),
        point_names=names_of_points(form),
    )


def _leaves_out(caller: Caller) -> bool:
    rules = caller.dataset.facts.rules
    return any(rules.leaves_out(name) for name in (*rules.bounds, *rules.categories))


async def _submit(caller: Caller, question: str, make: Callable[[], bytes]) -> Job:
    """Submit what is made out of a form, in a thread, as a form can be long."""

    async def receive() -> bytes:
        content = await run_in_threadpool(make)
        await require_still(caller.state, caller.grant, caller.dataset.name)  # a place may have taken long
        return content

    desk = caller.state.desk
    with desk.place(caller.grant.account):
        return await desk.submit(caller, question, receive)


async def _forecast(
    request: Request, caller: Caller, form: Form, path: str, question: str, make: Callable[[], bytes]
) -> Response:
    """Submit a forecast. In a part of a page it is shown where it was asked for, else on its own page."""
    caller.state.rates.require_forecast(caller.grant.account)
    job = await _submit(caller, question, make)
    web_of(request).drafts.keep(job.id, Draft(path, form))
    if is_fragment(request):
        visitor: Visitor = request.state.visitor
        return await _job_page(request, visitor, job.id, "_job.html")
    return redirect(request, "jobs", job.id)


async def _job_page(request: Request, visitor: Visitor, job_id: str, template: str) -> Response:
    job = visitor.state.desk.find(visitor.grant, job_id)
    caller = visitor.caller(job.dataset)
    draft = _draft(request, caller, job_id)
    return render(
        request,
        template,
        job=job,
        dataset=caller.dataset,
        kind=_kind_of(job),
        title=_title_of(job),
        has_draft=draft is not None,
        **await _outcome(caller, job, draft),
    )


async def _outcome(caller: Caller, job: Job, draft: Draft | None) -> dict[str, Any]:
    """What a job that is done says: an answer, a forecast, or an epsilon; and how much of the budget is at stake."""
    view: AnswerView | None = None
    expected: ForecastView | None = None
    needed, share = "", None
    kind = _kind_of(job)
    if job.state == "done" and job.answer is not None:
        if job.request_id is not None:
            release = Release.from_json(job.answer)
            points = await run_in_threadpool(_points, caller, draft)
            view = answer_view(release, caller.dataset.facts.rows_in_words, points)
        elif job.question.endswith("/epsilon"):
            needed = shown(exact(json.loads(job.answer)["epsilon"], "epsilon"))
        elif kind is not None:
            expected = forecast_view(kind, job.answer)
        if view is None:
            epsilon = needed or (draft.form.text("epsilon") if draft is not None else "")
            share = _share_picture(epsilon, (await reads.standing(caller)).left)
    return {"view": view, "expected": expected, "needed": needed, "share": share}


def _points(caller: Caller, draft: Draft | None) -> Any:
    """Gives the values of a pasted point, if the form is still there."""
    field = {"detect": "candidates", "explain": "point"}.get(draft.kind if draft is not None else "")
    if draft is None or field is None:
        return None
    try:
        points = points_of(draft.form.text(field), names_of_points(draft.form), caller.dataset.facts)
    except InputError:
        return None  # the facts have changed since

    def said(place: int) -> str:
        return ", ".join(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
                         for name, value in points[place].items())  # fmt: skip

    return said


def _draft(request: Request, caller: Caller, job_id: str) -> Draft | None:
    """The form of a job that the visitor's account asked about this dataset."""
    job = caller.state.desk.find(caller.grant, job_id)
    return web_of(request).drafts.find(job_id) if job.dataset == caller.dataset.name else None


def _waiting(caller: Caller) -> list[tuple[Job, str]]:
    """The jobs of the visitor's account about the dataset that have not ended."""
    jobs = [job for job in caller.state.desk.jobs_of(caller.grant) if job.dataset == caller.dataset.name]
    return [(job, _title_of(job)) for job in jobs if not job.ended]


def _kind_of(job: Job) -> Kind | None:
    """The question that a job is about, also of a forecast."""
    return KINDS.get(job.question.removeprefix("forecast/").removesuffix("/epsilon").removesuffix("/mechanisms"))


def _title_of(job: Job) -> str:
    kind = _kind_of(job)
    title = job.question if kind is None else kind.title
    return f"Forecast: {title}" if job.request_id is None else title


async def _release(caller: Caller, request_id: str) -> Release:
    given = await reads.answer(caller, request_id)
    release = None if given is None else parsed_release(given)
    if release is None:
        raise HTTPException(404, _NO_ANSWER)
    return release


def _share_picture(epsilon: str, left: Privacy) -> Any:
    try:
        return pictures.share_of(checked_epsilon(epsilon), left.epsilon)
    except InputError:
        return None


def _budget_picture(standing: reads.Standing) -> Any:
    """What was spent of the dataset's cap and of the account's own."""
    own = [] if standing.own is None or standing.own.cap is None else [("this account", standing.own)]
    parts = [("all accounts", standing.whole), *own]
    return pictures.budgets(
        [(name, budget.spent.epsilon, budget.cap.epsilon if budget.cap else None) for name, budget in parts]
    )


def _spending_picture(page: list[reads.Given], standing: reads.Standing) -> Any:
    """What each answer of the page spent, the oldest first."""
    listed = [one.release for one in reversed(page) if one.release is not None]
    bars = [(f"{summary(release).kind} {release.time:%d %b}", float(release.epsilon)) for release in listed]
    if not bars:
        return None
    spent = sum((release.epsilon for release in listed), start=exact(0, "epsilon"))
    budget = standing.own if standing.own is not None and standing.own.cap is not None else standing.whole
    if budget.cap is None or budget.cap.delta:
        return pictures.without_styles(spending_figure(bars, None))
    before = float(budget.spent.epsilon - spent)
    earlier = [("before, and others", before)] if before > 0 else []
    return pictures.without_styles(spending_figure([*earlier, *bars], float(budget.cap.epsilon)))
