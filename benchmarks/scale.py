"""`python -m benchmarks.scale`: many rows, in memory, in files and on Spark: seconds, CPU seconds, memory.

Every run is a process of its own, measured from outside with all processes it starts: the interpreter, reading the
table, one private count. All engines must release the same value. `docs/scale.md` explains the figures.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.scale_model import Timed, fitted, fitted_with, off_by
from benchmarks.scale_tables import K, Written, write
from benchmarks.usage import measured

ENGINES = ("memory", "files", "spark")
ROWS = (2_000_000, 8_000_000, 32_000_000)
COLUMNS = (2, 3, 5, 10)
OTHER_COLUMNS = 3  # of the tables that are no clusters, and of the bars
LEAST_MEMORY = 64_000_000

MOST_SPARK = 2.5
MOST_FILES = 1.5
MOST_TABLE = 0.25
LEAST_SPEEDUP = 1.7
MOST_GROWTH = 4.6
MOST_OFF = 0.25

_START_ROWS, _WARM_ROWS = 1_000, 100_000
_TWICE = 8_000_000  # tables up to here are counted twice, and the faster run is kept
_LIMIT = 3_600
_PEER_LIMIT = 300
_PEER_ROWS, _PEER_COLUMNS = 8_000_000, 5
_BILLION, _CLUSTER = 10**9, 100
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PARLAY_NUM_THREADS"), "1")


@dataclass(frozen=True, slots=True)
class Run:
    """One measured process; `peak` in bytes, of all its processes at once; `alone` of the thread that asks."""

    shape: str
    rows: int
    columns: int
    radius: float
    low: float
    engine: str
    cores: int
    seconds: float
    cpu: float
    kernel: float
    peak: int
    value: int
    opened: float
    asked: float
    alone: float

    @property
    def rate(self) -> float:
        """Rows per core-second."""
        return self.rows / self.cpu

    @property
    def program(self) -> float:
        """CPU seconds without those of the kernel."""
        return self.cpu - self.kernel


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: sizes ascending, numbers of cores ascending."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    engines: tuple[str, ...]
    cores: tuple[int, ...]
    peers: bool = True
    is_quick: bool = False  # nothing is warmed up, and every run is the only one

    @property
    def bar_rows(self) -> int:
        """The size that most bars are about: the last but one."""
        return self.rows[-2:][0]

    @property
    def bar_columns(self) -> int:
        """The number of columns that most bars are about."""
        return OTHER_COLUMNS if OTHER_COLUMNS in self.columns else self.columns[0]

    def cores_for(self, rows: int, columns: int) -> tuple[int, ...]:
        """All numbers of cores but for the largest tables, which all cores count, except those of the bars."""
        is_small = rows < self.rows[-1] or len(self.rows) == 1
        return self.cores if is_small or columns == self.bar_columns else self.cores[-1:]


QUICK = Plan((20_000,), (3,), ("memory", "files"), (1,), peers=False, is_quick=True)


def run(out: Console, plan: Plan = QUICK) -> tuple[bool, list[Run]]:
    """Measure and print; whether every bar was cleared, and what was measured."""
    out.print(f"Scale: k = {K}, epsilon = 1, about 1 % outliers; {plan.cores[-1]} of {os.cpu_count()} cores")
    runs: list[Run] = []
    idle = _idle(out)
    if not plan.is_quick:
        _print_fresh(out)
    with tempfile.TemporaryDirectory(prefix="eremite-scale-") as name:
        folder = Path(name)
        for columns in plan.columns:
            starts = [] if plan.is_quick else list(_starts(folder, plan, columns))
            made = [one for rows in plan.rows for one in _runs(folder, plan, "clusters", rows, columns)]
            _print_runs(out, f"clusters, d = {columns}", made, starts, idle)
            runs += [*starts, *made]
        others = [
            one for shape in ("coarse", "skewed") for one in _runs(folder, plan, shape, plan.bar_rows, plan.bar_columns)
        ]
    _print_runs(out, f"other tables, d = {plan.bar_columns}", others, runs, idle)
    cleared = plan.is_quick or (_print_bars(out, plan, runs, idle) & _print_models(out, plan, runs))
    return cleared, [*runs, *others]


def _idle(out: Console) -> int:
    """The memory of an interpreter that imported eremite and did nothing else."""
    used = measured(_command("idle"), limit=_LIMIT)
    assert used is not None
    out.print(f"An idle interpreter that imported eremite: {used.cpu:.1f} CPU s, {_mb(used.peak)}")
    return used.peak


def _print_fresh(out: Console) -> None:
    """What the kernel takes for memory, which explains much of what runs with large tables take."""
    used = measured(_command("touch"), limit=_LIMIT)
    assert used is not None
    out.print(f"Memory that a process uses for the first time: {used.output.strip()}")


def _starts(folder: Path, plan: Plan, columns: int) -> Iterator[Run]:
    """Runs with hardly any rows, after those that compile what more rows need."""
    each = [(engine, cores) for engine in plan.engines for cores in plan.cores]
    warm = write(folder, "clusters", _WARM_ROWS, columns)
    for engine, cores in each:
        _once(warm, engine, cores)
    few = write(folder, "clusters", _START_ROWS, columns)
    for engine, cores in each:
        yield _run(few, engine, cores)


def _runs(folder: Path, plan: Plan, shape: str, rows: int, columns: int) -> Iterator[Run]:
    """One table with all engines; they release the same value."""
    table = write(folder, shape, rows, columns)
    values = set()
    for engine in plan.engines:
        for cores in plan.cores_for(rows, columns):
            found = _run(table, engine, cores, 2 if rows <= _TWICE and not plan.is_quick else 1)
            values.add(found.value)
            yield found
    assert len(values) == 1, f"The engines released {values}."
    if plan.peers and shape == "clusters" and rows <= _PEER_ROWS and columns <= _PEER_COLUMNS:
        peer = _once(table, "dbscan", 1)
        if peer is not None:
            yield peer


def _run(table: Written, engine: str, cores: int, times: int = 2) -> Run:
    """The fastest of several runs."""
    found = [one for _ in range(times) if (one := _once(table, engine, cores)) is not None]
    assert found, f"{engine} took more than {_LIMIT} seconds."
    return min(found, key=lambda one: one.seconds)


def _once(table: Written, engine: str, cores: int) -> Run | None:
    memory = max(LEAST_MEMORY, table.bytes // 4)
    told = {
        "description": table.description,
        "cores": cores,
        "k": K,
        "radius": table.radius,
        "memory": f"{memory / 1e6} MB",
    }
    is_peer = engine == "dbscan"
    environment = {**os.environ, **(_ONE_THREAD if is_peer else {})}
    used = measured(_command(engine, **told), limit=_PEER_LIMIT if is_peer else _LIMIT, env=environment)
    if used is None:
        return None
    said = json.loads(used.output.splitlines()[-1])
    facts = (table.shape, table.rows, table.columns, table.radius, table.low)
    return Run(*facts, engine, cores, used.seconds, used.cpu, used.kernel, used.peak, **said)


def _command(engine: str, **told: object) -> list[str]:
    options = [word for name, value in told.items() for word in (f"--{name}", str(value))]
    return [sys.executable, "-m", "benchmarks.scale_run", engine, *options]


def _print_runs(out: Console, title: str, runs: Sequence[Run], starts: Sequence[Run], idle: int) -> None:
    """Memory is also compared with the numbers of the table, without what a run with hardly any rows takes."""
    grid = Grid(
        "table", "N", "radius", "engine", "cores", "s", "open", "ask", "CPU s", "kernel's", "memory",
        "more than start / table", "rows / core-s", "outliers", "below k + 24", title=title,
    )  # fmt: skip
    for one in runs:
        grid.add_row(
            one.shape, f"{one.rows:,}", f"{one.radius:.4g}", one.engine, str(one.cores), f"{one.seconds:.1f}",
            f"{one.opened:.1f}", f"{one.asked:.1f}", f"{one.cpu:.1f}", f"{one.kernel:.1f}",
            _mb(one.peak), f"{_of_table(one, starts, idle):.2f}", f"{one.rate:,.0f}", f"{one.value / one.rows:.2%}",
            f"{one.low:.1%}",
        )  # fmt: skip
    out.print(grid)


def _of_table(one: Run, starts: Sequence[Run], idle: int) -> float:
    """The memory of a run beyond that of its start, as a share of the numbers of the table."""
    start = _find(starts, _START_ROWS, one.columns, one.engine, one.cores)
    return max(0, one.peak - (start.peak if start else idle)) / (8 * one.rows * one.columns)


@dataclass(frozen=True, slots=True)
class Bar:
    """A ratio of two runs, and what it should be.

    `net` is the ratio without the starts of both. `program` is that of CPU seconds without the starts and without what
    the kernel took, for growth: what fresh memory costs depends on the machine, and grows with what was free before.
    """

    what: str
    where: str
    ratio: float
    net: float
    bar: float
    program: float | None = None

    @property
    def is_met(self) -> bool:
        """By the ratio that flatters less: a start, which does not grow, would make growth look small."""
        if self.what == "speedup":
            return self.ratio >= self.bar
        return max(self.ratio, self.net) <= self.bar if self.what == "growth" else self.ratio <= self.bar


def _print_bars(out: Console, plan: Plan, runs: Sequence[Run], idle: int) -> bool:
    """The ratios that have bars."""
    grid = Grid("what", "where", "ratio", "without starts", "nor kernel", "bar", title="Bars")
    bars = [*_against_memory(plan, runs), *_speedups(plan, runs), *_growths(plan, runs)]
    bars += _memory_of_files(plan, runs, idle)
    for one in bars:
        met = "met" if one.is_met else "missed"
        program = "" if one.program is None else f"{one.program:.2f}"
        grid.add_row(one.what, one.where, f"{one.ratio:.2f}", f"{one.net:.2f}", program, f"{one.bar} {met}")
    out.print(grid)
    return all(one.is_met for one in bars)


def _against_memory(plan: Plan, runs: Sequence[Run]) -> Iterator[Bar]:
    at = (plan.bar_rows, plan.bar_columns)
    for engine, bar in (("spark", MOST_SPARK), ("files", MOST_FILES)):
        for cores in plan.cores_for(*at):
            ours, memory = _find(runs, *at, engine, cores), _find(runs, *at, "memory", cores)
            if ours and memory:
                net = (ours.cpu - _start_of(runs, ours).cpu) / (memory.cpu - _start_of(runs, memory).cpu)
                yield Bar("CPU / memory's CPU", _where(ours), ours.cpu / memory.cpu, net, bar)


def _memory_of_files(plan: Plan, runs: Sequence[Run], idle: int) -> Iterator[Bar]:
    """Where a quarter of the table is more than the least that the engine may be given."""
    for columns in plan.columns:
        found = _find(runs, plan.rows[-1], columns, "files", plan.cores[-1])
        table = 8 * plan.rows[-1] * columns
        if found and table * MOST_TABLE >= LEAST_MEMORY:
            share = _of_table(found, runs, idle)
            yield Bar("memory beyond start / table", _where(found), share, share, MOST_TABLE)


def _speedups(plan: Plan, runs: Sequence[Run]) -> Iterator[Bar]:
    for rows in sorted({plan.bar_rows, plan.rows[-1]}):
        for engine in plan.engines:
            one, two = (_find(runs, rows, plan.bar_columns, engine, cores) for cores in (1, 2))
            if one and two:
                net = (one.seconds - _start_of(runs, one).seconds) / (two.seconds - _start_of(runs, two).seconds)
                yield Bar("speedup", f"{_where(two)} against 1", one.seconds / two.seconds, net, LEAST_SPEEDUP)


def _growths(plan: Plan, runs: Sequence[Run]) -> Iterator[Bar]:
    if len(plan.rows) < 2 or plan.rows[-1] != 4 * plan.rows[-2]:
        return
    for columns in plan.columns:
        for engine in plan.engines:
            small, large = (_find(runs, rows, columns, engine, plan.cores[-1]) for rows in plan.rows[-2:])
            if small and large:
                start = _start_of(runs, small)
                net = (large.seconds - start.seconds) / (small.seconds - start.seconds)
                program = (large.program - start.program) / (small.program - start.program)
                where = f"{_where(large)}, from a quarter"
                yield Bar("growth", where, large.seconds / small.seconds, net, MOST_GROWTH, program)


def _start_of(runs: Sequence[Run], one: Run) -> Run:
    """The run with hardly any rows that a run is compared with."""
    found = _find(runs, _START_ROWS, one.columns, one.engine, one.cores)
    assert found is not None
    return found


def _print_models(out: Console, plan: Plan, runs: Sequence[Run]) -> bool:
    """Models of all runs but the largest, and what they expect of it; what models of all runs expect of a billion rows.

    At best, one core alone has what the asking thread did; at worst, all in which two cores were not twice as fast.
    """
    if len(plan.rows) < 3:
        return True
    largest = plan.rows[-1]
    title = f"seconds = start + alone N + (shared start + shared N) / cores, from runs with fewer than {largest:,} rows"
    grid = Grid(
        "d", "engine", "start", "alone, s / million", "shared start", "shared, s / million", f"{largest:,} expected",
        "measured", "off by", "bar", "1 billion, 100 cores", title=title,
    )  # fmt: skip
    cleared = True
    for columns in plan.columns:
        for engine in plan.engines:
            found = _all_sizes(plan, runs, columns, engine)
            if len({one.rows for one in found}) < 3:
                continue
            *_, last = timed = [Timed(one.rows, one.cores, one.seconds) for one in found]
            model = fitted([one for one in timed if one.rows < largest])
            off = off_by(model, last)
            met = abs(off) <= MOST_OFF
            cleared &= met
            both = fitted_with(_alone(found), timed), fitted(timed)
            best, worst = sorted(one.seconds(_BILLION, _CLUSTER) for one in both)
            far = f"{best:,.0f} to {worst:,.0f} s" if engine == "spark" else ""
            grid.add_row(
                str(columns), engine, f"{model.start:.1f}", f"{1e6 * model.alone:.3f}", f"{model.shared_start:.1f}",
                f"{1e6 * model.shared:.3f}", f"{model.seconds(last.rows, last.cores):.1f}", f"{last.seconds:.1f}",
                f"{off:+.0%}", f"{MOST_OFF:.0%} {'met' if met else 'missed'}", far,
            )  # fmt: skip
    out.print(grid)
    return cleared


def _all_sizes(plan: Plan, runs: Sequence[Run], columns: int, engine: str) -> list[Run]:
    """The runs of one engine with tables of one width, small tables first."""
    sizes = [(rows, cores) for rows in (_START_ROWS, *plan.rows) for cores in plan.cores_for(rows, columns)]
    return [one for rows, cores in sizes if (one := _find(runs, rows, columns, engine, cores))]


def _alone(runs: Sequence[Run]) -> float:
    """The CPU seconds of the asking thread for each row. On one core it would also do what cores share."""
    cores = max(one.cores for one in runs)
    few, *_, many = sorted((one for one in runs if one.cores == cores), key=lambda one: one.rows)
    return max(0.0, (many.alone - few.alone) / (many.rows - few.rows))


def _find(runs: Sequence[Run], rows: int, columns: int, engine: str, cores: int) -> Run | None:
    wanted = (rows, columns, engine, cores)
    return next((one for one in runs if (one.rows, one.columns, one.engine, one.cores) == wanted), None)


def _where(one: Run) -> str:
    return f"{one.engine}, {one.rows:,} x {one.columns}, cores: {one.cores}"


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def without_spark(engines: Sequence[str]) -> str | None:
    """Why Spark cannot be measured here, if that is so and somebody wants it; a sentence."""
    if "spark" not in engines or (find_spec("pyspark") and which("java")):
        return None
    return "Spark is left out: it needs pyspark and Java; `make bench-scale` installs pyspark."


def main() -> int:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description="Seconds, CPU seconds and memory of counts of many rows.")
    parser.add_argument("--quick", action="store_true", help="tiny tables, without Spark")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    parser.add_argument("--engines", choices=ENGINES, nargs="+", default=ENGINES)
    parser.add_argument("--cores", type=int, nargs="+", default=(1, 2))
    parser.add_argument("--no-peers", action="store_true", help="without dbscan")
    parser.add_argument("--figures", type=Path, help="also write what was measured into this JSON file")
    given = parser.parse_args()
    out = Console(width=220)
    why = without_spark(given.engines)
    if why:
        out.print(why)
    engines = tuple(one for one in given.engines if one != "spark" or not why)
    asked = Plan(
        tuple(sorted(given.rows)), tuple(given.columns), engines, tuple(sorted(given.cores)), not given.no_peers
    )
    try:
        cleared, runs = run(out, QUICK if given.quick else asked)
    except subprocess.CalledProcessError as error:
        out.print(f"A run ended with {error.returncode}: {' '.join(map(str, error.cmd))}\n{error.stderr[-2_000:]}")
        return 1
    if given.figures:
        given.figures.write_text(json.dumps([asdict(one) for one in runs], indent=1) + "\n")
    if not given.quick:
        out.print("Every bar cleared." if cleared else "At least one bar was missed; the tables say which.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
