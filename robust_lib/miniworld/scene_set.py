"""A split of the miniature world as an image set: composed once, then read from the store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

import numpy as np
from PIL import Image
from tqdm import tqdm

from robust_lib import seeds
from robust_lib.cache import Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.errors import InputError, one_of
from robust_lib.miniworld import icons, scenes
from robust_lib.miniworld.worlds import World, art_about, art_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture, Pictures

# What decides a scene's pixels.
_CODE = (*(f"miniworld.{part}" for part in ("camera", "icons", "scenes", "scene_set")), "seeds")


@dataclass(frozen=True, eq=False)
class Scenes:
    """Scenes of one split, as an image set.

    Args:
        split: the drawings used: "train" and "test" share none; "any" uses all.
        images: number of images; image i shows class i modulo the number of classes, so a smaller
            set is the beginning of a larger one.
        size: pixels of the square images.
        pool: prefix of the ids; None: the split. Different ids give different scenes.
        difficulty: minimum and maximum difficulty; each scene's is uniform between them and keyed
            by its id, since images collected from the world have all difficulties.

    Raises:
        InputError: an unknown split, fewer images than classes, a world without clutter,
            or a difficulty outside [0, 1].
    """

    name: str
    world: World
    split: scenes.Split
    images: int
    store: Store = field(repr=False)
    size: int = 64
    seed: int = 0
    pool: str | None = None
    difficulty: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if self.split not in get_args(scenes.Split):
            raise InputError(one_of("split", self.split, get_args(scenes.Split)))
        if self.images < len(self.world.inside):
            raise InputError(
                f"Expected at least one scene a class ({len(self.world.inside)}), but got a limit "
                f"of {self.images}. Raise the limit."
            )
        if not self.world.clutter:
            raise InputError(
                f"Expected {self.world.name} to have things that lie about, but it has none. Name "
                "some under clutter in its file."
            )
        if not 0 <= self.difficulty[0] <= self.difficulty[1] <= 1:
            raise InputError(
                "Expected a least and a largest difficulty between 0 and 1, but got "
                f"{self.difficulty[0]} and {self.difficulty[1]}."
            )

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
        """Return the ids, such as "test/bell/000004"."""
        return scenes.item_ids(self.class_names, self.pool or self.split, self.images)

    @cached_property
    def labels(self) -> Labels:
        """Return the labels, as indices into `class_names`."""
        return np.arange(self.images, dtype=np.int64) % len(self.world.inside)

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines the images."""
        return content_key(self._about)

    def __len__(self) -> int:
        return self.images

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped as requested."""
        return preprocessing.apply(Image.fromarray(self.pictures[index]))

    @cached_property
    def art(self) -> icons.Art:
        """Return the drawings of the world; the icon packages are fetched the first time."""
        return art_of(self.world, self.store)

    @cached_property
    def pictures(self) -> Pictures:
        """Return all images, 8-bit RGB, which are composed once and kept in the store."""
        return composed(
            self.name, self.ids, lambda item: self.compose(item).picture, self._about, self.store
        )

    def compose(self, item: str) -> scenes.Scene:
        """Return the scene with an id, and its ground truth."""
        shown = item.split("/")[1]
        return scenes.compose(
            item,
            self.art,
            self._targets[shown],
            self._clutter,
            size=self.size,
            seed=self.seed,
            difficulty=float(
                seeds.generator(self.seed, item, "how hard").uniform(*self.difficulty)
            ),
        )

    @cached_property
    def _targets(self) -> dict[str, tuple[int, ...]]:
        return scenes.targets_by_class(self.art, self.world.inside, self.split)

    @cached_property
    def _clutter(self) -> tuple[int, ...]:
        return scenes.places_of(self.art, self.world.clutter)

    @property
    def _about(self) -> dict[str, object]:
        return {
            "what": "scenes",
            **art_about(self.world),
            "code": source_digest(*_CODE),
            "split": self.split,
            "images": self.images,
            "size": self.size,
            "seed": self.seed,
            "pool": self.pool,
            "difficulty": self.difficulty,
        }


def composed(
    name: str,
    ids: Sequence[str],
    draw: Callable[[str], Picture],
    about: Mapping[str, object],
    store: Store,
) -> Pictures:
    """Return the image that `draw` makes of each id, stored under the description `about`.

    Args:
        draw: function that makes one image; all images have the same size.
        about: everything that determines the images.
    """
    key, about = content_key(about), dict(about)
    if store.has(key):
        return store.get(key, expect=about)["pictures"]
    pictures = np.stack(
        [draw(item) for item in tqdm(ids, desc=f"composing {name}", unit="picture")]
    )
    store.put(key, {"pictures": pictures}, about)
    return pictures
