"""A question is asked under one id, however often it is sent, and its answer or its error is that of a session."""

import asyncio
import pickle
from fractions import Fraction

import httpx
import pytest

from eremite import BudgetRefused, CountQuery, EremiteError, ForecastCountQuery, InputError, LedgerError, ServiceError
from eremite.privacy import Privacy
from tests.unit.client.scripted import COUNT, NEAR, TOKEN, Scripted, job, said


def count(service, **more):
    return service.session().count_outliers(NEAR, ["age"], epsilon="0.1", **more)


def test_an_answer_is_a_release():
    service = Scripted([said(200, COUNT)])
    release = count(service, request_id="march")
    assert (release.value, release.epsilon) == (12, Fraction(1, 10))
    assert service.sent()["request_id"] == "march"
    assert str(service.requests[0].url) == "https://eremite.test/v1/datasets/patients/count?wait=2"


def test_a_question_always_has_an_id():
    service = Scripted([said(200, COUNT), said(200, COUNT)])
    session = service.session()
    for _ in range(2):
        session.count_outliers(NEAR, epsilon=1)
    first, second = (service.sent(place)["request_id"] for place in range(2))
    assert len(first) == len(second) == 32
    assert first != second


def test_a_job_is_followed_until_it_ends():
    steps = [said(202, job("queued")), said(200, job("running")), said(200, job("running"))]
    service = Scripted([*steps, said(200, job("done", answer=COUNT))])
    assert count(service).value == 12
    assert service.states == ["queued", "running"]
    assert [request.method for request in service.requests] == ["POST", "GET", "GET", "GET"]
    assert service.requests[1].url.path == "/v1/jobs/j1"


def test_what_broke_is_sent_again_as_it_was():
    steps = [httpx.ReadError("x"), httpx.ConnectError("x"), said(502, {}), httpx.RemoteProtocolError("x")]
    service = Scripted([*steps, said(200, COUNT)])
    assert count(service).value == 12
    assert len({request.content for request in service.requests}) == 1
    assert service.pauses == [0.25, 0.5, 1, 2]


def test_retry_after_is_kept():
    service = Scripted([said(429, {"error": "Later."}, **{"Retry-After": "7"}), said(200, COUNT)])
    count(service)
    assert service.pauses == [7]


def test_a_service_that_stays_away_is_an_error_with_the_id():
    service = Scripted([httpx.ConnectError("x") for _ in range(30)])
    with pytest.raises(ServiceError, match=r"cannot be reached.*request_id='march'") as caught:
        count(service, request_id="march")
    assert caught.value.request_id == "march"
    assert 30 < service.now <= 60


def test_a_service_that_goes_away_while_it_computes_is_an_error_with_the_id():
    def hanging(_):
        service.now += 65
        raise httpx.ReadTimeout("x")

    away = [httpx.ConnectError("x") for _ in range(30)]
    service = Scripted([said(202, job("running")), hanging, *away])
    with pytest.raises(ServiceError, match=r"cannot be reached.*request_id='march'"):
        count(service, request_id="march")
    assert 95 < service.now <= 125


def test_an_untrusted_certificate_is_not_tried_again():
    service = Scripted([httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")])
    with pytest.raises(ServiceError, match="verify="):
        count(service)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InputError),
        (401, ServiceError),
        (403, ServiceError),
        (404, InputError),  # also of the dataset
        (413, InputError),
        (422, InputError),
        (500, ServiceError),
        (503, LedgerError),
    ],
)
def test_a_status_is_the_exception_of_a_session(status, kind):
    service = Scripted([said(status, {"error": "This does not fit."}) for _ in range(30)])
    with pytest.raises(kind, match="This does not fit") as caught:
        count(service)
    assert type(caught.value) is kind


def test_a_refusal_has_its_numbers():
    numbers = {"needed": {"epsilon": "1/3", "delta": 0}, "remaining": {"epsilon": 0.1, "delta": 1e-6}}
    refused = {"error": "Too much."} | numbers
    for steps in ([said(409, refused)], [said(202, job("queued")), said(200, job("refused", status=409, **refused))]):
        with pytest.raises(BudgetRefused, match="Too much") as caught:
            count(Scripted(steps))
        assert caught.value.needed == Privacy(Fraction(1, 3))
        assert caught.value.remaining == Privacy(Fraction(1, 10), Fraction(1, 10**6))


