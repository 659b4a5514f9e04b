"""The paper as it is written, and its experiments run again: Okada, Fukuchi, Kakizaki and Sakuma (2015).

Nothing here answers a question about a private table. The literal algorithms stand beside ours to be compared with
them; scaling by the rows themselves, tuned radii, exact counts and seeded noise would each break the guarantee, and are
in order only because every table here is generated or public. Of the library,
`eremite paper` alone imports this package.
"""
