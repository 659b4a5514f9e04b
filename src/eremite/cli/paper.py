"""`eremite paper`: the paper's experiments, figures and claims, with progress bars on stderr."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eremite.cli.options import AsJson
from eremite.cli.output import dump_json
from eremite.errors import InputError

if TYPE_CHECKING:
    from eremite_paper.experiments import Progress as ReportProgress
    from eremite_paper.files import Files
    from eremite_paper.run import Outcome


def paper(
    output: Annotated[Path, typer.Option("--output", help="Where to write tables, figures and claims.md.")] = Path(
        "paper"
    ),
    data: Annotated[
        Path | None, typer.Option("--data", help="A folder with the UCI tables Adult and Ionosphere.")
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Download these tables from the UCI archive instead.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Small tables and few runs, to see that it works.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same numbers.")] = 2015,
    as_json: AsJson = False,
) -> None:
    """Repeat the paper's experiments and judge its claims. A run that was stopped resumes where it was."""
    from eremite_paper import run
    from eremite_paper import setting as settings

    if seed < 0:
        raise InputError("--seed must be a whole number, 0 or more.")
    files = _files(data, download)
    setting = settings.quick(seed, files) if quick else settings.Setting(seed=seed, files=files)
    with _progress_bars() as report:
        outcome = run.run(setting, output, report)
    typer.echo(_json(outcome, seed) if as_json else _text(outcome, seed))


def _files(data: Path | None, download: bool) -> "Files":
    from eremite_paper.files import Files, fetch_files, read_files

    if data is not None and download:
        raise InputError("Give --data or --download, not both.")
    if data is not None:
        return read_files(data)
    return fetch_files() if download else Files()


@contextmanager
def _progress_bars() -> Iterator["ReportProgress"]:
    """A bar for each experiment, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda name, done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        tasks: dict[str, TaskID] = {}

        def report(name: str, done: int, of: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=of)
            progress.update(tasks[name], completed=done)

        yield report


def _text(outcome: "Outcome", seed: int) -> str:
    width = max(len(one.verdict) for one in outcome.claims)
    lines = [
        f"Seed {seed}. Tables, figures and claims.md are in {outcome.folder}.",
        *([outcome.left_out] if outcome.left_out else []),
        "",
        *(f"{one.verdict:<{width}}  {one.claim}" for one in outcome.claims),
    ]
    return "\n".join(lines)


def _json(outcome: "Outcome", seed: int) -> str:
    verdicts = [{"claim": one.claim, "verdict": one.verdict} for one in outcome.claims]
    facts = {"folder": str(outcome.folder), "seed": seed, "left_out": outcome.left_out, "claims": verdicts}
    return dump_json(facts)
