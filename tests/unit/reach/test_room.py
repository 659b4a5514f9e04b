import tracemalloc

import numpy as np
import pytest

from eremite import InputError
from eremite.reach import covers, require_room, room
from eremite.reach.windows import Windows

LITTLE = 50 * 10**6


def with_memory(monkeypatch, there):
    monkeypatch.setattr(room, "machine_memory", lambda: there)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("columns", [1, 3, 6])
def test_room_grows_with_the_rows(columns, both):
    needed = [room.bytes_for(rows, columns, 5, both_sides=both) for rows in (1, 1000, 10**6, 10**9)]
    assert needed == sorted(set(needed))


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_both_sides_take_no_less_than_one(columns):
    for rows in (100, 10**5, 10**8):
        one, both = (room.bytes_for(rows, columns, 5, both_sides=both) for both in (False, True))
        assert one <= both


def found_among(rows):
    strata, gaps = np.zeros(len(rows), np.int64), np.ones(len(rows), np.int64)
    places = covers.Places.gathered(rows, strata, gaps)
    return list(covers.Covers(places, 0.05, 1, covers.ratio_for(rows.shape[1], len(rows))))


@pytest.mark.parametrize("d", [2, 5])
def test_room_suffices_where_all_rows_crowd(d):
    rows = 0.5 + 0.2 * np.random.default_rng(d).random((2000, d))
    found_among(rows[:200])  # kernels are loaded
    tracemalloc.start()
    found = found_among(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(np.unique(np.concatenate([part.rows for part in found]))) == len(rows)
    needed = room.bytes_for(len(rows), d, 5, both_sides=False)
    assert needed / 4 < peak < needed


def test_room_suffices_for_long_intervals_in_one_column():
    rows, k = np.sort(np.random.default_rng(1).random(8000)), 640
    gaps, strata = np.full(len(rows), 640), np.zeros(len(rows), np.int64)
    tracemalloc.start()
    found = Windows(covers.Places(rows[:, None], strata, gaps, np.ones(len(rows), np.int64)), 0.035, 1)
    held = sum(part.rows.size for part in found)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held <= 3 * k * len(rows)
    assert peak < room.bytes_for(len(rows), 1, k, both_sides=False)


def test_room_is_refused_in_a_sentence(monkeypatch):
    with_memory(monkeypatch, LITTLE)
    require_room(100, 2, 5, both_sides=False)
    with pytest.raises(InputError, match=r"of 1,000,000 rows in 2 columns may take .* GB, and this machine has 0.1 GB"):
        require_room(10**6, 2, 5, both_sides=False)
