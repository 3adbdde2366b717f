"""Photographs of OpenImages with their boxes, the pool of [nao, sec. 3.2].

Objects of COCO's classes, matched by a table of names, belong to the label set; all others are out
of distribution. Some of the latter are wider than a class (vehicle) or part of one (human face),
according to the hierarchy of the labels if `bbox_labels_600_hierarchy.json` is next to the tables.
The release has one row per box in `*-annotations-bbox.csv`, whose corners are fractions of the
image's sides, and the words for its labels in `*class-descriptions-boxable.csv`. The training part
has more than fourteen million rows; they are read one by one, and only the required ones are kept.
Images are read as stored, regardless of the camera's rotation in their EXIF data. The boxes refer
to the stored pixels, since OpenImages states the angle by which "the image and boxes should be
rotated" to be upright.
"""

import csv
import hashlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float32, Int64
from typing_extensions import Unpack

from robust_lib import paths
from robust_lib.config import strict_json
from robust_lib.config.class_lists import ClassList, load_class_map, load_classes
from robust_lib.config.manifests import digest, load_dataset, other_kind
from robust_lib.datasets import picture_size
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.datasets.picture_files import Choice, Entry, PictureFiles, by_stem
from robust_lib.errors import DataError
from robust_lib.fetch.verification import pictures_below
from robust_lib.types import UNKNOWN

BOXES = "*-annotations-bbox.csv"
WORDS = "*class-descriptions-boxable.csv"
HIERARCHY = "*bbox_labels_600_hierarchy.json"
COLUMNS = ("ImageID", "LabelName", "XMin", "YMin", "XMax", "YMax", "IsGroupOf")


@dataclass(frozen=True, eq=False)
class BoxTable:
    """The boxes of many images, one image after another.

    Attributes:
        starts: start of each image's boxes, and the end of the last image's.
        corners: xyxy, fractions of the image's width and height.
        kinds: the label of each box, an index into `words`.
        classes: class of each of these words, from 0; -1 for words outside the label set.
        related: which of these words are wider than a class, or part of one; None without the
            hierarchy.
    """

    ids: tuple[str, ...]
    starts: Int64[np.ndarray, " _"]
    corners: Float32[np.ndarray, "boxes 4"]
    kinds: Int64[np.ndarray, " boxes"]
    groups: Bool[np.ndarray, " boxes"]
    words: tuple[str, ...]
    classes: Int64[np.ndarray, " words"]
    related: Bool[np.ndarray, " words"] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def objects(self, picture: str, size: tuple[int, int]) -> Objects:
        """Return the objects of an image; boxes that contain several objects count as crowds.

        Args:
            size: width and height, pixels.

        Raises:
            DataError: the image has no box.
        """
        if picture not in self._places:
            raise DataError(f"Expected boxes of the image {picture}, but OpenImages has none.")
        place = self._places[picture]
        rows = slice(self.starts[place], self.starts[place + 1])
        corners = self.corners[rows] * np.array(2 * size, np.float32)
        kinds = self.kinds[rows]
        classes = self.classes[kinds]
        known = classes >= 0
        names = tuple(self.words[kind] for kind in kinds[~known])
        return Objects(
            *size,
            corners[known],
            classes[known],
            crowd=self.groups[rows][known],
            foreign=Foreign(
                corners[~known],
                names,
                related=None if self.related is None else self.related[kinds[~known]],
            ),
        )

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines the objects' boxes and classes."""
        running = hashlib.sha256("\n".join((*self.ids, "", *self.words)).encode())
        for column in (self.starts, self.corners, self.kinds, self.groups, self.classes):
            running.update(np.ascontiguousarray(column).tobytes())
        return running.hexdigest()

    @cached_property
    def _places(self) -> dict[str, int]:
        return {picture: place for place, picture in enumerate(self.ids)}


def load_boxes(folder: Path, classes: ClassList, *, wanted: Collection[str]) -> BoxTable:
    """Return the boxes of some images.

    Args:
        folder: folder with a table of words, at least one table of boxes, and optionally the
            hierarchy.
        classes: the label space, into which `openimages_to_<its name>` maps OpenImages' words.

    Raises:
        DataError: a table is missing, lacks a column, or has a label without words or an invalid
            box, or the hierarchy is invalid.
    """
    described, tables = sorted(folder.glob(WORDS)), sorted(folder.glob(BOXES))
    if len(described) != 1 or not tables:
        raise DataError(
            f"Expected one table {WORDS} and at least one {BOXES} in {folder}, but found "
            f"{len(described)} and {len(tables)}. Fetch the data set openimages_boxes, or put the "
            "tables there."
        )
    words = read_words(described[0])
    known = load_class_map(f"openimages_to_{classes.name}")
    _require_one_label(words, known, described[0])
    places = {name: place for place, name in enumerate(classes.names)}
    rows = _Rows(frozenset(wanted), {label: place for place, label in enumerate(words)})
    for path in tables:
        rows.read(path)
    kinds = [places[known[w]] if w in known else UNKNOWN for w in words.values()]
    table = rows.table(tuple(words.values()), np.array(kinds, np.int64))
    hierarchy = next(iter(sorted(folder.glob(HIERARCHY))), None)
    if hierarchy is None:
        return table
    of_classes = frozenset(label for label, name in words.items() if name in known)
    related = read_related(hierarchy, of_classes)
    return replace(table, related=np.array([label in related for label in words], bool))