def test_a_lost_answer_is_said_to_be_charged():
    service = Scripted([said(202, job("running")), said(200, job("lost", status=500, error="Lost."))])
    with pytest.raises(ServiceError, match="march was charged and its answer is lost"):
        count(service)


def test_an_answer_that_never_comes_is_an_error():
    with pytest.raises(ServiceError, match="gives no answer"):
        count(Scripted([said(202, job("running")), said(200, job("done")), said(200, job("done"))]))


def test_a_canceled_question_is_said_to_be_free():
    with pytest.raises(ServiceError, match="canceled before it was charged"):
        count(Scripted([said(202, job("queued")), said(200, job("canceled"))]))


def test_a_forgotten_job_is_asked_for_again_under_its_id():
    steps = [said(202, job("queued")), said(404, {"error": "There is no job."}), said(200, COUNT)]
    service = Scripted(steps)
    assert count(service).value == 12
    assert service.requests[0].content == service.requests[2].content


def test_redirects_are_not_followed():
    service = Scripted([httpx.Response(307, headers={"Location": "https://elsewhere.test/v1"})])
    with pytest.raises(ServiceError, match=r"redirects to https://elsewhere\.test/v1, and a token does not follow"):
        count(service)
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    "response", [httpx.Response(200, text="<html>"), httpx.Response(404, text="no"), said(200, [])]
)
def test_what_is_no_service_is_said_so(response):
    with pytest.raises(ServiceError, match="not that of an eremite service"):
        count(Scripted([response] * 2))


def test_an_unknown_answer_is_an_error():
    with pytest.raises(ServiceError, match="does not know"):
        count(Scripted([said(200, {"value": 3})]))


def interrupted(_):
    raise KeyboardInterrupt


def test_an_interrupt_says_under_which_id_the_answer_is():
    with pytest.raises(KeyboardInterrupt, match=r"answer\('march'\) gives its answer"):
        count(Scripted([said(202, job("running")), interrupted]), request_id="march")


def test_waiting_ends_when_told():
    def slow(_):
        service.now += 5
        return said(200, job("running"))

    service = Scripted([said(202, job("queued")), slow, slow, slow])
    with pytest.raises(ServiceError, match=r"no answer yet.*request_id='march'") as caught:
        service.session(wait_for=12).count_outliers(NEAR, epsilon=1, request_id="march")
    assert caught.value.request_id == "march"


def test_a_service_that_does_not_wait_is_not_asked_in_a_hurry():
    service = Scripted([said(202, job("queued")), said(200, job("queued")), said(200, job("done", answer=COUNT))])
    count(service)
    assert service.pauses == [0.5]


def test_records_are_asked_as_methods_are():
    service = Scripted([said(200, COUNT), said(200, COUNT)])
    session = service.session()
    session.ask(CountQuery(definition=NEAR, columns=["age"], epsilon=0.1), request_id="march")
    session.count_outliers(NEAR, ["age"], epsilon=Fraction(1, 10), request_id="march")
    assert service.sent(0) == service.sent(1)


def test_questions_and_forecasts_are_told_apart():
    session = Scripted([]).session()
    with pytest.raises(InputError, match="forecasts go to forecast"):
        session.ask(ForecastCountQuery(definition=NEAR))
    with pytest.raises(InputError, match="questions go to ask"):
        session.forecast(CountQuery(definition=NEAR, epsilon=1))
    with pytest.raises(InputError, match="screens are opened in a session"):
        session.ask("count")


def test_a_forecast_has_no_id():
    service = Scripted([said(200, {"epsilon": "1/3"})])
    assert service.session().epsilon_for_count(NEAR, within=50) == Fraction(1, 3)
    assert service.sent() == {
        "definition": NEAR.to_json(),
        "within": "50",
        "delta": "0",
        "mechanism": "auto",
        "shape": "cautious",
    }


