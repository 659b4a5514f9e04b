"""A draw is the smallest y with U < F(y), decided by as many bits as it takes and by no fewer."""

import itertools
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from eremite.mechanisms import entropy, sampling
from eremite.mechanisms.sampling import draw_index, draw_integer

FULL = (1 << 64) - 1
THIRD = FULL // 3  # 0x5555...: the bits of 1/3 repeat
DICE = [Fraction(y + 1, 6) for y in range(6)]
SKEW = [Fraction(1, 1000), Fraction(1, 3), Fraction(1, 3), Fraction(1, 2), Fraction(999, 1000), Fraction(1)]


def enclosed(steps, width=lambda n: 0):
    """The enclosure of a distribution function on 0, 1, ..., too wide by width(n) on both sides."""

    def enclose(y, n):
        at = (steps[min(y, len(steps) - 1)] if y >= 0 else Fraction(0)) * (1 << n)
        return max(floor(at) - width(n), 0), min(ceil(at) + width(n), 1 << n)

    return enclose


def drawn_by_definition(steps, u):
    return next(y for y, step in enumerate(steps) if u < step)


def stream(seed, first):
    """Given chunks, then pseudorandom ones, the same for the same seed."""
    source = np.random.default_rng(seed)
    chunks = itertools.chain(first, iter(lambda: int.from_bytes(source.bytes(8)), None))
    return lambda n: next(chunks)


@pytest.mark.parametrize(
    ("chunks", "drawn"),
    [
        ((THIRD - 1, 7), 0),
        ((THIRD + 1, 7), 1),
        ((THIRD, THIRD - 1, 7), 0),
        ((THIRD, THIRD + 1, 7), 1),
        ((THIRD, 0, 7), 0),
        ((THIRD, FULL, 7), 1),
        ((THIRD, THIRD, THIRD, 0, 7), 0),
        ((THIRD, THIRD, THIRD, FULL, 7), 1),
    ],
)
def test_draw_fetches_more_bits_until_it_is_sure(feed, chunks, drawn):
    """The boundary is 1/3: a U that agrees with it in all bits so far decides nothing."""
    unused = feed(*chunks)
    assert draw_integer(enclosed([Fraction(1, 3), Fraction(1)]), 0) == drawn
    assert unused == [7]


@pytest.mark.parametrize(("first", "drawn"), [((1 << 63) - 1, 0), (1 << 63, 1), (0, 0), (FULL, 1)])
def test_draw_needs_one_chunk_where_the_boundary_has_few_bits(feed, first, drawn):
    feed(first)
    assert draw_integer(enclosed([Fraction(1, 2), Fraction(1)]), 0) == drawn


@pytest.mark.parametrize("steps", [DICE, SKEW], ids=["dice", "skew"])
@pytest.mark.parametrize("start", [-3, 0, 2, 5, 40])
def test_draw_is_right_for_every_string_of_bits(monkeypatch, steps, start):
    """Chunks of three bits, all strings of four chunks: whatever is decided by then holds for the whole cell of U."""
    monkeypatch.setattr(sampling, "_CHUNK", 3)
    undecided = 0
    for chunks in itertools.product(range(8), repeat=4):
        left = list(chunks)
        monkeypatch.setattr(entropy, "system_bits", lambda n, left=left: left.pop(0))
        u = Fraction(sum(chunk << 3 * (3 - i) for i, chunk in enumerate(chunks)), 8**4)
        try:
            assert draw_integer(enclosed(steps), start) == drawn_by_definition(steps, u)
        except IndexError:
            undecided += 1
    assert undecided <= len(steps) - 1  # at most the cells that hold a boundary


