"""The client runs where nothing that counts is installed: an analyst's laptop needs httpx, and no more."""

import subprocess
import sys

HEAVY = "numba llvmlite pyarrow flint numpy pydantic pandas typer rich matplotlib fastapi"
BLOCKED = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY.split()!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
ASKING = """
import httpx
import eremite
from eremite.client.asking import Asking
from eremite.client.wire import Wire
from eremite.release import ByGroup

FORECAST = {
    "definition": {"min_neighbors": 3, "radius": 0.05, "within": []}, "columns": ["age"], "stand_in": "made up",
    "outliers": None, "errors": [{"epsilon": 0.1, "delta": 0, "mechanism": "m", "median": 3, "most": 9.5}],
}
COUNT = {
    "value": 12, "query": "count_outliers", "columns": ["age"], "epsilon": 0.1, "delta": 0, "mechanism": "m",
    "definition": {"min_neighbors": 3, "radius": 0.05}, "neighbors": "replace", "rows_per_person": 1, "parameters": {},
    "request_id": "march", "time": "2026-11-18T00:00:00+00:00", "version": "0.1.0",
}

def service(request):
    return httpx.Response(200, json=FORECAST if "forecast" in request.url.path else COUNT)

assert callable(eremite.connect)
http = httpx.Client(transport=httpx.MockTransport(service), base_url="https://eremite.test")
wire = Wire(http, "https://eremite.test", retry_for=0)
session = eremite.RemoteSession(Asking(wire, "patients", wait_for=None, progress=None))
near = eremite.OutlierDefinition(min_neighbors=3, radius=0.05)
print(session.count_outliers(near, epsilon="0.1").value)
print("<svg" in session.count_outliers(near, epsilon="0.1")._repr_html_())
print(session.detect_outliers(near, candidates=[{"age": 3}], h=1, epsilon="0.1").epsilon)
forecast = session.forecast_count(near, epsilon=["0.1"])
print(forecast.errors[0].most, "<svg" in forecast._repr_html_(), "made up" in str(forecast))
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_asking_needs_nothing_that_counts():
    assert run(BLOCKED + ASKING).split() == ["12", "True", "1/10", "9.5", "True", "True"]


def test_a_missing_httpx_is_named():
    code = BLOCKED.replace("'numba'", "'numba', 'httpx'") + (
        "import eremite\ntry:\n    eremite.connect('https://a.test', token='x')\n"
        "except eremite.InputError as error:\n    print(error)\n"
    )
    assert run(code) == "connect needs httpx; pip install 'eremite[client]', or pip install httpx.\n"


def test_what_needs_more_says_what_is_missing():
    code = "import eremite\ntry:\n    eremite.Session\nexcept ImportError as error:\n    print(error)\n"
    assert "eremite.Session needs numpy, which is not installed" in run(BLOCKED + code)
