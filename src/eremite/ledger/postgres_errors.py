"""Errors of PostgreSQL as our own sentences. PostgreSQL's messages can quote the address and are not passed on."""

MISSING_DRIVER = "A ledger in PostgreSQL needs its driver; install it with: pip install 'eremite[postgres]'"
_WHY = {
    "08": "was lost in the middle of a request",
    "25006": "is read-only, or a standby. Give the address of the primary",
    "28": "does not accept this name and password. Correct the address",
    "3D000": "does not have this database. Correct the address",
    "42501": "does not let this user make or change the ledger's tables. Grant that, and ask again",
    "53": "has run out of disk, memory or connections. Make room and ask again",
    "57014": "took longer than a minute over one statement. Check the server and ask again",
    "55P03": "has been held by another program for a minute. End that program and ask again",
    "57P": "is shutting down or starting. Ask again in a moment",
    "58": "could not read or write its disk. Check the server",
    "XX": "reports that its data is damaged. Restore the database from a backup",
}


STALLED = (
    "The ledger in PostgreSQL does not answer, though it can be reached; nothing was released. "
    "If the request was charged, it stays so. Check the server, and ask again."
)


def sentence(sqlstate: str | None) -> str:
    """The sentence for a SQLSTATE, with what to do; None stands for a lost connection."""
    if sqlstate is None:
        return (
            "The ledger in PostgreSQL cannot be reached, or was lost in the middle of a request; nothing was released. "
            "If the request was charged, it stays so. Check the address and the server, and ask again."
        )
    found = (_WHY[sqlstate[:length]] for length in (5, 3, 2) if sqlstate[:length] in _WHY)
    why = next(found, "could not be used. Verify it, and look into the server's log")
    return f"The ledger in PostgreSQL {why} (SQLSTATE {sqlstate}); nothing was released."
