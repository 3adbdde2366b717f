"""Predictions among some of a network's classes, or among wider ones: other outputs are masked.

ImageNet-A and ImageNet-O have 200 of ImageNet's 1000 classes. The outputs of the other classes are
left out before the softmax and the argmax [nae, sec. 5], so a confidence is that of a choice among
200. The accuracy with all outputs is kept as well, since it differs clearly. A class of
ImageNet-VID has several of ImageNet's outputs, and their largest logit is its score [vid, sec.
2.1].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.metrics.class_scores import Pooling, class_scores
from robust_lib.models.class_subset import select_logits
from robust_lib.models.contract import Classifier
from robust_lib.predict.classify import predict_all
from robust_lib.predict.predictions import Predictions
from robust_lib.types import UNKNOWN, Labels


@dataclass(frozen=True, eq=False)
class MaskedPredictions:
    """Predictions of several networks on one image set, among the same classes.

    Attributes:
        classes: number of classes that can be predicted.
        outputs: largest number of classes of any of the networks.
        predictions: network -> its predictions among those classes, with logits, one per seed.
        unmasked: network -> accuracy with all its outputs, one per seed; for networks with more
            classes.
        rivals: network -> for each image, the index of the first other output that exceeds all
            outputs of the classes, -1 for none; one array per seed; networks as in `unmasked`.
    """

    dataset: str
    classes: int
    outputs: int
    predictions: Mapping[str, tuple[Predictions, ...]]
    unmasked: Mapping[str, tuple[float, ...]]
    how: Pooling = "max"
    wider: bool = False
    rivals: Mapping[str, tuple[Labels, ...]] = field(default_factory=dict)

    @property
    def n(self) -> str:
        """Return the number of images as text, such as "7,500"."""
        return f"{len(next(iter(self.predictions.values()))[0].ids):,}"

    @property
    def convention(self) -> str:
        """Return the description of how outputs were masked."""
        if self.outputs == self.classes:
            return f"all {self.classes} outputs"
        if self.wider:
            score = "largest logit" if self.how == "max" else "summed probabilities"
            of_all = f"its outputs, of up to {self.outputs:,}"
            return f"{self.classes} classes, each by the {score} of {of_all}"
        return f"{self.classes} of {self.outputs:,} outputs, the others masked before the softmax"


def predict_masked(
    models: Mapping[str, Sequence[Classifier]],
    images: ImageSet,
    outputs: Mapping[str, Sequence[Sequence[int]]],
    *,
    how: Pooling = "max",
    store: Store | None,
    batch_size: int = 128,
    workers: int = 0,
    progress: bool = True,
) -> MaskedPredictions:
    """Return the predictions of several networks on some images, masked to the images' classes.

    Args:
        outputs: network -> its outputs for each of the images' classes.
        how: the score of a class that has several outputs: their largest logit, or the sum of
            their probabilities.
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
    rivals: dict[str, tuple[Labels, ...]] = {}
    for name, by_seed in models.items():
        groups = outputs[name]
        every = [whole[model.name] for model in by_seed]
        predictions[name] = tuple(pooled(one, groups, how) for one in every)
        if len(groups) < by_seed[0].outputs:
            unmasked[name] = tuple(_accuracy(one, groups) for one in every)
            rivals[name] = tuple(_rivals(one, groups) for one in every)
    most = max(model.outputs for by_seed in models.values() for model in by_seed)
    wider = any(len(group) > 1 for groups in outputs.values() for group in groups)
    classes = len(images.class_names)
    return MaskedPredictions(images.name, classes, most, predictions, unmasked, how, wider, rivals)


def masked(whole: Predictions, columns: Sequence[int]) -> Predictions:
    """Return a network's predictions without the outputs of other classes.

    Args:
        whole: predictions with all outputs; their labels refer to the remaining classes.
        columns: the remaining outputs, in the order of those classes.
    """
    return pooled(whole, [(column,) for column in columns])


def pooled(
    whole: Predictions, groups: Sequence[Sequence[int]], how: Pooling = "max"
) -> Predictions:
    """Return a network's predictions among wider classes, each with several outputs.

    Args:
        whole: predictions with all outputs; their labels refer to the wider classes.
        groups: the outputs of each class; all others are left out.
        how: the score of a class: the largest of its logits, or the sum of its probabilities.

    >>> whole = Predictions.from_logits(np.array([[1.0, 3.0, 0.0, 9.0]], np.float32), ids=("a",),
    ...     labels=np.array([1]), model="mine", dataset="one")
    >>> two = pooled(whole, [(0, 2), (1,)])
    >>> two.logits.tolist(), int(two.predicted[0])
    ([[1.0, 3.0]], 1)
    """
    single = all(len(group) == 1 for group in groups)
    columns = [column for group in groups for column in group]
    if whole.logits is None or (single and columns == list(range(whole.logits.shape[1]))):
        return whole
    if single:
        logits = select_logits(whole.logits, columns)
    elif how == "max":
        logits = class_scores(whole.logits, groups)
    else:  # of which the softmax is the sums' shares of all groups together
        logits = np.log(np.maximum(class_scores(whole.logits, groups, "sum"), np.finfo(float).tiny))
    return Predictions.from_logits(
        np.ascontiguousarray(logits, np.float32),
        ids=whole.ids,
        labels=whole.labels,
        model=whole.model,
        dataset=whole.dataset,
        fingerprint=whole.fingerprint,
        digest=whole.digest,
        together=whole.together,
    )


def _accuracy(whole: Predictions, groups: Sequence[Sequence[int]]) -> float:
    """Return a network's accuracy when it may predict any class that it knows."""
    assert whole.logits is not None  # all of them are kept
    group_of = np.full(whole.logits.shape[1], UNKNOWN)
    for place, group in enumerate(groups):
        group_of[list(group)] = place
    return float((group_of[whole.predicted] == whole.labels).mean())


def _rivals(whole: Predictions, groups: Sequence[Sequence[int]]) -> Labels:
    """Return the place, among the other outputs, of the first that beats all of the groups'."""
    assert whole.logits is not None  # all of them are kept
    ours = [column for group in groups for column in group]
    others = np.delete(whole.logits, ours, axis=1)
    beats = others > whole.logits[:, ours].max(1, keepdims=True)
    first: Labels = np.where(beats.any(1), beats.argmax(1), UNKNOWN)
    return first
