"""Processes that end with the one that started them, so that nobody works on for a dead engine."""

import os
import signal
import threading
import time

PARENT = "ROBUST_PARENT"
"""The environment variable that says which process that is."""


def end_with_parent(interval: float = 0.2) -> None:
    """End this process, at once, when its parent has ended.

    What it writes appears whole or not at all, so it may be ended at any moment. Ctrl-C ends it
    likewise: what there is to say of that, `robust book` says.

    Args:
        interval: seconds between two looks.
    """
    # The parent may have ended while this process began.
    parent = int(os.environ.get(PARENT, os.getppid()))
    os.environ[PARENT] = str(os.getpid())  # for those that this process starts
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(interval)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="end with parent", daemon=True).start()
