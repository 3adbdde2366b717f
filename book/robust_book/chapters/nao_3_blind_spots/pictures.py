"""Images of blind spots, as a gallery and as thumbnails next to the map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.errors import InputError
from robust_lib.predict.embed import Embeddings
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.blind_spots.spots import BlindSpots
from robust_lib.run.image_kinds import as_objects
from robust_lib.types import Picture

SHOWN = Preprocessing(96, 96)
EACH = 6  # pictures of a set in a gallery
NAMED = 3  # things named under a picture


@dataclass(frozen=True, eq=False)
class Seen:
    """Embeddings and their images.

    Attributes:
        embeddings: embeddings of the images.
        images: image set that contains all of them.
    """

    embeddings: Embeddings
    images: ImageSet

    def read(self, place: int) -> Picture:
        """Return the image of an embedding as a small square."""
        return self.images.read(self._place[self.embeddings.ids[place]], SHOWN)

    def words(self, place: int) -> str:
        """Return a text on the content of an embedding's image, if it is annotated."""
        objects = self._of(place)
        return "" if objects is None else things(objects, self.images.class_names)

    def _of(self, place: int) -> Objects | None:
        objects = self._objects
        return objects[self._place[self.embeddings.ids[place]]] if objects else None

    @cached_property
    def _objects(self) -> tuple[Objects, ...]:
        try:
            return as_objects(self.images)
        except InputError:
            return ()

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.images.ids)}


def told(kind: str, words: str) -> str:
    """Return a text with the kind of an image, and its content if known.

    >>> told("pool", "bird"), told("pool", "")
    ('pool: bird', 'pool')
    """
    return f"{kind}: {words}" if words else kind


def things(objects: Objects, class_names: Sequence[str]) -> str:
    """Return a text with the distinct objects in an image; out-of-distribution ones are marked.

    >>> import numpy as np
    >>> from robust_lib.datasets.objects import Foreign
    >>> box = np.array([[1.0, 1.0, 5.0, 5.0]] * 2, np.float32)
    >>> shark = Foreign(box[:1], ("shark",))
    >>> things(Objects(9, 9, box, np.array([0, 0]), foreign=shark), ["bird"])
    'bird, shark*'
    """
    names = [class_names[label] for label in objects.classes]
    names += [f"{name}*" for name in (objects.foreign.names if objects.foreign else ())]
    kinds = list(dict.fromkeys(names))
    return ", ".join(kinds[:NAMED]) + (" …" if len(kinds) > NAMED else "")


@dataclass(frozen=True)
class Gallery:
    """Images of one blind spot, each with its caption.

    Attributes:
        number: number of the spot, from 1.
        pool: number of pool images in it.
        training: number of training images in it.
        adversarial: number of adversarial images in it.
        pictures: some of these images, those of the pool first.
        captions: one caption per image.
    """

    number: int
    pool: int
    training: int
    adversarial: int
    pictures: tuple[Picture, ...]
    captions: tuple[str, ...]

    @property
    def words(self) -> str:
        """Return the description of the spot."""
        return (
            f"Spot {self.number}: {self.pool:,} images of the pool and {self.training:,} "
            f"training images; {self.adversarial:,} adversarial ones are in it"
        )


def galleries(found: BlindSpots, pool: Seen, adversarial: Seen, most: int) -> tuple[Gallery, ...]:
    """Return images of the first blind spots.

    They are the most typical pool images, and the adversarial images with the fewest training
    images nearby.

    >>> found = toys.blind_spots()
    >>> sets = found.space.pool, found.space.adversarial
    >>> (one,) = galleries(found, *(Seen(one, toys.drawn(one)) for one in sets), most=3)
    >>> one.words
    'Spot 1: 40 images of the pool and 0 training images; 9 adversarial ones are in it'
    >>> len(one.pictures), one.captions[0], one.captions[-1]
    (12, 'pool: bird', 'adversarial: bird')
    """
    made = []
    for spot in range(min(most, found.count)):
        of_pool, chosen = found.pool_pictures(spot), found.chosen_pictures(spot)
        shown = [(pool, place, "pool") for place in of_pool[:EACH]]
        shown += [(adversarial, place, "adversarial") for place in chosen[:EACH]]
        made.append(
            Gallery(
                number=spot + 1,
                pool=len(of_pool),
                training=int((found.spot == spot).sum()) - len(of_pool),
                adversarial=len(chosen),
                pictures=tuple(seen.read(place) for seen, place, _ in shown),
                captions=tuple(
                    ": ".join(filter(None, [kind, seen.words(place)]))
                    for seen, place, kind in shown
                ),
            )
        )
    return tuple(made)
