"""Photographs of OpenImages with their boxes, the pool of [nao, sec. 3.2].

Objects of COCO's classes, by a table of names, are of the label set; all others are foreign.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import digest, load_dataset
from robust_lib.datasets import open_picture, openimages_boxes, picture_size
from robust_lib.datasets.coco_boxes import by_stem
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.objects import Objects
from robust_lib.datasets.openimages_boxes import BoxTable
from robust_lib.datasets.picture_files import Entry, PictureFiles
from robust_lib.errors import DataError, InputError
from robust_lib.fetch.verification import pictures_below
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture


@dataclass(frozen=True)
class Unsized:
    """The objects of many images, converted to pixels on demand: each file has its size.

    Attributes:
        files: id -> file.
        table: boxes in fractions.
    """

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

    A picture is known by its file's stem, which is OpenImages' id, wherever below the folder it
    lies. Those without any box are left out: nobody has looked for objects in them.

    Args:
        boxes: has the tables of boxes and words; see `openimages_boxes`.
        limit, seed, provenance: as for `PictureFiles`.

    Raises:
        DataError: the folder or a table is missing, or no picture has a box; and see
            `openimages_boxes.load`.
    """

    def __init__(
        self,
        folder: Path,
        boxes: Path,
        classes: ClassList,
        *,
        name: str,
        limit: int | None = None,
        seed: int = 0,
        provenance: str = "",
    ) -> None:
        require_folder(folder)
        files = by_stem(pictures_below(folder), folder)
        table = openimages_boxes.load(boxes, classes, wanted=files)
        if not len(table):
            raise DataError(
                f"Expected boxes of the {len(files)} pictures in {folder}, but {boxes} has none of "
                "any. Check that pictures keep their names, OpenImages' ids of sixteen signs."
            )
        # Areas in fractions are in the order of areas in pixels, so no picture is opened.
        labels = {picture: table.objects(picture, (1, 1)).label for picture in table.ids}
        super().__init__(
            folder,
            [Entry(one, labels[one], files[one].stat().st_size) for one in table.ids],
            classes,
            name=name,
            limit=limit,
            seed=seed,
            provenance=f"{provenance}{table.digest}",
        )
        self._files, self._table = files, table

    @cached_property
    def annotations(self) -> Unsized:
        """Return the objects of each picture, in the order of `ids`; boxes are xyxy pixels."""
        return Unsized(self.ids, self._files, self._table)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture, resized and cropped; raise DataError if it cannot be read."""
        return preprocessing.apply(open_picture(self._files[self.ids[index]]))


def load(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> OpenImages:
    """Return the image set of a manifest of kind openimages.

    Args:
        name: the manifest. Its option `boxes` is the data set of the tables.

    Raises:
        InputError: no such manifest, or one of another kind.
        DataError: the data is not there, or not as it should be.
    """
    manifest = load_dataset(name)
    if manifest.kind != "openimages" or manifest.classes is None:
        raise InputError(f"Expected {name} to be OpenImages' pictures, but it is {manifest.kind}.")
    return OpenImages(
        (folder or paths.data() / name) / manifest.root,
        paths.data() / manifest.options["boxes"],
        load_classes(manifest.classes),
        name=name,
        limit=limit,
        seed=seed,
        provenance=digest(manifest),
    )