def read_related(path: Path, of_classes: Collection[str]) -> frozenset[str]:
    """Return the labels that are wider than the given ones, or part of these or of wider labels.

    Args:
        path: the hierarchy: a JSON file with a label `LabelName`, its kinds `Subcategory` and its
            parts `Part`, each again of this form. A label may occur several times.
        of_classes: labels of the label set's classes, which are excluded from the result.

    Raises:
        DataError: the file is missing or not such a hierarchy.

    >>> import json, tempfile
    >>> path = Path(tempfile.mkdtemp(), "bbox_labels_600_hierarchy.json")
    >>> car = {"LabelName": "/m/0k4j", "Part": [{"LabelName": "/m/0h9mv"}]}
    >>> _ = path.write_text(json.dumps({"LabelName": "/m/07yv9", "Subcategory": [car]}))
    >>> sorted(read_related(path, ["/m/0k4j"]))  # vehicle and tire
    ['/m/07yv9', '/m/0h9mv']
    """
    found: set[str] = set()

    def every(node: Any) -> Iterator[str]:
        yield node["LabelName"]
        for below in (*node.get("Subcategory", ()), *node.get("Part", ())):
            yield from every(below)

    def is_wide(node: Any) -> bool:
        # A list, not a generator: all branches are to be walked.
        kinds = [is_wide(below) for below in node.get("Subcategory", ())]
        wide = node["LabelName"] in of_classes or any(kinds)
        if wide:
            found.add(node["LabelName"])
        for part in node.get("Part", ()):
            is_wide(part)
            found.update(every(part) if wide else ())
        return wide

    try:
        is_wide(strict_json.parsed(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DataError(
            f"Expected a tree of labels in {path}, each with its LabelName and lists Subcategory "
            "and Part, but it contains none. Download OpenImages' hierarchy of boxable classes "
            "again, or move the file away."
        ) from None
    return frozenset(found - set(of_classes))


def read_words(path: Path) -> dict[str, str]:
    """Return label -> readable name, from a table with or without a header.

    Raises:
        DataError: a row without exactly two cells, or a label that occurs twice.
    """
    words: dict[str, str] = {}
    with _table(path) as rows:
        for cells in rows:
            if len(cells) != 2 or cells[0] in words:
                raise DataError(
                    f"Expected a label and its words in each row of {path}, without duplicates, "
                    f"but got {','.join(cells)!r}. Use OpenImages' table of boxable classes."
                )
            words[cells[0]] = cells[1]
    # Newer tables have a header, of names that differ; labels begin with a slash.
    return {label: name for label, name in words.items() if label.startswith("/")}


@contextmanager
def _table(path: Path) -> Iterator[Iterator[list[str]]]:
    """Open a table of cells; raise DataError if it is not a table."""
    try:
        with path.open(encoding="utf-8", newline="") as opened:
            yield csv.reader(opened)
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            f"Expected a table of OpenImages in {path}, but it cannot be read: {error}. Fetch it "
            "again."
        ) from None


def _require_one_label(words: Mapping[str, str], known: Collection[str], path: Path) -> None:
    """Raise DataError if two labels have one name that means a class."""
    for name, count in Counter(words.values()).items():
        if count > 1 and name in known:
            both = " and ".join(label for label, word in words.items() if word == name)
            raise DataError(
                f"Expected {name} to be one label in {path}, but it belongs to {both}, and only "
                "one of them can be the class. Use OpenImages' table of boxable classes."
            )


class _Rows:
    """Rows of tables of boxes, as they are read: numbers in arrays, since there may be millions."""

    def __init__(self, wanted: frozenset[str], labels: Mapping[str, int]) -> None:
        self._labels = labels
        self._pictures = {picture: place for place, picture in enumerate(sorted(wanted))}
        self._owners, self._kinds = array("q"), array("q")
        self._corners, self._groups = array("f"), array("b")

    def read(self, path: Path) -> None:
        """Add the wanted rows of a table; raise DataError if one is none."""
        with path.open(encoding="utf-8", newline="") as opened:
            header = opened.readline().rstrip("\r\n").split(",")
            if any(column not in header for column in COLUMNS) or header[0] != COLUMNS[0]:
                raise DataError(
                    f"Expected the columns {', '.join(COLUMNS)} in {path}, {COLUMNS[0]} first, but "
                    f"got {', '.join(header)}. Use OpenImages' table of boxes."
                )
            places = [header.index(column) for column in COLUMNS]
            lines = (line for line in opened if line.partition(",")[0] in self._pictures)
            for cells in csv.reader(lines):
                try:
                    self._add(*(cells[place] for place in places))
                except (IndexError, KeyError, ValueError):
                    raise DataError(
                        "Expected a box of a known label, with corners between 0 and 1 of the "
                        f"image's sides, in {path}, but got {','.join(cells)!r}. Fetch the table "
                        "again, and use the words of the same version."
                    ) from None

    def _add(
        self, picture: str, label: str, left: str, top: str, right: str, bottom: str, group: str
    ) -> None:
        box = (float(left), float(top), float(right), float(bottom))
        if not (0 <= box[0] <= box[2] <= 1 and 0 <= box[1] <= box[3] <= 1):
            raise ValueError
        self._kinds.append(self._labels[label])
        self._owners.append(self._pictures[picture])
        self._corners.extend(box)
        self._groups.append(int(group) == 1)  # -1 where nobody has looked

    def table(self, words: Sequence[str], classes: Int64[np.ndarray, " words"]) -> BoxTable:
        """Return the boxes that were read, by image; within one, in the order of the tables."""
        owners = np.array(self._owners, np.int64)
        order = np.argsort(owners, kind="stable")
        found, counts = np.unique(owners, return_counts=True)
        names = list(self._pictures)
        return BoxTable(
            tuple(names[place] for place in found),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.array(self._corners, np.float32).reshape(-1, 4)[order],
            np.array(self._kinds, np.int64)[order],
            np.array(self._groups, bool)[order],
            tuple(words),
            classes,
        )


@dataclass(frozen=True)
class Unsized:
    """The objects of many images, converted to pixels on demand with each image file's size."""

    ids: tuple[str, ...]
    files: Mapping[str, Path]
    table: BoxTable

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, place: int) -> Objects:
        picture = self.ids[place]
        return self.table.objects(picture, picture_size(self.files[picture]))


