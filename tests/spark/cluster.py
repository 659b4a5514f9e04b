"""A cluster of Spark on the loopback: a master and two workers with one core each, as processes of this machine."""

import gc
import importlib.util
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

EXECUTOR = "CoarseGrainedExecutorBackend"
WORKER = "deploy.worker.Worker"
PYTHON = "pyspark.worker"
_PATIENCE = 60.0  # seconds
_SETTLED = 5.0


QUICK_START = "-XX:TieredStopAtLevel=1"
#: Of sessions on the cluster: small heaps, and no long waits for a process that is gone.
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.executor.extraJavaOptions": QUICK_START,
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "1s",
}


class Processes:
    """Processes of Spark on this machine, what they started, and how to end them. Their output is in the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._started: list[subprocess.Popen[bytes]] = []

    def processes(self, part: str) -> list[int]:
        """The processes whose command has this part."""
        return [one for first in self._alive() for one in self.family(first) if part in _command(one)]

    def family(self, process: int) -> list[int]:
        """A process and all that it started, or that those started."""
        tree, found = _parents(), [process]
        for one in found:
            found += [child for child, parent in tree.items() if parent == one]
        return found

    def python_workers(self) -> list[int]:
        """The processes that do the work of tasks: those that a process of the same kind has started."""
        tree, all_of_them = _parents(), self.processes(PYTHON)
        return [one for one in all_of_them if tree.get(one) in all_of_them]

    def logs(self) -> str:
        """All that they wrote."""
        files = [path for path in self.folder.rglob("*") if path.is_file() and path.suffix not in (".jar", ".py")]
        return "\n".join(path.read_text(errors="replace") for path in files)

    def stop(self) -> None:
        """End all of them."""
        for one in self.processes(""):
            kill(one)
        for process in self._started:
            process.wait()

    def _start(self, program: str, *arguments: str, heap: str = "256m") -> None:
        """Start a program of Spark on the loopback, with a small heap."""
        found = importlib.util.find_spec("pyspark")
        assert found is not None
        assert found.origin is not None
        home = Path(found.origin).parent
        settings = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": heap, "SPARK_HOME": str(home)}
        settings["SPARK_DAEMON_JAVA_OPTS"] = QUICK_START
        output = (self.folder / f"{len(self._started)}.log").open("wb")
        with output:
            command = [str(home / "bin" / program), *arguments]
            process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=output, stderr=output)
        self._started.append(process)

    def _alive(self) -> list[int]:
        return [process.pid for process in self._started if process.poll() is None]


class Cluster(Processes):
    """A master, and workers with one core each."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.master = f"spark://127.0.0.1:{self.port}"

    def start_master(self) -> None:
        """Start the master, and wait until it listens."""
        self._start_part("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        wait_until(lambda: listens(self.port), "the master listens")

    def start_worker(self) -> None:
        """Start one more worker, and wait until the master knows it."""
        known = self._known()
        sizes = ("--cores", "1", "--memory", "1g")
        place = ("--host", "127.0.0.1", "--webui-port", "0", "-d", str(self.folder / "work"))
        self._start_part("worker.Worker", *sizes, *place, self.master)
        wait_until(lambda: self._known() > known, "the worker is known")

    def _start_part(self, part: str, *arguments: str) -> None:
        self._start("spark-class", f"org.apache.spark.deploy.{part}", *arguments)

    def _known(self) -> int:
        return (self.folder / "0.log").read_text().count("Registering worker")


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster with two workers, which ends whatever happens."""
    cluster = Cluster(folder)
    try:
        cluster.start_master()
        cluster.start_worker()
        cluster.start_worker()
        yield cluster
    finally:
        cluster.stop()


def kill(process: int) -> None:
    """End a process without a word."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait for something; fail if it does not come."""
    end = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < end, f"{what}: not within {_PATIENCE:.0f} s"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def _parents() -> dict[int, int]:
    """The parent of every process."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = path.read_text()
            found[int(path.parent.name)] = int(text[text.rindex(")") + 2 :].split()[1])
    return found


def _command(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    return ""


def settled(count: Callable[[], int]) -> int:
    """A number that earlier tests may still lower: 0, or what it is once it has not changed for some seconds."""
    gc.collect()
    found, since = count(), time.monotonic()
    while found and time.monotonic() < since + _SETTLED:
        time.sleep(0.1)
        now = count()
        if now != found:
            found, since = now, time.monotonic()
    return found