def test_jobs_are_listed_and_canceled_by_the_id_of_their_request():
    listed = said(200, {"jobs": [job("queued"), job("done", id="j0", dataset="wages")]})
    service = Scripted([listed, listed, said(200, job("canceled"))])
    session = service.session()
    assert [(one.id, one.state) for one in session.jobs()] == [("j1", "queued")]
    assert session.cancel("march").state == "canceled"
    assert (service.requests[-1].method, service.requests[-1].url.path) == ("DELETE", "/v1/jobs/j1")


def test_what_was_charged_is_not_canceled():
    listed, late = said(200, {"jobs": [job("running")]}), said(409, {"error": "It can no longer be canceled."})
    with pytest.raises(InputError, match="no longer be canceled"):
        Scripted([listed, late]).session().cancel("j1")


def test_an_answer_is_fetched_by_the_id_of_its_request():
    done = said(200, job("done", answer=COUNT))
    service = Scripted([said(200, {"jobs": [job("done")]}), done])
    assert service.session().answer("march").value == 12
    service = Scripted([said(200, {"jobs": []}), said(200, {"releases": [COUNT]})])
    assert service.session().answer("march").value == 12
    with pytest.raises(InputError, match="Nothing was asked"):
        Scripted([said(200, {"jobs": []}), said(200, {"releases": []})]).session().answer("march")


def test_the_state_of_a_job_that_is_done_is_not_shown():
    service = Scripted([said(200, {"jobs": [job("done")]}), said(200, job("done", answer=COUNT))])
    service.session().answer("j1")
    assert service.states == []


def test_a_running_event_loop_is_no_obstacle():
    async def cell():
        return count(Scripted([said(200, COUNT)])).value

    assert asyncio.run(cell()) == 12


def test_a_closed_session_says_so():
    with Scripted([]).session() as session:
        pass
    with pytest.raises(InputError, match="closed; connect again"):
        session.count_outliers(NEAR, epsilon=1)


def test_releases_are_read_page_by_page():
    older = COUNT | {"time": "2026-11-17T00:00:00+00:00", "request_id": "february"}
    service = Scripted(
        [said(200, {"releases": [COUNT], "before": 7}), said(200, {"releases": [older], "before": None})]
    )
    assert [release.request_id for release in service.session().releases()] == ["february", "march"]
    assert service.requests[1].url.query == b"before=7"


def test_a_question_that_a_service_does_not_take_is_said_so():
    steps = [said(404, {"error": "There is nothing at this address."}), said(200, {"name": "patients"})]
    with pytest.raises(InputError, match="does not take this question"):
        count(Scripted(steps))


def test_public_facts_and_the_budget():
    facts = {"name": "patients", "n_rows": 40, "rows_per_person": 2, "columns": {"age": {}, "bmi": {}}}
    left = {"remaining": {"epsilon": 0.9, "delta": 0}, "words": "epsilon 0.9 of 1"}
    service = Scripted([said(200, facts), said(200, facts), said(200, left), said(200, left), said(200, facts)])
    session = service.session()
    assert (session.columns, session.n_rows) == (("age", "bmi"), 40)
    assert session.remaining == Privacy(Fraction(9, 10))
    assert "epsilon 0.9 of 1" in str(session)


def test_a_private_number_of_rows_is_refused_as_by_a_session():
    with pytest.raises(InputError, match="ask count_rows"):
        _ = Scripted([said(200, {"rows_about": 40})]).session().n_rows


def test_nothing_shows_the_token():
    session = Scripted([said(401, {"error": "This token is not known."}), *[httpx.ReadError("x")] * 30]).session()
    shown = [repr(session)]
    for _ in range(2):
        with pytest.raises(EremiteError) as caught:
            session.count_outliers(NEAR, epsilon=1)
        shown += [str(caught.value), repr(caught.value), repr(caught.value.__context__)]
    assert "RemoteSession" in shown[0]
    assert not any(TOKEN in text for text in shown)
    with pytest.raises(TypeError, match="token"):
        pickle.dumps(session)
