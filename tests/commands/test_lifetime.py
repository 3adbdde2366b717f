"""A process that ends with its parent, whatever ends that."""

import os
import signal
import subprocess
import sys

import pytest

from tests import chain

CHILD = """
import time
from robust_lib.commands.lifetime import end_with_parent
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
