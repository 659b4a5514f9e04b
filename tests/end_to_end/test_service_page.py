"""The examples of docs/how-to/service.md work: questions, proxy, systemd unit, tokens and ledger."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from eremite.ledger import Released, open_ledger
from tests.end_to_end.served import COUNT, PATIENCE, Served, command, serving, wait_for, written

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "service.md").read_text()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("service")
    tokens = written(folder)
    carol = command(folder, "token", "add", "carol", "--account", "research", "--dataset", "patients", "--json")
    with serving(folder, tokens | {"carol": json.loads(carol)["token"]}) as served:
        yield served


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed, so the page's questions are not asked")
def test_questions_of_the_page_are_answered(service: Served) -> None:
    [questions] = [block for block in blocks("sh") if "curl" in block]
    variables = {"EREMITE": service.address, "TOKEN": service.tokens["alice"], "NO_PROXY": "*"}
    done = subprocess.run(
        ["sh", "-e"], input=questions.replace("curl -s", "curl -sSf -w '\\n'"), env=os.environ | variables,
        capture_output=True, text=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    datasets, forecast, count, budget = map(json.loads, done.stdout.splitlines())
    assert datasets["datasets"][0]["name"] == budget["dataset"] == "patients"
    assert [error["epsilon"] for error in forecast["errors"]] == [0.1, 0.5]
    assert count["request_id"] == "march"


@pytest.fixture
def proxied(service: Served, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of the service behind nginx, set up as on the page, with a new certificate."""
    certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*certificate, *names], cwd=tmp_path, check=True, capture_output=True)
    with kept_port() as port:
        nginx = subprocess.Popen(
            ["nginx", "-p", f"{tmp_path}/", "-c", write_nginx(tmp_path, service, port), "-e", "error.log"], cwd=tmp_path
        )
        try:
            wait_for(lambda: (tmp_path / "nginx.pid").exists())
            trusted = ssl.create_default_context(cafile=tmp_path / "cert.pem")
            with httpx.Client(
                base_url=f"https://localhost:{port}",
                verify=trusted,
                headers=service.sent("alice"),
                timeout=PATIENCE,
                trust_env=False,
            ) as client:
                yield client
        finally:
            nginx.terminate()
            nginx.wait(PATIENCE)


