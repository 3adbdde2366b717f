"""ICONS-50 from open art: the nine icon sets sorted into the classes of [inc, app. F].

The original images belong to their vendors and may not be redistributed. This set has the same
classes and file names, styles that come from vendors, and vendors with two versions of an icon, so
every protocol of [inc, sec. 4] can be run on it. Its results cannot be compared with the paper's:
the art differs, there are fewer images, and not every vendor draws every class.
"""

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import UInt8
from PIL import Image
from pydantic import Field, model_validator

from robust_lib import paths
from robust_lib.cache import Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.config.strict_yaml import Record, read_record
from robust_lib.errors import DataError
from robust_lib.fetch import fetch
from robust_lib.miniworld import icons
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture, Pictures

TONE = "type_4"  # how ICONS-50 names the medium one of Fitzpatrick's six skin types
SIDE = 32  # pixels, as in [inc, sec. 4.2]
VISIBLE = 250  # the darkest level of a picture that shows something on white lies below


class Origin(Record):
    """A set's style and rendition in ICONS-50: the vendor, and the version."""

    style: str = Field(pattern=r"^[a-z-]+$")
    rendition: int = Field(ge=0)


class Subtypes(Record):
    """The subtypes of one class, given by icon name.

    Those in `toned` also exist in a medium skin tone, which sets call name-medium-skin-tone or,
    shorter, name-medium; for those in `toned_long`, no set uses the shorter name. `renamed` maps a
    subtype to the other names that some sets use for it.
    """

    plain: tuple[str, ...] = ()
    toned: tuple[str, ...] = ()
    toned_long: tuple[str, ...] = ()
    renamed: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the subtypes."""
        return self.plain + self.toned + self.toned_long

    @property
    def icons(self) -> tuple[tuple[str, str], ...]:
        """Return every icon name -> the subtype after which its file is named.

        >>> Subtypes(plain=("wine-glass",), toned_long=("kiss",)).icons
        (('wine-glass', 'wine_glass'), ('kiss', 'kiss'), ('kiss-medium-skin-tone', 'kiss_type_4'))
        """
        named = [(name, name) for name in self.names]
        # The subtype's own name stands first: of a set that has both, it is the one to draw.
        named += [(other, name) for name, others in self.renamed.items() for other in others]
        named += [
            (f"{name}-medium-skin-tone", f"{name}-{TONE}") for name in self.toned + self.toned_long
        ]
        named += [(f"{name}-medium", f"{name}-{TONE}") for name in self.toned]
        return tuple((icon, subtype.replace("-", "_")) for icon, subtype in named)


class Atlas(Record):
    """The icons that show each class, and each set's vendor; classes are named like folders."""

    name: str
    title: str
    source: str
    sets: dict[str, Origin] = Field(min_length=1)
    classes: dict[str, Subtypes] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_once(self) -> "Atlas":
        counts = Counter(
            icon.replace("-", "") for part in self.classes.values() for icon, _ in part.icons
        )
        if twice := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"the icons {', '.join(twice)} stand in two places")
        for folder, part in self.classes.items():
            if strange := sorted(set(part.renamed) - set(part.names)):
                raise ValueError(f"{strange[0]} is renamed in {folder}, but is no subtype of it")
        if len({(origin.style, origin.rendition) for origin in self.sets.values()}) < len(
            self.sets
        ):
            raise ValueError("two sets have the same style and rendition")
        return self


def load_atlas(name: str) -> Atlas:
    """Return the atlas data_manifests/worlds/<name>.yaml.

    Raises:
        DataError: the file does not exist.
        ManifestError: the file is invalid; the message names file, line and key.
    """
    return read_record(paths.manifests() / "worlds" / f"{name}.yaml", Atlas)


@dataclass(frozen=True, eq=False)
class Gallery:
    """The open icons of an atlas as an image set, on a white background.

    An id is a path as in the original, <class>/<style>_<rendition>_<subtype>.png. Of drawings with
    identical pixels, only the first by id is kept: otherwise a held-out subtype could be in the
    training set under a different name. White drawings, which would be invisible, are left out.

    Args:
        classes: name of the class list whose folders are the atlas's classes.
        size: pixels of the square images.
    """

    name: str
    atlas: Atlas
    store: Store = field(repr=False)
    classes: str = "icons50"
    size: int = SIDE

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes, in the order of the labels."""
        return load_classes(self.classes).names

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids, sorted, such as "drinks/google_2_wine_glass.png"."""
        return self._drawn[0]

    @property
    def pictures(self) -> Pictures:
        """Return all images, 8-bit RGB, in the order of the ids."""
        return self._drawn[1]

    @cached_property
    def labels(self) -> Labels:
        """Return the labels, as indices into `class_names`."""
        folders = {folder: label for label, folder in enumerate(load_classes(self.classes).folders)}
        return np.array([folders[path.split("/")[0]] for path in self.ids], np.int64)

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines the images."""
        chosen = self.atlas.model_dump_json(include={"sets", "classes"})
        return content_key(
            {
                "what": "icon gallery",
                "atlas": hashlib.sha256(chosen.encode()).hexdigest(),
                "classes": self.classes,
                "packages": [file.sha512 for file in load_dataset("icons").files],
                "code": source_digest("miniworld.icons", "miniworld.icons50"),
                "size": self.size,
            }
        )

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped as requested."""
        return preprocessing.apply(Image.fromarray(self.pictures[index]))

    @cached_property
    def art(self) -> icons.Art:
        """Return the drawings; the icon packages are fetched the first time."""
        folder = fetch("icons", progress=True)
        archives = [folder / file.name for file in load_dataset("icons").files]
        names = [icon for part in self.atlas.classes.values() for icon, _ in part.icons]
        return icons.load(archives, names, size=self.size, store=self.store)

    @cached_property
    def _drawn(self) -> tuple[tuple[str, ...], Pictures]:
        self._require_known()
        drawn = defaultdict(list)
        for place, drawing in enumerate(self.art.drawings):
            drawn[drawing.name.replace("-", "")].append(place)
        found: dict[str, Picture] = {}
        for folder, part in self.atlas.classes.items():
            for icon, subtype in part.icons:
                for place in drawn[icon.replace("-", "")]:
                    origin = self.atlas.sets[self.art.drawings[place].set]
                    path = f"{folder}/{origin.style}_{origin.rendition}_{subtype}.png"
                    found.setdefault(path, on_white(self.art.rgba[place]))
        seen = {path: picture for path, picture in found.items() if picture.min() < VISIBLE}
        first = {seen[path].tobytes(): path for path in sorted(seen, reverse=True)}
        kept = tuple(sorted(first.values()))
        return kept, np.stack([seen[path] for path in kept])

    def _require_known(self) -> None:
        folders = load_classes(self.classes).folders
        if strange := sorted(set(self.atlas.classes) - set(folders)):
            raise DataError(
                f"Expected classes of {self.classes} in the atlas {self.atlas.name}, but it has "
                f"{', '.join(strange[:3])}. Name each as its folder in the class list."
            )
        if strange := sorted({drawing.set for drawing in self.art.drawings} - set(self.atlas.sets)):
            raise DataError(
                f"Expected the style of every icon set in the atlas {self.atlas.name}, but it has "
                f"none for {', '.join(strange)}. Add it under `sets`."
            )


def on_white(rgba: UInt8[np.ndarray, "height width 4"]) -> Picture:
    """Return an image with straight alpha on a white background."""
    alpha = rgba[..., 3:].astype(np.float32) / 255
    laid = rgba[..., :3] * alpha + 255 * (1 - alpha)
    return (laid + 0.5).astype(np.uint8)
