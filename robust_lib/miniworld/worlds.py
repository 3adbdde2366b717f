"""Worlds: label sets of objects that can be drawn, read from data_manifests/worlds."""

import hashlib
from collections import Counter
from collections.abc import Mapping

from pydantic import Field, model_validator

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.manifests import load_dataset
from robust_lib.config.strict_yaml import Record, read_record
from robust_lib.errors import InputError, one_of
from robust_lib.fetch import fetch
from robust_lib.miniworld import icons

ART = 64  # pixels of the square an icon is drawn into


class World(Record):
    """The label set of the miniature world: its classes, and the icons that show each.

    `inside` are the classes; `outside` are the out-of-distribution objects, which are never a
    label. `clutter` is shown around targets in scenes: it is not a label and never out of
    distribution, so that networks trained on scenes have not seen out-of-distribution objects. No
    icon is in two classes or in two of these groups. `subsets` are lists of some of the classes, in
    their order; `wide` are lists of wider classes, each given by its classes. `pairs` are
    look-alikes: an object, inside or outside, and the class for which it may be taken.
    """

    name: str
    title: str
    source: str
    inside: dict[str, tuple[str, ...]] = Field(min_length=1)
    outside: dict[str, tuple[str, ...]] = Field(min_length=1)
    clutter: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    subsets: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    wide: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> "World":
        if twice := [name for name in self.clutter if name in self.inside or name in self.outside]:
            raise ValueError(f"the clutter {', '.join(twice)} stands inside or outside, too")
        counts = Counter(name.replace("-", "") for name in self.icon_names)
        if twice := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"the icons {', '.join(twice)} stand in two places")
        return self

    @model_validator(mode="after")
    def _parts_of_the_whole(self) -> "World":
        for subset, chosen in self.subsets.items():
            if foreign := [name for name in chosen if name not in self.inside]:
                raise ValueError(f"the subset {subset} names no classes: {', '.join(foreign)}")
            if list(chosen) != [name for name in self.inside if name in chosen] or not chosen:
                raise ValueError(
                    f"the subset {subset} must name some classes, each once, in the order of inside"
                )
        return self

    @model_validator(mode="after")
    def _wider_of_the_same(self) -> "World":
        for listed, classes in self.wide.items():
            members = [name for group in classes.values() for name in group]
            if foreign := [name for name in members if name not in self.inside]:
                raise ValueError(f"the list {listed} widens no classes: {', '.join(foreign)}")
            if len(set(members)) < len(members) or not classes or not all(classes.values()):
                raise ValueError(f"the list {listed} must have classes, and each member once")
        return self

    @model_validator(mode="after")
    def _pairs_of_two(self) -> "World":
        things = {**self.inside, **self.outside}
        for seen, taken in self.pairs:
            if seen not in things or taken not in self.inside or seen == taken:
                raise ValueError(
                    f"the pair {seen}, {taken} must be a thing, inside or outside, and another "
                    "class inside that it may be taken for"
                )
        if len({frozenset(pair) for pair in self.pairs}) < len(self.pairs):
            raise ValueError("the pairs must each stand once")
        return self

    @property
    def icon_names(self) -> tuple[str, ...]:
        """Return the names of all icons: inside, outside and clutter."""
        sides = (self.inside, self.outside, self.clutter)
        return tuple(name for side in sides for names in side.values() for name in names)

    def every(self, step: int) -> "World":
        """Return the label set of every `step`-th class; the others are not drawn."""
        if step == 1:
            return self
        kept = dict(list(self.inside.items())[::step])
        return self._with(f"{self.name}_every_{step}", kept)

    def part(self, subset: str) -> "World":
        """Return the label set of a subset; raise InputError if there is no such subset."""
        if subset not in self.subsets:
            raise InputError(one_of(f"a subset of {self.name}", subset, self.subsets))
        kept = {name: self.inside[name] for name in self.subsets[subset]}
        return self._with(f"{self.name}_{subset}", kept)

    def widened(self, listed: str) -> "World":
        """Return the label set of wider classes; raise InputError if there is no such list."""
        if listed not in self.wide:
            raise InputError(one_of(f"a list of wider classes of {self.name}", listed, self.wide))
        icons_of = {
            name: tuple(icon for member in members for icon in self.inside[member])
            for name, members in self.wide[listed].items()
        }
        return self._with(f"{self.name}_{listed}", icons_of)

    def strangers(self) -> "World":
        """Return the label set of the objects outside; the clutter in its scenes is the same."""
        return self._with(f"{self.name}_strangers", self.outside)

    def _with(self, name: str, inside: Mapping[str, tuple[str, ...]]) -> "World":
        return self.model_copy(
            update={"name": name, "inside": dict(inside), "subsets": {}, "wide": {}, "pairs": ()}
        )


def load_world(name: str) -> World:
    """Return the label set data_manifests/worlds/<name>.yaml.

    Raises:
        DataError: the file does not exist.
        ManifestError: the file is invalid; the message names file, line and key.
    """
    return read_record(paths.manifests() / "worlds" / f"{name}.yaml", World)


def art_of(world: World, store: Store) -> icons.Art:
    """Return the drawings of a world; the icon packages are fetched the first time."""
    folder = fetch("icons", progress=True)
    archives = [folder / file.name for file in load_dataset("icons").files]
    return icons.load(archives, world.icon_names, size=ART, store=store)


def art_about(world: World) -> dict[str, object]:
    """Return what determines the drawings of a world: the icons' names, and their packages."""
    told = world.model_dump_json(include={"inside", "outside", "clutter"})
    return {
        "world": hashlib.sha256(told.encode()).hexdigest(),
        "packages": [file.sha512 for file in load_dataset("icons").files],
    }
