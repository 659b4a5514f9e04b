"""A PostgreSQL server of our own: temporary folder, Unix socket only, an unprivileged user."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
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


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a running, empty database."""
    pytest.importorskip("adbc_driver_postgresql", reason="pip install 'eremite[postgres]'")
    programs = server_programs()
    if programs is None:
        pytest.skip(INSTALL)
    folder, user = tempfile.mkdtemp(prefix="eremite-pg-"), unprivileged()
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)

    def run(program: str, *arguments: str) -> None:
        rights = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        command = [str(programs / program), "-D", f"{folder}/data", *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **rights)  # type: ignore[call-overload]

    run("initdb", "-U", "eremite", "--auth=trust", "--no-sync", "--no-locale", "-E", "UTF8")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", options, "start")
    try:
        yield f"postgresql://eremite@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)
