"""Checks of files on disk against their manifests.

If the publishers state a checksum, it is checked. If they state none, the first download is
trusted: its checksum is recorded next to the file, and any later difference is an error.
"""

import base64
import hashlib
import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robust_lib import atomic
from robust_lib.config.dataset_files import File
from robust_lib.errors import FetchError

CHUNK = 1 << 20

Hashes = dict[str, Any]  # algorithm name -> a running hash of hashlib's

log = logging.getLogger(__name__)


def published(file: File) -> dict[str, str]:
    """Return the checksums that a manifest states, as algorithm name -> hexadecimal digest.

    A SHA-256 digest may be shortened to its first digits.
    """
    stated = {"md5": file.md5, "sha1": file.sha1, "sha256": file.sha256 or file.sha256_begins}
    if file.sha512 is not None:
        stated["sha512"] = base64.b64decode(file.sha512.removeprefix("sha512-")).hex()
    return {name: digest for name, digest in stated.items() if digest is not None}


def start(*files: File) -> Hashes:
    """Return running hashes: those stated for a file, and a SHA-256 for the receipt."""
    names = {name for file in files for name in published(file)}
    return {name: hashlib.new(name) for name in {*names, "sha256"}}


def feed(hashes: Hashes, chunk: bytes) -> None:
    """Add a chunk of the file to each running hash."""
    for running in hashes.values():
        running.update(chunk)


def feed_file(hashes: Hashes, path: Path) -> int:
    """Add a whole file to each running hash and return its size in bytes."""
    size = 0
    with path.open("rb") as handle:
        while chunk := handle.read(CHUNK):
            feed(hashes, chunk)
            size += len(chunk)
    return size


def difference(file: File, size: int, hashes: Hashes) -> str | None:
    """Return a sentence on how a file differs from its manifest; None if it does not."""
    if file.bytes is not None and size != file.bytes:
        return f"expected {file.bytes} bytes, but got {size}"
    for name, digest in published(file).items():
        found = hashes[name].hexdigest()
        if not found.startswith(digest):
            return f"expected {name} {digest}, but got {found}"
    return None


def check(path: Path, file: File, *, again: bool = False) -> None:
    """Check a file on disk against its manifest, or against the record of its first download.

    A file that was checked before and whose size and modification time are unchanged is not read
    again.

    Args:
        again: whether to read the file in any case.

    Raises:
        FetchError: the file is missing, or differs.
    """
    if not path.is_file():
        raise FetchError(f"Expected the file {path}, but there is none.")
    receipt = recorded(path)
    editions = file.editions
    if receipt and not again:
        sha256 = receipt["sha256"]
        if any(receipt == _seal(path, one, sha256) for one in editions):
            return
    size = path.stat().st_size
    # A wrong size needs no reading.
    sized = [one for one in editions if one.bytes in (None, size)]
    sized.sort(key=lambda one: not published(one))  # whatever may be proven is
    hashes = start(*sized)
    if sized:
        feed_file(hashes, path)
    file = next((one for one in sized if difference(one, size, hashes) is None), file)
    problem = difference(file, size, hashes)
    sha256 = hashes["sha256"].hexdigest()
    if problem is None and receipt and not published(file) and receipt["sha256"] != sha256:
        problem = f"its sha256 was {receipt['sha256']} at first use, and is now {sha256}"
    if problem is not None:
        raise FetchError(f"{path} is not the published file: {problem}. Delete it and fetch again.")
    record(path, file, sha256)


def check_unchanged(path: Path) -> None:
    """Check that a file is unchanged since it was fetched, or since it was first seen.

    This is for files without a published checksum. The receipt next to the file contains the
    checksum; a missing receipt is written.

    Raises:
        FetchError: the file is missing, or differs.
    """
    receipt = recorded(path)
    stated = receipt["published"] if receipt else None
    sha256 = stated.get("sha256") if isinstance(stated, dict) else None
    check(path, File(name="file", sha256_begins=sha256))


def record(path: Path, file: File, sha256: str) -> None:
    """Write the receipt <file>.sha256.json; log it if there is no published checksum."""
    if not os.access(path.parent, os.W_OK):
        return  # a shared, read-only copy: there is no place for receipts, so it is read each time
    target = receipt_path(path)
    if not published(file) and not target.exists():
        log.warning(
            "No checksum is published for %s: trusting this first copy of %d bytes, whose sha256 "
            "%s is recorded in %s.",
            path.name,
            path.stat().st_size,
            sha256,
            target,
        )
    atomic.write_json(target, _seal(path, file, sha256))


def receipt_path(path: Path) -> Path:
    """Return the path of the receipt of a checked file."""
    return path.with_name(path.name + ".sha256.json")


def recorded(path: Path) -> Mapping[str, Any] | None:
    """Return the record of a file that was fetched and checked; None if it has none.

    Keys are `bytes`, `sha256`, and `published`: the checksums that it was compared with, or a note
    that there were none.

    Raises:
        FetchError: the record is damaged.
    """
    try:
        found = json.loads(receipt_path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("sha256"), str):
        raise FetchError(
            f"{receipt_path(path)} is not the record of a checked file. If you trust {path.name}, "
            "delete the record; it will be written again."
        )
    return found


def _seal(path: Path, file: File, sha256: str) -> dict[str, Any]:
    state = path.stat()
    return {
        "file": path.name,
        "bytes": state.st_size,
        "modified_ns": state.st_mtime_ns,
        "sha256": sha256,
        "published": published(file) or "none; trusted at first use",
    }
