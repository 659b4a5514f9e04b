"""Two tables that differ in one row: every page is the same to the byte, but where it shows a released value."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.unit.service.web.visiting import COLUMN, COUNT, FORMS, Visit, rows, service, visited

#: What is random or tells the time: secrets of forms, ids, minutes.
RANDOM = re.compile(
    r'name="csrf" value="[^"]*"|"X-Eremite-CSRF": "[^"]*"|name="nonce" value="[^"]*"|[0-9a-f]{32}|'
    r"\d{4}-\d\d-\d\d \d\d:\d\d"
)
PAGES = [
    "/",
    "/jobs",
    "/datasets/patients",
    *(f"/datasets/patients/ask/{kind}" for kind in FORMS),
    "/datasets/patients/accounts",
    "/datasets/patients/under-way",
    "/datasets/patients/answer?id=nothing",
]


def seen(folder: Path, replaced: bool) -> list[tuple[int, str, str]]:
    """Status, headers and text of all pages, after some questions, forecasts and refusals."""
    folder.mkdir(mode=0o700)
    table = rows()
    if replaced:
        table = table | {"bmi": np.append(table["bmi"][:-1], 1.0), COLUMN: np.append(table[COLUMN][:-1], 1.0)}
    served = service(folder, table=table)

    async def visit(visit: Visit) -> list[tuple[int, str, str]]:
        await visit.sign_in("boss")
        responses = []
        for kind in ("count", "subspaces"):
            await visit.ask(f"/datasets/patients/ask/{kind}", FORMS[kind])
            responses.append(await visit.ask(f"/datasets/patients/forecast/{kind}", FORMS[kind]))
        responses.append(await visit.post("/datasets/patients/ask/count", COUNT | {"epsilon": "9"}))
        responses += [await visit.get(page) for page in PAGES]
        return [(one.status_code, str(sorted(one.headers)), RANDOM.sub("#", one.text)) for one in responses]

    return visited(served, visit)


@pytest.mark.long
def test_pages_do_not_depend_on_a_row(tmp_path: Path) -> None:
    one, other = (seen(tmp_path / str(replaced), replaced) for replaced in (False, True))
    assert [status for status, _, _ in one][:4] == [200, 200, 409, 200]
    assert one == other