@pytest.mark.parametrize("width", [lambda n: 1000, lambda n: 1 << n // 2, lambda n: 1 << n - n // 8])
def test_draw_is_right_whatever_the_enclosures(monkeypatch, width):
    """Enclosures that say next to nothing at 64 bits cost more bits and change no draw."""
    for seed in range(200):
        first = [(THIRD, FULL, 0, THIRD + seed)[seed % 4]]
        results = []
        for wide in (lambda n: 0, width):
            monkeypatch.setattr(entropy, "system_bits", stream(seed, first))
            results.append(draw_integer(enclosed(SKEW, wide), 1))
        assert results[0] == results[1]


def test_wide_enclosures_cost_more_bits(monkeypatch):
    asked = []
    monkeypatch.setattr(entropy, "system_bits", lambda n: asked.append(n) or THIRD + 5)
    assert draw_integer(enclosed(DICE, lambda n: 1 << n // 2 + 40), 1) == 2
    assert asked == [64] * 4  # the first n with 2^(n/2 + 40) below 5 * 2^(n - 64)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.integers(0, FULL), st.integers(-20, 20))
def test_draw_agrees_with_the_definition(weights, first, start):
    weights = [*weights, 1]
    steps = [Fraction(sum(weights[: y + 1]), sum(weights)) for y in range(len(weights))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entropy, "system_bits", stream(0, [first]))
        drawn = draw_integer(enclosed(steps), start)
        patch.setattr(entropy, "system_bits", stream(0, [first]))
        u = sum(Fraction(entropy.system_bits(64), 1 << 64 * i) for i in range(1, 5))
    assert drawn == drawn_by_definition(steps, u)


def test_draw_reaches_far_out_when_the_first_bits_are_extreme(feed):
    """2^-64 of a heavy tail lies far away; the doubling search finds it, on either side."""

    def share(y):
        return 1 - Fraction(1, 2 + y) if y >= 0 else Fraction(1, 1 - y)

    for first in (0, FULL):
        rest = [0x3C6EF372FE94F82B, 0xBB67AE8584CAA73B, 0x9E3779B97F4A7C15]  # no cell in particular
        u = sum(Fraction(chunk, 1 << 64 * i) for i, chunk in enumerate([first, *rest], start=1))
        feed(first, *rest)
        drawn = draw_integer(lambda y, n: (floor(share(y) * (1 << n)), ceil(share(y) * (1 << n))), 0)
        assert share(drawn - 1) <= u < share(drawn)
        assert abs(drawn) > 1 << 64


# draw_index


def boundary(exponents, index):
    """F(index), enclosed to 512 bits, as the first 64 bits and the next 64."""
    with ctx.workprec(512):
        weights = [arb(fmpq(e.numerator, e.denominator)).exp() for e in exponents]
        share = sum(weights[: index + 1], arb(0)) / sum(weights, arb(0))
        bits = int((share * arb(2) ** 128).floor().unique_fmpz())
    return bits >> 64, bits & FULL


EXPONENTS = [Fraction(0), Fraction(-1), Fraction(5, 2), Fraction(1, 3), Fraction(-7)]


@pytest.mark.parametrize("index", range(4))
def test_draw_index_decides_both_sides_of_a_boundary(feed, index):
    first, second = boundary(EXPONENTS, index)
    for chunks, drawn in (
        ((first - 1,), index),
        ((first + 1,), index + 1),
        ((first, second - 1), index),
        ((first, second + 1), index + 1),
    ):
        feed(*chunks)
        assert draw_index(EXPONENTS) == drawn


def test_draw_index_asks_for_more_bits_at_a_boundary(feed):
    first, second = boundary(EXPONENTS, 2)
    unused = feed(first, second - 1, 7)
    draw_index(EXPONENTS)
    assert unused == [7]


@pytest.mark.parametrize(("first", "drawn"), [(0, 0), (FULL, 4)])
def test_draw_index_has_its_ends_at_the_ends(feed, first, drawn):
    feed(first, first)
    assert draw_index(EXPONENTS) == drawn


def test_draw_index_of_one_candidate_is_that_one(feed):
    for first in (0, FULL):
        feed(first)
        assert draw_index([Fraction(-5)]) == 0


def test_draw_index_takes_any_exponents(seeded):
    """Only differences count, and e^-1000000 is never drawn; no weight overflows or vanishes on the way."""
    seeded(1)
    exponents = [Fraction(10**6), Fraction(0), Fraction(10**6)]
    assert {draw_index(exponents) for _ in range(200)} == {0, 2}


def test_draw_index_is_uniform_for_equal_exponents(feed):
    for i in range(7):
        feed(((2 * i + 1) << 64) // 14)  # the middle of the i-th seventh
        assert draw_index([Fraction(3)] * 7) == i
