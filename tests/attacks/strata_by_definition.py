"""Counts and smooth bounds of tables with strata and rows that take no part, written out."""

import numpy as np

from eremite.geometry import kissing_number_bound
from tests.attacks.neighboring import smooth
from tests.attacks.search_laws import depth
from tests.definition import around_rows_by_definition, degrees_by_definition


def facts_by_definition(kinds, neighbors, k, radius, decay):
    """(q, S) of a table, given by the kinds of its rows: neighbors are in one ward, and a row with a gap is no row."""
    strata = [_rows_of(kinds, ward) for ward in sorted({kind[-1] for kind in kinds})]
    strata = [rows for rows in strata if len(rows)]
    degrees = [np.array(degrees_by_definition(rows, radius)) for rows in strata]
    most = k * kissing_number_bound(len(kinds[0]) - 1 if kinds else 1)
    most = min(len(kinds), most + 1) if neighbors == "replace" else most
    profile = [
        min(most, max(1, *(_turned(strata, degrees, k, radius, *way[:2]) + way[2] for way in _ways(neighbors, t))))
        for t in range(most + 1)  # the cap is reached before
    ]
    return sum(int((some < k).sum()) for some in degrees), smooth(profile, decay)


def _rows_of(kinds, ward):
    return np.array([kind[:-1] for kind in kinds if kind[-1] == ward and None not in kind], dtype=float)


def _ways(neighbors, t):
    """(rows added, rows removed, how many may turn beside those of one ball) of all tables t steps away."""
    return [(t, t, t + 1)] if neighbors == "replace" else [(a, t - a, a) for a in range(t + 1)]


def _turned(strata, degrees, k, radius, added, removed):
    """The most that one row turns in its own stratum: rows around one that leaves, rows of a ball around a new one."""
    turned = [0]
    for rows, known in zip(strata, degrees, strict=True):
        of_k = (known >= k - added) & (known <= k + removed)
        of_less = (known >= k - 1 - added) & (known <= k - 1 + removed)
        turned.append(around_rows_by_definition(rows, of_k, radius))
        turned.append(depth(rows[of_less], radius * np.sqrt(rows.shape[1])))
    return max(turned)
