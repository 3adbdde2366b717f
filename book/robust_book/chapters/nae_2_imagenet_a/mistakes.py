"""A network's confident and frequent mistakes, and its unstable and over-general predictions."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch

from robust_book.chapters.galleries import Gallery, caption, gallery
from robust_lib import datasets
from robust_lib.curation.ten_crops import as_filter
from robust_lib.datasets import ImageSet
from robust_lib.models import class_subset
from robust_lib.models.contract import Classifier
from robust_lib.models.wrappers import ten_crops
from robust_lib.predict.classify import choose
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.run import Run

CANDLE = ("candle", "jack-o'-lantern")
"""What the paper's image shows, and what it was taken for."""


def results(masked: MaskedPredictions, images: ImageSet, network: str) -> Results:
    """Return as rows the confidence of the paper's example, a candle, and the highest of a mistake.

    Args:
        images: the classified images; without a candle classified as a jack-o'-lantern, the
            example's row is missing.

    >>> import numpy as np
    >>> from robust_lib.predict.predictions import Predictions
    >>> first = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> toy = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> images = Synthetic("toy", "blobs", 2, 32, "lights", ("candle", "jack-o'-lantern"))
    >>> [(row.dataset, round(row.value, 2)) for row in results(toy, images, "mine").rows]
    [('toy/surest', 0.73)]
    """
    first, names = masked.predictions[network][0], images.class_names
    wrong = ~first.correct
    mistakes = {f"{masked.dataset}/surest": (wrong, "surest wrong answer")}
    if set(CANDLE) <= set(names):
        shown, taken = map(names.index, CANDLE)
        candles = (first.labels == shown) & (first.predicted == taken)
        mistakes[masked.dataset] = (
            candles,
            "most confident candle classified as a jack-o'-lantern",
        )
    return Results.of(
        Row(
            item="nae-fig7",
            dataset=dataset,
            metric="confidence",
            convention=f"{words}, {network}, {masked.convention}",
            value=float(first.confidence[chosen].max()),
            n=int(chosen.sum()),
            n_full=int(chosen.sum()),
        )
        for dataset, (chosen, words) in mistakes.items()
        if chosen.any()
    )


def confusion_frame(
    masked: MaskedPredictions, images: ImageSet, network: str, most: int = 10
) -> pd.DataFrame:
    """Return the most frequent mistakes: true class, predicted class, and frequency.

    >>> said = toys.masked("hard", {"mine": 3}, images=9)
    >>> confusion_frame(said, run.images, "mine").to_numpy().tolist()
    [['red', 'green', 2], ['green', 'blue', 2], ['blue', 'red', 2]]
    """
    first, names = masked.predictions[network][0], images.class_names
    wrong = ~first.correct
    pairs = zip(first.labels[wrong].tolist(), first.predicted[wrong].tolist(), strict=True)
    counted = [(names[a], names[b], count) for (a, b), count in Counter(pairs).most_common(most)]
    return pd.DataFrame(counted, columns=["Shown", "Taken for", "Times"])


def crop_predictions(run: Run, network: str, *, limit: int) -> dict[int, list[int]]:
    """Return index of an image -> the classes predicted for its crops by a network's first seed.

    Args:
        limit: number of images, a fixed choice.

    >>> crop_predictions(run, "brightest", limit=2)
    {11: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2], 22: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}
    """
    images = run.images
    model = class_subset.restrict(run.models[network][0], images.classes, images.class_names)
    return by_crop(model, images, limit=limit)


def by_crop(
    model: Classifier, images: ImageSet, *, limit: int = 256, batch_size: int = 64
) -> dict[int, list[int]]:
    """Return index of an image -> the classes that a network predicts for its ten crops.

    A crop shows the same object, slightly shifted; a network that predicts another class for each
    crop has not recognised the object.

    Args:
        model: classifier of the images' classes.
        limit: number of images, a fixed choice.

    Raises:
        InputError: the model's preprocessing leaves no margin for crops.

    >>> by_crop(run.models["brightest"][0], run.images, limit=1)  # ten crops, one class
    {22: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}
    """
    crops = as_filter(model)
    indices = choose(images.ids, limit)
    found: dict[int, list[int]] = {}
    for at in range(0, len(indices), batch_size):
        piece = list(indices[at : at + batch_size])
        views = ten_crops(datasets.batch(images, piece, crops.frame), crops.side)
        logits = torch.stack([model(view) for view in views])
        for index, predicted in zip(piece, logits.argmax(-1).T.tolist(), strict=True):
            found[int(index)] = predicted
    return found


def unstable(
    predicted: Mapping[int, Sequence[int]], images: ImageSet, *, geometry: Preprocessing, most: int
) -> Gallery:
    """Return the images whose ten crops get the most distinct predictions, and this number.

    >>> crops = {0: [0, 0], 1: [0, 1]}
    >>> unstable(crops, run.images, geometry=run.geometry, most=1).captions[0].splitlines()
    ['green', '2 predictions']
    """
    ranked = sorted(predicted, key=lambda index: (-len(set(predicted[index])), index))[:most]
    captions = []
    for index in ranked:
        truth = images.class_names[int(images.labels[index])]
        captions.append(f"{truth}\n{len(set(predicted[index]))} predictions")
    return gallery(images, ranked, captions, geometry)


def stretched(
    masked: MaskedPredictions,
    images: ImageSet,
    network: str,
    *,
    geometry: Preprocessing,
    most: int,
) -> Gallery:
    """Return images of different classes that are all classified as the most over-general class.

    It is the class that is wrongly predicted for the most true classes; among equals, the most
    frequent. The most confident mistake of each true class is shown, in descending confidence.

    >>> found = stretched(toys.masked("hard", {"mine": 3}), run.images, "mine",
    ...     geometry=run.geometry, most=2)
    >>> [one.splitlines()[0] for one in found.captions]  # of these toys each is taken for the next
    ['blue']
    """
    first = masked.predictions[network][0]
    wrong = np.flatnonzero(~first.correct)
    kinds = Counter(first.predicted[wrong].tolist())
    width = {one: len(set(first.labels[wrong][first.predicted[wrong] == one])) for one in kinds}
    if not width:
        return Gallery((), ())
    taken = max(width, key=lambda one: (width[one], kinds[one], -one))
    ranked = sorted(wrong[first.predicted[wrong] == taken], key=lambda i: -first.confidence[i])
    surest = {int(first.labels[index]): int(index) for index in ranked[::-1]}
    shown = sorted(surest.values(), key=lambda index: -first.confidence[index])[:most]
    captions = [caption(first, index, images.class_names) for index in shown]
    return gallery(images, shown, captions, geometry)
