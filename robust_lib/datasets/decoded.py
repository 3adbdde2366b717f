"""Pictures decoded, resized and cropped once, for all corruptions and models that follow."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from jaxtyping import UInt8
from numpy.lib.format import open_memmap

from robust_lib import atomic
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import Derived
from robust_lib.errors import CacheError, InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture, Pictures

FORMAT = 1
"""Raise it when the same pictures would be stored in another way than before."""

CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class Decoded(Derived):
    """An image set whose pictures lie ready for one preprocessing.

    Args:
        base: the image set.
        preprocessing: what was done to its pictures.
        pictures: all of them, 8-bit; usually a file mapped into memory.
    """

    preprocessing: Preprocessing
    pictures: Pictures

    @property
    def digest(self) -> str:
        """Return the base's digest."""
        return self.base.digest

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture; raise InputError for another preprocessing than the stored one."""
        if preprocessing != self.preprocessing:
            raise InputError(
                f"The pictures of {self.name} were decoded for {self.preprocessing}, but a model "
                f"wants {preprocessing}. Decode them for it, too."
            )
        return np.array(self.pictures[index])


def decode(image_set: ImageSet, preprocessing: Preprocessing, folder: Path) -> Decoded:
    """Return an image set with its pictures decoded, from a folder's store or into it.

    Args:
        image_set: what to decode.
        preprocessing: how to resize and crop; it must have a crop, so that sizes agree.
        folder: where the arrays are kept, under a key of the set's digest and the preprocessing.

    Raises:
        CacheError: a stored array was cut short or altered.
        InputError: the preprocessing leaves pictures of different sizes.
        DataError: a picture cannot be read.

    >>> import tempfile
    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "blobs", 4, 32, "pets", ("cat", "dog"))
    >>> small = decode(noise, Preprocessing(None, 24), Path(tempfile.mkdtemp()))
    >>> small.read(0, Preprocessing(None, 24)).shape, small.digest == noise.digest
    ((24, 24, 3), True)
    """
    return Decoded(image_set, preprocessing, decoded(image_set, preprocessing, folder))


def decoded(
    image_set: ImageSet, preprocessing: Preprocessing, folder: Path
) -> UInt8[np.ndarray, "n height width 3"]:
    """Return an image set's pictures as one array, mapped into memory; see `decode`."""
    description = {
        "format": FORMAT,
        "digest": image_set.digest,
        "images": len(image_set),
        "preprocessing": asdict(preprocessing),
    }
    key = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()
    array, seal = folder / f"{key}.npy", folder / f"{key}.json"
    if not seal.exists():
        _write(image_set, preprocessing, array, seal, description)
    return _read(array, seal)


def _write(
    image_set: ImageSet,
    preprocessing: Preprocessing,
    array: Path,
    seal: Path,
    description: dict[str, object],
) -> None:
    with atomic.file(array) as made:
        first = image_set.read(0, preprocessing)
        shape = (len(image_set), *first.shape)
        pictures = open_memmap(made, mode="w+", dtype=np.uint8, shape=shape)
        for index in range(len(image_set)):
            picture = image_set.read(index, preprocessing)
            if picture.shape != first.shape:
                raise InputError(
                    f"The pictures of {image_set.name} have different sizes, {first.shape} and "
                    f"{picture.shape}, so they make no array. Set a crop in the preprocessing."
                )
            pictures[index] = picture
        pictures.flush()
        del pictures
        described = description | {"bytes": made.stat().st_size, "sha256": _sha256(made)}
    # The seal is written last: an array without one counts as not there.
    atomic.write_json(seal, described)


def _read(array: Path, seal: Path) -> Pictures:
    try:
        stated = json.loads(seal.read_text(encoding="utf-8"))
        whole = array.stat().st_size == stated["bytes"] and _sha256(array) == stated["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise CacheError(
            f"The decoded pictures {array} were cut short or altered. Delete them and {seal.name}, "
            "and they will be decoded anew."
        )
    pictures: Pictures = np.load(array, mmap_mode="r")
    return pictures


def _sha256(path: Path) -> str:
    running = hashlib.sha256()
    with path.open("rb") as handle:
        while chunk := handle.read(CHUNK):
            running.update(chunk)
    return running.hexdigest()
