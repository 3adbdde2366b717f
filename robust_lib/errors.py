"""The errors that users can get: each states the expected value, the actual one and a remedy."""

import lzma
import tokenize
import zipfile
import zlib

LONGEST = 4000
"""The longest message, in letters: content quoted from a file may have millions."""


NO_ARRAYS = (
    *(ArithmeticError, EOFError, LookupError, MemoryError, OSError, RuntimeError),
    *(TypeError, ValueError, lzma.LZMAError, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
"""Errors that NumPy raises for a file that is truncated, altered, or not one of plain arrays."""


class RobustLibError(Exception):
    """Base of every error that this library raises on purpose.

    >>> text = str(RobustLibError("Expected a word, but got " + "x" * 9999 + ". Use a word."))
    >>> text[:30], text[-20:], len(text) <= LONGEST
    ('Expected a word, but got xxxxx', 'xxxxxxx. Use a word.', True)
    """

    def __str__(self) -> str:
        text, half = super().__str__(), LONGEST // 2 - 3
        return text if len(text) <= LONGEST else f"{text[:half]} [...] {text[-half + 1 :]}"


class InputError(RobustLibError, ValueError):
    """An argument, parameter, name or array that the called function cannot accept."""


class ManifestError(RobustLibError):
    """A file under data_manifests/ is invalid; the message names file, line and key."""


class DataError(RobustLibError):
    """Data on disk is missing, incomplete, unreadable, or not laid out as expected."""


class FetchError(RobustLibError):
    """A download or an unpacking failed, or may not be done automatically."""


class ModelError(RobustLibError):
    """A model broke its contract: wrong shape, NaN, training mode, input changed."""


class CacheError(RobustLibError):
    """A cache entry is truncated, altered, or has a different description."""


class ResultError(RobustLibError):
    """A result row that must not enter the table: duplicate key, NaN, impossible rate."""


class RunError(RobustLibError):
    """A notebook run could not start or did not finish."""


def one_of(what: str, value: object, allowed: object) -> str:
    """Return the message for a name outside a closed set.

    >>> one_of("severity", 6, [1, 2, 3, 4, 5])
    'Expected severity to be one of 1, 2, 3, 4, 5, but got 6.'
    """
    listed = ", ".join(str(name) for name in allowed)  # type: ignore[attr-defined]
    return f"Expected {what} to be one of {listed}, but got {value}."


NO_MEMORY = (
    "This machine has too little free memory for the command. Close other programs, or run fewer "
    "jobs in parallel (`make book JOBS=1`), and run the command again; stored results are intact."
)


def out_of_memory(kind: str, message: str) -> bool:
    """Return whether an error reports that the machine or device ran out of memory.

    Args:
        kind: name of the error's class.

    >>> out_of_memory("MemoryError", ""), out_of_memory("RuntimeError", "shapes differ")
    (True, False)
    >>> out_of_memory("RuntimeError", "DefaultCPUAllocator: can't allocate memory: you tried ...")
    True
    """
    return kind.endswith("MemoryError") or "DefaultCPUAllocator" in message  # as torch says it
