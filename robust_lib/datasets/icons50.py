"""ICONS-50: icons with a class, a style, a rendition and a subtype.

Every icon is identified by its path in the released data set [inc, sec. 4.1],
<class>/<style>_<rendition>_<subtype>.png, for any source of its pixels: the folders of PNG files,
the NumPy file, or open art in the same classes.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import digest, load_dataset
from robust_lib.datasets import pickled
from robust_lib.datasets.derived import Derived
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.errors import DataError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture, Pictures


@dataclass(frozen=True, eq=False)
class InMemory:
    """8-bit RGB images of one size, each with its id and its class."""

    name: str
    ids: tuple[str, ...]
    labels: Labels
    pictures: Pictures = field(repr=False)
    class_list: ClassList = field(repr=False)

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.class_list.name

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes."""
        return self.class_list.names

    @cached_property
    def digest(self) -> str:
        """Return a digest of classes, ids, labels and pixels."""
        running = hashlib.sha256(digest(self.class_list).encode())
        running.update("\n".join(self.ids).encode())
        running.update(self.labels.tobytes())
        running.update(self.pictures.tobytes())
        return running.hexdigest()

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped."""
        return preprocessing.apply(Image.fromarray(self.pictures[index]))


# Styles have hyphens (emoji-one), subtypes underscores, renditions are numbers.
_PATH = re.compile(
    r"(?P<folder>[^/]+)/(?P<style>[^_/]+)_(?P<rendition>\d+)_(?P<subtype>[^/]+)\.png"
)
_TONE = re.compile(r"_type_[1-6]$")


@dataclass(frozen=True)
class Icon:
    """The properties of an icon that its path states."""

    path: str
    label: int
    style: str
    rendition: str
    subtype: str

    @property
    def motif(self) -> str:
        """Return the subtype without the skin tone.

        >>> Icon("golfing/google_2_golfer_type_4.png", 23, "google", "2", "golfer_type_4").motif
        'golfer'
        """
        return _TONE.sub("", self.subtype)


def parse(path: str, label: int) -> Icon:
    """Return the icon that a path names.

    Raises:
        DataError: the path has a different form.

    >>> parse("worker/twitter_0_female_factory_worker.png", 47).subtype
    'female_factory_worker'
    """
    found = _PATH.fullmatch(path)
    if found is None:
        raise DataError(
            f"Expected an icon named <class>/<style>_<rendition>_<subtype>.png, but got {path}. "
            "Remove the file if it does not belong to the data set, or restore its name."
        )
    return Icon(path, label, found["style"], found["rendition"], found["subtype"])


@dataclass(frozen=True, eq=False)
class Icons50(Derived):
    """An image set whose ids are paths of icons, with the properties in the paths.

    Raises:
        DataError: when `icons` is first used, for an id of a different form.
    """

    @property
    def digest(self) -> str:
        """Return the base's digest, since the images are the same."""
        return self.base.digest

    @cached_property
    def icons(self) -> tuple[Icon, ...]:
        """Return the icons that the ids name, in their order."""
        labels = self.labels.tolist()
        return tuple(parse(path, label) for path, label in zip(self.ids, labels, strict=True))

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped."""
        return self.base.read(index, preprocessing)

    def pictures(self, places: Sequence[int], side: int = 32) -> list[Picture]:
        """Return some of the icons as square images of a given size."""
        return [self.read(place, Preprocessing(side, side)) for place in places]

    def names(self, places: Sequence[int]) -> list[str]:
        """Return the class names of some of the icons."""
        names, labels = self.class_names, self.labels
        return [names[labels[place]] for place in places]


def load(name: str = "icons50", folder: Path | None = None) -> Icons50:
    """Return the released data set from its folders of PNG files.

    Raises:
        DataError: the folders are missing, are not the 50 classes, or are empty.
    """
    manifest = load_dataset(name)
    root = (folder or paths.data() / name) / manifest.root
    classes = load_classes(str(manifest.classes))
    return Icons50(ImageFolder(root, classes, name=name, provenance=digest(manifest)))


def load_array(path: Path, name: str = "icons50") -> Icons50:
    """Return the released data set, at 32 pixels, from its NumPy file Icons-50.npy.

    The file is a pickle; nothing in it is executed (see `pickled`). Its icons have no file names,
    so names are composed of their fields; numbers distinguish equal names.

    Raises:
        DataError: no such file, or unexpected content; the message names it.
    """
    found = pickled.read(path)
    fields = ("class", "style", "rendition", "subtype", "image")
    if not isinstance(found, dict) or not set(fields) <= found.keys():
        raise DataError(
            f"Expected the fields {', '.join(fields)} in {path}, but its fields differ. Use the "
            "file Icons-50.npy of the released data set."
        )
    columns = [np.asarray(found[field]) for field in fields]
    labels, images = columns[0], columns[-1]
    classes = load_classes(str(load_dataset(name).classes))
    _require_whole(path, columns, classes)
    words = zip(*([str(word) for word in column] for column in columns[1:4]), strict=True)
    stems = [
        f"{classes.folders[label]}/{'_'.join(three)}"
        for label, three in zip(labels, words, strict=True)
    ]
    return Icons50(
        InMemory(
            name,
            _told_apart(stems),
            labels.astype(np.int64),
            np.ascontiguousarray(images.transpose(0, 2, 3, 1)),
            classes,
        )
    )


def _require_whole(path: Path, columns: Sequence[np.ndarray], classes: ClassList) -> None:
    labels, images = columns[0], columns[-1]
    sizes = [len(column) if column.ndim else -1 for column in columns]
    if (
        len(set(sizes)) > 1
        or images.dtype != np.uint8
        or images.ndim != 4
        or images.shape[1] != 3
        or labels.dtype.kind not in "iu"
        or not ((labels >= 0) & (labels < len(classes))).all()
    ):
        raise DataError(
            f"Expected images of 3 channels in 8 bits and a class from 0 to {len(classes) - 1} "
            f"for each in {path}, but got images of {images.dtype} {images.shape} and classes of "
            f"{labels.dtype} {labels.shape}. Use the file Icons-50.npy of the released data set."
        )


def _told_apart(stems: Sequence[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    ids = []
    for stem in stems:
        ids.append(f"{stem}.png" if stem not in seen else f"{stem}~{seen[stem]}.png")
        seen[stem] += 1
    return tuple(ids)
