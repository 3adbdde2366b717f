"""Scenes that say which of them show the same drawing.

It stands beside `Scenes`, whose code is part of the name of every network that is trained on them.
"""

from functools import cached_property

from robust_lib.miniworld.scene_set import Scenes


class DrawnScenes(Scenes):
    """Scenes of one split; those of a class show its one or two drawings, and hang together."""

    @cached_property
    def together(self) -> tuple[str, ...]:
        """Return the class of each scene, with its split or pool, such as "test/bell"."""
        return tuple(item.rpartition("/")[0] for item in self.ids)
