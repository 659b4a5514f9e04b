"""`eremite serve`: the HTTP service, until it is interrupted."""

import json
import socket
from collections.abc import Sequence
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path
from re import ASCII, fullmatch
from signal import raise_signal

import typer

from eremite.cli.terminal import working
from eremite.errors import InputError
from eremite.names import list_names
from eremite.service import require_extra
from eremite.service.tokens import read_grants
from eremite.session import compile_kernels

_LONGEST_TICK = 3600


def serve(
    paths: Sequence[Path],
    *,
    host: str,
    port: int,
    ledger: str | None,
    new_ledger: bool,
    tokens: Path,
    root_path: str,
    tick: float,
    as_json: bool,
) -> None:
    """Open every table, then answer."""
    require_extra()
    from eremite.service.application import application
    from eremite.service.scheduler import Scheduler
    from eremite.service.server import open_socket, run
    from eremite.service.state import ServiceState, open_datasets

    if not 0 < tick <= _LONGEST_TICK:
        raise InputError(f"--tick must be above 0 and at most {_LONGEST_TICK} seconds.")
    if root_path and not fullmatch(r"(/[\w.~-]+)+", root_path, ASCII):
        raise InputError("--root-path must begin with /, not end with it, and be of plain letters, such as /eremite.")
    read_grants(tokens)
    with working("Opening the tables"):
        datasets = open_datasets(paths, ledger, "quietly" if new_ledger else "never")
    state = ServiceState(datasets=datasets, token_file=tokens.absolute(), scheduler=Scheduler(tick))
    with closing(state), open_socket(host, port) as bound:
        with working("Compiling; this takes a minute or two the first time"):
            compile_kernels(max(len(dataset.table.columns) for dataset in datasets.values()))
        ended_by = run(application(state), bound, root_path, lambda: _say(bound, list(datasets), as_json))
    if ended_by is not None:
        raise_signal(ended_by)  # now that the ledgers are closed, end as whoever sent it expects


def _say(bound: socket.socket, datasets: list[str], as_json: bool) -> None:
    host, port = bound.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    said = {"address": address, "datasets": datasets}
    typer.echo(
        json.dumps(said) if as_json else f"Serving {list_names(datasets, 'datasets')} at {address}; stop with Ctrl-C."
    )
    if not ip_address(host).is_loopback:
        typer.echo("Others can reach this address, and tokens travel to it in the clear; see docs/how-to.", err=True)
