"""The algorithms and experiments of Okada, Fukuchi, Kakizaki and Sakuma (2015), run again.

Nothing here is private: columns are scaled by their own rows, radii are tuned, counts are exact and noise is seeded. So
all tables are generated or public, and only the command `eremite paper` imports this package into `eremite`.
"""
