"""The store: named arrays under a content key, each entry complete or absent, checked on reading.

An entry consists of two files, <key[:2]>/<key>.json and the .npz that it names. The JSON file is
written last and defines the entry: it contains the description, the format, the checksum of the
arrays, and whether they were made elsewhere.
"""

import errno
import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from robust_lib import atomic
from robust_lib.errors import NO_ARRAYS, CacheError, InputError

FORMAT = 1
"""Raise it when the layout of an entry changes; entries of another format are refused."""

PARTS = {"format", "key", "file", "sha256", "description"}
TAKEN = "taken"
"""The additional key of an entry that was not computed here."""

Arrays = Mapping[str, np.ndarray]
Description = Mapping[str, Any]
Used = tuple[str, str]
"""The kind of an entry, such as "predictions", and the SHA-256 of its arrays."""


def content_key(description: Description) -> str:
    """Return the key of a description: the SHA-256 of its canonical JSON.

    Equal descriptions have equal keys, whatever the order of their entries.
    """
    return hashlib.sha256(_canonical(description).encode()).hexdigest()


@dataclass(frozen=True)
class Store:
    """A folder of entries; any number of processes may read and write it at once.

    Args:
        behind: folder of a second store; a requested entry that only the second store has is
            copied.

    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> key = content_key({"what": "example"})
    >>> store.put(key, {"x": np.arange(3)}, {"what": "example"})
    >>> store.get(key)["x"]
    array([0, 1, 2])
    """

    folder: Path
    behind: Path | None = None
    _used: dict[str, Used] = field(default_factory=dict, repr=False, compare=False)

    @property
    def used(self) -> dict[str, Used]:
        """Return file -> content and SHA-256 of all entries read or written so far."""
        return dict(sorted(self._used.items()))

    def has(self, key: str) -> bool:
        """Return whether there is an entry, without checking its content."""
        path = self._json(key)
        if self.behind is not None and not path.exists():
            self._take_over(key, self.behind)
        return path.exists()

    def is_taken(self, key: str) -> bool:
        """Return whether there is an entry that was made elsewhere, not here."""
        entry = _read_entry(self._json(key), key) if self.has(key) else None
        return entry is not None and TAKEN in entry

    def put(
        self, key: str, arrays: Arrays, description: Description, *, taken: bool = False
    ) -> None:
        """Write an entry, replacing an older one.

        Two processes may write the same key: the later one determines the entry. Arrays that it
        replaces stay on disk until `drop`, since another process may be reading them.

        Args:
            taken: whether the arrays were made elsewhere; then a power failure may lose them.

        Raises:
            InputError: an array of objects, or a description that cannot be written as JSON.
            CacheError: the disk is full or the folder cannot be written; nothing is changed.
        """
        for name, array in arrays.items():
            if np.asarray(array).dtype.hasobject:
                raise InputError(
                    f"Expected arrays of numbers or text, but {name!r} holds Python objects."
                )
        words = json.loads(_canonical(description))
        folder = self._json(key).parent
        try:
            with atomic.temporary(folder / key) as made:
                with made.open("wb") as file:
                    np.savez(file, **arrays)  # type: ignore[arg-type]
                if not taken:
                    atomic.sync(made)
                checksum = _checksum(made)
                # With it in the name, no writer pairs its json with another's arrays.
                target = folder / f"{key}.{checksum[:8]}.npz"
                made.replace(target)
            entry = {
                "format": FORMAT,
                "key": key,
                "file": target.name,
                "sha256": checksum,
                "description": words,
            }
            atomic.write_json(self._json(key), _marked(entry, taken), synced=not taken)
            self._note(target, words, checksum)
        except OSError as error:
            raise CacheError(_refused(folder, error)) from error

    def get(self, key: str, expect: Description | None = None) -> dict[str, np.ndarray]:
        """Return the arrays of an entry, after checking that they are unchanged.

        Args:
            expect: the description that the entry must have.

        Raises:
            CacheError: the entry does not exist, or is truncated, altered, of a different format,
                or has a different description; the message names the file.
        """
        arrays = self.find(key, expect)
        if arrays is None:
            raise CacheError(f"Expected a cache entry at {self._json(key)}, but there is none.")
        return arrays

    def find(self, key: str, expect: Description | None = None) -> dict[str, np.ndarray] | None:
        """Return the result of `get`, or None if there is no entry."""
        path = self._json(key)
        entry = _read_entry(path, key) if self.has(key) else None
        if entry is None:
            return None
        if expect is not None and entry["description"] != json.loads(_canonical(expect)):
            raise CacheError(
                _unusable(path, "has a description that differs from the expected one")
            )
        file = path.parent / entry["file"]
        try:
            found = _checksum(file)
        except FileNotFoundError:
            if not path.exists():  # another process dropped it just now
                return None
            raise CacheError(_unusable(path, f"names {file.name}, which is missing")) from None
        if found != entry["sha256"]:
            raise CacheError(_unusable(file, "was truncated or altered: its checksum differs"))
        self._note(file, entry["description"], found)
        try:
            with np.load(file, allow_pickle=False) as loaded:
                return {name: loaded[name] for name in loaded.files}
        except NO_ARRAYS as error:
            if isinstance(error, OSError | MemoryError):
                raise  # of this machine, not of the file
            raise CacheError(_unusable(file, f"contains no arrays ({error})")) from None

    def _note(self, file: Path, description: Description, checksum: str) -> None:
        what = str(description.get("what", "arrays"))
        self._used[f"{file.parent.name}/{file.name}"] = (what, checksum)

    def drop(self, key: str) -> None:
        """Delete an entry, if there is one."""
        path = self._json(key)
        path.unlink(missing_ok=True)
        for arrays in path.parent.glob(f"{key}.*.npz"):
            arrays.unlink(missing_ok=True)

    def _take_over(self, key: str, behind: Path) -> None:
        source = Store(behind)._json(key)
        entry = _read_entry(source, key)
        if entry is None:
            return
        try:
            # The arrays first: the json is the entry.
            with atomic.file(self.folder / key[:2] / entry["file"]) as made:
                shutil.copyfile(source.with_name(entry["file"]), made)
            atomic.write_json(self._json(key), _marked(entry, True))
        except OSError as error:
            raise CacheError(_refused(self.folder, error)) from error

    def _json(self, key: str) -> Path:
        if not key.isalnum() or len(key) < 8:
            raise InputError(f"Expected a key of at least 8 letters and digits, but got {key!r}.")
        return self.folder / key[:2] / f"{key}.json"


