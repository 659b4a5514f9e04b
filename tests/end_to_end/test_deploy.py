"""What an institution runs: the image, the services around it, and the service on the demo's table.

No image is built here, but in test_image.py. The files are held against each other and against the program; what the
image does is done in a new environment by a test that is slow.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from eremite.cli.app import app
from eremite.session import opened_ledger
from tests.end_to_end.command_line import COMMAND, MAIN, MINDS_INTERRUPTS, Captured, refused, run
from tests.end_to_end.served import PATIENCE
from tools.commands import commands

ROOT = Path(__file__).parents[2]
#: What the served demo prints.
TOKENS = r"^  an? \w+'s +(\S+)$"
NO_KERNELS = os.environ | {"NUMBA_DISABLE_JIT": "1"}


def steps() -> list[tuple[str, str]]:
    """The instructions of the Containerfile in order, each with what follows it."""
    lines = (ROOT / "Containerfile").read_text().splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line and not line.startswith("#")]


def step(name: str) -> str:
    """The last instruction of this name."""
    return [rest for found, rest in steps() if found == name][-1]


def service(name: str) -> str:
    """What compose.yaml says about a service."""
    text = (ROOT / "compose.yaml").read_text().partition("\nservices:\n")[2].partition("\nnetworks:\n")[0]
    [found] = [part for part in re.split(r"^  (?=\w)", text, flags=re.MULTILINE) if part.startswith(f"{name}:\n")]
    return re.sub(r"(^|\s)#.*", "", found)


def arguments() -> list[str]:
    """What the service is started with by compose.yaml."""
    block = service("service").partition("    command:\n")[2].partition("    user:")[0]
    return [shlex.split(line.strip().removeprefix("- "))[0] for line in block.splitlines()]


def environment() -> dict[str, str]:
    return dict(part.split("=", 1) for name, rest in steps() if name == "ENV" for part in rest.split())


def test_image_and_services_start_the_program_with_options_that_it_has() -> None:
    [known] = [{name for each in one.parameters for name in each.names} for one in commands(app) if one.name == "serve"]
    for started in (json.loads(step("CMD")), arguments()):
        assert started[:2] == ["serve", "patients.toml"]
        assert {one.partition("=")[0] for one in started if one.startswith("--")} <= known


def test_service_proxy_and_check_agree_on_the_port() -> None:
    port = step("EXPOSE")
    assert f"--port={port}" in arguments()
    assert f"http://127.0.0.1:{port}/healthz" in step("HEALTHCHECK")
    assert f"EREMITE_UPSTREAM: service:{port}\n" in service("proxy")
    assert "ports:" not in service("service") + service("ledger")


def test_every_variable_of_the_proxy_is_set() -> None:
    used = set(re.findall(r"\{\$(\w+)\}", (ROOT / "deploy/Caddyfile").read_text()))
    assert used == set(re.findall(r"^      (\w+):", service("proxy"), re.MULTILINE))


def test_what_the_service_writes_is_in_memory_or_in_its_folder_and_belongs_to_its_user() -> None:
    said, user = service("service"), step("USER")
    assert f'user: "{user}"' in said
    uid, gid = user.split(":")
    assert uid != "0"
    assert f"--uid {uid} --gid {gid}" in next(rest for _, rest in steps() if "useradd" in rest)
    assert step("WORKDIR") == step("VOLUME") == "/var/lib/eremite"
    assert "- ./state:/var/lib/eremite\n" in said
    # A tmpfs belongs to root: Podman takes no uid, and Docker may take the mode from the folder of the image.
    cache = environment()["NUMBA_CACHE_DIR"]
    assert f"- {cache}:mode=1777," in said
    assert f"install -d -m 1777 {cache}" in next(rest for _, rest in steps() if cache in rest)
    assert "uid=" not in (ROOT / "compose.yaml").read_text()
    files = [one.partition("=")[2] for one in arguments() if re.match("--(tokens|jobs|audit)=", one)]
    assert len(files) == 3
    assert not [file for file in files if "/" in file]  # beside the description, in the folder for state


@pytest.mark.parametrize("name", ["service", "ledger", "proxy"])
def test_no_service_may_more_than_it_needs(name: str) -> None:
    said = service(name)
    for line in ("read_only: true", "cap_drop: [ALL]", 'security_opt: ["no-new-privileges:true"]'):
        assert f"    {line}\n" in said
    assert ("cap_add" in said) == (name == "proxy")
    assert not re.search(r"(PASSWORD|TOKEN|SECRET)\w*: (?!/run/secrets/)", said)


def test_secrets_are_files_that_neither_git_nor_an_image_takes() -> None:
    text = (ROOT / "compose.yaml").read_text()
    named = set(re.findall(r"/run/secrets/(\w+)", text))
    assert named == set(re.findall(r"file: \./secrets/(\w+)", text)) == {"ledger_password", "ledger_pgpass"}
    assert "/secrets/\n" in (ROOT / ".gitignore").read_text()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    copied = {part for name, rest in steps() if name == "COPY" and "--from" not in rest for part in rest.split()[:-1]}
    assert "*" in ignored
    assert {part for part in copied if not part.startswith("--")} == kept
    assert all((ROOT / part).exists() for part in kept)


def test_every_package_of_the_image_is_the_one_that_was_tested() -> None:
    image, tested = (
        dict(re.findall(r"^([\w.-]+)==(\S+)(?=.* \\$)", (ROOT / file).read_text(), re.MULTILINE))
        for file in ("deploy/requirements.txt", "requirements/dev.txt")
    )
    assert image.items() <= tested.items()
    assert {"numba", "fastapi", "psycopg", "uvicorn", "hatchling"} <= image.keys()


def test_what_builds_the_image_is_taken_out_of_it() -> None:
    """A package goes when hatchling alone needs it."""
    text = (ROOT / "deploy/requirements.txt").read_text()
    needed_by = {
        name: set(re.findall(r"^    #   (\w[\w-]*)", part, re.MULTILINE))
        for name, part in re.findall(r"^([\w.-]+)==(.*?)(?=^[\w.-]+==|\Z)", text, re.MULTILINE | re.DOTALL)
    }
    built_with = {name for name, others in needed_by.items() if others == {"hatchling"}}
    [taken_out] = [rest.split()[3:] for _, rest in steps() if "pip uninstall --yes" in rest]
    assert set(taken_out) == built_with | {"hatchling", "setuptools", "pip"}


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run deploy/start with an eremite that says what it was given."""
    script = (ROOT / "deploy/start").read_text().replace("/opt/eremite/kernels", str(folder / "kernels"))
    (folder / "eremite").write_text('#!/bin/sh\necho "$@"\n')
    (folder / "eremite").chmod(0o755)
    found = {"PATH": f"{folder}:/usr/bin:/bin", "NUMBA_CACHE_DIR": str(folder / "cache")}
    return subprocess.run(["sh", "-c", script, "start", *words], env=found, capture_output=True, text=True)


