"""Pickled arrays, read without executing the pickle's code.

A pickle is a program, which runs when a download is unpickled. ICONS-50 is distributed as one such
file, CIFAR as several. Here every name that it may call is one of a few stand-ins that only record
their arguments. Arrays are then built from the records, for the few types of numbers and text that
a data set needs.
"""

import pickle
import pickletools
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np

from robust_lib.errors import NO_ARRAYS, DataError

_KIND = re.compile(r"[biufSU]\d{1,6}")
_MODULES = ("numpy._core.multiarray", "numpy.core.multiarray", "numpy")


def read(path: Path) -> Any:
    """Return the content of an .npy file with a pickled object: plain Python values and arrays.

    Raises:
        DataError: no such file, a different kind of file, or a pickle that requests more than
            arrays of numbers and text; the message names the request.
    """
    with _explained(path), path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        header = _HEADERS[version](file)
        if header[2] != np.dtype(object):
            raise ValueError(f"it is a plain array of {header[2]}; numpy.load reads it")
        # The pickle is the whole array, which holds the object; its notes say its shape again.
        found = _plain(_loaded(file))
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def read_pickle(path: Path) -> Any:
    """Return the content of a bare pickle: plain Python values and arrays.

    Text written by Python 2 is decoded as Latin-1.

    Raises:
        DataError: see `read`.

    >>> import pickle, tempfile
    >>> path = Path(tempfile.mkdtemp(), "test")
    >>> _ = path.write_bytes(pickle.dumps({"labels": np.arange(3)}, protocol=2))
    >>> read_pickle(path)["labels"].tolist()
    [0, 1, 2]
    """
    with _explained(path), path.open("rb") as file:
        return _plain(_loaded(file, encoding="latin1"))


class _Noted:
    """Record of the state that a pickle would give to an object."""

    __slots__ = ("arguments", "state")

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Array(_Noted):
    __slots__ = ()


class _Kind(_Noted):
    __slots__ = ()


class _Scalar(_Noted):
    __slots__ = ()


class _Bytes(_Noted):
    __slots__ = ()


# Every name that such a file may call, under NumPy's old and new names; numpy.ndarray is only ever
# an argument.
_NAMES = MappingProxyType(
    {(module, "_reconstruct"): _Array for module in _MODULES[:2]}
    | {(module, "scalar"): _Scalar for module in _MODULES[:2]}
    | {("numpy", "dtype"): _Kind, ("numpy", "ndarray"): _Noted, ("_codecs", "encode"): _Bytes}
)


class _Notes(pickle.Unpickler):
    """Unpickler with stand-ins for every call."""

    def find_class(self, module: str, name: str) -> type[_Noted]:
        """Return the stand-in for a name; raise UnpicklingError if there is none."""
        if (module, name) not in _NAMES:
            raise pickle.UnpicklingError(
                f"it refers to {module}.{name}, which is not part of an array"
            )
        return _NAMES[module, name]


def _loaded(file: BinaryIO, encoding: str = "ASCII") -> Any:
    """Return what a pickle notes, unless it stores something at an impossible place.

    A pickle numbers the places of its memory from 0, so a number above that of its instructions is
    damage. The unpickler takes room for the largest number, which may be gigabytes.
    """
    begin = file.tell()
    with warnings.catch_warnings(action="ignore"):  # of text with stray backslashes
        for count, (instruction, argument, _) in enumerate(pickletools.genops(file)):
            if instruction.name in ("PUT", "BINPUT", "LONG_BINPUT") and (argument or 0) > count:
                raise pickle.UnpicklingError(f"instruction {count} stores at place {argument}")
    file.seek(begin)
    return _Notes(file, encoding=encoding).load()


_HEADERS: MappingProxyType[tuple[int, int], Callable[[BinaryIO], Any]] = MappingProxyType(
    {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
)


def _plain(value: Any) -> Any:
    """Return a value with its notes made into arrays, texts and numbers."""
    if isinstance(value, dict):
        return {_plain(key): _plain(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inside) for inside in value]
    if isinstance(value, _Array):
        return _array(value)
    if isinstance(value, _Scalar):
        kind, data = value.arguments
        return np.frombuffer(_bytes(data), _dtype(kind), count=1)[0].item()
    if isinstance(value, _Bytes):
        return _bytes(value)
    if isinstance(value, _Noted):
        raise ValueError("it contains an object that is not an array")
    return value


def _array(noted: _Array) -> Any:
    _, shape, kind, columns_first, data = noted.state
    if isinstance(data, list):  # of Python objects
        return _plain(data)
    array = np.frombuffer(_bytes(data), _dtype(kind))
    return array.reshape(shape, order="F" if columns_first else "C")


def _dtype(noted: Any) -> np.dtype[Any]:
    code = noted.arguments[0] if isinstance(noted, _Kind) else None
    if not isinstance(code, str) or not _KIND.fullmatch(code):
        raise ValueError(f"it contains an array of {code}, which is neither numbers nor text")
    order = noted.state[1] if noted.state else "|"
    return np.dtype(f"{order}{code}" if order in ("<", ">") else code)


def _bytes(value: Any) -> bytes:
    """Return bytes; before Python 3 they were written as text to be encoded in Latin-1."""
    if isinstance(value, _Bytes):
        text, encoding = value.arguments
        if encoding != "latin1":
            raise ValueError(f"it encodes bytes as {encoding}")
        return str(text).encode("latin-1")
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):  # Python 2 wrote bytes as its text
        return value.encode("latin-1")
    raise ValueError("it contains an array without its bytes")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    # A garbled or hostile pickle fails in as many ways as it has instructions.
    try:
        yield
    except (AttributeError, SyntaxError, pickle.PickleError, *NO_ARRAYS) as error:
        raise DataError(
            f"Expected pickled arrays of numbers and text in {path}, but could not read them: "
            f"{error or type(error).__name__}. Nothing in the file was executed. Fetch it again "
            "from its publishers, or use the data set's folder of images."
        ) from None