class OpenImages(PictureFiles):
    """Photographs of OpenImages that have boxes.

    An image is identified by its file's stem, which is OpenImages' id, at any depth below the
    folder. Images without any box are left out, since they were not searched for objects.

    Args:
        boxes: folder with the tables of boxes and words; see `load_boxes`.

    Raises:
        DataError: the folder or a table is missing, or no image has a box; also see `load_boxes`.
    """

    def __init__(
        self,
        folder: Path,
        boxes: Path,
        classes: ClassList,
        *,
        name: str,
        **choice: Unpack[Choice],
    ) -> None:
        require_folder(folder)
        files = by_stem(pictures_below(folder), folder)
        table = load_boxes(boxes, classes, wanted=files)
        if not len(table):
            raise DataError(
                f"Expected boxes of the {len(files)} images in {folder}, but {boxes} has none for "
                "any of them. Check that images keep their names, OpenImages' ids of sixteen "
                "characters."
            )
        # Areas in fractions are in the order of areas in pixels, so no picture is opened.
        labels = {picture: table.objects(picture, (1, 1)).label for picture in table.ids}
        entries = [Entry(one, labels[one], files[one].stat().st_size) for one in table.ids]
        choice["provenance"] = choice.get("provenance", "") + table.digest
        super().__init__(folder, entries, classes, name=name, **choice)
        self._files, self._table = files, table

    @cached_property
    def annotations(self) -> Unsized:
        """Return the objects of each image, in the order of `ids`; boxes are xyxy pixels."""
        return Unsized(self.ids, self._files, self._table)

    def file(self, index: int) -> Path:
        """Return the path of an image."""
        return self._files[self.ids[index]]


def load(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> OpenImages:
    """Return the image set of a manifest of kind openimages.

    Args:
        name: the manifest. Its option `boxes` is the data set of the tables.

    Raises:
        InputError: no such manifest, or one of a different kind.
        DataError: the data is missing or malformed.
    """
    manifest = load_dataset(name)
    if manifest.kind != "openimages" or manifest.classes is None:
        raise other_kind(name, manifest.kind, "openimages", "OpenImages' images")
    return OpenImages(
        (folder or paths.data() / name) / manifest.root,
        paths.data() / manifest.options["boxes"],
        load_classes(manifest.classes),
        name=name,
        limit=limit,
        seed=seed,
        provenance=digest(manifest),
    )
