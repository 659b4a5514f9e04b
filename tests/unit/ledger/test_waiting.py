"""Those who wait are written together, each decided by itself; a failure is only of whoever wrote."""

import os
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from eremite import InputError
from eremite.ledger.chain import Head
from eremite.ledger.store import Account, Page
from eremite.ledger.waiting import _MOST_AT_ONCE, Task, Waiting

ALICE = Account("patients", "alice")
PAGE = Page(Head(), None, None)


@dataclass
class Refusing:
    def __call__(self, page):
        raise InputError("not like this")


def task(name, make=None):
    return Task(ALICE, name, make or (lambda page: (None, name)))


def decide_all(tasks):
    for each in tasks:
        each.decide(lambda: PAGE)


def test_all_who_wait_are_settled_together_and_answered_each_for_itself():
    line = Waiting()
    with line.joined(task("a")) as a, line.joined(task("b", Refusing())) as b, line.joined(task("c")) as c:
        with line.batch() as tasks:
            assert tasks == [a, b, c]
            decide_all(tasks)
        assert (a.answer(), c.answer()) == ("a", "c")
        with pytest.raises(InputError, match="not like this"):
            b.answer()
    with line.batch() as tasks:
        assert tasks == []


def test_nobody_is_answered_before_the_commit():
    line = Waiting()
    with line.joined(task("a")) as a, line.batch() as tasks:
        decide_all(tasks)
        with pytest.raises(RuntimeError):
            a.answer()


def fail(line):
    with line.batch() as tasks:
        decide_all(tasks)
        raise OSError


def test_failed_batch_is_in_line_again_in_its_order():
    line = Waiting()
    with line.joined(task("a")) as a, line.joined(task("b")) as b:
        with pytest.raises(OSError):  # noqa: PT011
            fail(line)
        assert not a.settled
        with line.batch() as tasks:
            assert tasks == [a, b]


def test_whoever_gives_up_is_not_written():
    line = Waiting()
    with line.joined(task("stays")) as stays:
        with pytest.raises(KeyboardInterrupt), line.joined(task("goes")):
            raise KeyboardInterrupt
        with line.batch() as tasks:
            assert tasks == [stays]


def test_whoever_gives_up_within_a_batch_that_fails_is_not_written_later():
    line, goes = Waiting(), task("goes")
    joined = line.joined(goes)
    joined.__enter__()
    with pytest.raises(OSError), line.batch():  # noqa: PT011, PT012
        joined.__exit__(None, None, None)
        raise OSError
    with line.batch() as tasks:
        assert tasks == []


def test_forked_process_does_not_write_what_the_parent_waits_for(monkeypatch):
    line = Waiting()
    with line.joined(task("the parent's")):
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with line.batch() as tasks:
            assert tasks == []


def test_batches_are_limited():
    line, sizes = Waiting(), []
    with ExitStack() as stack:
        for i in range(_MOST_AT_ONCE + 1):
            stack.enter_context(line.joined(task(str(i))))
        for _ in range(3):
            with line.batch() as tasks:
                sizes.append(len(tasks))
    assert sizes == [_MOST_AT_ONCE, 1, 0]
