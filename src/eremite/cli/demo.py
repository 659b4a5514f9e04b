"""`eremite demo`: a tour on a generated table, or the service on it."""

from pathlib import Path
from typing import Annotated

import typer

from eremite.cli.interrupts import explain_with
from eremite.cli.options import local_file
from eremite.errors import InputError

_HOST, _PORT = "127.0.0.1", 8000
_TICK = 0.5  # seconds; nobody is protected by it here, and answers come soon
_DATASET = "patients"


def demo(
    folder: Annotated[Path, typer.Option("--folder", callback=local_file, help="Where to write the example.")] = Path(
        "demo"
    ),
    served: Annotated[
        bool, typer.Option("--serve", help="Start the service on the table instead, with tokens to try it.")
    ] = False,
    port: Annotated[
        int | None, typer.Option("--port", help=f"With --serve: the port to listen on; default: {_PORT}.")
    ] = None,
) -> None:
    """Show what eremite does, on a generated table."""
    if served:
        _serve(folder / "service", _PORT if port is None else port)
        return
    if port is not None:
        raise InputError("--port is for the service; add --serve, or leave it out.")
    from eremite.demo import run

    explain_with(lambda _: "Interrupted; what the tour charged is in its own ledger, and a new tour starts anew.")
    run(folder)


def _serve(folder: Path, port: int) -> None:
    """Serve the table from its own folder, where the ledger of earlier starts goes on, until it is interrupted."""
    from eremite.service import require_extra

    require_extra()
    from eremite.cli.serve import serve
    from eremite.demo import write_served
    from eremite.service.server import open_socket

    with open_socket(_HOST, port) as free:  # a service that runs here already keeps its tokens
        port = free.getsockname()[1]
    description, tokens = write_served(folder), folder / "tokens.json"
    analyst, custodian = _new_tokens(tokens)
    typer.echo(
        f"20,000 made-up patients are in {folder}. Tokens, shown this once, for they are new at every start:\n\n"
        f"  an analyst's     {analyst}\n"
        f"  a custodian's    {custodian}\n\n"
        f"Open http://{_HOST}:{port}/ in a browser and sign in with one of them, once the next line is there; the "
        "first start compiles for a minute or two."
    )
    serve([description], port=port, new_ledger=True, tokens=tokens, tick=_TICK)


def _new_tokens(file: Path) -> tuple[str, str]:
    """An analyst's token and a custodian's, in place of those of an earlier start. Others in the file stay valid."""
    from eremite.service.tokens import Grant, change_grants, hash_of, new_token

    tokens = {"analyst": new_token(), "custodian": new_token()}
    ours = [
        Grant(name=f"demo-{who}", account=who, datasets=(_DATASET,), custodian=who == "custodian", hash=hash_of(token))
        for who, token in tokens.items()
    ]
    names = {grant.name for grant in ours}
    change_grants(file, lambda grants: (*(other for other in grants if other.name not in names), *ours))
    return tokens["analyst"], tokens["custodian"]
