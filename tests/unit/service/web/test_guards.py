"""Who gets in, what counts as a form, and what a custodian may do with tokens."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from eremite.errors import InputError
from eremite.service.bodies import MOST_SHORT_BYTES
from eremite.service.limits import MAX_RADII
from eremite.service.tokens import change_grants, read_grants
from eremite.service.web import analyst, custodian, guards, sign_in
from eremite.service.web.forms import MOST_FORM_BYTES, MOST_SIGN_IN_BYTES, Form, form_of
from tests.unit.service.in_process import Service
from tests.unit.service.web.visiting import COUNT, FORMS, ODD, Visit, grant, service, visited

#: Every address of a page that needs a session: method, path, who may see it.
ANALYST = [
    ("GET", "/"),
    ("GET", "/jobs"),
    ("GET", "/datasets/patients"),
    ("GET", "/datasets/patients/ask/count"),
    ("GET", "/datasets/patients/answers"),
    ("GET", "/datasets/patients/answers.json"),
    ("GET", "/datasets/patients/answers.csv"),
    ("GET", "/datasets/patients/answer?id=x"),
    ("GET", "/datasets/patients/answer.json?id=x"),
    ("GET", "/datasets/patients/answer.csv?id=x"),
    ("GET", "/jobs/x"),
    ("GET", "/jobs/x/state"),
    ("POST", "/jobs/x/cancel"),
    ("POST", "/datasets/patients/ask/count"),
    ("POST", "/datasets/patients/forecast/count"),
    ("POST", "/datasets/patients/epsilon/count"),
    ("POST", "/sign-out"),
]
CUSTODIAN = [
    ("GET", "/tokens"),
    ("GET", "/datasets/patients/accounts"),
    ("GET", "/datasets/patients/under-way"),
    ("GET", "/datasets/patients/audit"),
    ("GET", "/datasets/patients/audit/verification"),
    ("POST", "/datasets/patients/cap"),
    ("POST", "/tokens"),
    ("POST", "/tokens/revoke"),
]


@pytest.fixture
def served(tmp_path: Path) -> Service:
    return service(tmp_path)


def test_list_of_routes_above_is_complete() -> None:
    routes = [route for module in (analyst, custodian, sign_in) for route in module.router.routes]
    filled = {
        (method, route.path.format(name="patients", path="count", job_id="x"))  # type: ignore[attr-defined]
        for route in routes
        for method in route.methods  # type: ignore[attr-defined]
    }
    known = {(method, path.split("?")[0]) for method, path in ANALYST + CUSTODIAN}
    assert filled - {("GET", "/sign-in"), ("POST", "/sign-in")} == known


def test_without_a_session_every_page_leads_to_the_sign_in_page(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        bearer = {"Authorization": "Bearer boss"}  # pages take no tokens
        for method, path in ANALYST + CUSTODIAN:
            for headers in ({}, bearer, {"Cookie": "eremite-session=made-up"}):
                response = await visit.client.request(method, path, headers=headers)
                assert response.status_code == 303, path
                assert response.headers["location"].startswith("/sign-in"), path

    visited(served, visit)
    assert "Charged" not in served.events()


def test_analyst_does_not_see_pages_of_custodians(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in("alice")
        for method, path in CUSTODIAN:
            response = await (visit.get(path) if method == "GET" else visit.post(path, {"name": "bob"}))
            assert response.status_code == 403, path

    visited(served, visit)
    assert len(read_grants(served.state.token_file)) == 3


def test_dataset_of_others_is_like_one_that_does_not_exist(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in("bob")
        for method, path in ANALYST + CUSTODIAN:
            if "/datasets/" in path:
                pages = []
                for name in ("patients", "nothing"):
                    where = path.replace("patients", name)
                    pages.append(await (visit.get(where) if method == "GET" else visit.post(where, COUNT)))
                assert [page.status_code for page in pages] == [404, 404], path
                assert pages[0].text == pages[1].text

    visited(served, visit)
    assert "Charged" not in served.events()


def test_job_of_another_account_is_not_found(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in("alice")
        job = (await visit.post("/datasets/patients/ask/count", COUNT)).headers["location"]
        await visit.sign_in("boss")
        for path in (job, f"{job}/state"):
            assert (await visit.get(path)).status_code == 404
        assert (await visit.post(f"{job}/cancel")).status_code == 404
        form = await visit.get(f"/datasets/patients/ask/count?job={job.rpartition('/')[2]}")
        assert form.status_code == 404

    visited(served, visit)


@pytest.mark.parametrize("csrf", [None, "", "wrong", "other session"])
def test_cookie_without_the_secret_of_its_session_counts_for_nothing(served: Service, csrf: str | None) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in("boss")
        others = visit.csrf
        await visit.sign_in("boss")
        sent = {} if csrf is None else {"csrf": others if csrf == "other session" else csrf}
        fields = COUNT | {"account": "x", "reason": "x", "name": "alice", "datasets": "patients"}
        for path in [path for method, path in ANALYST + CUSTODIAN if method == "POST"]:
            assert (await visit.client.post(path, data=fields | sent)).status_code == 403, path
        assert (await visit.get("/")).status_code == 200  # still signed in

    before = len(served.events())
    visited(served, visit)
    assert len(served.events()) == before
    assert len(read_grants(served.state.token_file)) == 3


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "http://localhost.elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_form_from_another_site_counts_for_nothing(served: Service, headers: dict[str, str]) -> None:
    async def visit(visit: Visit) -> None:
        await visit.get("/sign-in")
        refused = await visit.post("/sign-in", {"token": "alice"}, **headers)
        assert (refused.status_code, "eremite-session" in refused.headers.get("set-cookie", "")) == (403, False)
        await visit.sign_in()
        assert (await visit.post("/datasets/patients/ask/count", COUNT, **headers)).status_code == 403

    visited(served, visit)
    assert "Charged" not in served.events()


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "eremite.example.org"])
def test_form_of_our_own_counts(served: Service, host: str) -> None:
    async def visit(visit: Visit) -> None:
        await visit.get("/sign-in")
        headers = {"Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        cookies = dict(visit.client.cookies) or {"eremite-sign-in": "x"}
        assert cookies
        signed = await visit.post("/sign-in", {"token": "alice"}, **headers)
        # A cookie for https alone is not sent by plain http from another machine, and the form says so.
        assert signed.status_code == (303 if host.startswith("localhost") else 403)

    visited(served, visit, host=host)


def test_sign_in_form_of_another_browser_counts_for_nothing(served: Service) -> None:
    async def theirs(visit: Visit) -> str:
        await visit.get("/sign-in")
        return visit.csrf

    stolen = visited(served, theirs)

    async def mine(visit: Visit) -> list[int]:
        without_cookie = await visit.client.post("/sign-in", data={"token": "alice", "csrf": stolen})
        await visit.get("/sign-in")
        wrong = await visit.client.post("/sign-in", data={"token": "alice", "csrf": stolen})
        return [without_cookie.status_code, wrong.status_code]

    assert visited(served, mine) == [403, 403]


@pytest.mark.parametrize("token", ["", "nobody", "x" * 5_000, "alice\x00"])
def test_unknown_token_does_not_sign_in(served: Service, token: str) -> None:
    async def visit(visit: Visit) -> None:
        response = await visit.sign_in(token)
        assert response.status_code == 401
        assert "unknown, revoked or expired" in response.text
        assert "eremite-session" not in visit.client.cookies

    visited(served, visit)


def test_cookie_is_kept_from_scripts_and_other_sites(served: Service) -> None:
    async def visit(visit: Visit) -> tuple[str, str]:
        response = await visit.sign_in()
        return response.headers["set-cookie"], visit.client.cookies["eremite-session"]

    header, value = visited(served, visit)
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in header
    assert len(value) == 43
    assert "alice" not in header

    async def elsewhere(visit: Visit) -> str:
        return (await visit.get("/sign-in")).headers["set-cookie"]

    assert "Secure" in visited(served, elsewhere, host="eremite.example.org")


def test_signing_in_again_ends_the_session_before(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in()
        before = visit.client.cookies["eremite-session"]
        await visit.get("/sign-in")
        await visit.post("/sign-out")
        await visit.sign_in()
        assert visit.client.cookies["eremite-session"] != before
        old = {"Cookie": f"eremite-session={before}"}
        visit.client.cookies.clear()
        assert (await visit.get("/", **old)).status_code == 303

    visited(served, visit)


def test_revoked_token_signs_its_sessions_out(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in()
        assert (await visit.get("/")).status_code == 200
        change_grants(served.state.token_file, lambda kept: tuple(one for one in kept if one.name != "alice"))
        assert (await visit.get("/")).status_code == 303
        assert (await visit.post("/datasets/patients/ask/count", COUNT)).status_code == 303
        change_grants(served.state.token_file, lambda kept: (*kept, grant("alice", "research")))
        assert (await visit.get("/")).status_code == 303  # the session itself has ended

    visited(served, visit)
    assert "Charged" not in served.events()


NEW_TOKEN = {"name": "carol", "account": "press", "datasets": "patients"}
CAP = {"epsilon": "1", "reason": "attack"}
ENDED = {
    "revoked": (),
    "no longer a custodian": (grant("boss", "house"),),
    "of another account": (grant("boss", "press", custodian=True),),
    "without the dataset": (grant("boss", "house", datasets=(ODD,), custodian=True),),
}


async def sent_slowly(visit: Visit, served: Service, path: str, fields: dict[str, Any], after: Any) -> httpx.Response:
    """The response to a form that ends after the tokens have changed."""

    async def slow() -> AsyncIterator[bytes]:
        content = urlencode({"csrf": visit.csrf} | fields, doseq=True).encode()
        yield content[:1]
        change_grants(served.state.token_file, lambda _: after)
        yield content[1:]

    return await visit.client.post(path, content=slow())


@pytest.mark.parametrize("after", ENDED.values(), ids=ENDED)
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/tokens", NEW_TOKEN),
        ("/tokens/revoke", {"name": "alice"}),
        ("/datasets/patients/cap", CAP),
        ("/datasets/patients/ask/count", COUNT),
        ("/datasets/patients/forecast/count", COUNT),
    ],
)
def test_form_does_nothing_if_the_token_ended_before_the_form_did(
    served: Service, path: str, fields: dict[str, Any], after: Any
) -> None:
    before = served.events()

    async def visit(visit: Visit) -> httpx.Response:
        await visit.sign_in("boss")
        return await sent_slowly(visit, served, path, fields, after)

    response = visited(served, visit)
    assert response.status_code == 401
    assert "carol" not in response.text
    assert read_grants(served.state.token_file) == after
    assert served.events() == before
    assert served.state.desk.under_way("patients") == []


def test_form_does_nothing_if_its_session_ended_before_the_form_did(served: Service) -> None:
    before = read_grants(served.state.token_file)

    async def visit(visit: Visit) -> int:
        await visit.sign_in("boss")
        cookie, csrf = visit.client.cookies["eremite-session"], visit.csrf

        async def slow() -> AsyncIterator[bytes]:
            yield b"name=carol&"
            assert (await visit.post("/sign-out")).status_code == 303
            yield urlencode(NEW_TOKEN | {"csrf": csrf}).encode()

        headers = {"cookie": f"eremite-session={cookie}"}
        return (await visit.client.post("/tokens", content=slow(), headers=headers)).status_code

    assert visited(served, visit) == 303
    assert read_grants(served.state.token_file) == before


def test_question_of_a_form_that_waited_for_a_place_tells_nothing_once_its_token_is_revoked(served: Service) -> None:
    async def visit(visit: Visit) -> httpx.Response:
        await visit.sign_in()
        desk = served.state.desk

        async def submit_late(*asked: Any) -> Any:
            change_grants(served.state.token_file, lambda _: ())
            return await submit(*asked)

        submit, desk.submit = desk.submit, submit_late  # type: ignore[method-assign]
        return await visit.post("/datasets/patients/ask/count", COUNT)

    response = visited(served, visit)
    assert response.status_code == 401
    assert "epsilon" not in response.text


@pytest.mark.parametrize(
    ("path", "longest"), [("/sign-in", MOST_SIGN_IN_BYTES), ("/datasets/patients/forecast/count", MOST_FORM_BYTES)]
)
def test_form_that_is_too_long_is_refused_before_all_of_it_has_arrived(
    served: Service, path: str, longest: int
) -> None:
    sent = []

    async def long() -> AsyncIterator[bytes]:
        for _ in range(10):
            sent.append(longest // 2)
            yield b"x" * (longest // 2)

    async def visit(visit: Visit) -> int:
        await visit.sign_in()
        return (await visit.client.post(path, content=long())).status_code

    assert visited(served, visit) == 413
    assert len(sent) == 3


@pytest.mark.parametrize(("length", "thread"), [(100, "short"), (MOST_SHORT_BYTES, "long")])
def test_form_is_parsed_in_the_thread_for_its_length(
    served: Service, monkeypatch: pytest.MonkeyPatch, length: int, thread: str
) -> None:
    threads = []

    def noted(content: bytes) -> Form:
        threads.append(current_thread().name)
        return form_of(content)

    monkeypatch.setattr(guards, "form_of", noted)

    async def visit(visit: Visit) -> int:
        await visit.sign_in()
        return (await visit.post("/jobs/x/cancel", {"more": "x" * length})).status_code

    assert visited(served, visit) == 404
    assert [name.rsplit("_", 1)[0] for name in threads] == [f"eremite-{thread}-bodies"]


@pytest.mark.parametrize(("number", "status"), [(MAX_RADII, 303), (MAX_RADII + 1, 422)])
def test_list_of_radii_has_a_longest_length(served: Service, number: int, status: int) -> None:
    radii = " ".join(f"{place}/{MAX_RADII + 1}" for place in range(1, number + 1))

    async def visit(visit: Visit) -> httpx.Response:
        await visit.sign_in()
        return await visit.post("/datasets/patients/forecast/radius", FORMS["radius"] | {"radii": radii})

    response = visited(served, visit)
    assert response.status_code == status
    assert ("A question takes at most 1,000 radii; list fewer." in response.text) == (status == 422)


@pytest.mark.parametrize("what", ["ask", "forecast"])
def test_question_is_made_out_of_its_form_in_a_thread(
    served: Service, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A form of many points takes long."""
    threads = []

    def noted(*_: Any) -> bytes:
        threads.append(current_thread())
        raise InputError("Not this one.")

    monkeypatch.setattr(analyst, {"ask": "body_of", "forecast": "forecast_body"}[what], noted)

    async def visit(visit: Visit) -> int:
        await visit.sign_in()
        return (await visit.post(f"/datasets/patients/{what}/count", COUNT)).status_code

    assert visited(served, visit) == 422
    assert main_thread() not in threads
    assert len(threads) == 1


