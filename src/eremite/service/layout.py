"""Which datasets share a lane, and which cores a lane has: pure decisions on public numbers."""

from collections.abc import Sequence

from eremite.errors import InputError


def datasets_of_lanes(names: Sequence[str], lanes: int | None) -> list[tuple[str, ...]]:
    """The datasets of each lane. One lane is for everything; of more, the last is for forecasts and has none.

    Without a number, every dataset has a lane of its own.
    """
    wanted = len(names) + 1 if lanes is None else lanes
    if wanted < 1:
        raise InputError("--lanes must be 1 or more.")
    if wanted == 1:
        return [tuple(names)]
    for_datasets = min(wanted - 1, len(names))
    return [tuple(names[start::for_datasets]) for start in range(for_datasets)] + [()]


def cores_of_lanes(lanes: int, available: Sequence[int]) -> list[frozenset[int]]:
    """The cores of each lane: its own, if there is one for each and one for all else; otherwise all of them.

    Lanes on their own cores still share memory, its bandwidth and the last caches.
    """
    spare = sorted(available)[1:]
    if lanes == 1 or len(spare) < lanes:
        return [frozenset()] * lanes
    return [frozenset(spare[start::lanes]) for start in range(lanes)]
