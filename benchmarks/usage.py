"""What a command used, with all processes that it starts and that those start: seconds, CPU seconds, memory."""

import ctypes
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from resource import struct_rusage
from threading import Event, Thread
from time import perf_counter

_EVERY = 0.05  # seconds between two looks at the processes
_LOOKS = 4  # after so many looks, look for new processes
_PR_SET_CHILD_SUBREAPER = 36
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command used.

    Attributes:
        seconds: From its start until it ended.
        waited: CPU seconds of its processes, as the kernel gives them to whoever waits for a process. A process
            that nobody waits for is missing, such as the Python workers of Spark.
        seen: CPU seconds of its processes, added up from looks at them while they ran. What a process did after
            the last look at it is missing.
        peak: The most bytes that its processes had at once. Pages that processes share count for each of them.
        output: What it printed.
    """

    seconds: float
    waited: "CpuTime"
    seen: "CpuTime"
    peak: int
    output: str

    @property
    def cpu(self) -> float:
        """CPU seconds: the larger of two sums that both lack a little and count nothing twice."""
        return max(self.waited.total, self.seen.total)

    @property
    def kernel(self) -> float:
        """Those of them that the kernel took: mostly for memory that a process uses for the first time, and files."""
        return max(self.waited, self.seen, key=lambda time: time.total).kernel


@dataclass(frozen=True, slots=True)
class CpuTime:
    """CPU seconds of programs, and of the kernel for them."""

    program: float = 0.0
    kernel: float = 0.0

    @property
    def total(self) -> float:
        """Both."""
        return self.program + self.kernel

    def __add__(self, other: "CpuTime") -> "CpuTime":
        return CpuTime(self.program + other.program, self.kernel + other.kernel)

    @classmethod
    def of(cls, used: struct_rusage) -> "CpuTime":
        """What the kernel tells of a process that has ended."""
        return cls(used.ru_utime, used.ru_stime)


def measured(command: Sequence[str], *, limit: float, env: Mapping[str, str] | None = None) -> Usage | None:
    """Run a command and measure it; None if it took longer than the limit, in seconds, and was ended.

    Raises `subprocess.CalledProcessError` if it fails. Orphans become children of this process, which waits for them.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        begin = perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=errors, start_new_session=True, env=env)
        with _Watch(child.pid) as watch:
            late = Event()
            Thread(target=_end_late, args=(child.pid, limit, watch.done, late), daemon=True).start()
            try:
                _, status, used = os.wait4(child.pid, 0)
            except BaseException:  # somebody interrupts us, and not the session of the command
                _end(child.pid)
                raise
            child.returncode = os.waitstatus_to_exitcode(status)
            seconds = perf_counter() - begin
            waited = CpuTime.of(used) + _rest_of(child.pid)
        out.seek(0)
        errors.seek(0)
        output, problems = out.read(), errors.read()
    if late.is_set():
        return None
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command, output, problems)
    return Usage(seconds, waited, watch.cpu, watch.peak, output)


def _end_late(session: int, limit: float, done: Event, late: Event) -> None:
    if not done.wait(limit):
        late.set()
        _end(session)


def _rest_of(session: int) -> CpuTime:
    """CPU seconds of the orphans of a session, once they have ended."""
    cpu = CpuTime()
    while orphans := [pid for pid, parent in _processes(session).items() if parent == os.getpid()]:
        for pid in orphans:
            _, _, used = os.wait4(pid, 0)
            cpu += CpuTime.of(used)
    return cpu


class _Watch:
    """Looks at the processes of a session until it is left."""

    def __init__(self, session: int) -> None:
        self.done = Event()
        self.peak = 0
        self._seen: dict[int, CpuTime] = {}
        self._session = session
        self._thread = Thread(target=self._look, daemon=True)

    def __enter__(self) -> "_Watch":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self._thread.join()

    @property
    def cpu(self) -> CpuTime:
        return sum(self._seen.values(), CpuTime())

    def _look(self) -> None:
        looks, pids = 0, [self._session]
        while not self.done.wait(_EVERY):
            if looks % _LOOKS == 0:
                pids = list(_processes(self._session))
            looks += 1
            memory = 0
            for pid in pids:
                if fields := _stat(pid):
                    seen = CpuTime(int(fields[11]) / _TICK, int(fields[12]) / _TICK)
                    self._seen[pid] = max(self._seen.get(pid, CpuTime()), seen, key=lambda time: time.total)
                    memory += int(fields[21]) * _PAGE
            self.peak = max(self.peak, memory)


def _processes(session: int) -> dict[int, int]:
    """The processes of a session and the parent of each."""
    found = {int(path.name): _stat(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit()}
    return {pid: int(fields[1]) for pid, fields in found.items() if fields and int(fields[3]) == session}


def _stat(pid: int) -> list[str]:
    """What the kernel says of a process, from its state on; nothing of one that has gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _end(session: int) -> None:
    for pid in _processes(session):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
