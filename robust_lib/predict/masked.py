"""Predictions among some of a network's classes: the other outputs are masked.

ImageNet-A and ImageNet-O have 200 of ImageNet's 1000 classes. The outputs of the other classes are
left out before the softmax and the argmax [nae, sec. 5], so a confidence is that of a choice among
200. The accuracy with all outputs is kept beside, since it differs clearly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.metrics import accuracy
from robust_lib.models.class_subset import select_logits
from robust_lib.models.contract import Classifier
from robust_lib.predict.classify import predict_all
from robust_lib.predict.predictions import Predictions


@dataclass(frozen=True, eq=False)
class MaskedPredictions:
    """Predictions of several networks on one image set, among the same classes.

    Attributes:
        dataset: name of the image set.
        classes: how many classes the networks choose among.
        outputs: how many classes the networks know that know most.
        predictions: network -> its predictions among those classes, with logits, one a seed.
        unmasked: network -> accuracy with all its outputs, one a seed; for networks that know more
            classes.
    """

    dataset: str
    classes: int
    outputs: int
    predictions: Mapping[str, tuple[Predictions, ...]]
    unmasked: Mapping[str, tuple[float, ...]]

    @property
    def n(self) -> str:
        """Return the number of images as text, such as "7,500"."""
        return f"{len(next(iter(self.predictions.values()))[0].ids):,}"

    @property
    def convention(self) -> str:
        """Return what was masked, in words."""
        if self.outputs == self.classes:
            return f"all {self.classes} outputs"
        return f"{self.classes} of {self.outputs:,} outputs, the others masked before the softmax"


def predict_masked(
    models: Mapping[str, Sequence[Classifier]],
    images: ImageSet,
    outputs: Mapping[str, Sequence[int]],
    *,
    store: Store | None,
    batch_size: int = 128,
    workers: int = 0,
    progress: bool = True,
) -> MaskedPredictions:
    """Return the predictions of several networks on some images, masked to the images' classes.

    Args:
        models: network -> one a seed.
        images: what they are shown.
        outputs: network -> which of its outputs are the images' classes, in their order.
        store: where predictions are kept, all logits of them.
        batch_size: images a forward pass.
        workers: threads that read images ahead.
        progress: whether to show a bar.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> from robust_lib.models.adapter import wrap_callable
    >>> from robust_lib.preprocessing import Preprocessing
    >>> model = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(None, 8))
    >>> images = Synthetic("noise", "blobs", 4, 32, "warm", ("red",))
    >>> models, outputs = {"mean": (model,)}, {"mean": (0,)}
    >>> found = predict_masked(models, images, outputs, store=None, progress=False)
    >>> found.predictions["mean"][0].logits.shape
    (4, 1)
    """
    whole = predict_all(
        [model for by_seed in models.values() for model in by_seed],
        images,
        cache=store,
        batch_size=batch_size,
        workers=workers,
        progress=progress,
    )
    predictions: dict[str, tuple[Predictions, ...]] = {}
    unmasked: dict[str, tuple[float, ...]] = {}
    for name, by_seed in models.items():
        columns = outputs[name]
        every = [whole[model.name] for model in by_seed]
        predictions[name] = tuple(masked(one, columns) for one in every)
        if len(columns) < by_seed[0].outputs:
            unmasked[name] = tuple(_accuracy(one, columns) for one in every)
    most = max(model.outputs for by_seed in models.values() for model in by_seed)
    return MaskedPredictions(images.name, len(images.class_names), most, predictions, unmasked)


def masked(whole: Predictions, columns: Sequence[int]) -> Predictions:
    """Return a network's predictions once the outputs of other classes are left out.

    Args:
        whole: predictions with all outputs; their labels count in the classes that stay.
        columns: the outputs that stay, in the order of those classes.

    >>> whole = Predictions.from_logits(np.array([[0.0, 1.0, 9.0]], np.float32), ids=("a",),
    ...     labels=np.array([1]), model="mine", dataset="one")
    >>> two = masked(whole, (0, 1))
    >>> int(two.predicted[0]), round(float(two.confidence[0]), 3)
    (1, 0.731)
    """
    if whole.logits is None or list(columns) == list(range(whole.logits.shape[1])):
        return whole
    return Predictions.from_logits(
        np.ascontiguousarray(select_logits(whole.logits, columns)),
        ids=whole.ids,
        labels=whole.labels,
        model=whole.model,
        dataset=whole.dataset,
        fingerprint=whole.fingerprint,
        digest=whole.digest,
    )


def _accuracy(whole: Predictions, columns: Sequence[int]) -> float:
    """Return how often a network is right when it may name any class that it knows."""
    assert whole.logits is not None  # all of them are kept
    return accuracy.top1(whole.logits, np.asarray(columns)[whole.labels])
