"""Processes that end with their parent process, so that none outlives the engine."""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

PARENT = "ROBUST_PARENT"
"""The environment variable that says which process that is."""


def end_with_parent(interval: float = 0.2) -> None:
    """End this process immediately when its parent has ended.

    Its files appear whole or not at all, so it may be ended at any moment. Ctrl-C ends it likewise;
    `robust book` prints the message about it.

    Args:
        interval: seconds between two checks.
    """
    # The parent may have ended while this process began.
    parent = int(os.environ.get(PARENT, os.getppid()))
    os.environ[PARENT] = str(os.getpid())  # for those that this process starts
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gone = _gone_on_windows(parent) if sys.platform == "win32" else lambda: os.getppid() != parent

    def watch() -> None:
        while not gone():
            time.sleep(interval)
        # Windows has one way to end a process, whatever the signal.
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    threading.Thread(target=watch, name="end with parent", daemon=True).start()


SYNCHRONIZE, ENDED = 0x00100000, 0


def _gone_on_windows(parent: int, kernel: Any = None) -> Callable[[], bool]:
    """Return a function for Windows that returns whether a process has ended.

    On Windows, a process keeps the id of a parent that has ended, so the parent itself is checked.

    Args:
        kernel: functions of the system; None: those of this machine.
    """
    if kernel is None:
        kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
        kernel.OpenProcess.restype = ctypes.c_void_p
        kernel.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    handle = kernel.OpenProcess(SYNCHRONIZE, False, parent)
    return lambda: not handle or kernel.WaitForSingleObject(handle, 0) == ENDED
