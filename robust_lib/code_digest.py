"""A digest of code: results are stale when the code changes, but not when a comment does."""

import ast
import hashlib
from functools import lru_cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@lru_cache
def source_digest(*places: str) -> str:
    """Return a digest of modules or packages of this library, comments and docstrings aside.

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


def _bare(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
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
