"""Photographs with COCO's annotation files: COCO, and the release of [nao].

An image is identified by its file's stem, at any depth below the folder, so a flat and a nested
copy are the same set. Images without objects are kept: every detection in them is wrong.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from typing_extensions import Unpack

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import DatasetManifest, digest, load_dataset, other_kind
from robust_lib.datasets import coco_json, open_picture, openimages, picture_size
from robust_lib.datasets.coco_json import OUTSIDE, Record
from robust_lib.datasets.frame_sets import listed
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.objects import Objects
from robust_lib.datasets.openimages import BoxTable
from robust_lib.datasets.picture_files import Choice, Entry, PictureFiles, by_stem
from robust_lib.errors import DataError, InputError, one_of
from robust_lib.fetch import coco_file
from robust_lib.fetch.verification import pictures_below
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture


class CocoBoxes(PictureFiles):
    """Photographs with objects, labelled with the class of their largest object.

    Annotations are read when the set is created, images are not. If the annotations lack the size
    of an image, it is read from the image file.

    Args:
        files: split -> annotation file; all are needed to know which images belong to no split.
        splits: the splits to use; None uses all.
        unlisted: whether to include images that no file lists, as images without objects.
            Otherwise there must be none. Unlisted images belong to no split, so all splits are
            needed.
        foreign: OpenImages' boxes in these images, from which those without a class are kept; None
            if the images were not searched for such objects.
        outside: pixels by which a box may extend beyond its image.

    Raises:
        InputError: an unknown split.
        DataError: the folder, images or files are missing or malformed; see
            `coco_file.read`, `coco_json.records` and `coco_json.objects_of`.
    """

    def __init__(
        self,
        folder: Path,
        files: Mapping[str, Path],
        classes: ClassList,
        *,
        name: str,
        splits: Sequence[str] | None = None,
        unlisted: bool = False,
        foreign: Callable[[frozenset[str]], BoxTable] | None = None,
        outside: float = OUTSIDE,
        **choice: Unpack[Choice],
    ) -> None:
        for split in splits or ():
            if split not in files:
                raise InputError(one_of(f"a split of {name}", split, files))
        require_folder(folder)
        read = {split: coco_file.read(path) for split, path in files.items()}
        said = {split: coco_json.records(file, classes) for split, file in read.items()}
        every = coco_json.joined(list(said.values()))
        on_disk = by_stem(pictures_below(folder), folder)
        _require_pictures(every, on_disk, folder, unlisted)
        chosen = {stem: one for split in splits or files for stem, one in said[split].items()}
        if unlisted and set(splits or files) == set(files):
            source = next(iter(files.values()))
            chosen |= {stem: _empty(stem, source) for stem in on_disk.keys() - every.keys()}
        table = None if foreign is None else foreign(frozenset(chosen))
        objects = {
            stem: _objects(chosen[stem], on_disk[stem], table, outside) for stem in sorted(chosen)
        }
        entries = [
            Entry(stem, one.label, on_disk[stem].stat().st_size) for stem, one in objects.items()
        ]
        choice["provenance"] = choice.get("provenance", "") + objects_digest(objects.items())
        super().__init__(folder, entries, classes, name=name, **choice)
        self._files = on_disk
        self._numbers = [chosen[stem].number for stem in self.ids]
        self._categories = [coco_json.class_of(file, classes) for file in read.values()]
        self.annotations: tuple[Objects, ...] = tuple(objects[stem] for stem in self.ids)

    def file(self, index: int) -> Path:
        """Return the path of an image."""
        return self._files[self.ids[index]]

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped.

        Raises:
            DataError: it cannot be read, or its size differs from that in its annotations.
        """
        picture, of = open_picture(self.file(index)), self.annotations[index]
        if picture.size != (of.width, of.height):
            raise DataError(
                f"Expected {self.file(index)} to have the {of.width} x {of.height} pixels for "
                f"which its boxes were drawn, but it has {picture.width} x {picture.height}: it is "
                "a different copy, or its boxes were drawn after rotation by its EXIF data. Use "
                "the original image."
            )
        return preprocessing.apply(picture)

    @cached_property
    def image_numbers(self) -> dict[int, int]:
        """Return COCO's image id -> index of the image; empty if annotations have no ids."""
        return {number: place for place, number in enumerate(self._numbers) if number is not None}

    @cached_property
    def categories(self) -> dict[int, int]:
        """Return category id -> class, as in the annotation files.

        Raises:
            DataError: an id stands for different classes in different files.
        """
        whole: dict[int, int] = {}
        for one in self._categories:
            if any(whole.get(number, place) != place for number, place in one.items()):
                raise DataError(
                    f"Expected one meaning for each category id of {self.name}, but its files of "
                    "annotations differ, so a file of detections cannot be read. Score a single "
                    "split."
                )
            whole |= one
        return whole


