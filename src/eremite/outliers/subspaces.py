"""Families of column sets, enumerated lazily."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from eremite.errors import InputError
from eremite.names import first_repeated, quote_name

Subspace = tuple[str, ...]
"""The columns of a subspace, in the order of the table."""
_MOST_SHOWN = 10**15


@dataclass(frozen=True, slots=True)
class Subspaces:
    """A public family of subspaces: all sets of columns of some sizes, or a list.

    Iterating yields them one at a time, smaller sizes first, each size in the order of the columns; `count` is
    computed without enumerating them.
    """

    columns: tuple[str, ...]
    sizes: range
    chosen: tuple[Subspace, ...] | None = None

    @classmethod
    def of_size(cls, columns: Sequence[str], size: int) -> "Subspaces":
        """All subspaces of exactly `size` columns."""
        _check(columns, size)
        return cls(tuple(columns), range(size, size + 1))

    @classmethod
    def up_to(cls, columns: Sequence[str], size: int) -> "Subspaces":
        """All subspaces of one to `size` columns."""
        _check(columns, size)
        return cls(tuple(columns), range(1, size + 1))

    @classmethod
    def listed(cls, columns: Sequence[str], chosen: Sequence[Sequence[str]]) -> "Subspaces":
        """The given subspaces, in the given order; columns within one are put into the order of the table."""
        _check(columns, 1)
        place = {name: at for at, name in enumerate(columns)}
        ordered = tuple(_in_order(subspace, place) for subspace in chosen)
        if not ordered:
            raise InputError("The list of subspaces is empty; name at least one.")
        if len(set(ordered)) < len(ordered):
            raise InputError("A subspace is listed more than once; list each set of columns once.")
        return cls(tuple(columns), range(0), ordered)

    @property
    def count(self) -> int:
        """The number of subspaces."""
        if self.chosen is not None:
            return len(self.chosen)
        return sum(math.comb(len(self.columns), size) for size in self.sizes)

    def exceeds(self, most: int) -> bool:
        """Whether there are more than `most`; stops counting as soon as that is clear."""
        if self.chosen is not None:
            return len(self.chosen) > most
        total = 0
        for size in self.sizes:
            total += _combinations_up_to(len(self.columns), size, most)
            if total > most:
                return True
        return False

    @property
    def largest(self) -> int:
        """The number of columns of the largest subspace."""
        return max(map(len, self.chosen)) if self.chosen is not None else self.sizes.stop - 1

    @property
    def one_of_each_size(self) -> tuple[Subspace, ...]:
        """A subspace of each number of columns that occurs, without enumerating the others."""
        if self.chosen is not None:
            return tuple({len(one): one for one in self.chosen}.values())
        return tuple(self.columns[:size] for size in self.sizes)

    @property
    def in_words(self) -> str:
        """A description of the family, such as "all 28 sets of 2 columns"."""
        if self.chosen is not None:
            return listed_in_words(len(self.chosen))
        if self.largest == 1:
            return f"all {self.count:,} columns, one at a time"
        sizes = f"{self.sizes.start}" if len(self.sizes) == 1 else f"1 to {self.largest}"
        return f"all {self.count_in_words} sets of {sizes} columns"

    @property
    def count_in_words(self) -> str:
        """How many there are, unless the number has too many digits to read: it can have thousands."""
        return f"more than {_MOST_SHOWN:,}" if self.exceeds(_MOST_SHOWN) else f"{self.count:,}"

    def __iter__(self) -> Iterator[Subspace]:
        if self.chosen is not None:
            return iter(self.chosen)
        return chain.from_iterable(combinations(self.columns, size) for size in self.sizes)


def listed_in_words(number: int) -> str:
    """A list of so many sets of columns."""
    return f"{number:,} listed set{'s' * (number != 1)} of columns"


def _check(columns: Sequence[str], size: int) -> None:
    if isinstance(columns, str):
        raise InputError("The columns must be a list of names.")
    if len(set(columns)) < len(columns):
        raise InputError("A column is named more than once; name each once.")
    if type(size) is not int or not 1 <= size <= len(columns):
        raise InputError(f"The size of a subspace must be a whole number from 1 to {len(columns)}.")


def _in_order(subspace: Sequence[str], place: dict[str, int]) -> Subspace:
    """The names in the order of the table, in time proportional to their number."""
    if not isinstance(subspace, list | tuple) or not all(isinstance(name, str) for name in subspace) or not subspace:
        raise InputError("Each subspace must be a list of one or more column names.")
    unknown = next((name for name in subspace if name not in place), None)
    if unknown is not None:
        raise InputError(f"Subspace column {quote_name(unknown, 40)} is not in the table; correct the name.")
    repeated = first_repeated(subspace)
    if repeated is not None:
        raise InputError(f"Column {quote_name(repeated, 40)} occurs twice in one subspace.")
    return tuple(sorted(subspace, key=place.__getitem__))


def _combinations_up_to(n: int, size: int, most: int) -> int:
    """The number of sets of `size` out of n, or some number above `most` if it is larger.

    The number of sets grows with their size up to n / 2, so the first number above `most` decides.
    """
    count = 1
    for chosen in range(min(size, n - size)):
        count = count * (n - chosen) // (chosen + 1)
        if count > most:
            break
    return count
