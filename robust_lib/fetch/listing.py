"""The images below a folder: the listing is cached, and changed folders are listed again.

ImageNet-C has 4.75 million files in 95,000 folders. A folder's modification time shows whether a
file was added, removed or renamed, so a second listing needs one system call per folder instead of
one per file. It does not show whether a file was overwritten in place; `robust verify` reads every
file again.
"""

import gzip
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, TypeVar

from robust_lib import atomic, paths
from robust_lib.errors import DataError

FORMAT = 2
"""Raise it when listings are written in another way; those of another format are made again."""

SUFFIXES = (
    *(".jpeg", ".jpg", ".jpe", ".jfif", ".png", ".apng", ".webp", ".gif", ".tif", ".tiff", ".bmp"),
    *(".avif", ".avifs", ".jp2", ".j2k", ".j2c", ".jpc", ".jpf", ".jpx"),
    *(".pbm", ".pgm", ".ppm", ".pnm", ".pfm", ".tga", ".icb", ".vda", ".vst", ".dib", ".psd"),
    *(".ico", ".cur", ".icns", ".qoi", ".dds", ".pcx", ".dcx", ".sgi", ".bw", ".rgb", ".rgba"),
    *(".xbm", ".xpm", ".ras", ".im", ".msp", ".pcd", ".pxr", ".blp", ".ftc", ".ftu", ".gbr"),
)
"""Endings of the image files that Pillow reads; not those of films, documents and tables."""

READ = ".jpeg, .png, .webp, .tif and others that Pillow reads"
STRANGE = ("thumbs.db", "desktop.ini")  # what a system leaves in folders
SETTLED = 2.0  # seconds; within them a folder may change again, and its time stay the same


@dataclass(frozen=True)
class Folder:
    """The content of one folder, without hidden files and files that an operating system left.

    Attributes:
        changed: modification time in nanoseconds; 0 if it is too recent to be distinguished from
            the next change.
        folders: sorted names of the folders in it.
        pictures: sorted names of its image files.
        sizes: sizes of the image files, in bytes.
        others: sorted names of the other files in it.
    """

    changed: int
    folders: tuple[str, ...]
    pictures: tuple[str, ...]
    sizes: tuple[int, ...]
    others: tuple[str, ...]


Listing = Mapping[str, Folder]
"""Path below the folder, "" for itself -> what is there."""

T = TypeVar("T")

_seen: ContextVar[dict[tuple[str, Path], Any] | None] = ContextVar("_seen", default=None)


def is_picture(name: str) -> bool:
    """Return whether a file name is that of an image: a suffix that Pillow reads, not hidden.

    >>> is_picture("a.WEBP"), is_picture("._a.jpg"), is_picture("a.heic")
    (True, False, False)
    """
    return name[0] != "." and name.lower().endswith(SUFFIXES)


@contextmanager
def once() -> Iterator[None]:
    """List each folder at most once until the `with` block ends."""
    token = _seen.set({} if (before := _seen.get()) is None else before)
    try:
        yield
    finally:
        _seen.reset(token)


def listed(folder: Path) -> Listing:
    """Return the content of all folders below one, at any depth; links are followed."""
    return looked_once("files", folder, lambda: _listed(folder))


def looked_once(what: str, folder: Path, look: Callable[[], T]) -> T:
    """Return the result of `look` on a folder; within `once`, only the first call runs it."""
    seen = _seen.get()
    if seen is None:
        return look()
    if (what, folder) not in seen:
        seen[what, folder] = look()
    found: T = seen[what, folder]
    return found


def require_text(path: Path) -> None:
    r"""Raise DataError unless a path can be encoded as text: no page, table or cache could hold it.

    >>> require_text(Path("caf" + chr(0xDCE9)))
    Traceback (most recent call last):
    robust_lib.errors.DataError: Expected a path in UTF-8, but got 'caf\udce9'. Rename the file ...
    """
    try:
        path.as_posix().encode()
    except UnicodeEncodeError:
        raise DataError(
            f"Expected a path in UTF-8, but got {path.as_posix()!a}. Rename the file or folder."
        ) from None


def _listed(folder: Path) -> Listing:
    require_text(folder)
    file = _file(folder)
    known = _read(file)
    found: dict[str, Folder] = {}
    waiting = [""]
    while waiting:
        below = waiting.pop()
        found[below] = one = _looked(folder / below, known.get(below))
        waiting += [f"{below}/{name}" if below else name for name in reversed(one.folders)]
    if found != known:
        with suppress(OSError):  # the next one looks at all again
            _write(found, file)
    return found


def forget() -> None:
    """Forget all listings, so that the next call lists every folder again."""
    for file in home().glob("*"):
        file.unlink(missing_ok=True)


def _looked(folder: Path, known: Folder | None) -> Folder:
    """Return the content of a folder; `known` if it has not changed."""
    now = time.time()
    about = folder.stat()
    if known is not None and known.changed == about.st_mtime_ns:
        return known
    folders, pictures, others = [], [], []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name[0] == ".":
                continue
            if entry.is_dir():
                folders.append(entry.name)
            elif not entry.is_file() or entry.name.lower() in STRANGE:
                continue
            elif is_picture(entry.name):
                pictures.append((entry.name, entry.stat().st_size))
            else:
                others.append(entry.name)
    pictures.sort()
    for name in (*folders, *(name for name, _ in pictures)):
        if not name.isascii():
            require_text(folder / name)
    return Folder(
        about.st_mtime_ns if now - about.st_mtime > SETTLED else 0,
        tuple(sorted(folders)),
        tuple(name for name, _ in pictures),
        tuple(size for _, size in pictures),
        tuple(sorted(others)),
    )


def home() -> Path:
    """Return the folder of the cached listings."""
    return paths.cache() / "folders"


def _file(folder: Path) -> Path:
    name = hashlib.sha256(str(folder.absolute()).encode()).hexdigest()
    return home() / f"{name}.json.gz"


def _write(found: Listing, file: Path) -> None:
    record = {"format": FORMAT, "folders": {below: astuple(one) for below, one in found.items()}}
    atomic.write_bytes(file, gzip.compress(json.dumps(record).encode(), 1))


def _read(file: Path) -> Listing:
    """Return a listing from the cache; an empty one if there is none or it is incomplete."""
    try:
        record = json.loads(gzip.decompress(file.read_bytes()))
        if record["format"] != FORMAT:
            return {}
        return {
            below: Folder(changed, *map(tuple, lists))
            for below, (changed, *lists) in record["folders"].items()
        }
    except (OSError, EOFError, ValueError, LookupError, TypeError, zlib.error):
        return {}
