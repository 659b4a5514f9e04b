"""Counts by group, as the value of a release."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

#: A value of the column whose values make the groups; of several columns, a tuple with a value of each.
Group = str | int | bool | tuple[str | int | bool, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ByGroup(Mapping[Group, int]):
    """A count for each group, in the declared order: `value["A"]`, or `value["f", "A"]` for two columns."""

    pairs: tuple[tuple[Group, int], ...]

    @classmethod
    def of(cls, groups: Sequence[tuple[str | int | bool, ...]], counts: Iterable[int]) -> "ByGroup":
        """The groups with their counts; a group of one column is the value itself."""
        named = (group[0] if len(group) == 1 else group for group in groups)
        return cls(tuple(zip(named, counts, strict=True)))

    def __getitem__(self, group: Group) -> int:
        return dict(self.pairs)[group]

    def __iter__(self) -> Iterator[Group]:
        return (group for group, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __hash__(self) -> int:  # equality is that of mappings
        return hash(frozenset(self.pairs))

    def __repr__(self) -> str:
        return repr(dict(self.pairs))


def parsed_groups(value: object) -> ByGroup:
    """The counts that were written as pairs; a ValueError for anything else."""
    if not isinstance(value, tuple) or not value or not all(map(_is_pair, value)):
        raise ValueError
    found = ByGroup(value)
    if len(set(found)) < len(value):
        raise ValueError
    return found


def _is_pair(pair: object) -> bool:
    if not isinstance(pair, tuple) or len(pair) != 2:
        return False
    group, count = pair
    values = group if isinstance(group, tuple) else (group,)
    named = len(values) > 0 and all(isinstance(value, str | int | bool) for value in values)
    return named and type(count) is int and count >= 0
