"""A PostgreSQL server of our own: temporary folder, Unix socket only, an unprivileged user."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

INSTALL = "PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql"


def server_programs() -> Path | None:
    """The folder with initdb and pg_ctl, newest first; Debian keeps it off the PATH."""
    on_path = shutil.which("initdb")
    kept_apart = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    found = [Path(on_path)] if on_path else kept_apart[-1:]
    return found[0].resolve().parent if found else None


def unprivileged() -> pwd.struct_passwd | None:
    """Whom to run the server as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    names = {user.pw_name: user for user in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


@dataclass(frozen=True, slots=True)
class Server:
    """A running server with an empty database."""

    programs: Path
    folder: str
    user: pwd.struct_passwd | None

    @property
    def url(self) -> str:
        return f"postgresql://eremite@/postgres?host={self.folder}"

    def run(self, program: str, *arguments: str) -> None:
        user = self.user
        rights = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        command = [str(self.programs / program), "-D", f"{self.folder}/data", *arguments]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, **rights)  # type: ignore[call-overload]

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        self.run("pg_ctl", "-w", "-t", "600", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-t", "600", "-m", "immediate", "stop")


@contextmanager
def running_server() -> Iterator[Server]:
    programs = server_programs()
    if programs is None:
        pytest.skip(INSTALL)
    server = Server(programs, tempfile.mkdtemp(prefix="eremite-pg-"), unprivileged())
    if server.user is not None:
        os.chown(server.folder, server.user.pw_uid, server.user.pw_gid)
    server.run("initdb", "-U", "eremite", "--auth=trust", "--no-sync", "--no-locale", "-E", "UTF8")
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.folder)
