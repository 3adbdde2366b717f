"""What networks say of pictures of some of their classes: the other outputs are masked.

ImageNet-A and ImageNet-O have 200 of ImageNet's 1000 classes. The outputs of the other classes are
left out before the softmax and the argmax [nae, sec. 5], so a confidence is that of a choice among
200. What a network says with all its outputs is kept beside, since its accuracy differs clearly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.models.class_subset import select_logits
from robust_lib.predict.classify import predict_all
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.grid import Models


@dataclass(frozen=True, eq=False)
class Asked:
    """What networks said of one data set.

    Attributes:
        dataset: its name.
        classes: how many classes it has.
        outputs: how many classes the networks know that know most.
        said: network -> its predictions among those classes, with logits, one a seed.
        unmasked: network -> accuracy with all its outputs, one a seed; for networks that know more
            classes.
    """

    dataset: str
    classes: int
    outputs: int
    said: Mapping[str, tuple[Predictions, ...]]
    unmasked: Mapping[str, tuple[float, ...]]

    @property
    def n(self) -> str:
        """Return how many images they were shown, in words."""
        return f"{len(next(iter(self.said.values()))[0].ids):,}"

    @property
    def convention(self) -> str:
        """Return what was masked, in words."""
        if self.outputs == self.classes:
            return f"all {self.classes} outputs"
        return f"{self.classes} of {self.outputs:,} outputs, the others masked before the softmax"


def ask(
    models: Models,
    images: ImageSet,
    outputs: Mapping[str, Sequence[int]],
    *,
    store: Store | None,
    batch_size: int = 128,
    progress: bool = True,
) -> Asked:
    """Return what networks say of some images, masked to the images' classes.

    Args:
        models: network -> one a seed.
        images: what they are shown.
        outputs: network -> which of its outputs are the images' classes, in their order.
        store: where predictions are kept, all logits of them.
        batch_size: images a forward pass.
        progress: whether to show a bar.
    """
    whole = predict_all(
        [run for runs in models.values() for run in runs],
        images,
        cache=store,
        batch_size=batch_size,
        progress=progress,
    )
    said: dict[str, tuple[Predictions, ...]] = {}
    unmasked: dict[str, tuple[float, ...]] = {}
    for name, runs in models.items():
        columns = outputs[name]
        answers = [whole[run.name] for run in runs]
        said[name] = tuple(masked(answer, columns) for answer in answers)
        if len(columns) < runs[0].outputs:
            unmasked[name] = tuple(_accuracy(answer, columns) for answer in answers)
    most = max(run.outputs for runs in models.values() for run in runs)
    return Asked(images.name, len(images.class_names), most, said, unmasked)


def masked(whole: Predictions, columns: Sequence[int]) -> Predictions:
    """Return what a network says once the outputs of other classes are left out.

    Args:
        whole: what it said with all outputs; its labels count in the classes that stay.
        columns: the outputs that stay, in the order of those classes.

    >>> said = Predictions.from_logits(np.array([[0.0, 1.0, 9.0]], np.float32), ids=("a",),
    ...     labels=np.array([1]), model="mine", dataset="one")
    >>> int(masked(said, (0, 1)).predicted[0]), round(float(masked(said, (0, 1)).confidence[0]), 3)
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
    return float((whole.predicted == np.asarray(columns)[whole.labels]).mean())
