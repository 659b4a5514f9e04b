"""Whether anyone would do better by naming a mechanism than by leaving the choice to `auto`.

For each table and epsilon the 95 % half-width of every mechanism, and which one `auto` takes, without and with a delta.
A smooth mechanism whose half-width for the least bound that any table can have is already wider than the choice cannot
be narrower on this table; its bound, long to compute at a small epsilon, is then left out, and the cell says "over".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.tables import Named, real_tables
from benchmarks.widths import REAL, generated, half_width
from eremite.errors import InputError
from eremite.mechanisms import Mechanism
from eremite.queries import CountQuery
from eremite.sensitivity import most_moved
from eremite.table import Table

EPSILONS = tuple(map(Fraction, ("0.05", "0.1", "0.2", "0.5", "1", "2", "5")))
DELTA = Fraction(1, 10**6)
PURE = ("smooth-laplace", "global-laplace")
APPROXIMATE = ("gaussian", "global-gaussian", "gaussian-paper")
_ALIKE = 1 + 1e-9


def all_tables(out: Console) -> list[Named]:
    """The tables of the accuracy part, and generated ones of one and three columns."""
    return real_tables(out, *REAL) + generated(10_000, (1, 2, 3, 8, 16))


@dataclass(frozen=True, slots=True)
class Width:
    """A half-width, or a number it is not below."""

    value: float
    exact: bool

    def __str__(self) -> str:
        return f"{'' if self.exact else 'over '}{self.value:,.{0 if self.value >= 100 else 1}f}"


def run(out: Console, tables: Sequence[Named], epsilons: Sequence[Fraction] = EPSILONS) -> bool:
    """One row for each table and epsilon; the bar is that no mechanism is narrower than what `auto` takes."""
    title = f"95 % half-width by mechanism, and what auto takes without a delta and with {float(DELTA):g}"
    grid = Grid("table", "epsilon", *PURE, *APPROXIMATE, "auto", "auto, delta", "bar: none narrower", title=title)
    missed = 0
    for measured in tables:
        table = measured.opened()
        for epsilon in epsilons:
            missed += not _row(grid, measured, table, epsilon)
        grid.add_section()
    out.print(grid)
    return missed == 0


def _row(grid: Grid, measured: Named, table: Table, epsilon: Fraction) -> bool:
    pure, mixed = (_taken(measured, table, epsilon, delta) for delta in (Fraction(0), DELTA))
    widths = _all_widths(measured, table, epsilon, {pure, mixed})
    better = _narrower(widths, pure, PURE)
    better += [name for name in _narrower(widths, mixed, PURE + APPROXIMATE) if name not in better]
    verdict = ", ".join(f"{name} narrower" for name in better) or "met"
    cells = [str(widths[name]) if name in widths else "refused" for name in PURE + APPROXIMATE]
    grid.add_row(measured.name, f"{float(epsilon):g}", *cells, pure, mixed, verdict)
    return not better


def _taken(measured: Named, table: Table, epsilon: Fraction, delta: Fraction) -> str:
    return CountQuery(definition=measured.definition, epsilon=epsilon, delta=delta).plan(table).mechanism


def _all_widths(measured: Named, table: Table, epsilon: Fraction, taken: set[str]) -> dict[str, Width]:
    """Every mechanism that holds at this epsilon, those that are taken first: they decide how close to look."""
    widths: dict[str, Width] = {}
    for name in sorted(PURE + APPROXIMATE, key=lambda name: name not in taken):
        mechanism = _made(measured, table, epsilon, name)
        if mechanism is not None:
            limit = None if name in taken else max(widths[chosen].value for chosen in taken)
            widths[name] = _width(measured, mechanism, limit)
    return widths


def _made(measured: Named, table: Table, epsilon: Fraction, name: str) -> Mechanism | None:
    """The mechanism of this name, or None where it is refused."""
    delta = Fraction(0) if name in PURE else DELTA
    query = CountQuery(definition=measured.definition, epsilon=epsilon, delta=delta, mechanism=name)
    try:
        return query.plan(table).noise
    except InputError:
        return None


def _width(measured: Named, mechanism: Mechanism, limit: float | None) -> Width:
    """The half-width; where it is above the limit on every table, the least it can be."""
    if mechanism.decay is not None and limit is not None:
        n, d = measured.case.points.shape
        least = mechanism.half_width() * least_bound(
            most_moved(n, d, measured.definition.min_neighbors), mechanism.decay
        )
        if least > limit:
            return Width(least, exact=False)
    return Width(half_width(measured, mechanism), exact=True)


def least_bound(most: int, decay: Fraction) -> float:
    """No table's smooth bound is below this: A^(t) >= min(t + 1, most) for every profile. Rounded down."""
    steps = np.arange(most)
    return float(np.max(np.exp(np.log(float(decay)) * steps) * (steps + 1))) * (1 - 1e-6)


def _narrower(widths: dict[str, Width], taken: str, names: Sequence[str]) -> list[str]:
    """Those that beat what was taken."""
    limit = widths[taken].value
    held = (name for name in names if name in widths)
    return [name for name in held if widths[name].exact and widths[name].value * _ALIKE < limit]


if __name__ == "__main__":
    run(Console(width=220), all_tables(Console()))
