"""How far apart two normal distributions are at e^epsilon, enclosed (`gaussian.proof.md`, claims H1 to H3).

theory     here
delta      the hockey-stick divergence of N(0, sigma^2) from N(shift, sigma^2 e^(2b)), in units of sigma
beta       steadiness: |b| <= beta between neighbors
"""

from fractions import Fraction

from flint import arb, ctx

from eremite.intervals import as_arb
from eremite.mechanisms.normal import below

_PRECISION = 256
_PIECES = 64


def divergence(epsilon: arb, shift: arb, b: arb) -> arb:
    """sup over events E of P(E) - e^epsilon Q(E) for P = N(0, 1), Q = N(shift, e^(2b)), shift > 0; 1 if undecided.

    p > e^epsilon q outside the roots of a quadratic where Q is the narrower, between them where it is the wider.
    """
    if b == 0:
        edge = epsilon / shift
        return below(shift / 2 - edge) - epsilon.exp() * below(-shift / 2 - edge)
    scale = b.exp()
    curve = 1 - scale * scale
    inside = shift * shift + 2 * curve * (epsilon - b)
    if inside <= 0 and curve < 0:
        return arb(0)
    if not (inside > 0 and (curve > 0 or curve < 0)):
        return arb(1)
    middle, reach = shift / curve, scale * inside.sqrt() / abs(curve)
    ours = _outside(middle - reach, middle + reach)
    theirs = _outside((middle - reach - shift) / scale, (middle + reach - shift) / scale)
    if curve > 0:
        return ours - epsilon.exp() * theirs
    return (1 - ours) - epsilon.exp() * (1 - theirs)


def certified(epsilon: Fraction, delta: Fraction, sigma: Fraction, steadiness: Fraction) -> bool:
    """Whether noise bound * sigma * N(0, 1) is (epsilon, delta)-DP for a bound that changes by e^steadiness at most.

    All pairs of neighbors are covered: the log of the ratio of their bounds by pieces (claim H3), any smaller shift by
    the largest one (claim H2). True is proved; False may only mean that the pieces are too coarse.
    """
    with ctx.workprec(_PRECISION + 4 * delta.denominator.bit_length()):
        return all(_piece(epsilon, sigma, low, high) <= as_arb(delta) for low, high in _pieces(steadiness))


def _pieces(steadiness: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Both ends first: that is where a sigma fails if it fails."""
    if steadiness == 0:
        return [(Fraction(0), Fraction(0))]
    width = steadiness / _PIECES
    pieces = [(i * width, (i + 1) * width) for i in range(-_PIECES, _PIECES)]
    return [pieces[0], pieces[-1], *pieces[1:-1]]


def _piece(epsilon: Fraction, sigma: Fraction, low: Fraction, high: Fraction) -> arb:
    shift = as_arb(min(high, Fraction(0))).exp() / as_arb(sigma)
    return divergence(as_arb(epsilon - (high - low)), shift, as_arb(low))


def _outside(low: arb, high: arb) -> arb:
    return below(low) + below(-high)