def objects_digest(objects: Iterable[tuple[str, Objects]]) -> str:
    """Return a digest of the objects, boxes and classes of images, for any file format.

    >>> box = np.array([[1.0, 2.0, 9.0, 8.0]], np.float32)
    >>> cat, dog = (Objects(9, 9, box, np.array([kind])) for kind in (2, 3))
    >>> objects_digest([("a", cat)]) == objects_digest([("a", dog)])
    False
    """
    running = hashlib.sha256()
    for stem, one in objects:
        running.update(f"{stem}\t{one.width}\t{one.height}\t{len(one)}\n".encode())
        for array in (one.boxes, one.classes, one.crowds):
            running.update(np.ascontiguousarray(array).tobytes())
        if one.foreign is not None:
            running.update("\t".join(("foreign", *one.foreign.names)).encode())
            running.update(np.ascontiguousarray(one.foreign.boxes).tobytes())
    return running.hexdigest()


def load(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> CocoBoxes:
    """Return the image set of a manifest of kind coco_boxes.

    Args:
        name: the manifest. Its options are `pictures` (the folder), `annotations` (split -> file),
            `splits` (those to take), `unlisted`, `outside`, and `foreign`: the data set of
            OpenImages' boxes, which is used if it is available.

    Raises:
        InputError: no such manifest, one of a different kind, or an unknown split.
        DataError: the data is missing or malformed.
    """
    manifest = load_dataset(name)
    if manifest.kind != "coco_boxes" or manifest.classes is None:
        raise other_kind(name, manifest.kind, "coco_boxes", "images with boxes")
    root = (folder or paths.data() / name) / manifest.root
    options = manifest.options
    classes = load_classes(manifest.classes)
    return CocoBoxes(
        root / options["pictures"],
        {split: root / path for split, path in options["annotations"].items()},
        classes,
        name=name,
        splits=options.get("splits"),
        unlisted=options.get("unlisted", False),
        foreign=_foreign(manifest, classes),
        outside=float(options.get("outside", OUTSIDE)),
        limit=limit,
        seed=seed,
        provenance=digest(manifest),
    )


def _foreign(
    manifest: DatasetManifest, classes: ClassList
) -> Callable[[frozenset[str]], BoxTable] | None:
    """Return a function that reads OpenImages' boxes of some images; None if they are missing."""
    source = manifest.options.get("foreign")
    if source is None or not (paths.data() / source).is_dir():
        return None
    folder = paths.data() / source

    def read(stems: frozenset[str]) -> BoxTable:
        table = openimages.load_boxes(folder, classes, wanted=stems)
        missing = sorted(stems - set(table.ids))
        if missing:
            raise DataError(
                f"Expected OpenImages' boxes of the {len(stems)} images of {manifest.name} in "
                f"{folder}, but {len(missing)} have none ({listed(missing)}). Put the boxes of all "
                f"parts of OpenImages there, or remove the folder: {manifest.name} is then scored "
                "without boxes of other objects."
            )
        return table

    return read


def _objects(record: Record, file: Path, table: BoxTable | None, outside: float) -> Objects:
    size = record.size or picture_size(file)
    foreign = None if table is None else table.objects(record.stem, size).foreign
    return coco_json.objects_of(record, size, foreign=foreign, most=outside)


def _empty(stem: str, source: Path) -> Record:
    nothing = np.zeros(0, np.int64)
    return Record(stem, source, None, None, np.zeros((0, 4)), nothing, nothing.astype(bool))


def _require_pictures(
    records: Mapping[str, Record], on_disk: Mapping[str, Path], folder: Path, unlisted: bool
) -> None:
    """Raise DataError unless the images on disk are those that the annotations list."""
    missing = sorted(records.keys() - on_disk.keys())
    if missing:
        raise DataError(
            f"Expected the {len(records)} images that the annotations list below {folder}, but "
            f"{len(missing)} are missing ({listed(missing)}). Check that unpacking was completed: "
            "the detector's hits and errors on missing images would not be counted."
        )
    besides = sorted(on_disk.keys() - records.keys())
    if besides and not unlisted:
        raise DataError(
            f"Expected only the {len(records)} images that the annotations list below {folder}, "
            f"but it has {len(besides)} more ({listed(besides)}). Move them away, or add their "
            "annotations."
        )
