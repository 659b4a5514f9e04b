"""Puts a service together: ledgers here, rows in workers, a desk between the two; and replaces rows while it runs."""

import asyncio
import os
import signal
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread

from eremite.errors import EremiteError, InputError
from eremite.ledger import Creation
from eremite.names import list_names
from eremite.service.desk import LONGEST_QUESTION, Desk
from eremite.service.identity import grant_now
from eremite.service.jobs import JobFile
from eremite.service.lanes import LONGEST_FORECAST, MOST_TOGETHER, Lane
from eremite.service.layout import cores_of_lanes, datasets_of_lanes
from eremite.service.ledger_reads import LedgerReads
from eremite.service.oidc import Oidc
from eremite.service.opening import open_ledgers
from eremite.service.rates import Rates
from eremite.service.state import Dataset, ServiceState
from eremite.service.worker import Opening, ProcessWorker, WorkerDied
from eremite.table import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a service runs."""

    tokens: Path
    jobs: Path | None = None  # None: in memory
    ledger: str | None = None
    create: Creation = "never"
    tick: float = 1.0
    lanes: int | None = None
    longest_question: float = LONGEST_QUESTION
    longest_forecast: float = LONGEST_FORECAST
    rates: Rates = field(default_factory=Rates)
    oidc: Oidc | None = None


class Assembly:
    """A service and its workers. Invalid files, unsound ledgers and rows that do not fit are errors when it is made."""

    def __init__(self, paths: Sequence[Path], settings: Settings) -> None:
        self._settings = settings
        self._reloading: asyncio.Task[None] | None = None
        self._ledgers = open_ledgers(paths, settings.ledger, settings.create)
        self._groups = datasets_of_lanes(list(self._ledgers), settings.lanes)
        self._cores = cores_of_lanes(len(self._groups), _available())
        jobs = JobFile(settings.jobs)
        workers = [ProcessWorker(self._opening(lane)) for lane, group in enumerate(self._groups) if group]
        try:
            facts = _started(workers)
            if not self._alone:
                workers.append(ProcessWorker(self._forecast_opening(facts)))
                workers[-1].start()
        except BaseException:
            for worker in workers:
                worker.kill()
            raise
        self._lanes = [self._lane(worker) for worker in workers]
        self.state = self._state(facts, jobs)

    def go_on(self) -> None:
        """Go on with the jobs that waited, in a running event loop; from now on SIGHUP opens all rows again."""
        self.state.desk.go_on()
        loop = asyncio.get_running_loop()
        if current_thread() is main_thread() and hasattr(signal, "SIGHUP"):
            loop.add_signal_handler(signal.SIGHUP, self._reload_soon)

    def _reload_soon(self) -> None:
        self._reloading = asyncio.get_running_loop().create_task(self.reload_all())

    async def reload(self, dataset: str, allowed: Collection[str]) -> None:
        """Open the rows of a dataset again, beside the old ones, which answer until the new ones take over.

        Datasets of the same lane are opened again with it, so all of them must be `allowed`. Rows that do not fit leave
        everything as it was.
        """
        lane = next(place for place, group in enumerate(self._groups) if dataset in group)
        if not set(self._groups[lane]) <= set(allowed):
            raise InputError(
                "They share a lane with those of other datasets; whoever runs the service can send SIGHUP."
            )
        await self._lanes[lane].replace(ProcessWorker(self._opening(lane)), self._adopt)
        await self._renew_forecasts()

    async def _renew_forecasts(self) -> None:
        """Forecast from the facts of now. What was kept from those before, up to this moment, is forgotten."""
        if not self._alone:
            facts = {name: known.facts for name, known in self.state.datasets.items()}
            await self._lanes[-1].replace(ProcessWorker(self._forecast_opening(facts)), self._forget_forecasts)

    def _forget_forecasts(self, _: Mapping[str, Facts]) -> None:
        for name in self.state.datasets:
            self.state.desk.forget_forecasts(name)

    async def reload_all(self) -> None:
        """Open the rows of all datasets again. What cannot be opened is told to the custodian, and stays as it was."""
        for group in filter(None, self._groups):
            try:
                await self.reload(group[0], group)
            except (EremiteError, WorkerDied) as error:
                self.state.desk.log(f"The rows of {list_names(group, 'datasets')} were not replaced: {error}")

    def _adopt(self, facts: Mapping[str, Facts]) -> None:
        """Note in the ledgers that rows were opened again, which may be others, then ask about them."""
        for name in facts:
            self.state.datasets[name].ledger.note_rows_replaced(name)
        for name, known in facts.items():
            self.state.datasets[name] = Dataset.of(name, known, self.state.datasets[name].ledger)
            self.state.desk.forget_forecasts(name)

    @property
    def _alone(self) -> bool:
        """Whether one lane is for everything."""
        return len(self._groups) == 1

    def _opening(self, lane: int) -> Opening:
        paths = tuple(self._ledgers[name][0] for name in self._groups[lane])
        return Opening(descriptions=paths, ledger=self._settings.ledger, cores=self._cores[lane])

    def _forecast_opening(self, facts: Mapping[str, Facts]) -> Opening:
        described = tuple((self._ledgers[name][0], facts[name]) for name in self._ledgers)
        return Opening(forecasts=described, cores=self._cores[-1])

    def _lane(self, worker: ProcessWorker) -> Lane:
        together = 1 if self._alone else MOST_TOGETHER
        longest = self._settings.longest_forecast
        return Lane(worker, tick=self._settings.tick, together=together, longest_forecast=longest)

    def _state(self, facts: Mapping[str, Facts], jobs: JobFile) -> ServiceState:
        settings, ledger_reads = self._settings, LedgerReads()
        datasets = {name: Dataset.of(name, facts[name], ledger) for name, (_, ledger) in self._ledgers.items()}
        desk = Desk(
            datasets=datasets,
            lanes={name: self._lanes[place] for place, group in enumerate(self._groups) for name in group},
            forecast_lane=self._lanes[-1],
            jobs=jobs,
            ledger_reads=ledger_reads,
            granted=partial(grant_now, settings.tokens, oidc=settings.oidc),
            longest_question=settings.longest_question,
            adopt=self._adopt,
        )
        return ServiceState(
            datasets=datasets,
            token_file=settings.tokens,
            tick=settings.tick,
            desk=desk,
            ledger_reads=ledger_reads,
            rates=settings.rates,
            oidc=settings.oidc,
            reload=self.reload,
        )


def _started(workers: Sequence[ProcessWorker]) -> dict[str, Facts]:
    """Start the workers: the first one compiles kernels, which the others then find; those start side by side."""
    facts = dict(workers[0].start())
    with ThreadPoolExecutor(max(1, len(workers) - 1)) as threads:
        for found in threads.map(ProcessWorker.start, workers[1:]):
            facts |= found
    return facts


def _available() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
