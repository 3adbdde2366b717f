"""Layouts as an image set with boxes and masks: composed once, then read from the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from PIL import Image
from tqdm import tqdm

from robust_lib.cache import Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import InputError, one_of
from robust_lib.miniworld import layouts, scenes
from robust_lib.miniworld.icons import Art
from robust_lib.miniworld.layout_grounds import KINDS
from robust_lib.miniworld.layouts import Layout, Mixture, Thing
from robust_lib.miniworld.worlds import World, art_about, art_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

# What decides a layout's pixels, and what is true of it.
_CODE = (
    *(f"miniworld.{part}" for part in ("camera", "contrast", "icons", "scenes")),
    *(f"miniworld.{part}" for part in ("layout_grounds", "layouts")),
    "datasets.layouts",
    "seeds",
)


@dataclass(frozen=True)
class Truth:
    """The composition of a layout: its background, and its objects from back to front."""

    ground: str
    things: tuple[Thing, ...]


@dataclass(frozen=True, eq=False)
class Layouts:
    """Layouts of several objects, as an image set.

    Args:
        split: the drawings used: "train" and "test" share none; "any" uses all.
        images: number of images; a smaller set is the beginning of a larger one.
        size: pixels of the square images.
        pool: prefix of the ids; None: the split. Different ids give different layouts.

    Raises:
        InputError: no images, or an unknown mixture of backgrounds or out-of-distribution objects.
    """

    name: str
    world: World
    split: scenes.Split
    mixture: Mixture
    images: int
    store: Store = field(repr=False)
    size: int = 128
    seed: int = 0
    pool: str | None = None

    def __post_init__(self) -> None:
        if self.images < 1:
            raise InputError(f"Expected at least one photograph, but got {self.images}.")
        for kind in self.mixture.grounds:
            if kind not in KINDS:
                raise InputError(one_of("a kind of ground", kind, KINDS))
        for kind in self.mixture.foreign_kinds:
            if kind not in self.world.outside:
                raise InputError(one_of("a foreign thing", kind, self.world.outside))

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.world.name

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes, in the order of the labels."""
        return tuple(self.world.inside)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids, such as "pool/000004"."""
        return tuple(f"{self.pool or self.split}/{number:06d}" for number in range(self.images))

    @cached_property
    def labels(self) -> Labels:
        """Return the class of each image's largest object; -1 if there is none."""
        return np.array([one.label for one in self.annotations], np.int64)

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines images and boxes."""
        return content_key(self._about)

    def __len__(self) -> int:
        return self.images

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped as requested."""
        return preprocessing.apply(Image.fromarray(self._kept["pictures"][index]))

    @cached_property
    def annotations(self) -> tuple[Objects, ...]:
        """Return the objects of each image, with masks and all out-of-distribution objects."""
        return tuple(self._objects(place) for place in range(self.images))

    def truth(self, place: int) -> Truth:
        """Return the composition of one layout."""
        kept = self._kept
        ends = kept["ends"]
        first, last = (int(ends[place - 1]) if place else 0), int(ends[place])
        masks = np.unpackbits(kept["masks"][first:last], axis=1).astype(bool)
        things = [
            Thing(
                self._names[kept["names"][at]],
                bool(kept["foreign"][at]),
                _corners(kept["boxes"][at]),
                masks[at - first].reshape(self.size, self.size),
                float(kept["visible"][at]),
                float(kept["contrast"][at]),
                bool(kept["blurred"][at]),
                bool(kept["depiction"][at]),
            )
            for at in range(first, last)
        ]
        return Truth(tuple(KINDS)[kept["grounds"][place]], tuple(things))

    def compose(self, item: str) -> Layout:
        """Return the layout with an id, and its composition."""
        inside, outside = self._places
        return layouts.compose(
            item, *self._art, inside, outside, self.mixture, size=self.size, seed=self.seed
        )

    def _objects(self, place: int) -> Objects:
        truth = self.truth(place)
        own = [one for one in truth.things if not one.foreign]
        others = [one for one in truth.things if one.foreign]
        return Objects(
            self.size,
            self.size,
            _boxes(own),
            np.array([self.class_names.index(one.name) for one in own], np.int64),
            masks=self._masks(own),
            foreign=Foreign(_boxes(others), tuple(one.name for one in others), self._masks(others)),
        )

    def _masks(self, things: list[Thing]) -> np.ndarray:
        nothing = np.zeros((0, self.size, self.size), bool)
        return np.stack([one.mask for one in things]) if things else nothing

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self.world.inside, *self.world.outside)

    @cached_property
    def _art(self) -> tuple[Art, Art]:
        art = art_of(self.world, self.store)
        return art, layouts.on_cards(art)

    @cached_property
    def _places(self) -> tuple[Mapping[str, tuple[int, ...]], Mapping[str, tuple[int, ...]]]:
        art, _ = self._art
        sides = (self.world.inside, self.world.outside)
        inside, outside = (scenes.targets_by_class(art, side, self.split) for side in sides)
        return inside, outside

    @cached_property
    def _kept(self) -> dict[str, np.ndarray]:
        """Images, backgrounds and objects as arrays, composed once and kept in the store."""
        key, about = content_key(self._about), self._about
        if self.store.has(key):
            return self.store.get(key, expect=about)
        bar = tqdm(self.ids, desc=f"composing {self.name}", unit="picture")
        arrays = self._arrays([self.compose(item) for item in bar])
        self.store.put(key, arrays, about)
        return arrays

    def _arrays(self, composed: list[Layout]) -> dict[str, np.ndarray]:
        things = [thing for one in composed for thing in one.things]
        masks = np.stack([one.mask for one in things]).reshape(len(things), -1)
        return {
            "pictures": np.stack([one.picture for one in composed]),
            "grounds": np.array([tuple(KINDS).index(one.ground) for one in composed], np.int64),
            "ends": np.cumsum([len(one.things) for one in composed]),
            "names": np.array([self._names.index(one.name) for one in things], np.int64),
            "foreign": np.array([one.foreign for one in things]),
            "boxes": np.array([one.box for one in things], np.float32),
            "masks": np.packbits(masks, axis=1),
            "visible": np.array([one.visible for one in things]),
            "contrast": np.array([one.contrast for one in things]),
            "blurred": np.array([one.blurred for one in things]),
            "depiction": np.array([one.depiction for one in things]),
        }

    @property
    def _about(self) -> dict[str, object]:
        mixture = self.mixture
        return {
            "what": "layouts",
            **art_about(self.world),
            "code": source_digest(*_CODE),
            "split": self.split,
            "grounds": dict(mixture.grounds),
            "foreign": mixture.foreign,
            "foreign kinds": list(mixture.foreign_kinds),
            "blurred": mixture.blurred,
            "depictions": mixture.depictions,
            "images": self.images,
            "size": self.size,
            "seed": self.seed,
            "pool": self.pool,
        }


def _boxes(things: list[Thing]) -> np.ndarray:
    return np.array([one.box for one in things], np.float32).reshape(-1, 4)


def _corners(box: np.ndarray) -> tuple[float, float, float, float]:
    left, top, right, bottom = map(float, box)
    return left, top, right, bottom
