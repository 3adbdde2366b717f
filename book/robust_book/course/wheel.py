"""The library as a wheel, packed from the installed files without network or compiler.

A class installs this wheel, so it contains no solutions: neither the folded ones of notebooks, nor
the module with the right answers, nor the content of good answers to questions.
"""

import base64
import hashlib
import importlib.metadata
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from robust_book import PACKAGE
from robust_book.course import copies, discussion
from robust_lib import atomic, paths
from robust_lib.errors import RunError

DISTRIBUTION = "robust-lib"
PROJECT = ("book", "data_manifests", "notebooks", "workflow", "CITATION.cff")
# The book's own package stands beside the library, not among the pages that go with it.
_LEFT_OUT = ("__pycache__", "_build", ".ipynb_checkpoints", PACKAGE.name)
SOLUTIONS = PACKAGE / "course" / "solutions.py"
"""The module that tells right answers: it is for the teacher alone."""
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is packed


def write(folder: Path) -> Path:
    """Write the wheel of this library, with its project inside, and return its path.

    Raises:
        RunError: the library is not installed, not even as an editable one.
    """
    try:
        about = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        about = None
    metadata = None if about is None else about.read_text("METADATA")
    if about is None or metadata is None:
        raise RunError(
            f"Expected {DISTRIBUTION} to be installed, so that its metadata can be packed, but it "
            "is not. Install it: pip install --editable ."
        )
    stem = f"{DISTRIBUTION.replace('-', '_')}-{about.version}"
    described = {
        "METADATA": metadata.encode(),
        "WHEEL": b"Wheel-Version: 1.0\nGenerator: robust\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
        "entry_points.txt": (about.read_text("entry_points.txt") or "").encode(),
    }
    target = folder / f"{stem}-py3-none-any.whl"
    with atomic.file(target) as made, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        record = []
        files = ((name, _content(path)) for name, path in _files())
        extra = ((f"{stem}.dist-info/{name}", text) for name, text in described.items())
        for name, content in (*files, *extra):
            packed.writestr(_entry(name), content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{name},sha256={digest.decode()},{len(content)}")
        listed = f"{stem}.dist-info/RECORD"
        packed.writestr(_entry(listed), "\n".join([*record, f"{listed},,"]) + "\n")
    return target


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _content(path: Path) -> bytes:
    if path.suffix != ".ipynb":
        return path.read_bytes()
    notebook = json.loads(path.read_text("utf-8"))
    return json.dumps(copies.without_answers(notebook), ensure_ascii=False, indent=1).encode()


def _files() -> Iterator[tuple[str, Path]]:
    """Yield the files of the package and of its project, by their names in the wheel."""
    library, root = paths.library(), paths.root()
    yield from _below(library, library.name)
    yield from _below(PACKAGE, PACKAGE.name)
    if not root.is_relative_to(library):  # an installed library has its project already
        for name in PROJECT:
            yield from _below(root / name, f"{library.name}/project/{name}")


def _below(path: Path, name: str) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield name, path
    for each in sorted(path.iterdir()) if path.is_dir() else ():
        if each.name not in _LEFT_OUT and each not in (SOLUTIONS, discussion.ANSWERS):
            yield from _below(each, f"{name}/{each.name}")
