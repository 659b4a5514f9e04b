"""Made-up patients of an intensive care unit: eight columns and a ward, four kinds of planted outliers.

Most patients are ordinary: their values are correlated as in medicine, in one cloud without long tails. Each kind of
outlier is isolated only in the columns that it names; in fewer of them it lies among many others. Patients of one kind
are isolated among those of their ward alone. Of some patients nobody noted the pulse: such a cell is NaN.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_ROWS = 20_000
_SEED, _PUBLIC_SEED = 20150611, 20150612


@dataclass(frozen=True, slots=True)
class Column:
    """A measurement: its unit, its public bounds (what a living patient can have), and its number of decimals.

    `missing` is what becomes of patients without a value.
    """

    unit: str
    low: float
    high: float
    decimals: int
    missing: str = "refuse"


COLUMNS = {
    "age": Column("years", 0, 120, 0),
    "pulse": Column("beats a minute", 0, 250, 0, "leave-out"),
    "glucose": Column("mmol/L", 0, 50, 1),
    "hemoglobin": Column("g/dL", 2, 24, 1),
    "hematocrit": Column("%", 6, 72, 1),
    "ph": Column("of arterial blood", 6.8, 7.8, 3),
    "pco2": Column("mmHg", 10, 90, 1),
    "bicarbonate": Column("mmol/L", 5, 50, 1),
}
WARDS = ("heart", "infections", "surgery")
_PLACE = {name: place for place, name in enumerate(COLUMNS)}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of planted outliers: the columns in which they are isolated, and the reason in words.

    With `within`, they are isolated among the patients that agree with them on these columns.
    """

    columns: tuple[str, ...]
    words: str
    within: tuple[str, ...] = ()


EXTREME = Kind(("glucose",), "a glucose far above everyone else's")
ODD_PAIR = Kind(
    ("hemoglobin", "hematocrit"),
    "a hematocrit that is not three times the hemoglobin, though either value is ordinary",
)
ODD_TRIPLE = Kind(
    ("ph", "pco2", "bicarbonate"),
    "a blood gas that contradicts itself: any two of its values are ordinary, all three cannot be true",
)
ODD_WARD = Kind(("age", "pulse"), "a pulse that is ordinary in the hospital, though not on their ward", ("ward",))


@dataclass(frozen=True, slots=True, eq=False)
class Patients:
    """The rows in the units of `COLUMNS`, the ward of each, and the numbers of the planted ones."""

    rows: Floats
    wards: NDArray[np.str_]
    planted: Mapping[Kind, NDArray[np.int64]]

    @property
    def columns(self) -> dict[str, NDArray[np.float64] | NDArray[np.str_]]:
        """The table by column, the ward last."""
        return {name: self.rows[:, at] for name, at in _PLACE.items()} | {"ward": self.wards}


def patients() -> Patients:
    """The table of the demo; the same every time."""
    return _made_up(_SEED)


def public_sample() -> Patients:
    """Other patients of the same kinds, as a public study might have: no private row."""
    return _made_up(_PUBLIC_SEED)


def _made_up(seed: int) -> Patients:
    rng = np.random.default_rng(seed)
    kinds = {EXTREME: _extreme(rng), ODD_PAIR: _odd_pairs(rng), ODD_TRIPLE: _odd_triples(rng)}
    rest = _ordinary(rng, N_ROWS - sum(map(len, kinds.values())))
    order = rng.permutation(N_ROWS)
    places = np.split(np.argsort(order), np.cumsum([len(rows) for rows in kinds.values()]))
    rows = _rounded(np.vstack([*kinds.values(), rest]))[order]
    planted = dict(zip(kinds, places, strict=False))
    wards = _wards(rng, rows)
    planted[ODD_WARD] = _moved(rng, rows, wards, places[-1])
    return Patients(_without_some_pulses(rng, rows, planted[ODD_WARD]), wards, planted)


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


# On the ward for hearts a pulse is low, on the one for infections high, on the one for surgery either.
_USUAL_PULSE, _OVERLAP, _FAR = 90, 3, 11


def _wards(rng: np.random.Generator, rows: Floats) -> NDArray[np.str_]:
    pulse = rows[:, _PLACE["pulse"]] - _USUAL_PULSE
    fast = np.where(np.abs(pulse) < _OVERLAP, rng.random(len(rows)) < 0.5, pulse > 0)
    own = np.where(fast, WARDS[1], WARDS[0])
    return np.asarray(np.where(rng.random(len(rows)) < 0.6, own, WARDS[2]))


def _moved(
    rng: np.random.Generator, rows: Floats, wards: NDArray[np.str_], among: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Move some patients, none near another, to the ward where nobody has a pulse like theirs; their numbers."""
    pulse = rows[among, _PLACE["pulse"]] - _USUAL_PULSE
    moved = []
    for ward, odd in ((WARDS[0], pulse > _FAR), (WARDS[1], pulse < -_FAR)):
        some = rng.permutation(among[odd])
        moved.append(some[_places_apart(rows[some], ODD_WARD.columns, 0.0135)])
        wards[moved[-1]] = ward
    return np.sort(np.concatenate(moved))


def _without_some_pulses(rng: np.random.Generator, rows: Floats, keep: NDArray[np.int64]) -> Floats:
    """The rows, one in fifty of them without a pulse, though none of those to keep."""
    unnoted = rng.random(len(rows)) < 0.02
    unnoted[keep] = False
    rows[unnoted, _PLACE["pulse"]] = np.nan
    return rows


def _apart(rows: Floats, columns: Sequence[str], radius: float) -> Floats:
    """A selection of rows, no two within the radius: outliers close to each other would not be outliers."""
    return rows[_places_apart(rows, columns, radius)]


def _places_apart(rows: Floats, columns: Sequence[str], radius: float) -> list[int]:
    points = scaled(rows)[:, [_PLACE[name] for name in columns]]
    kept: list[int] = []
    for place, point in enumerate(points):
        if np.all(np.mean((points[kept] - point) ** 2, axis=1) > radius**2):
            kept.append(place)
    return kept


def _rounded(rows: Floats) -> Floats:
    """The rows, rounded to the decimals of each column."""
    return np.column_stack([np.round(rows[:, at], column.decimals) for at, column in enumerate(COLUMNS.values())])
