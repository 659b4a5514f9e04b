"""Pages without scripts: every question, its forecast and its answer; names are escaped; nothing inline."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from eremite.privacy import Privacy
from eremite.service.web.assets import assets
from eremite.service.web.kinds import KINDS
from tests.unit.service.in_process import Service
from tests.unit.service.web.visiting import COLUMN, COUNT, FORMS, ODD, WARD, Visit, service, visited


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return service(tmp_path_factory.mktemp("web"), epsilon=50)


def require_clean(page: str) -> None:
    """No markup out of names, no inline style or script, nothing from elsewhere."""
    assert COLUMN not in page
    assert WARD not in page
    assert "<img src=x" not in page
    assert not re.search(r"<[^>]* (style|on\w+)=", page)
    assert not re.search(r"<script(?! src=\"/)", page)
    assert not re.search(r"(src|href|action|hx-\w+)=\"(https?:)?//", page)


PATHS = [
    "/",
    "/jobs",
    "/tokens",
    "/datasets/patients",
    "/datasets/patients/answers",
    "/datasets/patients/accounts",
    "/datasets/patients/audit",
    "/datasets/patients/audit/verification",
    *(f"/datasets/patients/ask/{kind}" for kind in KINDS),
]


def test_every_page_is_clean_html_with_a_strict_policy(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.sign_in("boss")
        for path in PATHS:
            page = await visit.get(path)
            assert page.status_code == 200, (path, page.text)
            assert page.headers["content-security-policy"].startswith(
                "default-src 'none'; script-src 'self'; style-src"
            )
            assert page.headers["cache-control"] == "no-store"
            require_clean(page.text)

    visited(served, visit)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_question_is_asked_and_answered_without_scripts(tmp_path: Path, kind: str) -> None:
    served = service(tmp_path, neighbors="add-remove")

    async def visit(visit: Visit) -> tuple[str, str, str]:
        await visit.sign_in()
        answer = await visit.ask(f"/datasets/patients/ask/{kind}", FORMS[kind])
        answers = await visit.get("/datasets/patients/answers")
        forecast = await visit.ask(f"/datasets/patients/forecast/{kind}", FORMS[kind])
        return answer.text, answers.text, forecast.text

    answer, answers, forecast = visited(served, visit)
    assert 'class="release"' in answer
    assert "How to read this." in answer
    assert "<svg" in answer
    assert "/datasets/patients/answer?id=page-1-" in answers
    assert "Nothing was spent" in forecast
    assert served.events().count("Charged") == 1
    for page in (answer, answers, forecast):
        require_clean(page)


def test_the_same_form_sent_twice_is_charged_once(tmp_path: Path) -> None:
    served = service(tmp_path)

    async def visit(visit: Visit) -> None:
        await visit.sign_in()
        for _ in range(2):
            assert 'class="release"' in (await visit.ask("/datasets/patients/ask/count", COUNT)).text
        await visit.ask("/datasets/patients/ask/count", COUNT | {"k": "4"})

    visited(served, visit)
    assert served.events().count("Charged") == 2


def test_refusal_shows_the_form_again_with_its_fields(tmp_path: Path) -> None:
    served = service(tmp_path)

    async def visit(visit: Visit) -> tuple[int, str]:
        await visit.sign_in()
        page = await visit.post("/datasets/patients/ask/count", COUNT | {"epsilon": "2.5", "k": "7"})
        return page.status_code, page.text

    status, page = visited(served, visit)
    assert status == 409
    assert "this release needs 2.5" in page
    assert 'value="7"' in page
    assert "Charged" not in served.events()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"k": "x"}, "k must be a whole number"),
        ({"r": ""}, "The radius must be a number"),
        ({"columns": []}, "Choose at least one column"),
        ({"epsilon": "0,1"}, "written with a decimal point, as 0.1"),
        ({"columns": ["<script>"]}, "&lt;script&gt;"),
    ],
)
def test_mistake_is_told_in_the_form(served: Service, fields: dict[str, object], said: str) -> None:
    async def visit(visit: Visit) -> tuple[int, str]:
        await visit.sign_in()
        page = await visit.post("/datasets/patients/ask/count", COUNT | fields)
        return page.status_code, page.text

    status, page = visited(served, visit)
    assert status == 422
    assert said in page
    require_clean(page)


def test_epsilon_for_an_accuracy_leads_back_to_the_form(served: Service) -> None:
    async def visit(visit: Visit) -> str:
        await visit.sign_in()
        found = await visit.ask("/datasets/patients/epsilon/count", COUNT | {"within_rows": "30", "k": "4"})
        link = re.search(r'href="(/datasets/patients/ask/count\?[^"]+)"', found.text)
        assert link, found.text
        return (await visit.get(link[1].replace("&amp;", "&"))).text

    form = visited(served, visit)
    assert re.search(r'name="k" type="text" value="4"', form)
    assert not re.search(r'name="epsilon" type="text" value="0.1"', form)


def test_htmx_gets_a_part_of_a_page(served: Service) -> None:
    async def visit(visit: Visit) -> tuple[str, str]:
        await visit.sign_in()
        asked = {"HX-Request": "true", "X-Eremite-CSRF": visit.csrf}
        part = await visit.client.post("/datasets/patients/forecast/count", data=COUNT, headers=asked)
        wrong = await visit.client.post("/datasets/patients/forecast/count", data=COUNT | {"k": "x"}, headers=asked)
        assert (part.status_code, wrong.status_code) == (200, 422)
        return part.text, wrong.text

    part, wrong = visited(served, visit)
    assert "<html" not in part
    assert "hx-get" in part or "95 %" in part
    assert "<html" not in wrong
    assert 'role="alert"' in wrong


def test_answer_is_downloaded_as_json_and_csv(tmp_path: Path) -> None:
    served = service(tmp_path)

    async def visit(visit: Visit) -> dict[str, str]:
        await visit.sign_in()
        await visit.ask("/datasets/patients/ask/count-by", FORMS["count-by"] | {"label": "=cmd"})
        files = ("answer.json?id=%3Dcmd", "answer.csv?id=%3Dcmd", "answers.json", "answers.csv")
        return {name: (await visit.get(f"/datasets/patients/{name}")).text for name in files}

    files = visited(served, visit)
    one, all_of_them = json.loads(files["answer.json?id=%3Dcmd"]), json.loads(files["answers.json"])
    assert one["request_id"] == "=cmd"
    assert all_of_them["releases"] == [one]
    assert files["answer.csv?id=%3Dcmd"].splitlines()[0] == '"ward","outliers","at_least","low","high"'
    assert '"\'=cmd"' in files["answers.csv"]


def test_odd_name_of_a_dataset_works_under_a_root_path(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        await visit.get("/eremite/sign-in")
        response = await visit.post("/eremite/sign-in", {"token": "bob"})
        assert response.headers["location"] == "/eremite/"
        assert "Path=/eremite;" in response.headers["set-cookie"]
        home = await visit.get("/eremite/")
        where = f"/eremite/datasets/{quote(ODD, safe='')}"
        assert f'href="{where}"' in home.text
        asked = await visit.post(f"{where}/ask/count", COUNT)
        assert asked.headers["location"].startswith("/eremite/jobs/")
        assert 'class="release"' in (await visit.follow(asked)).text
        for page in (home, await visit.get(where), await visit.get(f"{where}/answers")):
            assert page.status_code == 200
            assert not re.search(r'(href|src|action|hx-get|hx-post)="/(?!eremite/)', page.text)

    visited(served, visit, root_path="/eremite")


def test_files_are_compressed_and_small() -> None:
    loaded = [one for name, one in assets().items() if name.endswith((".js", ".css"))]
    assert sum(len(one.compressed) for one in loaded) < 36_000


def test_files_are_served_under_their_hash_and_no_others(served: Service) -> None:
    async def visit(visit: Visit) -> None:
        page = await visit.get("/sign-in")
        for where in re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text):
            file = await visit.get(where)
            assert file.status_code == 200
            assert "immutable" in file.headers["cache-control"]
        for name in ("nothing.css", "..%2Frouter.py", "htmx-LICENSE.txt"):
            assert (await visit.get(f"/static/{name}")).status_code == 404

    visited(served, visit)


def test_custodian_raises_a_cap_with_a_reason(tmp_path: Path) -> None:
    served = service(tmp_path)

    async def visit(visit: Visit) -> None:
        await visit.sign_in("boss")
        without = await visit.post("/datasets/patients/cap", {"account": "research", "epsilon": "3", "reason": " "})
        assert (without.status_code, "needs a reason" in without.text) == (422, True)
        done = await visit.post("/datasets/patients/cap", {"account": "research", "epsilon": "3", "reason": "<b>more"})
        page = await visit.get(done.headers["location"])
        assert "The cap of research is set." in page.text
        assert "&lt;b&gt;more" in (await visit.get("/datasets/patients/audit")).text

    visited(served, visit)
    assert dict(served.ledger.budgets("patients"))["research"].cap == Privacy(3)  # type: ignore[arg-type]


def test_audit_trail_is_paged_to_its_beginning(tmp_path: Path) -> None:
    served = service(tmp_path)
    for number in range(1, 60):
        served.ledger.set_cap("patients", "research", Privacy(number), reason="x")  # type: ignore[arg-type]

    async def visit(visit: Visit) -> list[int]:
        await visit.sign_in("boss")
        where, seen = "/datasets/patients/audit", []
        while where:
            page = (await visit.get(where)).text
            seen += [int(number) for number in re.findall(r'data-label="event">(\d+)<', page)]
            link = re.search(r'href="([^"]+)" rel="next"', page)
            where = link[1] if link else ""
        return seen

    seen = visited(served, visit)
    assert seen == sorted(seen, reverse=True)
    assert seen == [entry.seq for entry in served.ledger.history("patients")][::-1]
