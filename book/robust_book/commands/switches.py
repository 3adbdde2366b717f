"""What a command was asked, told to the processes that it starts by their environment."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def switched(names: Mapping[str, bool]) -> Iterator[None]:
    """Set some environment variables for a while; those that are False stay as they are.

    >>> with switched({"ROBUST_EXAMPLE": True, "ROBUST_OTHER": False}):
    ...     [name in os.environ for name in ("ROBUST_EXAMPLE", "ROBUST_OTHER")]
    [True, False]
    >>> "ROBUST_EXAMPLE" in os.environ
    False
    """
    before = {name: os.environ.get(name) for name, on in names.items() if on}
    os.environ.update(dict.fromkeys(before, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
