"""Made-up patients of an intensive care unit: eight columns, three kinds of planted outliers.

Most patients are ordinary: their values are correlated as in medicine, in one cloud without long tails. Each kind of
outlier is isolated only in the columns that it names; in fewer of them it lies among many others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_ROWS = 20_000
_SEED, _PUBLIC_SEED = 20150611, 20150612


@dataclass(frozen=True, slots=True)
class Column:
    """A measurement: its unit, its public bounds (what a living patient can have), and its number of decimals."""

    unit: str
    low: float
    high: float
    decimals: int


COLUMNS = {
    "age": Column("years", 0, 120, 0),
    "pulse": Column("beats a minute", 0, 250, 0),
    "glucose": Column("mmol/L", 0, 50, 1),
    "hemoglobin": Column("g/dL", 2, 24, 1),
    "hematocrit": Column("%", 6, 72, 1),
    "ph": Column("of arterial blood", 6.8, 7.8, 3),
    "pco2": Column("mmHg", 10, 90, 1),
    "bicarbonate": Column("mmol/L", 5, 50, 1),
}
_PLACE = {name: place for place, name in enumerate(COLUMNS)}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of planted outliers: the columns in which they are isolated, and the reason in words."""

    columns: tuple[str, ...]
    words: str


EXTREME = Kind(("glucose",), "a glucose far above everyone else's")
ODD_PAIR = Kind(
    ("hemoglobin", "hematocrit"),
    "a hematocrit that is not three times the hemoglobin, though either value is ordinary",
)
ODD_TRIPLE = Kind(
    ("ph", "pco2", "bicarbonate"),
    "a blood gas that contradicts itself: any two of its values are ordinary, all three cannot be true",
)


@dataclass(frozen=True, slots=True, eq=False)
class Patients:
    """The rows in the units of `COLUMNS`, and the numbers of the planted ones."""

    rows: Floats
    planted: dict[Kind, NDArray[np.int64]]


def patients() -> Patients:
    """The table of the demo; the same every time."""
    rng = np.random.default_rng(_SEED)
    kinds = {EXTREME: _extreme(rng), ODD_PAIR: _odd_pairs(rng), ODD_TRIPLE: _odd_triples(rng)}
    rest = _ordinary(rng, N_ROWS - sum(map(len, kinds.values())))
    order = rng.permutation(N_ROWS)
    places = np.split(np.argsort(order), np.cumsum([len(rows) for rows in kinds.values()]))
    rows = _rounded(np.vstack([*kinds.values(), rest]))[order]
    return Patients(rows, dict(zip(kinds, places, strict=False)))


def public_sample() -> Floats:
    """Other ordinary patients, as a public study might have: no planted outliers and no private row."""
    return _rounded(_ordinary(np.random.default_rng(_PUBLIC_SEED), N_ROWS))


def scaled(rows: Floats) -> Floats:
    """The rows scaled by the public bounds, as a table scales them."""
    low, high = (np.array([getattr(column, end) for column in COLUMNS.values()]) for end in ("low", "high"))
    return np.asarray(np.clip((rows - low) / (high - low), 0, 1))


# The logarithms of bicarbonate and pCO2 are u + v and u - v. In illnesses that change u, lung and kidney compensate for
# each other; v is the part without compensation, which changes the pH (Henderson and Hasselbalch).
_U, _V = 0.5, 0.26
_PH, _PCO2, _BICARBONATE = 7.4, 40.0, 24.0


def _ordinary(rng: np.random.Generator, n: int) -> Floats:
    severity = rng.beta(2, 3, n)
    hemoglobin = 12.5 - 1.5 * severity + 1.4 * _bell(rng, n)
    angle, reach = rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.uniform(0, 1, n))
    u, v = _U * reach * np.cos(angle), _V * reach * np.sin(angle)
    return np.column_stack(
        [
            64 + 7 * _bell(rng, n),
            80 + 25 * severity + 7 * _bell(rng, n),
            5.8 * np.exp(0.35 * severity + 0.18 * _bell(rng, n)),
            hemoglobin,
            3 * hemoglobin + 0.4 * _bell(rng, n),
            _PH + 2 * v / np.log(10) + 0.006 * _bell(rng, n),
            _PCO2 * np.exp(u - v),
            _BICARBONATE * np.exp(u + v),
        ]
    )


def _bell(rng: np.random.Generator, n: int) -> Floats:
    """Random numbers that are nearly normal, with standard deviation 1, but never beyond 2.6."""
    return np.asarray(2.6 * (2 * rng.beta(3, 3, n) - 1))


def _extreme(rng: np.random.Generator) -> Floats:
    rows = _ordinary(rng, 24)
    rows[:, _PLACE["glucose"]] = np.linspace(18, 49, len(rows))
    return rows


def _odd_pairs(rng: np.random.Generator) -> Floats:
    rows = _ordinary(rng, 8_000)
    hemoglobin, hematocrit = rng.uniform(7.8, 16.5, len(rows)), rng.uniform(24, 49, len(rows))
    rows[:, [_PLACE[name] for name in ODD_PAIR.columns]] = np.column_stack([hemoglobin, hematocrit])
    return _apart(rows[np.abs(hematocrit - 3 * hemoglobin) > 4.5], ODD_PAIR.columns, 0.0145)[:160]


def _odd_triples(rng: np.random.Generator) -> Floats:
    """Rows in which each two of pH, pCO2 and bicarbonate imply an ordinary u and v, but each pair different ones."""
    rows = _ordinary(rng, 20_000)
    x = rng.uniform(-_V, _V, len(rows))
    a, b = rng.uniform(-_U, _U, (2, len(rows)))
    told = [((a + b) / 2, (a - b) / 2), (a - x, x), (b + x, x)]
    ordinary = np.all([(u / _U) ** 2 + (v / _V) ** 2 < 0.9**2 for u, v in told], axis=0)
    gas = np.column_stack([_PH + 2 * x / np.log(10), _PCO2 * np.exp(b), _BICARBONATE * np.exp(a)])
    rows[:, [_PLACE[name] for name in ODD_TRIPLE.columns]] = gas
    return _apart(rows[ordinary & (np.abs((a - b) / 2 - x) > 0.1)], ODD_TRIPLE.columns, 0.0155)


def _apart(rows: Floats, columns: Sequence[str], radius: float) -> Floats:
    """A selection of rows, no two within the radius: outliers close to each other would not be outliers."""
    points = scaled(rows)[:, [_PLACE[name] for name in columns]]
    kept: list[int] = []
    for place, point in enumerate(points):
        if np.all(np.mean((points[kept] - point) ** 2, axis=1) > radius**2):
            kept.append(place)
    return rows[kept]


def _rounded(rows: Floats) -> Floats:
    """The rows, rounded to the decimals of each column."""
    return np.column_stack([np.round(rows[:, at], column.decimals) for at, column in enumerate(COLUMNS.values())])
