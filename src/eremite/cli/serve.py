"""`eremite serve`: the HTTP service, until it is interrupted."""

from contextlib import closing
from ipaddress import ip_address
from pathlib import Path
from re import ASCII, fullmatch
from signal import SIGINT, raise_signal
from typing import TYPE_CHECKING, Annotated

import typer

from eremite.cli.completions import description_files
from eremite.cli.interrupts import explain_with, let_others_handle, too_late
from eremite.cli.options import TOKENS, AsJson, LedgerPlace, TokenFile, local_files
from eremite.cli.output import dump_json, print_notice, spinner
from eremite.errors import InputError
from eremite.names import list_names

if TYPE_CHECKING:
    from socket import socket

_LONGEST_TICK = 3600


def serve(
    descriptions: Annotated[
        list[Path],
        typer.Argument(
            help="The description files (.toml) of the datasets.",
            callback=local_files,
            autocompletion=description_files,
        ),
    ],
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; 127.0.0.1 is reachable from this machine only.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen on; 0 for any free one.")] = 8000,
    ledger: LedgerPlace = None,
    new_ledger: Annotated[
        bool, typer.Option("--new-ledger", help="Make missing ledgers; without it, a missing ledger is an error.")
    ] = False,
    tokens: TokenFile = TOKENS,
    root_path: Annotated[
        str, typer.Option("--root-path", help="The path under which a proxy serves it, such as /eremite.")
    ] = "",
    tick: Annotated[
        float,
        typer.Option(
            "--tick", help="Send answers only after whole multiples of so many seconds: their timing tells less."
        ),
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Answer questions over HTTP from whoever has a token. Put a proxy with TLS in front."""
    from eremite.service import require_extra

    require_extra()
    from eremite.service.application import application
    from eremite.service.scheduler import Scheduler
    from eremite.service.server import open_socket, run
    from eremite.service.state import ServiceState, open_datasets
    from eremite.service.tokens import read_grants
    from eremite.session import compile_kernels

    if not 0 < tick <= _LONGEST_TICK:
        raise InputError(f"--tick must be above 0 and at most {_LONGEST_TICK} seconds.")
    if root_path and not fullmatch(r"(/[\w.~-]+)+", root_path, ASCII):
        raise InputError("--root-path must begin with /, not end with it, and be of plain letters, such as /eremite.")
    read_grants(tokens)
    with spinner("Opening the tables"):
        datasets = open_datasets(descriptions, ledger, "quietly" if new_ledger else "never")
    state = ServiceState(datasets=datasets, token_file=tokens.absolute(), scheduler=Scheduler(tick))
    with closing(state), open_socket(host, port) as bound:
        with spinner("Compiling"):
            compile_kernels(max(len(dataset.table.columns) for dataset in datasets.values()), print_notice)
        let_others_handle()
        ended_by = run(application(state), bound, root_path, lambda: _print_address(bound, list(datasets), as_json))
        too_late()  # a question under way is completed by its own thread, which a second signal must not end
    if ended_by == SIGINT:
        explain_with(lambda _: "Stopping; a question that is under way is answered and stored first.")
        raise KeyboardInterrupt
    if ended_by is not None:
        raise_signal(ended_by)  # now that the ledgers are closed, end as the sender of the signal expects


def _print_address(bound: "socket", datasets: list[str], as_json: bool) -> None:
    host, port = bound.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    facts = {"address": address, "datasets": datasets}
    words = f"Serving {list_names(datasets, 'datasets')} at {address}; stop with Ctrl-C."
    typer.echo(dump_json(facts) if as_json else words)
    if not ip_address(host).is_loopback:
        typer.echo("Others can reach this address, and tokens travel to it in the clear; see docs/how-to.", err=True)
