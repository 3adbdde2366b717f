"""Scenes of the most typical drawings of each class among those in training.

The drawings that are held out from training are the most typical of their class (see
`scenes.split_drawings`). Compared with scenes of any other drawings, they look easy, whatever was
learnt. The counterpart therefore shows the drawings that would be held out next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robust_lib.cache import Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.miniworld.icons import Art
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.scenes import split_drawings


@dataclass(frozen=True, eq=False)
class FamiliarScenes(Scenes):
    """Scenes of the most typical drawings that occur in training; `split` is "train"."""

    @cached_property
    def _targets(self) -> dict[str, tuple[int, ...]]:
        return {name: familiar(self.art, names) for name, names in self.world.inside.items()}

    @property
    def _about(self) -> dict[str, object]:
        return {**super()._about, "familiar": source_digest("miniworld.familiar")}


def familiar(art: Art, names: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of the drawings of one class that would be held out next.

    Raises:
        DataError: see `scenes.split_drawings`.
    """
    shown = split_drawings(art, names, "train")
    left = Art(tuple(art.drawings[place] for place in shown), art.rgba[list(shown)])
    return tuple(shown[place] for place in split_drawings(left, names, "test"))


def drawings(scenes: Scenes, store: Store) -> tuple[str, ...]:
    """Return the drawing that each scene shows, such as "twemoji:bell"; results are stored."""
    about = {"what": "drawings of scenes", "scenes": scenes.digest}
    key = content_key(about)
    if not store.has(key):
        names = [str(scenes.compose(item).drawing) for item in scenes.ids]
        store.put(key, {"drawings": np.array(names, np.str_)}, about)
    return tuple(str(name) for name in store.get(key, expect=about)["drawings"])
