"""Ctrl-C: ends the command at once, wherever it is, with exit code 130 and one sentence about what was charged.

Python's own way is an exception in the main thread. A compiled function that returns just then turns it into a
SystemError, a callback prints it and goes on, and a kernel that computes for minutes does not notice it at all. So a
command raises none. The signal stops its main thread at the next line of Python, and wakes a thread of its own, which
ends the process; kernels release the interpreter lock, so it need not wait for them.

Nothing is lost by ending like this. A charge or an answer is in the ledger or it is not (`ledger/decide.proof.md`); the
ledger, its witness and the tokens survive a process that is killed, and all else that is written can be written again.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread, main_thread
from typing import NoReturn

from eremite.cli import messages

EXIT_CODE = 130
#: Called with whether the ledger is at rest: if not, the main thread is writing to it and may yet succeed.
Sentence = Callable[[bool], str]

_TIME_TO_STOP = 0.2  # seconds; kernels take longer
_TIME_TO_WRITE = 2.0  # seconds; a ledger takes longer only if others keep it busy
_SHOW_CURSOR = "\r\x1b[2K\x1b[?25h"  # also removes the line of a spinner


class _Command:
    """What this process says when it is interrupted, and where signals go."""

    sentence: Sentence
    wakeup: int | None = None


def nothing_charged(_: bool = True) -> str:
    """The sentence of a command that has charged nothing so far."""
    return "Interrupted; nothing was charged."


def explain_with(sentence: Sentence) -> None:
    """Say this if the process is interrupted from now on."""
    _Command.sentence = sentence


def sentence(at_rest: bool = True) -> str:
    """What an interrupt says now."""
    return _Command.sentence(at_rest)


def take_over() -> None:
    """End this process on SIGINT, from now on. Where the signal is ignored, as in the background, it stays ignored."""
    if _Command.wakeup is not None or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    listening, _Command.wakeup = os.pipe()
    os.set_blocking(_Command.wakeup, False)
    stopped = Event()
    Thread(target=_end_on_signal, args=(listening, stopped), daemon=True).start()
    signal.set_wakeup_fd(_Command.wakeup, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda *_: _stop_here(stopped))


def too_late() -> None:
    """Ignore SIGINT from now on: the command is done, and Python, which takes itself apart, would die of it."""
    if _Command.wakeup is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)


def let_others_handle() -> None:
    """Leave SIGINT to Python's own handler, which others replace by theirs."""
    if _Command.wakeup is not None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.set_wakeup_fd(-1)


def _stop_here(stopped: Event) -> NoReturn:
    """Run no further line of the main thread: it can then neither charge nor print anything."""
    stopped.set()
    while True:
        Event().wait()  # a second signal only calls this once more


def _end_on_signal(listening: int, stopped: Event) -> None:
    try:
        while os.read(listening, 1)[0] != signal.SIGINT:
            pass
        line = messages.interrupt(sentence(_at_rest(stopped)), EXIT_CODE)
        with suppress(OSError):  # not through sys.stderr, which the main thread may hold
            os.write(2, f"{_SHOW_CURSOR if os.isatty(2) else ''}{line}\n".encode(errors="backslashreplace"))
    finally:
        os._exit(EXIT_CODE)


def _at_rest(stopped: Event) -> bool:
    """Whether the ledger stays as it is: the main thread has stopped, or is busy elsewhere and stops after that."""
    return stopped.wait(_TIME_TO_STOP) or not _writes() or stopped.wait(_TIME_TO_WRITE)


def _writes() -> bool:
    """Whether the main thread is within the ledger."""
    frame = sys._current_frames().get(main_thread().ident or 0)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("eremite.ledger"):
            return True
        frame = frame.f_back
    return False


explain_with(nothing_charged)
