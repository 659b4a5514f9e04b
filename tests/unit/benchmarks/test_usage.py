"""What a command used is measured with all processes that it starts."""

import subprocess
import sys

import pytest

from benchmarks.usage import measured

BURN = "from time import process_time\nwhile process_time() < {}: pass\n"


def python(code):
    return [sys.executable, "-c", code]


def starting(code, wait):
    started = f"import subprocess, sys\nstarted = subprocess.Popen([sys.executable, '-c', {code!r}])\n"
    return python(started + ("started.wait()\n" if wait else "") + "print('done')")


@pytest.mark.parametrize("wait", [True, False], ids=["waited for", "orphan"])
def test_cpu_seconds_of_children_count(wait):
    used = measured(starting(BURN.format(0.6), wait), limit=60)
    assert used.waited.total >= 0.6
    assert 0.4 < used.seen.total < used.waited.total + 0.05
    assert 0 <= used.kernel <= used.cpu
    assert used.output == "done\n"


def test_cpu_seconds_of_a_process_that_nobody_waits_for_count():
    unwaited = "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    command = starting(BURN.format(0.6), wait=True)
    used = measured(python(unwaited + command[-1]), limit=60)
    assert used.waited.total < 0.5
    assert used.cpu > 0.4


def test_memory_of_children_counts():
    held = measured(starting("import time; held = bytearray(10**8); time.sleep(0.8)", wait=True), limit=60)
    assert 10**8 < held.peak < 2 * 10**8


def test_a_command_that_takes_too_long_is_ended_with_what_it_started():
    assert measured(starting("import time; time.sleep(60)", wait=True), limit=0.5) is None


def test_a_command_that_fails_raises():
    with pytest.raises(subprocess.CalledProcessError):
        measured(python("raise SystemExit(3)"), limit=60)