def test_kernels_of_the_image_are_copied_for_the_service_alone_and_once(tmp_path: Path) -> None:
    for place in ("kernels/pair", "cache"):
        (tmp_path / place).mkdir(parents=True)
    kernel, copy = tmp_path / "kernels/pair/one.nbi", tmp_path / "cache/pair/one.nbi"
    kernel.write_text("of the image")
    assert start(tmp_path, "token", "list").stdout == "token list\n"
    assert not copy.exists()
    done = start(tmp_path, "serve", "a b.toml")
    assert (done.stdout, done.stderr, done.returncode) == ("serve a b.toml\n", "", 0)
    copy.write_text("compiled since")
    start(tmp_path, "serve")
    assert copy.read_text() == "compiled since"


@contextmanager
def demo_served(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The service on the demo's table: its address and the tokens that it printed. Ctrl-C ends it in one sentence."""
    words = [*COMMAND[:-1], f"{MINDS_INTERRUPTS}\n{MAIN}", "demo", "--serve", "--port", "0"]
    process = subprocess.Popen(
        words, cwd=folder, env=NO_KERNELS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    said = ""
    try:
        assert process.stdout is not None
        while "Serving" not in said:
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            said += line
        address = re.findall(r"Open (http://\S+)/ in a browser", said)[0]
        assert f"Serving patients at {address};" in said
        yield address, *re.findall(TOKENS, said, re.MULTILINE)
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err.count("\n")) == (130, "", 1), err


def test_demo_is_served_again_with_its_ledger_and_new_tokens(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("eremite.cli.serve.serve", only_open_the_ledger)
    code, said, _ = run(capsys, "demo", "--serve", "--port", "0")
    [former, _] = re.findall(TOKENS, said, re.MULTILINE)
    witness = tmp_path / "demo/service/patients.ledger-witness.json"
    first = witness.read_bytes()
    with demo_served(tmp_path) as (address, analyst, custodian):

        def status(token: str, path: str = "") -> int:
            sent = {"Authorization": f"Bearer {token}"}
            asked = f"{address}/v1/datasets/patients{path}"
            return httpx.get(asked, headers=sent, timeout=PATIENCE, trust_env=False).status_code

        assert (code, status(former), status(analyst)) == (0, 401, 200)
        assert (status(analyst, "/history"), status(custodian, "/history")) == (403, 200)
        assert is_healthy(address)
    assert not is_healthy(address)
    assert witness.read_bytes() == first
    assert witness.parent.stat().st_mode & 0o077 == 0


def is_healthy(address: str) -> bool:
    """What the image's own check says of a service at this address."""
    words = json.loads(step("HEALTHCHECK").partition(" CMD ")[2])
    assert words[0] == "python"
    program = words[2].replace("http://127.0.0.1:8000", address)
    return subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


def only_open_the_ledger(descriptions: list[Path], **options: object) -> None:
    assert options["new_ledger"]
    opened_ledger(descriptions[0], create="quietly")[1].close()


def test_port_that_is_taken_leaves_the_tokens_of_the_running_demo(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eremite.service.server import open_socket

    monkeypatch.chdir(tmp_path)
    with open_socket("127.0.0.1", 0) as taken:
        said = refused(capsys, "demo", "--serve", "--port", taken.getsockname()[1])
    assert "Address already in use" in said
    assert not list(tmp_path.iterdir())
    assert "add --serve" in refused(capsys, "demo", "--port", "8001")


@pytest.mark.slow
def test_steps_of_the_image_make_an_environment_that_serves(tmp_path: Path) -> None:
    """The commands of the Containerfile that need no other system, in a new folder: minutes, and a network."""
    place = tmp_path / "opt"
    script = [rest.replace("/opt/eremite", str(place)) for name, rest in steps() if name == "RUN" and "/opt/" in rest]
    assert [re.search(r"(venv|require-hashes|no-deps|uninstall|compile_kernels)", one)[0] for one in script] == [  # type: ignore[index]
        "venv",
        "require-hashes",
        "no-deps",
        "uninstall",
        "compile_kernels",
    ]
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    (tmp_path / "src").mkdir()
    for part in ("deploy", "src", "pyproject.toml", "README.md", "LICENSE"):
        subprocess.run(["cp", "-R", ROOT / part, tmp_path / "src"], check=True)
    for one in script:
        made = one.replace("python3 -m venv", f"{shlex.quote(sys._base_executable)} -m venv")  # type: ignore[attr-defined]
        subprocess.run(["sh", "-c", made], cwd=tmp_path / "src", env=bare, check=True)
    cache = tmp_path / "cache"
    subprocess.run(["cp", "-R", place / "kernels", cache], check=True)
    kept = {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")}
    process = subprocess.Popen(
        [place / "bin/eremite", "demo", "--serve", "--port", "0"],
        cwd=tmp_path,
        env=bare | {"NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert any(line.startswith("Serving") for line in process.stdout)
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")} == kept  # nothing was compiled again
