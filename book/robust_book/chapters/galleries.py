"""Galleries: images and their captions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from robust_book.figures import image_grids
from robust_lib.datasets import ImageSet
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture

MOST = 60  # pictures of a gallery
COLUMNS = 5  # pictures a row: those of 64 pixels then have four screen pixels for each of theirs


@dataclass(frozen=True)
class Gallery:
    """Images, each with a caption.

    >>> picture = np.zeros((2, 2, 3), np.uint8)
    >>> both = Gallery((picture,), ("a",)) + Gallery((picture,), ("b",))
    >>> both.captions, both.part(1, 2).captions
    (('a', 'b'), ('b',))
    """

    pictures: tuple[Picture, ...]
    captions: tuple[str, ...]

    def __add__(self, other: "Gallery") -> "Gallery":
        return Gallery(self.pictures + other.pictures, self.captions + other.captions)

    def part(self, first: int, last: int) -> "Gallery":
        """Return a range of the images, in order; the last ones if there are too few."""
        begin = max(0, min(first, len(self.captions) - (last - first)))
        return Gallery(self.pictures[begin:last], self.captions[begin:last])

    def words(self, most: int) -> str:
        r"""Return the first captions as one text, for use in place of the images.

        >>> Gallery((), ("owl\n→ bee 90 %", "hat")).words(1)
        'owl → bee 90 %'
        """
        return "; ".join(" ".join(one.split()) for one in self.captions[:most])

    def figure(self, *, columns: int = COLUMNS, size: float = 1.35) -> Figure:
        """Return the figure of the images, each under its caption.

        Args:
            size: side of an image in inches.
        """
        return image_grids.grid(self.pictures, self.captions, columns=columns, size=size)


def mistakes(
    masked: MaskedPredictions, images: ImageSet, *, network: str, geometry: Preprocessing
) -> Gallery:
    """Return the images that a network misclassifies, the most confident mistakes first.

    One image of each true class comes before a second image of any class. Each caption gives the
    true and the predicted class.

    >>> first = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> toy = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> images = Synthetic("toy", "blobs", 2, 32, "animals", ("owl", "bee"))
    >>> found = mistakes(toy, images, network="mine", geometry=Preprocessing(None, 32))
    >>> found.captions[0].splitlines()
    ['bee', '→ owl 73 %']
    """
    first = masked.predictions[network][0]
    wrong = np.flatnonzero(~first.correct)
    indices = _in_turn(wrong, first.labels, first.confidence)[:MOST]
    captions = [caption(first, index, images.class_names) for index in indices]
    return gallery(images, indices, captions, geometry)


def out_of_distribution(
    masked: MaskedPredictions, images: ImageSet, *, network: str, geometry: Preprocessing
) -> Gallery:
    """Return out-of-distribution images, those with the most confident predictions first.

    One image of each predicted class comes before a second image of any class.

    >>> said = toys.masked("toy", {"mine": 1}, images=2)
    >>> found = out_of_distribution(said, run.images, network="mine", geometry=run.geometry)
    >>> [caption.splitlines() for caption in found.captions]
    [['candle', '→ red 91 %'], ['key', '→ blue 69 %']]
    """
    first = masked.predictions[network][0]
    every = np.arange(len(first.ids))
    indices = _in_turn(every, first.predicted, first.confidence)[:MOST]
    captions = [
        caption(first, index, images.class_names, truth=depicted(first.ids[index]))
        for index in indices
    ]
    return gallery(images, indices, captions, geometry)


def depicted(name: str) -> str:
    """Return the name of the object in an out-of-distribution image, if its id contains the name.

    ImageNet-O's folders are named for the predicted classes, not for the objects in the images.

    >>> depicted("candidate/wrench/000004"), depicted("n02783161/n13896217_1.JPEG")
    ('wrench', 'foreign')
    """
    parts = name.split("/")
    return parts[1] if len(parts) == 3 else "foreign"


def gallery(
    images: ImageSet, indices: Sequence[int], captions: Sequence[str], geometry: Preprocessing
) -> Gallery:
    """Return some images of a set, resized and cropped, with their captions.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> images = Synthetic("toy", "blobs", 2, 32, "animals", ("owl", "bee"))
    >>> gallery(images, [1], ["a blob"], Preprocessing(None, 32)).captions
    ('a blob',)
    """
    return Gallery(tuple(images.read(index, geometry) for index in indices), tuple(captions))


def caption(
    predictions: Predictions, index: int, names: Sequence[str], truth: str | None = None
) -> str:
    """Return an image's true class and the predicted one with its confidence.

    >>> predictions = Predictions.from_logits(np.array([[0.0, 2.0]], np.float32), ids=("a",),
    ...     labels=np.array([0]), model="mine", dataset="one")
    >>> caption(predictions, 0, ("candle", "jack-o'-lantern")).splitlines()
    ['candle', "→ jack-o'-lantern 88 %"]
    """
    true = names[int(predictions.labels[index])] if truth is None else truth
    predicted = names[int(predictions.predicted[index])]
    return f"{true}\n→ {predicted} {100 * float(predictions.confidence[index]):.0f} %"


def _in_turn(indices: np.ndarray, classes: np.ndarray, confidence: np.ndarray) -> list[int]:
    """Return the indices: the most confident of each class first, then the second of each."""
    ranked = sorted(indices.tolist(), key=lambda index: -float(confidence[index]))
    turns: Counter[int] = Counter()
    ordered = []
    for index in ranked:
        ordered.append((turns[int(classes[index])], index))
        turns[int(classes[index])] += 1
    return [index for _, index in sorted(ordered, key=lambda one: one[0])]
