"""Footage: the clips of one split before any review, with the ground truth of each.

Plans are cheap and are made again on request; the ground truth of the frames, and the files of the
frames in a set, are made once and kept in the store.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from tqdm import tqdm

from robust_lib.cache import Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.errors import InputError, one_of
from robust_lib.miniworld import clips, icons, scenes
from robust_lib.miniworld.clip_plan import SIDE, Plan, planned
from robust_lib.miniworld.clip_truth import Clip, truths
from robust_lib.miniworld.packed import Packed, pack
from robust_lib.miniworld.similarity import Target, Truth
from robust_lib.miniworld.worlds import World, art_about, art_of
from robust_lib.types import Picture

FOLDERS = {"train": "train", "test": "val"}  # of the videos, as ImageNet-VID calls them

_CLIPS = ("clip_faults", "clip_motion", "clip_plan", "clip_truth", "clips", "similarity")
_CODE = (
    *(f"miniworld.{part}" for part in (*_CLIPS, "contrast", "footage", "icons", "scenes")),
    "seeds",
)

Moment = tuple[str, int]
"""A frame: the name of its clip, and its offset from the anchor."""


@dataclass(frozen=True, eq=False)
class Footage:
    """Clips of one split of a world, labelled with its wider classes.

    Args:
        world: label set whose drawings are shown; they are split as for scenes, so that no drawing
            of the test clips occurs in a network's training scenes.
        wide: name of the world's list of wider classes, which are those of the clips.
        split: "train" or "test".
        clips: number of clips; clip i shows class i modulo the number of classes, so that a smaller
            set is the beginning of a larger one.

    Raises:
        InputError: an unknown list or split, or fewer clips than classes.
    """

    world: World
    wide: str
    split: scenes.Split
    clips: int
    store: Store = field(repr=False)
    seed: int = 0
    faults: bool = True

    def __post_init__(self) -> None:
        if self.split not in FOLDERS:
            raise InputError(one_of("split", self.split, FOLDERS))
        if self.clips < len(self.class_names):
            raise InputError(
                f"Expected at least one clip a class ({len(self.class_names)}), but got "
                f"{self.clips}. Ask for more."
            )

    @cached_property
    def classes(self) -> str:
        """Return the label space."""
        return self.world.widened(self.wide).name

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the wider classes, in the order of the labels."""
        return tuple(self.world.widened(self.wide).inside)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the clips, such as "val/clip_00012"."""
        return tuple(f"{FOLDERS[self.split]}/clip_{number:05d}" for number in range(self.clips))

    def shown(self, name: str) -> str:
        """Return the class of a clip's subject; raise InputError if there is no such clip."""
        if name not in self._places:
            raise InputError(
                f"Expected one of {self.clips} clips, {self.names[0]} to {self.names[-1]}, but got "
                f"{name!r}."
            )
        return self.class_names[self._places[name] % len(self.class_names)]

    def plan(self, name: str) -> Plan:
        """Return the plan of a clip, with its fault if it has one."""
        return planned(
            name,
            self.shown(name),
            self.art,
            self._targets,
            self._clutter,
            seed=self.seed,
            faults=self.faults,
        )

    @cached_property
    def truths(self) -> tuple[Clip, ...]:
        """Return the ground truth of each clip's frames, in the order of `names`; it is stored."""
        about = {"what": "truths of clips"} | self.about
        key = content_key(about)
        if (found := self.store.find(key, expect=about)) is None:
            told = [
                asdict(self._told(name))
                for name in tqdm(self.names, desc="planning clips", unit="clip")
            ]
            text = np.frombuffer(json.dumps(told).encode(), np.uint8)
            found = {"json": text}
            self.store.put(key, found, about)
        return tuple(_clip(one) for one in json.loads(found["json"].tobytes()))

    def files(self, moments: Sequence[Moment], size: int, name: str) -> Packed:
        """Return the files of some frames, which are drawn once and kept in the store.

        Args:
            moments: the frames, in order; this is fastest if a clip's frames are adjacent.
            size: pixels of the square frames.
        """
        frames = content_key({"frames": [list(moment) for moment in moments]})
        about = {"what": "frames of clips", "size": size, "frames": frames} | self.about
        key = content_key(about)
        found = self.store.find(key, expect=about)
        if found is None:
            bar = tqdm(moments, desc=f"drawing {name}", unit="frame")
            found = pack(self._drawn(bar, size)).arrays
            self.store.put(key, found, about)
        return Packed(**found)

    def picture(self, moment: Moment, size: int = SIDE) -> Picture:
        """Return any frame, reviewed or not, drawn on request.

        Args:
            size: pixels of the square frame.
        """
        name, offset = moment
        return clips.shown(clips.drawn(self._stage(name, size), offset))

    @cached_property
    def art(self) -> icons.Art:
        """Return the drawings of the world; the icon packages are fetched the first time."""
        return art_of(self.world, self.store)

    @property
    def about(self) -> dict[str, object]:
        """Return everything that determines the clips, except the size at which they are drawn."""
        return {
            **art_about(self.world),
            "wide": {name: list(members) for name, members in self._members.items()},
            "code": source_digest(*_CODE),
            "split": self.split,
            "clips": self.clips,
            "seed": self.seed,
            "faults": self.faults,
        }

    def _drawn(self, moments: Iterable[Moment], size: int) -> Iterator[bytes]:
        for name, group in groupby(moments, key=itemgetter(0)):
            stage = self._stage(name, size)
            yield from (clips.drawn(stage, offset) for _, offset in group)

    def _told(self, name: str) -> Clip:
        plan = self.plan(name)
        contrast = clips.anchor_contrast(self._stage_of(plan, SIDE))
        return Clip(name, self.shown(name), truths(plan, self.art), contrast)

    def _stage(self, name: str, size: int) -> clips.Stage:
        return self._stage_of(self.plan(name), size)

    def _stage_of(self, plan: Plan, size: int) -> clips.Stage:
        return clips.stage(plan, self.art, self._clutter, size=size, seed=self.seed)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def _members(self) -> dict[str, tuple[str, ...]]:
        return dict(self.world.wide[self.wide])

    @cached_property
    def _targets(self) -> dict[str, tuple[int, ...]]:
        """Return for each wider class where its members' drawings of the split lie."""
        inside, members = self.world.inside, self._members
        parts = {part: inside[part] for wider in members.values() for part in wider}
        own = scenes.targets_by_class(self.art, parts, self.split)
        return {
            wider: tuple(place for part in members[wider] for place in own[part])
            for wider in members
        }

    @cached_property
    def _clutter(self) -> tuple[int, ...]:
        return scenes.places_of(self.art, self.world.clutter)


def _clip(told: Mapping[str, Any]) -> Clip:
    """Return a clip as it was before it became JSON."""
    frames = tuple(
        Truth(
            targets=tuple(Target(**one | {"box": tuple(one["box"])}) for one in frame["targets"]),
            light=frame["light"],
            blur=frame["blur"],
            said=tuple(frame["said"]),
            fault=frame["fault"],
        )
        for frame in told["frames"]
    )
    return Clip(told["name"], told["label"], frames, told["contrast"])
