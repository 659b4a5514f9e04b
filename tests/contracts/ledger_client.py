"""One process of a crowd: asks again and again from several threads, and prints how often it was admitted.

python -m tests.contracts.ledger_client PLACE NAME REQUESTS THREADS
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from eremite import BudgetRefused
from eremite.ledger import Ledger, open_ledger
from tests.contracts.ledger_places import ALICE, pure


def admitted(ledger: Ledger, request_id: str) -> bool:
    try:
        ledger.reserve(ALICE, request_id, "f", pure("0.01"), {"query": "count"})
    except BudgetRefused:
        return False
    return True


def crowd(ledger: Ledger, name: str, requests: int, threads: int) -> int:
    """How many of the requests were admitted."""
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(lambda i: admitted(ledger, f"{name}-{i}"), range(requests)))


if __name__ == "__main__":
    place, name, requests, threads = sys.argv[1:]
    sys.stdin.readline()  # so that all start at once
    sys.stdout.write(f"{crowd(open_ledger(place), name, int(requests), int(threads))}\n")
