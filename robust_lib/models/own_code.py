"""What else determines a user's network: code, attributes, tensors, hooks.

The library's own networks are identified by their weights and printed structure, since row and
version determine the rest. A user's network may contain a constant, a helper or a tensor that is
not a weight. Everything that runs is digested: the functions in memory with all that they refer to,
and the files that define them.
"""

import contextlib
import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np
import torch
from torch import nn

from robust_lib import devices
from robust_lib.code_digest import is_own, own_digest

_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic, torch.Size, torch.dtype)
_OPEN = ("types.SimpleNamespace", "argparse.Namespace")
_LIBRARIES = ("torchvision", "timm", "effdet")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
# Weights, buffers and parts are digested by themselves; the last two are worked out by torchvision,
# from the first images that a detector sees.
_LEFT_OUT = frozenset({*vars(nn.Module()), "scales", "map_levels"})
_NO_CODE = frozenset({"__doc__", "__dict__", "__weakref__", "__module__", "__annotations__"})


def digest(thing: object, ask: Callable[[], object] | None = None) -> str:
    """Return a digest of a module, function or object, including all user code that it runs.

    Args:
        ask: function that returns its outputs for probes, which are also digested. It is called
            twice, with one thread; state that changes between calls, such as a counter, is
            excluded.

    >>> digest(nn.ReLU()) == digest(nn.ReLU()) != digest(nn.LeakyReLU())
    True
    """
    if ask is None:
        found = _Walk().units(thing)
    else:
        with devices.one_thread():
            answers = ask()
            before = _Walk().units(thing)
            ask()
        after = _Walk().units(thing)
        found = {place: text for place, text in before.items() if after.get(place) == text}
        found |= _Walk().units(answers, "answers")
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()


def own_code(module: nn.Module) -> str:
    """Return a digest of the user code that a module runs; empty if there is none.

    >>> own_code(nn.Linear(2, 3))
    ''
    """
    parts = list(module.modules())
    held = [value for part in parts for value in vars(part).values()]
    held += [hook for part in parts for hook in _hooks(part)]
    kinds = dict.fromkeys(kind for part in parts for kind in type(part).__mro__)
    held += [value for kind in kinds for value in vars(kind).values()]
    found = [digest(one) for one in (*kinds, *held) if _is_users(one)]
    return hashlib.sha256("".join(found).encode()).hexdigest() if found else ""


def of_function(function: object) -> str:
    """Return a digest of a user's function; empty for any other function.

    >>> of_function(len)
    ''
    """
    return digest(function) if _is_users(function) else ""


def is_users_object(thing: object) -> bool:
    """Return whether an object's class is defined in user code."""
    return _is_users(type(thing))


def _is_users(thing: object) -> bool:
    """Return whether a class or function is a user's, by the module that it is defined in."""
    while isinstance(thing, functools.partial | MethodType | staticmethod | classmethod):
        thing = thing.func if isinstance(thing, functools.partial) else thing.__func__
    if not isinstance(thing, type | FunctionType):
        return False
    module = sys.modules.get(thing.__module__ or "")
    if module is None:
        return True  # typed into a session that is over, or made by hand
    if (file := getattr(module, "__file__", None)) is None:
        return module.__name__ == "__main__"
    return is_own(file)


