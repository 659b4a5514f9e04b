"""Who is next: accounts take turns, and a turn takes as many questions as fit by public facts."""

from collections import OrderedDict, deque

from eremite.service.jobs import Job


class WaitingJobs:
    """The jobs that wait for one lane. Of all accounts, the one that was served longest ago is next."""

    def __init__(self) -> None:
        self._accounts: OrderedDict[str, deque[Job]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._accounts.values()))

    def put(self, job: Job) -> None:
        """Let a job wait, behind the others of its account."""
        self._accounts.setdefault(job.account, deque()).append(job)

    def put_back(self, job: Job) -> None:
        """Let a job wait that was taken and not begun, before all others."""
        self._accounts.setdefault(job.account, deque()).appendleft(job)
        self._accounts.move_to_end(job.account, last=False)

    def remove(self, job_id: str) -> bool:
        """Take a job out; False if it does not wait here."""
        for account, jobs in self._accounts.items():
            found = next((job for job in jobs if job.id == job_id), None)
            if found is not None:
                jobs.remove(found)
                if not jobs:
                    del self._accounts[account]
                return True
        return False

    def take(self, most: int, seconds: float) -> list[Job]:
        """The jobs of the next turn: the first one, and others while all together take so many seconds at most.

        How long a job takes is what public facts say. So who shares a turn depends on no row.
        """
        turn: list[Job] = []
        while self._accounts and len(turn) < most:
            account, jobs = next(iter(self._accounts.items()))
            if turn and sum(job.seconds for job in turn) + jobs[0].seconds > seconds:
                break
            turn.append(jobs.popleft())
            if jobs:
                self._accounts.move_to_end(account)
            else:
                del self._accounts[account]
        return turn
