"""Photographs of several objects whose right answers are known: plain shapes, no icons."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robust_lib import seeds
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.preprocessing import Preprocessing

CLASSES = ("disc", "box", "cross")
FOREIGN = ("ring", "wedge")  # a ring may be taken for a disc, a wedge for a box
COLOURS = ((230, 40, 40), (40, 200, 60), (60, 80, 235))


@dataclass(frozen=True, eq=False)
class Shapes:
    """Grey pictures of one or two shapes: each a class of its own colour, or a foreign white one.

    The first shape of picture i is class i modulo 3; every third picture also has a foreign shape,
    every fifth no object of the label set at all.
    """

    count: int = 12
    side: int = 64
    name: str = "shapes"
    classes: str = "shapes"
    class_names: tuple[str, ...] = CLASSES

    @property
    def digest(self) -> str:
        return f"shapes-{self.side}-{self.count}"

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(f"shape{number:03d}" for number in range(self.count))

    @property
    def labels(self) -> np.ndarray:
        return np.array([one.label for one in self.annotations], np.int64)

    @property
    def annotations(self) -> tuple[Objects, ...]:
        return tuple(objects for _, objects in self._drawn)

    @property
    def pictures(self) -> np.ndarray:
        return np.stack([picture for picture, _ in self._drawn])

    def __len__(self) -> int:
        return self.count

    def read(self, index: int, preprocessing: Preprocessing) -> np.ndarray:
        return self._drawn[index][0]

    @cached_property
    def _drawn(self) -> tuple[tuple[np.ndarray, Objects], ...]:
        return tuple(self._picture(number) for number in range(self.count))

    def _picture(self, number: int) -> tuple[np.ndarray, Objects]:
        rng, half = seeds.generator("shapes", number), self.side // 2
        picture = rng.integers(80, 120, (self.side, self.side, 3), dtype=np.uint8)
        shown = [] if number % 5 == 4 else [CLASSES[number % 3]]
        shown += [FOREIGN[number % 2]] if number % 3 == 2 or not shown else []
        masks = []
        for place, name in enumerate(shown):
            long = int(rng.integers(half // 2, half - 2))
            left, top = place * half + int(rng.integers(0, half - long)), int(rng.integers(0, half))
            mask = np.zeros((self.side, self.side), bool)
            mask[top : top + long, left : left + long] = shape(name, long)
            white = (245, 245, 245)
            picture[mask] = COLOURS[CLASSES.index(name)] if name in CLASSES else white
            masks.append(mask)
        own = [at for at, name in enumerate(shown) if name in CLASSES]
        others = [at for at, name in enumerate(shown) if name in FOREIGN]
        stacked = np.array(masks, bool).reshape(-1, self.side, self.side)
        return picture, Objects(
            self.side,
            self.side,
            bounds(stacked[own]),
            np.array([CLASSES.index(shown[at]) for at in own], np.int64),
            masks=stacked[own],
            foreign=Foreign(
                bounds(stacked[others]), tuple(shown[at] for at in others), stacked[others]
            ),
        )


def shape(name: str, long: int) -> np.ndarray:
    """Return which pixels of a square a shape fills; it touches all four edges."""
    y, x = np.mgrid[:long, :long] - (long - 1) / 2
    radius = np.hypot(x, y) / (long / 2)
    arm = long / 6
    return {
        "disc": radius <= 1,
        "ring": (radius <= 1) & (radius > 0.55),
        "box": np.ones((long, long), bool),
        "wedge": x <= y,
        "cross": (abs(x) <= arm) | (abs(y) <= arm),
    }[name]


def bounds(masks: np.ndarray) -> np.ndarray:
    """Return the boxes of masks, xyxy pixels."""
    found = []
    for mask in masks:
        columns, rows = np.flatnonzero(mask.any(0)), np.flatnonzero(mask.any(1))
        found.append((columns[0], rows[0], columns[-1] + 1, rows[-1] + 1))
    return np.array(found, np.float32).reshape(-1, 4)
