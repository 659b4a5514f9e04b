"""What the page about running the service shows is true: questions, proxy, unit, the care of tokens and ledger."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from served import COUNT, Served, serving, wait_for, written

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "service.md").read_text()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("service")
    with serving(folder, written(folder)) as served:
        yield served


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed, so the page's questions are not asked")
def test_questions_of_the_page_are_answered(service: Served) -> None:
    [questions] = [block for block in blocks("sh") if "curl" in block]
    variables = {"EREMITE": service.address, "TOKEN": service.tokens["alice"]}
    done = subprocess.run(
        ["sh", "-e"], input=questions.replace("curl -s", "curl -sSf -w '\\n'"), env=os.environ | variables,
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    datasets, forecast, count, budget = map(json.loads, done.stdout.splitlines())
    assert datasets["datasets"][0]["name"] == budget["dataset"] == "patients"
    assert [error["epsilon"] for error in forecast["errors"]] == [0.1, 0.5]
    assert count["request_id"] == "march"


@pytest.fixture
def proxied(service: Served, tmp_path: Path) -> Iterator[httpx.Client]:
    """The service behind nginx, as the page sets it up; the certificate is one for an hour."""
    certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*certificate, *names], cwd=tmp_path, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    [said] = blocks("nginx")
    for old, new in {
        "listen 443": f"listen 127.0.0.1:{port}",
        "eremite.example.org": "localhost",
        "/etc/ssl/eremite.pem": "cert.pem",
        "/etc/ssl/eremite.key": "key.pem",
        "http://127.0.0.1:8000": service.address,
    }.items():
        assert said.count(old) == 1
        said = said.replace(old, new)
    temporary = "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (tmp_path / "nginx.conf").write_text(f"pid nginx.pid;\nevents {{}}\nhttp {{\n{temporary}{said}}}\n")
    nginx = subprocess.Popen(
        ["nginx", "-p", f"{tmp_path}/", "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"], cwd=tmp_path
    )
    try:
        trusted = ssl.create_default_context(cafile=tmp_path / "cert.pem")
        with httpx.Client(
            base_url=f"https://localhost:{port}", verify=trusted, headers=service.sent("alice")
        ) as client:
            wait_for(lambda: (tmp_path / "nginx.pid").exists())
            yield client
    finally:
        nginx.terminate()
        nginx.wait(30)


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed, so the page's proxy is not tried")
def test_proxy_of_the_page_passes_questions_on_and_holds_long_bodies_back(proxied: httpx.Client) -> None:
    assert proxied.get("/eremite/healthz").json()["status"] == "ok"
    answer = proxied.post("/eremite/v1/datasets/patients/count", json=COUNT | {"request_id": "by proxy"})
    assert (answer.status_code, answer.json()["request_id"]) == (200, "by proxy")
    assert proxied.get("/eremite/v1/datasets/wages").status_code == 404
    assert proxied.post("/eremite/v1/datasets/patients/count", content=b" " * (5 * 2**20)).status_code == 413
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: proxied.get("/eremite/healthz").status_code, range(60)))
    assert set(statuses) == {200, 429}
