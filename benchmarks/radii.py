"""What choosing a radius costs beside one private count: the default list has 27 radii."""

from collections.abc import Callable, Sequence
from functools import partial

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.clock import cpu_seconds, one_core
from benchmarks.tables import K, Named, clusters, outlying, real_tables, sheet
from eremite import Session

MOST_RATIO = 20.0
_SHEET, _LARGE = (50_000, 10), (286_048, 10)
_RUNS = 3


def generated(n: int, sheets: Sequence[tuple[int, int]]) -> list[Named]:
    """Clusters in five columns, and sheets."""
    named = [Named("clusters", outlying(clusters(n, 5), 0.01))]
    return named + [Named("sheet", outlying(sheet(*size), 0.01)) for size in sheets]


def all_tables(out: Console) -> list[Named]:
    """The tables of the full run."""
    return real_tables(out, "mammography", "shuttle", "http") + generated(300_000, (_SHEET,))


def large_table() -> list[Named]:
    """One on which a choice once did not end within half an hour."""
    return [Named("sheet", outlying(sheet(*_LARGE), 0.01))]


def run(out: Console, tables: Sequence[Named], epsilons: Sequence[float] = (1, 0.1)) -> bool:
    """CPU seconds on one core, the median of a few runs, as what is looked at depends on what is drawn."""
    title = f"Choosing one of 27 radii for 1 % outliers, k = {K}: CPU seconds, one core"
    heads = "table", "N", "d", "epsilon", "one count", "choice", f"of a count (bar {MOST_RATIO:g}x)"
    grid, cleared = Grid(*heads, title=title), True
    for named in tables:
        session = Session(named.opened(), epsilon=10**6)
        for epsilon in epsilons:
            with one_core():
                count = _median(partial(session.count_outliers, named.definition, epsilon=epsilon))
                choice = _median(partial(session.choose_radius, K, share="0.01", epsilon=epsilon))
            cleared &= choice <= MOST_RATIO * count
            n, d = named.case.points.shape
            cells = f"{n:,}", f"{d}", f"{epsilon:g}", f"{count:.3f}", f"{choice:.2f}", f"{choice / count:.1f}x"
            grid.add_row(named.name, *cells)
    out.print(grid)
    return cleared


def _median(work: Callable[[], object]) -> float:
    work()
    return sorted(cpu_seconds(work) for _ in range(_RUNS))[_RUNS // 2]


if __name__ == "__main__":
    console = Console(width=150)
    run(console, all_tables(console))
    run(console, large_table(), (1,))
