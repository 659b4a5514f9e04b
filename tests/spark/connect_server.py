"""A server of Spark Connect on the loopback, with two cores of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.spark.cluster import QUICK_START, Processes, listens, wait_until

_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


class ConnectServer(Processes):
    """The server. It logs all that it does, in its log and in its events."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.master = f"sc://127.0.0.1:{self.port}"
        self._scratch = folder / "scratch"

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        folder = self.folder
        (folder / "events").mkdir()
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(self.port),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": f"{QUICK_START} -Dderby.system.home={folder}",
            "spark.ui.enabled": "false",
            "spark.python.unix.domain.socket.enabled": "true",  # with TCP, tasks wait for their Python worker
            "spark.local.dir": str(self._scratch),
            "spark.sql.warehouse.dir": str(folder / "tables"),
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": str(folder / "events"),
            "spark.eventLog.compress": "false",
        }
        options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        # A task may fail once and is done again; with local[2] it may not.
        command = ("--master", "local[2,2]", *options, "--class", _SERVER, "spark-internal")
        self._start("spark-submit", *command, heap="1g")
        wait_until(lambda: listens(self.port), "the server listens")

    def logs(self) -> str:
        """All that it logs, and no table."""
        files = [*self.folder.glob("*.log"), *self.folder.glob("events/**/*")]
        return "\n".join(path.read_text(errors="replace") for path in files if path.is_file())

    def frames_kept(self) -> int:
        """How many frames the server keeps on its disk, for whichever session."""
        return len({path.name.split("_")[1] for path in self._scratch.rglob("rdd_*")})


@contextmanager
def running_connect_server(folder: Path) -> Iterator[ConnectServer]:
    """A server, which ends whatever happens."""
    server = ConnectServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
