"""A split of the miniature world as an image set: composed once, then read from the store."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

import numpy as np
from PIL import Image
from pydantic import Field, model_validator
from tqdm import tqdm

from robust_lib import paths
from robust_lib.cache import Store, content_key
from robust_lib.errors import InputError, one_of
from robust_lib.fetch import fetch
from robust_lib.manifests import load_dataset
from robust_lib.miniworld import icons, scenes
from robust_lib.preprocessing import Preprocessing
from robust_lib.records import Record, read_record
from robust_lib.source import source_digest
from robust_lib.types import Labels, Picture, Pictures

# What decides a scene's pixels.
_CODE = (*(f"miniworld.{part}" for part in ("camera", "icons", "scenes", "scene_set")), "seeds")
ART = 64  # pixels of the square an icon is drawn into


class World(Record):
    """The label set of the miniature world: class names and the icon names that show each.

    `inside` are the classes; `outside` icons are never a label, but lie about as clutter. No icon
    is in two classes, or on both sides.
    """

    name: str
    title: str
    source: str
    inside: dict[str, tuple[str, ...]] = Field(min_length=1)
    outside: dict[str, tuple[str, ...]] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_once(self) -> "World":
        counts = Counter(name.replace("-", "") for name in self.icon_names)
        if twice := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"the icons {', '.join(twice)} stand in two places")
        return self

    @property
    def icon_names(self) -> tuple[str, ...]:
        """Return all icon names, inside and outside."""
        return tuple(n for part in (self.inside, self.outside) for ns in part.values() for n in ns)

    def every(self, step: int) -> "World":
        """Return the label set of every `step`-th class; the others are not drawn."""
        if step == 1:
            return self
        kept = dict(list(self.inside.items())[::step])
        return self.model_copy(update={"name": f"{self.name}_every_{step}", "inside": kept})


def load_world(name: str) -> World:
    """Return the label set data_manifests/worlds/<name>.yaml.

    Raises:
        DataError: there is no such file.
        ManifestError: it is wrong; the message names file, line and key.
    """
    return read_record(paths.manifests() / "worlds" / f"{name}.yaml", World)


@dataclass(frozen=True, eq=False)
class Scenes:
    """Scenes of one split, as an image set.

    Args:
        name: of the data set.
        world: label set.
        split: "train" or "test"; they share no drawing.
        images: how many; image i shows class i modulo the number of classes, so a smaller set is
            the beginning of a larger one.
        size: pixels of the square pictures.
        seed: of the world: another seed poses other scenes.
        store: keeps the art and the composed pictures.

    Raises:
        InputError: a split that there is not, or fewer images than classes.
    """

    name: str
    world: World
    split: scenes.Split
    images: int
    store: Store = field(repr=False)
    size: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        if self.split not in get_args(scenes.Split):
            raise InputError(one_of("split", self.split, get_args(scenes.Split)))
        if self.images < len(self.world.inside):
            raise InputError(
                f"Expected at least one scene a class ({len(self.world.inside)}), but got a limit "
                f"of {self.images}. Raise the limit."
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
        return scenes.item_ids(self.class_names, self.split, self.images)

    @cached_property
    def labels(self) -> Labels:
        """Return the labels, positions in `class_names`."""
        return np.arange(self.images, dtype=np.int64) % len(self.world.inside)

    @cached_property
    def digest(self) -> str:
        """Return a digest of all that decides the pictures."""
        return content_key(self._description)

    def __len__(self) -> int:
        return self.images

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture, resized and cropped as asked."""
        return preprocessing.apply(Image.fromarray(self.pictures[index]))

    @cached_property
    def art(self) -> icons.Art:
        """Return the drawings of the world; fetches the icon packages the first time."""
        folder = fetch("icons", progress=True)
        archives = [folder / file.name for file in load_dataset("icons").files]
        return icons.load(archives, self.world.icon_names, size=ART, store=self.store)

    @cached_property
    def pictures(self) -> Pictures:
        """Return all pictures, 8-bit RGB, composed once and kept in the store."""
        key = content_key(self._description)
        if self.store.has(key):
            return self.store.get(key, expect=self._description)["pictures"]
        bar = tqdm(self.ids, desc=f"composing {self.name}", unit="scene")
        pictures = np.stack([self.compose(item).picture for item in bar])
        self.store.put(key, {"pictures": pictures}, self._description)
        return pictures

    def compose(self, item: str) -> scenes.Scene:
        """Return the scene of an id, with what is true of it."""
        targets = self._targets[item.split("/")[1]]
        return scenes.compose(
            item, self.art, targets, self._clutter, size=self.size, seed=self.seed
        )

    @cached_property
    def _targets(self) -> dict[str, tuple[int, ...]]:
        return scenes.targets_by_class(self.art, self.world.inside, self.split)

    @cached_property
    def _clutter(self) -> tuple[int, ...]:
        return tuple(
            place
            for names in self.world.outside.values()
            for name in names
            for place in self.art.of(name)
        )

    @property
    def _description(self) -> dict[str, object]:
        world = self.world.model_dump_json(include={"inside", "outside"})
        return {
            "what": "scenes",
            "world": hashlib.sha256(world.encode()).hexdigest(),
            "packages": [file.sha512 for file in load_dataset("icons").files],
            "code": source_digest(*_CODE),
            "split": self.split,
            "images": self.images,
            "size": self.size,
            "seed": self.seed,
        }
