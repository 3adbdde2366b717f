"""A process that ends with its parent, whatever ends that."""

import os
import signal
import subprocess
import sys

import pytest

from robust_book.engine import lifetime
from tests import chain

CHILD = """
import time
from robust_book.engine.lifetime import end_with_parent
end_with_parent(interval=0.05)
print("ready", flush=True)
time.sleep(60)
"""
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}])
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_child_ends_with_its_parent(number):
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        child, ready = int(parent.stdout.readline()), parent.stdout.readline()
        assert ready == "ready\n"
        os.kill(parent.pid, number)
    assert chain.ends(child)


def test_a_child_whose_parent_is_gone_already_ends_at_once():
    done = subprocess.run(
        [sys.executable, "-c", CHILD], env=os.environ | {"ROBUST_PARENT": "1"}, timeout=60
    )
    assert done.returncode == -signal.SIGKILL


class Kernel:
    """What Windows answers: a process is found or not, and has ended or not."""

    def __init__(self, handle, ended):
        self.handle, self.ended = handle, ended

    def OpenProcess(self, rights, inherited, number):
        assert (rights, inherited, number) == (lifetime.SYNCHRONIZE, False, 77)
        return self.handle

    def WaitForSingleObject(self, handle, milliseconds):
        assert (handle, milliseconds) == (self.handle, 0)
        return 0 if self.ended else 258


@pytest.mark.parametrize(
    ("handle", "ended", "gone"), [(5, False, False), (5, True, True), (None, False, True)]
)
def test_windows_is_asked_for_the_parent_itself(handle, ended, gone):
    assert lifetime._gone_on_windows(77, Kernel(handle, ended))() is gone
