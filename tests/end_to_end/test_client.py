"""The client as an analyst uses it, against `eremite serve` on a free port of this machine."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

import eremite
from eremite import (
    BudgetRefused,
    CountQuery,
    ForecastCountQuery,
    InputError,
    OutlierDefinition,
    Release,
    RemoteSession,
    ServiceError,
)
from eremite.session import Forecasts, open_forecasts
from tests.end_to_end.served import PATIENCE, Served, serving, wait_for, written

NEAR = OutlierDefinition(min_neighbors=3, radius=0.05)
TENTH = {"epsilon": "0.1"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("client")
    with serving(folder, written(folder)) as served:
        yield served


@pytest.fixture(scope="module")
def session(service: Served) -> Iterator[RemoteSession]:
    with eremite.connect(service.address, token=service.tokens["alice"], progress=False) as connected:
        yield connected


@pytest.fixture(scope="module")
def forecasts(service: Served) -> Forecasts:
    return open_forecasts(service.folder / "patients.toml", rows=40)


QUESTIONS = {
    "count_outliers": lambda s, **more: s.count_outliers(NEAR, ["bmi"], **TENTH, **more),
    "top_subspaces": lambda s, **more: s.top_subspaces(NEAR, h=1, size=1, **TENTH, **more),
    "outlier_report": lambda s, **more: s.outlier_report(NEAR, h=1, max_size=2, **TENTH, **more),
    "detect_outliers": lambda s, **more: s.detect_outliers(
        NEAR, candidates={"pulse": [75.5, 190], "bmi": [25, 58]}, h=1, **TENTH, **more
    ),
    "explain_outlier": lambda s, **more: s.explain_outlier(
        NEAR, point={"bmi": 25, "pulse": 75.5}, h=1, max_size=2, **TENTH, **more
    ),
    "choose_radius": lambda s, **more: s.choose_radius(3, share=0.1, **TENTH, **more),
}
FORECASTS = {
    "forecast_count": lambda s: s.forecast_count(NEAR, ["bmi"], epsilon=["0.1", 1]),
    "epsilon_for_count": lambda s: s.epsilon_for_count(NEAR, ["bmi"], within=20, mechanism="global-laplace"),
    "compare_mechanisms": lambda s: s.compare_mechanisms(NEAR, ["bmi"], epsilon=1),
    "forecast_subspaces": lambda s: s.forecast_subspaces(NEAR, h=1, size=1, epsilon=1),
    "epsilon_for_subspaces": lambda s: s.epsilon_for_subspaces(NEAR, h=1, size=1, probability="0.55"),
    "forecast_report": lambda s: s.forecast_report(NEAR, h=1, size=1, epsilon=1),
    "epsilon_for_report": lambda s: s.epsilon_for_report(NEAR, h=1, size=1, probability="0.55"),
    "forecast_detect": lambda s: s.forecast_detect(NEAR, candidates=[[25, 75.5], [58, 190]], h=1),
    "epsilon_for_detect": lambda s: s.epsilon_for_detect(NEAR, candidates=[[25, 75.5], [58, 190]], h=1),
    "forecast_explain": lambda s: s.forecast_explain(NEAR, point=[25, 75.5], h=1, max_size=2),
    "epsilon_for_explain": lambda s: s.epsilon_for_explain(NEAR, point=[25, 75.5], h=1, max_size=2),
    "forecast_radius": lambda s: s.forecast_radius(3, share="0.1", columns=["bmi"], radii=[0.02, 0.05]),
    "forecast_rows": lambda s: s.forecast_rows(epsilon="1/3"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_charged_once_and_comes_again_for_free(session: RemoteSession, name: str) -> None:
    left = session.remaining.epsilon
    release = QUESTIONS[name](session, request_id=f"client {name}")
    assert isinstance(release, Release)
    assert (release.query, release.epsilon) == (name, Fraction(1, 10))
    assert session.remaining.epsilon == left - Fraction(1, 10)
    assert QUESTIONS[name](session, request_id=f"client {name}") == release
    assert session.remaining.epsilon == left - Fraction(1, 10)
    assert session.releases().count(release) == 1


@pytest.mark.parametrize("name", FORECASTS)
def test_a_forecast_is_the_one_that_is_computed_here(session: RemoteSession, forecasts: Forecasts, name: str) -> None:
    left = session.remaining
    assert FORECASTS[name](session) == FORECASTS[name](forecasts)
    assert session.remaining == left


def test_records_are_asked_too(session: RemoteSession, forecasts: Forecasts) -> None:
    query = ForecastCountQuery(definition=NEAR, epsilon=[1])
    assert session.forecast(query) == forecasts.forecast(query)
    assert session.ask(CountQuery(definition=NEAR, epsilon=Fraction(1, 100))).epsilon == Fraction(1, 100)


def test_jobs_are_told_and_their_answers_fetched(session: RemoteSession) -> None:
    release = session.count_outliers(NEAR, ["pulse"], epsilon="0.01", request_id="told")
    job = next(job for job in session.jobs() if job.request_id == "told")
    assert (job.state, job.question, job.dataset, job.ended) == ("done", "count", "patients", True)
    assert session.answer(job) == session.answer(job.id) == session.answer("told") == release
    with pytest.raises(InputError, match="no longer be canceled"):
        session.cancel("told")


def test_public_facts(session: RemoteSession) -> None:
    assert (session.columns, session.n_rows, session.rows_per_person) == (("bmi", "pulse"), 40, 1)
    assert session.public_facts["name"] == session.dataset == "patients"
    assert "epsilon" in session.remaining_in_words
    assert session.address in session._repr_html_()


def test_a_question_over_budget_is_refused_with_its_numbers(session: RemoteSession) -> None:
    left = session.remaining
    with pytest.raises(BudgetRefused) as caught:
        session.count_outliers(NEAR, epsilon=19)
    assert caught.value.needed is not None
    assert (caught.value.needed.epsilon, caught.value.remaining) == (19, left)


def test_a_question_that_does_not_fit_is_refused_as_by_a_session(session: RemoteSession) -> None:
    with pytest.raises(InputError, match="bmj"):
        session.count_outliers(NEAR, ["bmj"], **TENTH)
    session.count_outliers(NEAR, **TENTH, request_id="twice")
    with pytest.raises(InputError, match="was used for another request"):
        session.count_outliers(NEAR, ["pulse"], **TENTH, request_id="twice")


def test_a_dataset_is_chosen_where_there_are_several(service: Served) -> None:
    with pytest.raises(InputError, match="'patients' and 'wages'; choose one with dataset="):
        eremite.connect(service.address, token=service.tokens["bob"])
    with eremite.connect(service.address, token=service.tokens["bob"], dataset="wages") as wages:
        assert wages.dataset == "wages"
        assert wages.releases() == []


@pytest.mark.parametrize("token", ["gone", "never"])
def test_a_token_that_is_not_valid_is_not_admitted(
    service: Served, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = service.tokens.get(token, "never-made")
    monkeypatch.setenv("EREMITE_TOKEN", text)
    with pytest.raises(ServiceError) as caught:
        eremite.connect(service.address)
    assert caught.value.status == 401
    assert text not in str(caught.value)


def test_a_service_that_is_not_there_is_said_so() -> None:
    with pytest.raises(ServiceError, match="cannot be reached"):
        eremite.connect("http://127.0.0.1:9", token="x", retry_for=0)  # noqa: S106


@pytest.mark.slow
def test_a_question_survives_a_service_that_is_killed_and_is_charged_once(tmp_path: Path) -> None:
    tokens = written(tmp_path)
    with (
        ThreadPoolExecutor(1) as pool,
        serving(tmp_path, tokens, "--tick", "5") as first,
        eremite.connect(first.address, token=tokens["alice"], progress=False) as session,
    ):
        asked = pool.submit(session.count_outliers, NEAR, epsilon="0.1", request_id="once")
        wait_for(lambda: any(job.state == "running" for job in session.jobs()))
        time.sleep(1)  # it is charged, computed and stored; its answer is held back until the tick
        first.process.kill()
        with serving(tmp_path, tokens, "--port", first.address.rpartition(":")[2]):
            release = asked.result(timeout=PATIENCE)
            assert release.request_id == "once"
            assert session.releases() == [release]
            assert session.remaining.epsilon == 2 - Fraction(1, 10)
