"""Where real randomness enters, and the only place."""

import secrets


def system_bits(n: int) -> int:
    """n random bits from the operating system, as an integer. Nothing seeds them."""
    return secrets.randbits(n)
