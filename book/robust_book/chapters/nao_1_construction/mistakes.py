"""Confident mistakes as images: on objects with a class and on OOD objects [nao, fig. 2]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robust_book.figures.boxed_pictures import Box
from robust_lib.curation.candidates import Candidate
from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.metrics.boxes import intersection_over_union
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import AnyPicture

AS_IS = Preprocessing(None, None)
MOST = 4  # mistakes of a kind that are shown


@dataclass(frozen=True)
class Mistake:
    """A confident box and the object that it covers.

    Args:
        candidate: the box.
        predicted: name of the predicted class.
        truth: name of the covered object; empty if none is annotated.
        foreign: whether that object is outside the label set.
        under: corners of that object's box; None if there is none.
    """

    candidate: Candidate
    predicted: str
    truth: str
    foreign: bool
    under: tuple[float, float, float, float] | None

    @property
    def words(self) -> str:
        """The true and the predicted class, as a caption.

        >>> found = Candidate(0, 0, "hard false positive", (1.0, 1.0, 9.0, 9.0), 4, 0.934)
        >>> Mistake(found, "airplane", "shark", True, None).words
        'shark → airplane 93 %'
        """
        said = f"\N{RIGHTWARDS ARROW} {self.predicted} {100 * self.candidate.score:.0f} %"
        return f"{self.truth or 'no object'} {said}"


@dataclass(frozen=True, eq=False)
class Shown:
    """Images with their boxes and captions: mistakes on objects with a class, then the others."""

    pictures: tuple[AnyPicture, ...]
    boxes: tuple[tuple[Box, ...], ...]
    captions: tuple[str, ...]
    columns: int


def named(
    candidates: Sequence[Candidate], objects: Sequence[Objects], names: Sequence[str], iou: float
) -> tuple[Mistake, ...]:
    """Return candidates with the names of the objects that they cover, the most confident first.

    Args:
        objects: objects of each image.
        iou: threshold that the IoU of a box and an out-of-distribution object exceeds.

    >>> made = toys.CONSTRUCTION
    >>> found = named(made.filtration.confirmed, made.pool.annotations, made.pool.class_names, 0.5)
    >>> sorted({(one.truth, one.predicted) for one in found if one.foreign})
    [('ring', 'disc'), ('wedge', 'box')]
    """
    found = [_named(one, objects[one.image], names, iou) for one in candidates]
    return tuple(sorted(found, key=lambda one: -one.candidate.score))


def chosen(mistakes: Sequence[Mistake], *, foreign: bool, most: int = MOST) -> tuple[Mistake, ...]:
    """Return the most confident mistakes of a kind, at most one per confusion and per image.

    Args:
        foreign: whether to return mistakes on out-of-distribution objects, or else those on objects
            with a class.

    >>> found = Candidate(0, 0, "hard false positive", (1.0, 1.0, 9.0, 9.0), 4, 0.934)
    >>> shark = Mistake(found, "airplane", "shark", True, None)
    >>> [one.truth for one in chosen([shark, shark], foreign=True)]
    ['shark']
    """
    found: list[Mistake] = []
    for one in mistakes:
        pairs = {(other.truth, other.predicted) for other in found}
        pictures = {other.candidate.image for other in found}
        fits = one.foreign if foreign else one.candidate.truth >= 0
        if fits and (one.truth, one.predicted) not in pairs and one.candidate.image not in pictures:
            found.append(one)
    return tuple(found[:most])


def shown(mistakes: Sequence[Mistake], images: ImageSet) -> Shown:
    """Return the images of Figure 2: a row of mistakes on objects with a class, above the others.

    If there are mistakes of both kinds, both rows have the length of the shorter one.

    >>> made = toys.CONSTRUCTION
    >>> found = named(made.filtration.confirmed, made.pool.annotations, made.pool.class_names, 0.5)
    >>> told = shown(found, made.pool)
    >>> told.columns, [caption.split(" ")[0] for caption in told.captions]
    (2, ['disc', 'box', 'ring', 'wedge'])
    """
    rows = [chosen(mistakes, foreign=foreign) for foreign in (False, True)]
    lengths = [len(row) for row in rows if row]
    columns = min(lengths, default=0)
    both = [one for row in rows for one in row[:columns]]
    return Shown(
        tuple(images.read(one.candidate.image, AS_IS) for one in both),
        tuple(_boxes(one) for one in both),
        tuple(one.words for one in both),
        columns,
    )


def _boxes(one: Mistake) -> tuple[Box, ...]:
    truth = () if one.under is None else (Box(one.under, "truth"),)
    return (*truth, Box(one.candidate.box, "wrong"))


def _named(one: Candidate, objects: Objects, names: Sequence[str], iou: float) -> Mistake:
    predicted = names[one.predicted]
    own, place = _best(one, objects.boxes)
    if one.truth >= 0:
        return Mistake(one, predicted, names[one.truth], foreign=False, under=place)
    if objects.foreign is not None and len(objects.foreign):
        overlap, place = _best(one, objects.foreign.boxes)
        if overlap > max(iou, own):
            at = int(np.argmax(_overlaps(one, objects.foreign.boxes)))
            return Mistake(one, predicted, objects.foreign.names[at], foreign=True, under=place)
    return Mistake(one, predicted, "", foreign=False, under=None)


def _best(
    one: Candidate, boxes: np.ndarray
) -> tuple[float, tuple[float, float, float, float] | None]:
    if not len(boxes):
        return 0.0, None
    overlaps = _overlaps(one, boxes)
    left, top, right, bottom = map(float, boxes[int(np.argmax(overlaps))])
    return float(overlaps.max()), (left, top, right, bottom)


def _overlaps(one: Candidate, boxes: np.ndarray) -> np.ndarray:
    box = np.tile(np.array(one.box), (len(boxes), 1))
    return intersection_over_union(box, boxes, np.zeros(len(boxes), bool))
