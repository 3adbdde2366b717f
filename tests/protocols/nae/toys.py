"""Masked predictions that are known beforehand, as networks would give them."""

import numpy as np

from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions

NAMES = {
    "resnet50": "chooser",
    "resnet50_a": "tuned",
    "resnet34": "small",
    "resnet152": "large",
    "resnext101_32x4d": "plain",
    "resnext101_32x4d_se": "attentive",
    "resnext50_32x4d_200": "scratch",
    "resnext50_32x4d_200_pgd10": "attacked",
}
CLASSES = ("candle", "key", "owl")


def predictions(model, labels, right, dataset="hard", sure=3.0):
    """Predictions of which the first `right` are right; the next class is predicted of the others.

    The first pictures are the surest.
    """
    labels = np.asarray(labels, np.int64)
    predicted = np.where(np.arange(len(labels)) < right, labels, (labels + 1) % 3)
    logits = np.zeros((len(labels), 3), np.float32)
    logits[np.arange(len(labels)), predicted] = sure * np.linspace(1, 0.5, len(labels))
    ids = tuple(f"candidate/{CLASSES[label]}/{index:06d}" for index, label in enumerate(labels))
    return Predictions.from_logits(logits, ids=ids, labels=labels, model=model, dataset=dataset)


def masked(dataset, right, images=30, seeds=1):
    """Return predictions on `images` pictures; `right`: network -> how many are right."""
    labels = np.arange(images) % 3
    return MaskedPredictions(
        dataset,
        3,
        5,
        {
            model: tuple(predictions(model, labels, count + seed, dataset) for seed in range(seeds))
            for model, count in right.items()
        },
        dict.fromkeys(right, (0.0,) * seeds),
    )
