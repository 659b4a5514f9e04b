"""The image, built and run: slow, and only where Docker or Podman is and has the base image.

The service runs as compose.yaml runs it, but with a ledger in a file and no network at all: requests are made inside.
"""

import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from tests.end_to_end.patients import BOUNDS, description, people, write_csv
from tests.end_to_end.served import COUNT, PATIENCE
from tests.end_to_end.test_deploy import ROOT, service, step, steps

BASE = steps()[0][1].split()[0]
#: What compose.yaml says of the service, as options of an engine.
CONSTRAINTS = [
    f"--user={step('USER')}",
    "--init",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--ulimit=core=0",
    *(f"--tmpfs={one}" for one in re.findall(r"^      - (/\S+:mode=\S+)$", service("service"), re.MULTILINE)),
]
#: Print the status and the body of a request: method, path, token and body are its arguments.
REQUEST = """
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen
method, path, token, body = sys.argv[1:]
headers = {"Authorization": "Bearer " + token}
asked = Request("http://127.0.0.1:8000" + path, body.encode() or None, headers, method=method)
try:
    answer = urlopen(asked)
except HTTPError as error:
    answer = error
print(answer.status, answer.read().decode())
"""
#: Print which of these places can be written, and what is there that only building needs.
LOOK = """
import glob, importlib.util, os, ssl
places = ["/", "/etc", "/opt/eremite", "/opt/eremite/bin", "/usr/bin", "/var"]
places += ["/var/lib/eremite", "/var/cache/eremite", "/tmp"]
print(*(place for place in places if os.access(place, os.W_OK)))
print(*(name for name in ("pip", "setuptools", "hatchling") if importlib.util.find_spec(name)))
print(*(found for place in ("/src", "/root/.cache", "/var/cache/apt/archives/*.deb") for found in glob.glob(place)))
print(ssl.create_default_context().cert_store_stats()["x509_ca"] > 50)
print([line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapBnd", "NoNewPrivs"))])
"""


@dataclass(frozen=True)
class Engine:
    """Docker or Podman, an image that it built, and a volume for state."""

    name: str
    image: str
    volume: str

    def do(self, *words: str, given: bytes = b"") -> str:
        done = subprocess.run([self.name, *words], input=given, capture_output=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def run(self, *words: str, options: tuple[str, ...] = ("--rm",), given: bytes = b"") -> str:
        held = ["--interactive", "--network=none", f"--volume={self.volume}:/var/lib/eremite", *CONSTRAINTS]
        return self.do("run", *held, *options, self.image, *words, given=given)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    name = next((one for one in ("docker", "podman") if has(one, BASE)), None)
    if name is None:
        pytest.skip(f"Neither docker nor podman has the base image here: docker pull {BASE}")
    made = Engine(name, *(f"eremite-test-{uuid4().hex[:8]}" for _ in range(2)))
    # Podman leaves out HEALTHCHECK unless an image has Docker's format.
    built = [name, "build", "--file=Containerfile", f"--tag={made.image}", "."]
    subprocess.run(built, cwd=ROOT, env=os.environ | {"BUILDAH_FORMAT": "docker", "DOCKER_BUILDKIT": "1"}, check=True)
    try:
        made.do("volume", "create", made.volume)
        yield made
    finally:
        subprocess.run([name, "volume", "rm", "--force", made.volume])
        subprocess.run([name, "image", "rm", "--force", made.image])


def has(name: str, image: str) -> bool:
    asked = [name, "image", "inspect", image]
    return shutil.which(name) is not None and subprocess.run(asked, capture_output=True).returncode == 0


@contextmanager
def started(engine: Engine) -> Iterator[str]:
    """The service in a container, whose name is yielded once it is ready; it ends with SIGTERM, in time."""
    name = engine.run("serve", "patients.toml", options=("--detach",)).strip()
    try:
        deadline = time.monotonic() + PATIENCE
        while not request(engine, name, "GET", "/readyz").startswith("200"):
            assert time.monotonic() < deadline, engine.do("logs", name)
            time.sleep(1)
        yield name
        engine.do("stop", "--time=120", name)
        assert engine.do("inspect", "--format={{.State.ExitCode}}", name).strip() == "143"  # by SIGTERM; 137 if killed
    finally:
        subprocess.run([engine.name, "rm", "--force", name], capture_output=True)


def request(engine: Engine, name: str, method: str, path: str, token: str = "", body: str = "") -> str:
    words = [engine.name, "exec", name, "python", "-c", REQUEST, method, path, token, body]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE).stdout


def packed(folder: Path) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for one in folder.iterdir():
            archive.add(one, one.name)
    return file.getvalue()


@pytest.mark.slow
def test_image_answers_with_what_compose_allows_it_and_remembers_after_a_restart(
    engine: Engine, tmp_path: Path
) -> None:
    write_csv(tmp_path / "patients.csv", BOUNDS, people(40))
    (tmp_path / "patients.toml").write_text(description())
    engine.run("-x", options=("--rm", "--entrypoint=tar"), given=packed(tmp_path))
    engine.run("budget", "open", "patients.toml")
    token = engine.run("token", "add", "alice", "--account", "research", "--dataset", "patients").split()[0]
    asked = ("POST", "/v1/datasets/patients/count?wait=60", token, json.dumps(COUNT | {"request_id": "once"}))
    with started(engine) as name:
        first = request(engine, name, *asked)
        check = json.loads(step("HEALTHCHECK").partition(" CMD ")[2])
        engine.do("exec", name, *check)
        seen = engine.do("exec", name, "python", "-c", LOOK).splitlines()
    assert first.startswith("200 "), first
    assert seen == ["/var/lib/eremite /var/cache/eremite /tmp", "", "", "True", "['0000000000000000', '1']"]
    with started(engine) as name:
        assert request(engine, name, *asked) == first
        assert '"epsilon":1.9,' in request(engine, name, "GET", "/v1/datasets/patients/budget", token)


@pytest.mark.slow
def test_image_has_its_check(engine: Engine) -> None:
    assert "/healthz" in engine.do("inspect", "--type=image", engine.image)
