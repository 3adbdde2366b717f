"""Backdrops: composed images that show no class at all, as an image set without labels.

Before ImageNet-O, out-of-distribution detection on ImageNet was tested with textures and places
[nae, fig. 4]; the counterparts here are the bare backgrounds of the scenes, and wide views with
small objects.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from PIL import Image

from robust_lib import seeds
from robust_lib.cache import Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.errors import InputError, one_of
from robust_lib.miniworld import camera, scenes
from robust_lib.miniworld.icons import Art
from robust_lib.miniworld.scene_set import composed
from robust_lib.miniworld.worlds import World, art_about, art_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN, Labels, Picture, Pictures

REPEATS = (1, 2, 4)  # of a texture's pattern, each way
THINGS = (4, 9)  # in a place: at least, and fewer than
HORIZON = (0.3, 0.6)  # its height, of the picture's side from the top

_CODE = (
    *(f"miniworld.{part}" for part in ("backdrops", "camera", "icons", "scenes", "scene_set")),
    "seeds",
)


def texture(
    item: str, art: Art, things: Sequence[int], *, size: int = 64, seed: int = 0
) -> Picture:
    """Return the image of a bare background, or of one that repeats, mirrored, as patterns do.

    Arguments are those of `place`; no drawing of `art` is shown.
    """
    rng = seeds.generator(seed, item, "backdrop")
    repeats = int(rng.choice(REPEATS))
    tile = scenes.ground(-(-size // repeats), rng)
    more = (0, size - len(tile))
    ground = np.pad(tile, (more, more, (0, 0)), mode="symmetric")
    return camera.expose(ground, seeds.generator(seed, item, "camera"))


def place(item: str, art: Art, things: Sequence[int], *, size: int = 64, seed: int = 0) -> Picture:
    """Return the image of a wide view: one background below, a second above, and small objects.

    Args:
        things: indices of the drawings that may be shown as small objects; none is the subject.
        size: pixels of the square image.
    """
    rng = seeds.generator(seed, item, "backdrop")
    above, below = scenes.ground(size, rng), scenes.ground(size, rng)
    rows = np.arange(size, dtype=np.float32)[:, None, None] / size
    lower = np.clip(32 * (rows - np.float32(rng.uniform(*HORIZON))) + 0.5, 0, 1)
    view = above * (1 - lower) + below * lower
    for _ in range(rng.integers(*THINGS)):
        thing = int(rng.choice(things))
        layer, _ = scenes.pose(art, thing, size, rng, scale=(0.12, 0.26), spread=0.48)
        view = scenes.over(scenes.shade(view, layer, rng), layer)
    return camera.expose(view, seeds.generator(seed, item, "camera"))


KINDS: Mapping[str, Callable[..., Picture]] = MappingProxyType(
    {"textures": texture, "places": place}
)


@dataclass(frozen=True, eq=False)
class Backdrops:
    """Textures or places, as an image set whose labels are unknown.

    Args:
        kind: a name of `KINDS`.
        world: label set from which networks choose; the small objects are outside it.
        images: number of images; a smaller set is the beginning of a larger one.
        size: pixels of the square images.

    Raises:
        InputError: an unknown kind, or no images.
    """

    name: str
    kind: str
    world: World
    images: int
    store: Store = field(repr=False)
    size: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(one_of("a kind of backdrop", self.kind, KINDS))
        if self.images < 1:
            raise InputError(f"Expected at least one image, but got {self.images}.")

    @property
    def classes(self) -> str:
        """Return the label space from which networks choose."""
        return self.world.name

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes in this label space, none of which is shown."""
        return tuple(self.world.inside)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids, such as "textures/000004"."""
        return tuple(f"{self.kind}/{number:06d}" for number in range(self.images))

    @cached_property
    def labels(self) -> Labels:
        """Return the labels: all unknown."""
        return np.full(self.images, UNKNOWN, dtype=np.int64)

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
    def pictures(self) -> Pictures:
        """Return all images, 8-bit RGB, which are composed once and kept in the store."""
        return composed(self.name, self.ids, self.compose, self._about, self.store)

    def compose(self, item: str) -> Picture:
        """Return the image with an id."""
        return KINDS[self.kind](item, self._art, self._things, size=self.size, seed=self.seed)

    @cached_property
    def _art(self) -> Art:
        return art_of(self.world, self.store)

    @cached_property
    def _things(self) -> tuple[int, ...]:
        return scenes.places_of(self._art, self.world.clutter)

    @property
    def _about(self) -> dict[str, object]:
        return {
            "what": self.kind,
            **art_about(self.world),
            "code": source_digest(*_CODE),
            "images": self.images,
            "size": self.size,
            "seed": self.seed,
        }
