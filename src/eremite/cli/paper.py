"""`eremite paper`: the paper's experiments, figures and claims, with a progress bar on stderr."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from eremite.errors import InputError
from eremite_paper.experiments import Progress as Say
from eremite_paper.files import Files, fetch_files, read_files
from eremite_paper.run import Outcome
from eremite_paper.run import run as run_paper
from eremite_paper.setting import Setting, quick


def run(output: Path, data: Path | None, download: bool, small: bool, seed: int, as_json: bool) -> str:
    """Run the experiments that are not finished yet, and report every claim with its verdict."""
    if seed < 0:
        raise InputError("--seed must be a whole number, 0 or more.")
    files = _files(data, download)
    setting = quick(seed, files) if small else Setting(seed=seed, files=files)
    with _bar() as say:
        outcome = run_paper(setting, output, say)
    return _json(outcome, seed) if as_json else _text(outcome, seed)


def _files(data: Path | None, download: bool) -> Files:
    if data is not None and download:
        raise InputError("Give --data or --download, not both.")
    if data is not None:
        return read_files(data)
    return fetch_files() if download else Files()


@contextmanager
def _bar() -> Iterator[Say]:
    """A progress bar for each experiment, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda name, done, of: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        tasks: dict[str, TaskID] = {}

        def say(name: str, done: int, of: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=of)
            progress.update(tasks[name], completed=done)

        yield say


def _text(outcome: Outcome, seed: int) -> str:
    width = max(len(one.verdict) for one in outcome.claims)
    lines = [
        f"Seed {seed}. Tables, figures and claims.md are in {outcome.folder}.",
        *([outcome.left_out] if outcome.left_out else []),
        "",
        *(f"{one.verdict:<{width}}  {one.claim}" for one in outcome.claims),
    ]
    return "\n".join(lines)


def _json(outcome: Outcome, seed: int) -> str:
    verdicts = [{"claim": one.claim, "verdict": one.verdict} for one in outcome.claims]
    facts = {"folder": str(outcome.folder), "seed": seed, "left_out": outcome.left_out, "claims": verdicts}
    return json.dumps(facts)
