"""Scenes that state which of them show the same drawings.

This is separate from `Scenes`, whose code is part of the digest of every network trained on scenes.
"""

from functools import cached_property

from robust_lib.miniworld.scene_set import Scenes


class DrawnScenes(Scenes):
    """Scenes of one split; those of a class show its one or two drawings and are correlated."""

    @cached_property
    def together(self) -> tuple[str, ...]:
        """Return the class of each scene, with its split or pool, such as "test/bell"."""
        return tuple(item.rpartition("/")[0] for item in self.ids)
