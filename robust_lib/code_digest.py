"""Digests of code: results become stale if code changes, but not if only a comment does.

The library's own modules are digested by name. A user's file is digested with everything that it
imports from its folder, since a changed helper changes predictions as much as a changed file does.
"""

import ast
import hashlib
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from robust_lib.errors import ModelError, RobustLibError

_PACKAGE = Path(__file__).resolve().parent
_HOUSE = ("robust_lib", "robust_book")


@lru_cache
def source_digest(*places: str) -> str:
    """Return a digest of this library's modules or packages, without comments and docstrings.

    Args:
        places: module names below robust_lib, e.g. "corruptions" or "training.loop".
    """
    digest = hashlib.sha256()
    for place in places:
        path = _PACKAGE.joinpath(*place.split("."))
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
        for file in files:
            digest.update(f"{file.relative_to(_PACKAGE).as_posix()}\n".encode())
            digest.update(_bare(file).encode())
    return digest.hexdigest()


@lru_cache(maxsize=4096)
def is_own(file: str | Path | None) -> bool:
    """Return whether a Python file is the user's, rather than Python's, installed or the library's.

    >>> is_own(ast.__file__), is_own(__file__), is_own("/home/me/net.py")
    (False, False, True)
    """
    if file is None:
        return False
    path = Path(file).resolve()
    if {"site-packages", "dist-packages"} & set(path.parts):
        return False
    return not any(path.is_relative_to(place) for place in _not_own())


def own_files(file: Path) -> dict[str, Path]:
    """Return a user's file and the files that it imports, by their path in the file's folder.

    Imports are parsed, not executed: imports inside functions are included; those composed at run
    time are not.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> _ = (home / "net.py").write_text("import torch, layers")
    >>> _ = (home / "layers.py").write_text("SIZE = 3")
    >>> list(own_files(home / "net.py"))
    ['layers.py', 'net.py']
    """
    file = file.resolve()
    root = file.parent
    while (root / "__init__.py").is_file():  # of a package that is installed where it is written
        root = root.parent
    found, left = set[Path](), [file]
    while left:
        path = left.pop()
        if path not in found and path.is_relative_to(root):
            found.add(path)
            left += _imported(path, root, (root, file.parent))
    return {path.relative_to(root).as_posix(): path for path in sorted(found)}


def own_digest(file: Path) -> str:
    """Return a digest of a user's file and of the files that it imports from its folder.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> digests = []
    >>> for text in ("a = 1", "a = 1  # one", "a = 2"):
    ...     _ = (home / "net.py").write_text(text)
    ...     digests.append(own_digest(home / "net.py"))
    >>> digests[0] == digests[1] != digests[2]
    True
    """
    digest = hashlib.sha256()
    for name, path in own_files(file).items():
        text = path.read_bytes()
        try:
            told = _bare_text(text)
        except (SyntaxError, ValueError):  # it may stand beside and never be run
            told = repr(text)
        digest.update(f"{name}\n{told}\n".encode())
    return digest.hexdigest()


def told(error: BaseException) -> str:
    """Return a short text for an error in user code: file and line, kind and message.

    The line is the last one of a user's file in the traceback, or the one that raised the error.

    >>> try:
    ...     {}["logits"]
    ... except KeyError as error:
    ...     told(error).partition(", ")[2]
    "line 2: KeyError: 'logits'"
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}: SyntaxError: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if is_own(frame.filename)] or frames[-1:]
    place = f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""
    said = " ".join(str(error).split())
    return f"{place}{type(error).__name__}{f': {said[:300]}' if said else ''}"


@contextmanager
def foreign(what: str, kind: type[RobustLibError] = ModelError) -> Iterator[None]:
    """Turn an error in user code into one of this library, with its file and line.

    Args:
        what: expected behaviour, for the message, such as "mine to classify 4 pictures".

    Raises:
        RobustLibError: an error of the given kind replaces any error except the library's own and
            insufficient memory, which is handled by smaller batches.

    >>> with foreign("mine to classify 4 pictures"):
    ...     1 / 0
    Traceback (most recent call last):
    robust_lib.errors.ModelError: Expected mine to classify 4 pictures, but it stopped at ...
    """
    try:
        yield
    except RobustLibError:
        raise
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":  # torch's, which is not imported here
            raise
        raise kind(f"Expected {what}, but it stopped at {told(error)}.") from error


@lru_cache
def _not_own() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    places = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    house = [_PACKAGE, _PACKAGE.parent / "robust_book", _PACKAGE.parent / "book" / "robust_book"]
    return (*(Path(place).resolve() for place in places), *house)


def _imported(file: Path, root: Path, folders: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files below a root that a file imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # running it will say so
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                for folder in folders:
                    yield from _modules(folder, alias.name)
        elif isinstance(node, ast.ImportFrom):
            above = file.parents[node.level - 1] if 0 < node.level <= len(file.parents) else None
            for folder in folders if above is None else (above,):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}" if node.module else alias.name
                    yield from (path for path in _modules(folder, whole) if path != file)


def _modules(folder: Path, name: str) -> Iterator[Path]:
    """Yield the files that an import of a dotted name below a folder runs."""
    if name.partition(".")[0] in _HOUSE:
        return
    for part in name.split("."):
        if (folder / part / "__init__.py").is_file():
            yield folder / part / "__init__.py"
        elif (folder / f"{part}.py").is_file():
            yield folder / f"{part}.py"
        folder /= part


def _bare(file: Path) -> str:
    return _bare_text(file.read_bytes())


@lru_cache(maxsize=512)
def _bare_text(text: bytes) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
