"""Covers as solvers take them."""

import numpy as np

from eremite.reach.covers import Heavy


def parts_of(covers, parts=2):
    """Covers, each a list of rows, as they are found: in parts, one of which is empty."""
    made = [Heavy(np.empty(0, np.int32), np.zeros(1, np.int64))]
    for part in range(parts):
        some = covers[part::parts]
        begins = np.concatenate([[0], np.cumsum([len(one) for one in some])]).astype(np.int64)
        made.append(Heavy(np.array([i for one in some for i in one], np.int32), begins))
    return made


def some_covers(rng, n, count, most=5):
    """Covers of two rows or more, drawn."""
    return [rng.choice(n, size=int(rng.integers(2, most)), replace=False).tolist() for _ in range(count)]


def apart(gaps, copies, covers):
    """What outliers of these places lack, one by one, and the covers that hold them."""
    first = np.concatenate([[0], np.cumsum(copies)]).tolist()
    held = {frozenset(row for i in cover for row in range(first[i], first[i + 1])) for cover in covers}
    return np.repeat(gaps, copies).tolist(), held