def test_api_takes_no_cookie(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in("boss")
        for path in ("/v1/datasets", "/v1/jobs", "/v1/datasets/patients/history"):
            assert (await visit.get(path)).status_code == 401

    visited(served, visit)


@pytest.mark.parametrize(
    ("then", "where"),
    [
        ("/datasets/patients", "/datasets/patients"),
        ("//elsewhere.example", "/"),
        ("/\\elsewhere.example", "/"),
        ("https://elsewhere.example", "/"),
        ("/x\r\nSet-Cookie: a=b", "/"),
        ("/ü", "/"),
    ],
)
def test_signing_in_leads_to_pages_of_ours_only(served: Service, then: str, where: str) -> None:
    async def visit(visit: Visit) -> str:
        await visit.get("/sign-in")
        return (await visit.post("/sign-in", {"token": "alice", "then": then})).headers["location"]

    assert visited(served, visit) == where


def test_custodian_makes_a_token_that_works_and_revokes_it(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in("boss")
        new = {"name": "<script>carol", "account": "press", "datasets": "patients", "custodian": "true"}
        made = await visit.post("/tokens", new)
        assert "<script>carol" not in made.text
        token = made.text.split('<code class="hash">')[1].split("<")[0]
        assert token not in (await visit.get("/tokens")).text
        [carol] = [one for one in read_grants(served.state.token_file) if one.name == "<script>carol"]
        assert (carol.account, carol.datasets, carol.custodian) == ("press", ("patients",), False)
        await visit.post("/sign-out")
        assert (await visit.sign_in(token)).status_code == 303
        await visit.post("/sign-out")
        await visit.sign_in("boss")
        assert (await visit.post("/tokens/revoke", {"name": "<script>carol"})).status_code == 303
        await visit.post("/sign-out")
        assert (await visit.sign_in(token)).status_code == 401

    visited(served, visit)


@pytest.mark.parametrize(
    "fields",
    [
        {"datasets": ODD},
        {"datasets": ["patients", ODD]},
        {"datasets": []},
        {"expires": str(date.today() - timedelta(days=2))},
        {"expires": "soon"},
        {"name": "alice"},
        {"name": ""},
    ],
)
def test_token_that_a_custodian_may_not_make_is_not_made(served: Service, fields: dict[str, object]) -> None:
    async def visit(visit: Visit) -> int:
        await visit.sign_in("boss")
        new = {"name": "carol", "account": "press", "datasets": "patients"} | fields
        return (await visit.post("/tokens", new)).status_code

    assert visited(served, visit) == 422
    assert len(read_grants(served.state.token_file)) == 3


@pytest.mark.parametrize("name", ["boss", "bob", "nobody", "both"])
def test_token_of_a_custodian_or_of_other_datasets_is_not_revoked(served: Service, name: str) -> None:
    change_grants(served.state.token_file, lambda kept: (*kept, grant("both", "press", datasets=("patients", ODD))))

    async def visit(visit: Visit) -> tuple[int, str]:
        await visit.sign_in("boss")
        listed = (await visit.get("/tokens")).text
        return (await visit.post("/tokens/revoke", {"name": name})).status_code, listed

    status, listed = visited(served, visit)
    assert status == 403
    assert len(read_grants(served.state.token_file)) == 4
    assert "bob" not in listed