class _Walk:
    """One walk through all that a thing holds; what was met before is not walked again.

    Attributes, variables that a function names, and members of a class are units of their own, so
    that one that changes can be left out without the thing that holds it.
    """

    def __init__(self) -> None:
        self._met: dict[int, tuple[object, str]] = {}  # kept, so that addresses stay theirs
        self._units: dict[str, str] = {}

    def units(self, thing: object, place: str = "") -> dict[str, str]:
        """Return place -> digest of all that a thing holds."""
        self._unit(place, thing)
        return self._units

    def _unit(self, place: str, thing: object) -> None:
        found = hashlib.sha256()
        for text in self._texts(thing, place):
            found.update(f"{text}\n".encode())
        self._units[place] = found.hexdigest()

    def _texts(self, thing: object, place: str) -> Iterator[str]:
        if isinstance(thing, _PLAIN):
            yield f"{type(thing).__name__} {thing!r}"
            return
        if id(thing) in self._met:
            yield f"as {self._met[id(thing)][1]}"
            return
        self._met[id(thing)] = (thing, place)
        yield type(thing).__qualname__
        if isinstance(thing, torch.Tensor | np.ndarray):
            yield _numbers(thing)
        elif isinstance(thing, nn.Module):
            yield from self._module(thing, place)
        elif isinstance(thing, type):
            yield from self._class(thing, place)
        elif isinstance(thing, FunctionType):
            yield from self._function(thing, place)
        elif isinstance(thing, Mapping):
            yield from self._inside([part for pair in thing.items() for part in pair], place)
        elif isinstance(thing, Set):
            yield from sorted(" ".join(self._texts(one, place)) for one in thing)
        elif isinstance(thing, tuple | list):
            yield from self._inside(thing, place)
        else:
            yield from self._object(thing, place)

    def _inside(self, things: Iterable[object], place: str) -> Iterator[str]:
        for number, thing in enumerate(things):
            yield from self._texts(thing, f"{place}[{number}]")

    def _object(self, thing: object, place: str) -> Iterator[str]:
        if isinstance(thing, functools.partial):
            yield from self._inside((thing.func, thing.args, thing.keywords), place)
        elif isinstance(thing, MethodType):
            yield from self._inside((thing.__func__, thing.__self__), place)
        elif isinstance(thing, staticmethod | classmethod):
            yield from self._texts(thing.__func__, place)
        elif isinstance(thing, property):
            yield from self._texts(thing.fget, place)
        elif isinstance(wrapped := getattr(thing, "__wrapped__", None), FunctionType):
            yield from self._texts(wrapped, place)  # of a cached function
        elif isinstance(thing, BuiltinFunctionType):
            yield f"{thing.__module__} {thing.__qualname__}"
        elif _is_users(type(thing)) or _is_open(type(thing)):
            yield from self._texts(type(thing), f"{place}:")
            for name, value in getattr(thing, "__dict__", {}).items():
                self._unit(f"{place}.{name}", value)

    def _module(self, module: nn.Module, place: str) -> Iterator[str]:
        for kind in dict.fromkeys(kind for part in module.modules() for kind in type(part).__mro__):
            if _is_users(kind):
                self._unit(f"{place}:{_name(kind)}", kind)
                continue
            for name, value in vars(kind).items():
                if _is_users(value):  # put there by the user
                    self._unit(f"{place}:{_name(kind)}.{name}", value)
        for name, part in module.named_modules():
            yield f"{name} {_name(type(part))}"
            for key, value in vars(part).items():
                if key not in _LEFT_OUT:
                    self._unit(f"{place}.{name}.{key}", value)
            yield from self._inside(_hooks(part), f"{place}.{name}.hooks")
            if isinstance(code := getattr(part, "code", None), str):
                yield code  # of a traced one
        for name, one in (*module.named_parameters(), *module.named_buffers()):
            yield f"{name} {_numbers(one)}"

    def _class(self, kind: type, place: str) -> Iterator[str]:
        yield _name(kind)
        if not _is_users(kind):
            return
        yield _file(kind)
        yield from self._inside(kind.__bases__, place)
        for name, value in vars(kind).items():
            if name not in _NO_CODE and not name.startswith(("_abc_", "__static", "__first")):
                self._unit(f"{place}.{name}", value)

    def _function(self, function: FunctionType, place: str) -> Iterator[str]:
        yield f"{_name(function)}"
        if not _is_users(function):
            return
        yield _file(function)
        yield from _code(function.__code__)
        yield from self._inside((function.__defaults__, function.__kwdefaults__), place)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            with contextlib.suppress(ValueError):  # an empty one
                self._unit(f"{place}.{name}", cell.cell_contents)
        names = sorted(set(_names(function.__code__)))
        for name in names:
            if name in function.__globals__:
                self._named(f"{place}.{name}", function.__globals__[name], names)

    def _named(self, place: str, value: object, names: list[str]) -> None:
        """Take what a function calls by a name; of a user's module, what it uses of that."""
        if not isinstance(value, ModuleType):
            self._unit(place, value)
        elif is_own(getattr(value, "__file__", None)):
            for name in names:
                if name in vars(value):
                    self._unit(f"{place}.{name}", vars(value)[name])


def _name(thing: type | FunctionType) -> str:
    """Return the name of a class or function, wherever a user's file lies."""
    module = thing.__module__ or ""
    return f"{'' if module.startswith('robust_user_') else module}.{thing.__qualname__}"


def _is_open(kind: type) -> bool:
    """Return whether the attributes of a class's objects are settings."""
    place = f"{kind.__module__}.{kind.__qualname__}"
    return place in _OPEN or kind.__module__.partition(".")[0] in _LIBRARIES


def _hooks(part: nn.Module) -> list[object]:
    """Return the functions that are called before and after a part."""
    return [hook for key in _HOOKS for hook in getattr(part, key, {}).values()]


def _file(thing: type | FunctionType) -> str:
    file = getattr(sys.modules.get(thing.__module__ or ""), "__file__", None)
    path = None if file is None else Path(file)
    return own_digest(path) if path is not None and path.suffix == ".py" and path.is_file() else ""


def _code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join((*code.co_names, *code.co_varnames, *code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _numbers(numbers: torch.Tensor | np.ndarray) -> str:
    """Return a digest of an array's numbers."""
    if isinstance(numbers, torch.Tensor):
        if numbers.is_meta or numbers.layout != torch.strided or numbers.is_quantized:
            return repr(numbers)
        array = numbers.detach().cpu().contiguous()
        about = f"{array.dtype} {tuple(array.shape)}"
        raw = array.reshape(-1).view(torch.uint8).numpy().tobytes()
    else:
        about = f"{numbers.dtype} {numbers.shape}"
        raw = repr(numbers.tolist()).encode() if numbers.dtype.hasobject else numbers.tobytes()
    return hashlib.sha256(about.encode() + raw).hexdigest()
