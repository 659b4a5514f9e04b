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
from eremite.cli.output import dump_json, spinner
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
    lanes: Annotated[
        int | None,
        typer.Option(
            "--lanes",
            help="How many processes compute side by side: one for forecasts, the others for the datasets; "
            "1 computes one question at a time. Default: one for each dataset, and one for forecasts.",
        ),
    ] = None,
    longest_question: Annotated[
        float,
        typer.Option("--longest-question", help="Refuse questions that take more seconds than this, by public facts."),
    ] = 600.0,
    jobs: Annotated[
        Path | None,
        typer.Option("--jobs", help="The file that keeps waiting questions. Default: jobs.db beside the tokens."),
    ] = None,
    oidc: Annotated[
        Path | None,
        typer.Option("--oidc", help="A file (.toml) that says whose tokens of an identity provider are accepted."),
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option("--audit", help="Append a line for every request to this file: who, what, and the status."),
    ] = None,
    requests_per_second: Annotated[
        float, typer.Option("--requests-per-second", help="So many requests an account may send, on average.")
    ] = 20.0,
    forecasts_per_hour: Annotated[
        float, typer.Option("--forecasts-per-hour", help="So many forecasts an account may ask for.")
    ] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Answer questions over HTTP from whoever has a token. Put a proxy with TLS in front."""
    from eremite.service import require_extra

    require_extra()
    from eremite.service.application import application
    from eremite.service.assembly import Assembly, Settings
    from eremite.service.audit import open_audit
    from eremite.service.oidc import read_oidc
    from eremite.service.rates import rates_of
    from eremite.service.server import open_socket, run
    from eremite.service.tokens import read_grants

    if not 0 < tick <= _LONGEST_TICK:
        raise InputError(f"--tick must be above 0 and at most {_LONGEST_TICK} seconds.")
    if root_path and not fullmatch(r"(/[\w.~-]+)+", root_path, ASCII):
        raise InputError("--root-path must begin with /, not end with it, and be of plain letters, such as /eremite.")
    read_grants(tokens)
    settings = Settings(
        tokens=tokens.absolute(),
        jobs=(tokens.with_name("jobs.db") if jobs is None else jobs).absolute(),
        ledger=ledger,
        create="quietly" if new_ledger else "never",
        tick=tick,
        lanes=lanes,
        longest_question=longest_question,
        rates=rates_of(requests_per_second, forecasts_per_hour),
        oidc=None if oidc is None else read_oidc(oidc),
    )
    with open_socket(host, port) as bound:
        with spinner("Opening the tables, and compiling: a minute or two the first time, seconds from then on"):
            assembly = Assembly(descriptions, settings)
        with open_audit(audit), closing(assembly.state) as state:
            let_others_handle()
            ended_by = run(
                application(state),
                bound,
                root_path,
                ready=lambda: _print_address(bound, list(state.datasets), as_json),
                on_start=assembly.go_on,
                on_stop=state.desk.stop,
                stopped=state.desk.stopped,
            )
            too_late()  # a question under way is completed by its worker, which a second signal must not end
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
