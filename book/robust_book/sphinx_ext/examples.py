"""Examples of the API with the imports that a reader needs to run them."""

import ast
import builtins
import doctest
import inspect
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

import robust_lib
from robust_lib import paths
from robust_lib.config.strict_yaml import read_yaml


def announce(app: Sphinx, config: Config) -> None:
    """Name the project and its version in the inventory that other books read."""
    config.project = config.html_title
    cited = paths.root() / "CITATION.cff"
    if cited.exists():
        config.version = config.release = str(read_yaml(cited)["version"])


def put_imports(
    app: Sphinx, what: str, name: str, documented: Any, options: Any, lines: list[str]
) -> None:
    """Begin each docstring's first example with the imports that all of its examples need."""
    module = documented if inspect.ismodule(documented) else inspect.getmodule(documented)
    if module is not None:
        lines[:] = with_imports(lines, module)


def with_imports(lines: Sequence[str], module: ModuleType) -> list[str]:
    """Return a docstring's lines, imports of the names that its examples use before the first.

    >>> from robust_lib.metrics import accuracy
    >>> with_imports([">>> top1(np.array([1]), np.array([1]))"], accuracy)[:2]
    ['>>> import numpy as np', '>>> from robust_lib import top1']
    """
    examples = doctest.DocTestParser().get_examples("\n".join(lines))
    if not examples:
        return list(lines)
    needed = imports("".join(one.source for one in examples), vars(module), module.__name__)
    at = next(place for place, line in enumerate(lines) if line.lstrip().startswith(">>>"))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return [*lines[:at], *(f"{indent}>>> {one}" for one in needed), *lines[at:]]


def imports(source: str, known: Mapping[str, Any], home: str) -> list[str]:
    """Return the imports of names that a program uses and does not define.

    Args:
        known: the names of the module where the program runs.
        home: name of that module.
    """
    wanted = lacking(source)
    whole, by_home = [], dict[str, list[str]]()
    for name in wanted:
        value = known.get(name, getattr(robust_lib, name, None))
        if inspect.ismodule(value):
            top = value.__name__
            alike = top.rpartition(".")[2] == name and "." not in top
            whole.append(f"import {top}" if alike else f"import {top} as {name}")
        elif name in known or value is not None:
            public = name in robust_lib.__all__
            by_home.setdefault("robust_lib" if public else home, []).append(name)
    return [*whole, *(f"from {one} import {', '.join(names)}" for one, names in by_home.items())]


def lacking(source: str) -> list[str]:
    """Return the names that a program uses, and that neither it nor Python defines.

    >>> lacking("import math; x = [math.pi * y for y in z]")
    ['z']
    """
    tree = ast.parse(source)
    used = [one for one in ast.walk(tree) if isinstance(one, ast.Name)]
    made = {one.id for one in used if isinstance(one.ctx, ast.Store)}
    for one in ast.walk(tree):
        if isinstance(one, ast.arg):
            made.add(one.arg)
        elif isinstance(one, ast.FunctionDef | ast.ClassDef):
            made.add(one.name)
        elif isinstance(one, ast.Import | ast.ImportFrom):
            made |= {alias.asname or alias.name for alias in one.names}
    return sorted({one.id for one in used} - made - set(vars(builtins)))
