"""The studied predictions: confident ones, on the same images in all studies."""

import numpy as np
from jaxtyping import Bool, Int

from robust_lib.metrics.boxes import Detections
from robust_lib.predict.classify import choose
from robust_lib.predict.found_boxes import FoundBoxes

SCORE = 0.5
"""The smallest score of a studied prediction. The paper does not specify it."""


def studied(found: FoundBoxes, score: float = SCORE, most: int | None = None) -> Detections:
    """Return the confident predictions on some images, the most confident of each image first.

    Args:
        most: maximum number of images with a confident prediction; a smaller selection is part of a
            larger one. None takes all.

    >>> found = toys.found_boxes([(0, 1, 0.9), (1, 0, 0.8), (1, 1, 0.95), (2, 0, 0.3)])
    >>> studied(found).images.tolist(), studied(found).scores.tolist()
    ([0, 1, 1], [0.9, 0.95, 0.8])
    """
    boxes = found.detections
    sure = np.flatnonzero(boxes.scores >= score)
    places = np.unique(boxes.images[sure])
    chosen = places[choose([found.ids[place] for place in places], most)]
    kept = sure[np.isin(boxes.images[sure], chosen)]
    order = np.lexsort((-boxes.scores[kept], boxes.images[kept]))
    return taken(boxes, kept[order])


def surest(predictions: Detections) -> Detections:
    """Return the most confident prediction of each image [nao, sec. 4.4].

    >>> found = toys.found_boxes([(0, 1, 0.9), (1, 0, 0.8), (1, 1, 0.95)])
    >>> surest(studied(found)).scores.tolist()
    [0.9, 0.95]
    """
    return taken(predictions, np.flatnonzero(_is_first(predictions)))


def of_the_surest_class(predictions: Detections) -> Detections:
    """Return each image's predictions of its most confident class [nao, sec. 4.5].

    >>> found = toys.found_boxes([(1, 0, 0.8), (1, 1, 0.95), (1, 1, 0.7)])
    >>> of_the_surest_class(studied(found)).scores.tolist()
    [0.95, 0.7]
    """
    first = _is_first(predictions)
    wanted = predictions.classes[first][np.cumsum(first) - 1]
    return taken(predictions, np.flatnonzero(predictions.classes == wanted))


def taken(predictions: Detections, places: Int[np.ndarray, " _"]) -> Detections:
    """Return the predictions at some positions, in the order of `places`.

    >>> found = toys.found_boxes([(0, 1, 0.9), (1, 0, 0.8)])
    >>> taken(found.detections, np.array([1])).scores.tolist()
    [0.8]
    """
    return Detections(
        predictions.images[places],
        predictions.classes[places],
        predictions.boxes[places],
        predictions.scores[places],
    )


def _is_first(predictions: Detections) -> Bool[np.ndarray, " boxes"]:
    return np.asarray(np.diff(predictions.images, prepend=-1) != 0)
