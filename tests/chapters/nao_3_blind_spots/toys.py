"""Pictures behind the toy embeddings: composed ones, of which all is known."""

from collections import namedtuple
from dataclasses import dataclass
from functools import cache

import numpy as np

from robust_book.chapters.nao_3_blind_spots import maps as made_maps
from robust_book.chapters.nao_3_blind_spots.pictures import Seen
from robust_book.chapters.nao_3_blind_spots.planted import FOREIGN, GROUNDS, Planted
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.predict.embed import Embeddings
from tests.protocols.blind_spots import toys
from tests.protocols.blind_spots.toys import PLANTED, POOL

Truth = namedtuple("Truth", "ground")
BOX = np.array([[1.0, 1.0, 9.0, 9.0]], np.float32)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Pictures of the ids of embeddings; those of the pool that are planted are under water.

    Every second one of these has a shark, beside the bird that each picture has.
    """

    embeddings: Embeddings
    classes: str = "toys"
    class_names: tuple[str, ...] = ("bird",)

    @property
    def name(self):
        return self.embeddings.dataset

    @property
    def digest(self):
        return f"drawn {self.name}"

    @property
    def ids(self):
        return self.embeddings.ids

    @property
    def labels(self):
        return np.zeros(len(self.ids), np.int64)

    @property
    def annotations(self):
        return tuple(self._objects(place) for place in range(len(self.ids)))

    def _objects(self, place):
        sharks = Foreign(BOX, ("shark",)) if self._wet(place) and place % 2 else None
        nothing = Foreign(BOX[:0], ())
        return Objects(16, 16, BOX, np.zeros(1, np.int64), foreign=sharks or nothing)

    def _wet(self, place):
        return self.name == "pool" and place >= POOL - PLANTED

    def truth(self, place):
        return Truth("underwater" if self._wet(place) else "studio")

    def __len__(self):
        return len(self.ids)

    def read(self, index, preprocessing):
        side = preprocessing.crop or 16
        return np.full((side, side, 3), index % 256, np.uint8)


def drawn(embeddings):
    return Drawn(embeddings)


def seen():
    """Training pictures, the pool and the chosen ones."""
    space = toys.blind_spots().space
    return tuple(Seen(one, Drawn(one)) for one in (space.training, space.pool, space.adversarial))


@cache
def maps():
    """Two principal components: no UMAP is waited for."""
    return made_maps.maps(toys.blind_spots(), None, 0)


def planted():
    """What was planted: water, which training never shows, and sharks in every second picture."""
    training, pool, _ = seen()
    wet = np.array([pool.images.truth(place).ground == "underwater" for place in range(POOL)])
    sharks = np.array([bool(len(one.foreign)) for one in pool.images.annotations])
    dry = np.ones(len(training.embeddings), bool)
    return Planted(
        "pool",
        {GROUNDS: {"studio": dry}, FOREIGN: {}},
        {GROUNDS: {"studio": ~wet, "underwater": wet}, FOREIGN: {"shark": sharks}},
        {group: of_chosen(kinds) for group, kinds in chosen(wet, sharks).items()},
    )


def chosen(wet, sharks):
    return {GROUNDS: {"studio": ~wet, "underwater": wet}, FOREIGN: {"shark": sharks}}


def of_chosen(kinds):
    """Ten of the chosen ones are pictures of the pool; of the two new ones, one is under water."""
    places = [0, 1, *range(POOL - 8, POOL)]
    new = {"studio": [True, False], "underwater": [False, True], "shark": [False, False]}
    return {kind: np.array([*shown[places], *new[kind]]) for kind, shown in kinds.items()}