def _marked(entry: dict[str, Any], taken: bool) -> dict[str, Any]:
    return {**entry, TAKEN: True} if taken else entry


def _read_entry(path: Path, key: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, OSError, RecursionError) as error:
        raise CacheError(_unusable(path, f"cannot be read ({error})")) from None
    if not isinstance(entry, dict) or entry.get("format") != FORMAT:
        found = entry.get("format") if isinstance(entry, dict) else None
        raise CacheError(_unusable(path, f"has format {found}, but format {FORMAT} is required"))
    if entry.keys() - {TAKEN} != PARTS or entry["key"] != key:
        raise CacheError(_unusable(path, "belongs to another key or lacks a part"))
    if not (isinstance(entry["file"], str) and entry["file"] == Path(entry["file"]).name != ""):
        raise CacheError(_unusable(path, "does not name its file of arrays"))
    return entry


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _canonical(description: Description) -> str:
    try:
        return json.dumps(description, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Expected a description of texts, numbers and lists, but it cannot be stored: {error}."
        ) from None


def _unusable(path: Path, what: str) -> str:
    return f"The cache entry {path} {what}. Delete it and run again to recompute it."


def _refused(folder: Path, error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return (
            f"The disk that holds {folder} is full, so a result could not be stored; earlier "
            "results are intact. Free some space and run again to continue from these."
        )
    return (
        f"A result could not be stored in {folder}: {error}. Make the folder writable, or set "
        "ROBUST_BUILD to another disk, and run again; earlier results are intact."
    )