@contextmanager
def kept_port() -> Iterator[int]:
    """A port that is reserved for the test; nginx shares it with `reuseport`."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        keeper.bind(("127.0.0.1", 0))
        yield keeper.getsockname()[1]


def write_nginx(folder: Path, service: Served, port: int) -> str:
    [said] = blocks("nginx")
    for old, new in {
        "listen 443": f"listen 127.0.0.1:{port} reuseport",
        "eremite.example.org": "localhost",
        "/etc/ssl/eremite.pem": "cert.pem",
        "/etc/ssl/eremite.key": "key.pem",
        "http://127.0.0.1:8000": service.address,
    }.items():
        assert said.count(old) == 1
        said = said.replace(old, new)
    temporary = "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"daemon off;\npid nginx.pid;\nevents {{}}\nhttp {{\n{temporary}{said}}}\n")
    return "nginx.conf"


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed, so the page's proxy is not tried")
def test_proxy_of_the_page_passes_questions_on_and_holds_long_bodies_back(
    proxied: httpx.Client, tmp_path: Path
) -> None:
    assert proxied.get("/eremite/healthz").json()["status"] == "ok"
    answer = proxied.post("/eremite/v1/datasets/patients/count", json=COUNT | {"request_id": "by proxy"})
    assert (answer.status_code, answer.json()["request_id"]) == (200, "by proxy")
    assert proxied.get("/eremite/v1/datasets/wages").status_code == 404
    assert proxied.post("/eremite/v1/datasets/patients/count", content=b" " * (5 * 2**20)).status_code == 413
    assert statuses_of_a_crowd(proxied.base_url.port or 0, tmp_path / "cert.pem") == {b"200", b"429"}


def statuses_of_a_crowd(port: int, certificate: Path) -> set[bytes]:
    """The statuses of a hundred requests sent at once, on connections that were opened before."""
    trusted = ssl.create_default_context(cafile=certificate)
    with ExitStack() as crowd:
        plain = [crowd.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(100)]
        wires = [crowd.enter_context(trusted.wrap_socket(wire, server_hostname="localhost")) for wire in plain]
        for wire in wires:
            wire.sendall(b"GET /eremite/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return {wire.recv(12)[9:] for wire in wires}


def unit() -> ConfigParser:
    """The page's unit, by section and key."""
    [said] = blocks("ini")
    parsed = ConfigParser(interpolation=None, comment_prefixes="#")
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read_string(said)
    return parsed


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed, so the unit is not read")
@pytest.mark.parametrize(("old", "new", "complaint"), [("", "", ""), ("UMask", "UMaske", "Unknown key 'UMaske'")])
def test_unit_of_the_page_is_one_that_systemd_knows(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    [said] = blocks("ini")
    file = tmp_path / "eremite.service"
    file.write_text(said.replace("/opt/eremite/bin/eremite", shutil.which("true") or "").replace(old, new))
    done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0
    assert complaint in done.stderr
    assert bool(done.stderr) == bool(complaint)


def test_command_of_the_unit_serves_and_stops_as_systemd_wants_it(tmp_path: Path) -> None:
    written(tmp_path)
    service = unit()["Service"]
    program, *arguments = shlex.split(service["ExecStart"])
    assert program == "/opt/eremite/bin/eremite"
    assert service["Environment"] == f"NUMBA_CACHE_DIR=/var/cache/{service['CacheDirectory']}"
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    tmp_path.chmod(int(service["StateDirectoryMode"], 8))
    process = subprocess.Popen(
        [sys.executable, "-c", f"from eremite.cli import main; main({[*arguments, '--port', '0']!r})"],
        cwd=tmp_path,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        umask=int(service["UMask"], 8),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    address = re.search(r"http://\S+[0-9]", process.stdout.readline())
    assert address is not None
    assert httpx.get(f"{address[0]}/healthz", timeout=PATIENCE, trust_env=False).json()["status"] == "ok"
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, -signal.SIGTERM)  # what systemd takes for a stop, not a failure
    assert {file.stat().st_mode & 0o077 for file in tmp_path.glob("patients.db*")} == {0}


def test_copy_of_the_ledger_by_the_page_is_whole(service: Served) -> None:
    asked = service.ask("/patients/count", COUNT | {"request_id": "before the copy"})
    [copied] = [block for block in blocks("sh") if "ledger backup" in block]
    said = told(service, copied)
    assert "every sum right" in said
    copy = service.folder / "copy.db"
    assert copy.stat().st_mode & 0o077 == 0
    events = [entry.event for entry in open_ledger(copy).history("patients", "research")]
    assert asked.text in [event.release for event in events if isinstance(event, Released)]


def test_token_that_the_page_renews_has_the_account_and_the_old_one_nothing(service: Served) -> None:
    service.ask("/patients/count", COUNT | {"request_id": "before the change"}, "carol")
    [renewed] = [block for block in blocks("sh") if "alice-2028" in block]
    for old, new in {"2028-12-31": "2999-12-31", "alice": "carol"}.items():
        renewed = renewed.replace(old, new)
    after = replace(service, tokens=service.tokens | {"new": told(service, renewed).split()[0]})
    assert after.get("/patients", "carol").status_code == 401
    assert "before the change" in after.get("/patients/releases", "new").text


def told(service: Served, commands: str) -> str:
    """What a block of the page prints, run in the service's folder with the eremite that is tested."""
    eremite = f"eremite() {{ {shlex.quote(sys.executable)} -c 'from eremite.cli import main; main()' \"$@\"; }}\n"
    done = subprocess.run(
        ["sh", "-e"], input=eremite + commands, cwd=service.folder, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
