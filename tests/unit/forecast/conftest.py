"""Draws are the same every time."""

from same_draws import same_draws

__all__ = ["same_draws"]
