"""All small tables with rules: rows in strata, rows that take no part, and both relations between neighbors."""

import itertools
from dataclasses import dataclass
from functools import cache

from eremite import Table
from tests.attacks.coming_and_going import tables_up_to, with_one_more
from tests.attacks.neighboring import replaced

WARDS = ("A", "B")


@dataclass(frozen=True)
class World:
    """Tables of some kinds of rows. A kind is a tuple of coordinates, None where one is missing, and of its ward."""

    kinds: tuple
    rows: int  # as many with replaced rows, up to as many where rows come and go
    neighbors: str = "add-remove"
    rows_per_person: int = 1

    @property
    def columns(self):
        return "ab"[: len(self.kinds[0]) - 1]

    @cache  # noqa: B019 -- few worlds, small tables
    def table(self, rows):
        """The library's table; every coordinate may be missing, and then the row takes no part."""
        cells = zip(*(self.kinds[kind] for kind in rows), strict=True) if rows else [()] * len(self.kinds[0])
        about = {"rows_about": 10} if self.neighbors == "add-remove" else {}
        return Table.from_frame(
            {name: list(column) for name, column in zip((*self.columns, "ward"), cells, strict=True)},
            bounds=dict.fromkeys(self.columns, (0, 1)),
            categories={"ward": WARDS},
            missing=dict.fromkeys(self.columns, "leave-out"),
            neighbors=self.neighbors,
            rows_per_person=self.rows_per_person,
            **about,
        )

    @cache  # noqa: B019
    def tables(self):
        """As multisets of kinds: the order of rows does not matter."""
        if self.neighbors == "add-remove":
            return list(tables_up_to(len(self.kinds), self.rows))
        return list(itertools.combinations_with_replacement(range(len(self.kinds)), self.rows))

    @cache  # noqa: B019
    def near(self, rows):
        """All neighbors of a table that have no more rows than these tables have."""
        if self.neighbors == "replace":
            return replaced(rows, len(self.kinds))
        shorter = {rows[:place] + rows[place + 1 :] for place in range(len(rows))}
        return shorter | set(with_one_more(rows, len(self.kinds)) if len(rows) < self.rows else [])

    def pairs(self, look, apart=1):
        """All pairs of what is seen of tables so many steps apart, or fewer; few are left of many pairs of tables."""
        known = {rows: look(self.table(rows)) for rows in self.tables()}
        pairs = set()
        for rows in known:
            reached = {rows}
            for _ in range(apart):
                reached |= {other for one in reached for other in self.near(one)}
            pairs |= {(known[rows], known[other]) for other in reached}
        return pairs


def on_a_line(places, wards="A", left_out=False):
    """Rows in one column, at multiples of 1/4, in each of the wards, and perhaps one that takes no part."""
    kinds = itertools.product([place / 4 for place in places], wards)
    return (*kinds, *([(None, "A")] if left_out else []))


def in_a_square(places, wards="A"):
    """Rows in two columns."""
    return tuple((*point, ward) for point in itertools.product(places, repeat=2) for ward in wards)
