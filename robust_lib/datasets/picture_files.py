"""Image files with labels: the base of the data sets in folders."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypedDict

import numpy as np
from PIL import Image

from robust_lib import seeds
from robust_lib.config.class_lists import ClassList
from robust_lib.config.manifests import digest
from robust_lib.datasets import oddities, open_picture
from robust_lib.errors import DataError, InputError
from robust_lib.fetch.listing import listed
from robust_lib.fetch.shards.packed import Packed
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

READING = "grey of 16 bits is value / 257"
"""Part of the digest of a user's images; change it when they are read in another way."""


@dataclass(frozen=True)
class Entry:
    """An image on disk: its path below the folder, its label, and its size in bytes.

    Attributes:
        packed: its position inside a shard; None: it has its own file.
    """

    id: str
    label: int
    bytes: int
    packed: Packed | None = None

    @property
    def place(self) -> tuple[int, str]:
        """Return the sort key of images: the position in their shards, or the id."""
        return (0 if self.packed is None else self.packed.order, self.id)


class Choice(TypedDict, total=False):
    """The selection of images from a folder, and their source.

    Attributes:
        limit: number of images to keep, evenly over classes, chosen by (seed, id), so that the
            selection does not depend on the order and a smaller one is part of a larger one. None
            keeps all.
        provenance: digest of the manifest that the set comes from.
    """

    limit: int | None
    seed: int
    provenance: str


class PictureFiles:
    """Images on disk with labels; the base of the other image sets in this package.

    Args:
        entries: the images, in any order; they are sorted by id or, in shards, by position.
        limit, seed, provenance: see `Choice`.
    """

    def __init__(
        self,
        folder: Path,
        entries: Iterable[Entry],
        classes: ClassList,
        *,
        name: str,
        limit: int | None = None,
        seed: int = 0,
        provenance: str = "",
    ) -> None:
        chosen = sorted(_balanced(tuple(entries), limit, seed), key=lambda entry: entry.place)
        if not chosen:
            raise DataError(f"Expected images of {classes.name} in {folder}, but found none.")
        self.folder = folder
        self.name = name
        self.classes = classes.name
        self.class_names = classes.names
        self.ids = tuple(entry.id for entry in chosen)
        self._packed = tuple(entry.packed for entry in chosen)
        self.labels: Labels = np.array([entry.label for entry in chosen], dtype=np.int64)
        self.labels.setflags(write=False)
        self.digest = _digest(chosen, classes, provenance)
        self.contents: Mapping[str, str] = {one.id: f"{one.bytes} bytes" for one in chosen}
        """Id -> its file's size; or the beginning of its digest, where files were read."""

    def __len__(self) -> int:
        return len(self.ids)

    def file(self, index: int) -> Path:
        """Return the path of an image or, for one in a shard, its path as if unpacked."""
        return self.folder / self.ids[index]

    def stored(self, index: int) -> Image.Image:
        """Return one image as it is stored, RGB; raise DataError if it cannot be read."""
        packed = self._packed[index]
        if packed is None:
            return open_picture(self.file(index))
        return open_picture(packed.shard / packed.sample.name, packed.read())

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped; raise DataError if it cannot be read."""
        return preprocessing.apply(self.stored(index))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences about files that are skipped, or that other programs may handle differently.

        Skipped files are counted by suffix, and the first one is named. Each image is
        opened, but few are decoded.
        """
        return notes(self.folder, [self.file(place) for place in range(len(self))])


def notes(folder: Path, pictures: Iterable[Path]) -> tuple[str, ...]:
    """Return sentences on skipped files, and on images that other programs may handle differently.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> for name in ("a.heic", "README.txt", "b.HEIC"):
    ...     (home / name).touch()
    >>> notes(home, ())
    ('3 files left out (.heic 2, .txt 1; first: README.txt)',)
    """
    below = listed(folder) if folder.is_dir() else {}
    others = sorted(Path(inside, name) for inside, one in below.items() for name in one.others)
    kinds = Counter(file.suffix.lower() or "no ending" for file in others)
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    files = "file" if len(others) == 1 else "files"
    said = [f"{len(others)} {files} left out ({told}; first: {others[0]})"] if others else []
    odd: dict[str, list[Path]] = {}
    for file in pictures:
        for one in oddities(file):
            odd.setdefault(one, []).append(file)
    for what, found in odd.items():
        first = found[0].relative_to(folder)
        said.append(f"{what}: {len(found)} ({'first: ' if len(found) > 1 else ''}{first})")
    return tuple(said)


def by_stem(files: Iterable[Path], folder: Path) -> dict[str, Path]:
    """Return the image files by their stem.

    Raises:
        DataError: two files with the same stem.
    """
    found: dict[str, Path] = {}
    for file in files:
        if file.stem in found:
            raise DataError(
                f"Expected each image below {folder} once, but {found[file.stem]} and {file} have "
                "the same name. Keep one: annotations could refer to either."
            )
        found[file.stem] = file
    return found


def _balanced(entries: Sequence[Entry], limit: int | None, seed: int) -> Sequence[Entry]:
    """Return `limit` entries: the first of every class, then the second of every class, ..."""
    if limit is None or limit >= len(entries):
        return entries
    if limit < 1:
        raise InputError(f"Expected a limit of at least one image, but got {limit}.")
    keys = {entry.id: seeds.key(seed, entry.id, "limit") for entry in entries}
    taken: dict[int, int] = {}
    ranked: list[tuple[int, int, Entry]] = []
    for entry in sorted(entries, key=lambda entry: keys[entry.id]):
        rank = taken[entry.label] = taken.get(entry.label, -1) + 1
        ranked.append((rank, keys[entry.id], entry))
    ranked.sort(key=lambda row: row[:2])
    return [entry for _, _, entry in ranked[:limit]]


def _digest(entries: Sequence[Entry], classes: ClassList, provenance: str) -> str:
    # Names and sizes, not contents: reading a terabyte to name it would take hours.
    running = hashlib.sha256(f"{provenance}\n{digest(classes)}\n".encode())
    for entry in entries:
        shard = "" if entry.packed is None else entry.packed.digest
        running.update(f"{entry.id}\t{entry.label}\t{entry.bytes}{shard}\n".encode())
    return running.hexdigest()
