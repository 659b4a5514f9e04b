"""Puts a service together: ledgers here, rows in workers, a desk between the two; and replaces rows while it runs."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from eremite.ledger import Creation
from eremite.service.desk import LONGEST_QUESTION, Desk
from eremite.service.identity import grant_now
from eremite.service.jobs import JobFile
from eremite.service.lanes import LONGEST_FORECAST, MOST_TOGETHER, Lane
from eremite.service.layout import cores_of_lanes, datasets_of_lanes
from eremite.service.ledger_reads import LedgerReads
from eremite.service.opening import open_ledgers
from eremite.service.state import Dataset, ServiceState
from eremite.service.worker import Opening, ProcessWorker
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


class Assembly:
    """A service and its workers. Invalid files, unsound ledgers and rows that do not fit are errors when it is made."""

    def __init__(self, paths: Sequence[Path], settings: Settings) -> None:
        self._settings = settings
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

    async def reload(self, dataset: str) -> None:
        """Open the rows of a dataset again, beside the old ones, which answer until the new ones take over.

        Datasets of the same lane are opened again with it. Rows that do not fit leave everything as it was.
        """
        lane = next(place for place, group in enumerate(self._groups) if dataset in group)
        await self._lanes[lane].replace(ProcessWorker(self._opening(lane)), partial(self._adopt, dataset))
        if not self._alone:
            facts = {name: known.facts for name, known in self.state.datasets.items()}
            await self._lanes[-1].replace(ProcessWorker(self._forecast_opening(facts)), lambda _: None)

    def _adopt(self, dataset: str, facts: Mapping[str, Facts]) -> None:
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
            granted=partial(grant_now, settings.tokens),
            longest_question=settings.longest_question,
        )
        return ServiceState(
            datasets=datasets, token_file=settings.tokens, tick=settings.tick, desk=desk, ledger_reads=ledger_reads
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
