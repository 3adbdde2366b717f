"""The contents of each shard, listed once and cached, like the files in folders.

A shard is listed again if its size or modification time changes; `robust verify` lists all shards
again.
"""

import gzip
import hashlib
import json
import time
import zlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from types import ModuleType
from typing import Any

from robust_lib import atomic
from robust_lib.fetch import listing
from robust_lib.fetch.shards import Contents, Sample, Shards, condition_of

FORMAT = 1
"""Raise it when the contents of a shard are written in another way; others are made again."""

_BROKEN = (OSError, EOFError, ValueError, LookupError, TypeError, StopIteration, zlib.error)


def contents(file: Path) -> Contents:
    """Return the contents of a shard, from the cache if the file has not changed.

    Raises:
        DataError: it cannot be read.
    """
    state = file.stat()
    known = _kept(file)
    with suppress(*_BROKEN), gzip.open(known, "rt", encoding="utf-8") as lines:
        if _is_of(json.loads(next(lines)), state):
            digest, names, samples = json.loads(next(lines))
            return Contents(digest, tuple(names), tuple(Sample(*one) for one in samples))
    found: Contents = reader(file).contents(file)
    if time.time() - state.st_mtime > listing.SETTLED:
        head: dict[str, Any] = {
            "format": FORMAT,
            "bytes": state.st_size,
            "changed": state.st_mtime_ns,
        }
        head |= {"conditions": _named(found.samples, file)}
        body = (found.digest, found.class_names, [astuple(one) for one in found.samples])
        text = f"{json.dumps(head)}\n{json.dumps(body)}\n"
        with suppress(OSError):  # the next one opens the shard again
            atomic.write_bytes(known, gzip.compress(text.encode(), 1))
    return found


def conditions(shards: Shards) -> tuple[str, ...]:
    """Return the ImageNet-C conditions in shards, sorted; each shard is opened at most once.

    Raises:
        DataError: a shard cannot be read.
    """
    return tuple(
        sorted({one for file in shards.files for one in conditions_in(file, shards.folder)})
    )


def conditions_in(file: Path, folder: Path) -> Collection[str]:
    """Return the conditions whose images are in a shard; it is opened only if necessary."""
    if (told := condition_of("", file, folder)) is not None:
        return (told,)
    with suppress(*_BROKEN), gzip.open(_kept(file), "rt", encoding="utf-8") as lines:
        if _is_of(head := json.loads(next(lines)), file.stat()):
            return tuple(head["conditions"])
    return _named(contents(file).samples, file)


def reader(file: Path) -> ModuleType:
    """Return the module that reads a shard."""
    if file.suffix == ".tar":
        from robust_lib.fetch.shards import tars

        return tars
    from robust_lib.fetch.shards import parquet  # imports pyarrow

    return parquet


def _named(samples: Sequence[Sample], file: Path) -> list[str]:
    found = {condition_of(one.name, file, file.parent) for one in samples}
    return sorted(one for one in found if one is not None)


def _kept(file: Path) -> Path:
    name = hashlib.sha256(str(file.absolute()).encode()).hexdigest()
    return listing.home() / f"{name}.shard.gz"


def _is_of(head: Any, state: Any) -> bool:
    expected = (FORMAT, state.st_size, state.st_mtime_ns)
    return (head["format"], head["bytes"], head["changed"]) == expected
