"""What a turn computed is on no page before the turn ends, though the ledger has it."""

from dataclasses import replace
from pathlib import Path

from eremite.service.tokens import read_grants
from tests.unit.service.web.visiting import COUNT, Visit, service, visited


def test_answer_whose_turn_has_not_ended_is_on_no_page(tmp_path: Path) -> None:
    served = service(tmp_path)

    async def visit(visit: Visit) -> None:
        await visit.sign_in()
        done = await visit.post("/datasets/patients/ask/count", COUNT | {"label": "early"})
        await visit.follow(done)
        [job] = served.state.desk.jobs_of(read_grants(served.state.token_file)[0])
        served.state.desk._unended[job.id] = replace(job, state="running", answer=None)
        pages = ("answers", "answers.json", "answers.csv", "answer?id=early", "answer.json?id=early")
        for page in pages:
            assert "early" not in (await visit.get(f"/datasets/patients/{page}")).text
        unknown = await visit.get("/datasets/patients/answers?before=never")
        running = await visit.get("/datasets/patients/answers?before=early")
        assert (running.status_code, running.text) == (422, unknown.text.replace("never", "early"))
        assert "Being computed" in (await visit.get(done.headers["location"])).text
        del served.state.desk._unended[job.id]
        assert "early" in (await visit.get("/datasets/patients/answers")).text

    visited(served, visit)
