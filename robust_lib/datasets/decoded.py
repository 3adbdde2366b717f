"""Images decoded, resized and cropped once for all corruptions and models.

They are stored in one memory-mapped file, so a set may be larger than memory, and all processes on
a machine share it. Threads write it in parts; a killed run loses only the unfinished parts.
"""

import functools
import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from filelock import FileLock
from jaxtyping import UInt8
from numpy.lib.format import open_memmap

from robust_lib import atomic
from robust_lib.datasets import ImageSet, stack
from robust_lib.datasets.derived import Derived
from robust_lib.errors import NO_ARRAYS, CacheError, InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture, Pictures

FORMAT = 2
"""Raise it when the same images would be stored in another way than before."""

IN_MEMORY = 1 << 30
"""Bytes of images up to which those who need all of them at once may hold them in memory."""

PART = 1 << 24  # bytes that one thread decodes before they are written


@dataclass(frozen=True, eq=False)
class Decoded(Derived):
    """An image set whose images are stored ready for one preprocessing.

    Args:
        pictures: all images, 8-bit; usually a memory-mapped file.
    """

    preprocessing: Preprocessing
    pictures: Pictures

    @property
    def digest(self) -> str:
        """Return the digest of the base set."""
        return self.base.digest

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image; raise InputError for a preprocessing other than the stored one."""
        if preprocessing != self.preprocessing:
            raise InputError(
                f"The images of {self.name} were decoded for {self.preprocessing}, but a model "
                f"requires {preprocessing}. Decode them for it as well."
            )
        return np.array(self.pictures[index])


def decode(
    image_set: ImageSet, preprocessing: Preprocessing, folder: Path, *, workers: int = 1
) -> Decoded:
    """Return an image set with decoded images, read from the store in a folder or added to it.

    Args:
        preprocessing: resizing and cropping; it must have a crop, so that all images have the same
            size.

    Raises:
        CacheError: a stored array was truncated or altered.
        InputError: the preprocessing leaves images of different sizes.
        DataError: an image cannot be read.

    >>> import tempfile
    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "blobs", 4, 32, "pets", ("cat", "dog"))
    >>> small = decode(noise, Preprocessing(None, 24), Path(tempfile.mkdtemp()))
    >>> small.read(0, Preprocessing(None, 24)).shape, small.digest == noise.digest
    ((24, 24, 3), True)
    """
    pictures = decoded(image_set, preprocessing, folder, workers=workers)
    return Decoded(image_set, preprocessing, pictures)


def decoded(
    image_set: ImageSet, preprocessing: Preprocessing, folder: Path, *, workers: int = 1
) -> UInt8[np.ndarray, "n height width 3"]:
    """Return an image set's images as one memory-mapped array; see `decode`."""
    description = {
        "format": FORMAT,
        "digest": image_set.digest,
        "images": len(image_set),
        "preprocessing": asdict(preprocessing),
    }
    key = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()
    array, seal = folder / f"{key}.npy", folder / f"{key}.json"
    if not seal.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f".{key}.lock"):  # the others wait, and find it
            if not seal.exists():
                digests = _make(image_set, preprocessing, array, max(workers, 1))
                # The seal is written last: an array without one counts as not there.
                atomic.write_json(seal, description | {"sha256": digests})
    return _opened(array, seal)


def _make(
    image_set: ImageSet, preprocessing: Preprocessing, array: Path, workers: int
) -> list[str]:
    """Make the array and return the checksums of its parts; existing parts stay."""
    made, journal = (array.with_name(f".{array.stem}.{what}") for what in ("part", "journal"))
    picture = stack(image_set, [0], preprocessing).shape[1:]
    # One without the other is left where a run was killed after the array had got its name.
    if not (journal.exists() and made.exists()):
        _reserve(made, (len(image_set), *picture))
        journal.touch()
    pictures = open_memmap(made, mode="r+")
    parts = _parts(pictures)
    done = _done(journal, pictures, parts)

    def make(part: range) -> str:
        found = stack(image_set, part, preprocessing)
        if found.shape[1:] != picture:
            raise InputError(
                f"The images of {image_set.name} have different sizes, {picture} and "
                f"{found.shape[1:]}, so they cannot form an array. Set a crop in the preprocessing."
            )
        pictures[part.start : part.stop] = found
        return _sha256(found)

    todo = [part for part in parts if part.start not in done]
    # Threads suffice: decoding and resizing release the interpreter's lock.
    pool = ThreadPoolExecutor(workers, thread_name_prefix="decode")
    try:
        with journal.open("a", encoding="utf-8") as lines:
            for part, digest in zip(todo, pool.map(make, todo), strict=True):
                done[part.start] = digest
                lines.write(f"{part.start} {digest}\n")
                lines.flush()
    except InputError:  # which no second try mends
        made.unlink()
        journal.unlink()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    pictures.flush()
    made.replace(array)
    journal.unlink()
    return [done[part.start] for part in parts]


def _reserve(made: Path, shape: tuple[int, ...]) -> None:
    """Make an array for a number of images, and allocate its disk space.

    Raises:
        CacheError: the disk has too little space.
    """
    open_memmap(made, mode="w+", dtype=np.uint8, shape=shape).flush()
    size = made.stat().st_size
    try:
        # Who writes to a mapped file on a full disk is killed.
        with made.open("rb+") as file:
            os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        made.unlink()
        raise CacheError(
            f"Expected space for {size / 1e9:.1f} GB of decoded images in {made.parent}, but could "
            f"not reserve it: {error}. Free some space, or set ROBUST_BUILD to another disk."
        ) from error


def _parts(pictures: Pictures) -> list[range]:
    """Return indices of images in groups that are decoded and checked together."""
    each = max(1, PART // max(1, pictures[:1].nbytes))
    every = range(len(pictures))
    return [every[start : start + each] for start in every[::each]]


def _done(journal: Path, pictures: Pictures, parts: Sequence[range]) -> dict[int, str]:
    """Return first index -> checksum of the parts that a journal lists and that exist."""
    lines = [line.split() for line in journal.read_text("utf-8").splitlines()]
    stated = {int(line[0]): line[1] for line in lines if len(line) == 2}
    return {
        part.start: stated[part.start]
        for part in parts
        if part.start in stated and _sha256(pictures[part.start : part.stop]) == stated[part.start]
    }


def _opened(array: Path, seal: Path) -> Pictures:
    try:
        stated = tuple(json.loads(seal.read_text(encoding="utf-8"))["sha256"])
        about = array.stat()
        _require_whole(array, stated, about.st_size, about.st_mtime_ns)
    except NO_ARRAYS:
        raise CacheError(
            f"The decoded images {array} were cut short or altered. Delete them and {seal.name} to "
            "decode them again."
        ) from None
    pictures: Pictures = np.load(array, mmap_mode="r")
    return pictures


@functools.cache  # once a process: of a large set it takes a minute
def _require_whole(array: Path, stated: tuple[str, ...], size: int, changed: int) -> None:
    """Raise ValueError if an array's checksums differ; its size and time identify the file.

    Args:
        size: bytes.
        changed: nanoseconds.
    """
    pictures: Pictures = np.load(array, mmap_mode="r")
    found = tuple(_sha256(pictures[part.start : part.stop]) for part in _parts(pictures))
    if found != stated:
        raise ValueError("other checksums")


def _sha256(pictures: Pictures) -> str:
    return hashlib.sha256(np.ascontiguousarray(pictures).data).hexdigest()
