"""Adversarial filtration: from many candidates to the few that fool classifiers [nae, sec. 3].

These are the rules of ImageNet-A and ImageNet-O up to the review by people; see `review_sheet`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Int64
from scipy.special import softmax

from robust_lib.cache import Store
from robust_lib.curation import ten_crops
from robust_lib.curation.decisions import Filtration, Rule, adversarial_steps, anomalous_steps
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.models.class_subset import require, restrict, select
from robust_lib.models.contract import Classifier
from robust_lib.predict.classify import predict
from robust_lib.types import UNKNOWN


def adversarial_filter(
    candidates: ImageSet,
    filters: Sequence[Classifier],
    *,
    confidence: float = 0.15,
    most: int | None = 15,
    crop: int | None = None,
    store: Store | None = None,
    chunk: int = 512,
    batch_size: int = 64,
    progress: bool = False,
) -> Filtration:
    """Return the decisions on candidates by ImageNet-A's rule: fool every filter [nae, sec. 3].

    Each filter classifies ten crops of a candidate. A candidate is rejected at the step

    - "correct" if any filter classifies any crop correctly,
    - "confident" if any filter gives the true class more than `confidence`: the mean of its
      probabilities over the ten crops (the paper does not say which probability it means),
    - "confusion" if `most` candidates before it, in their order, were kept with the same true
      class and the same class predicted by the first filter (the largest mean probability).

    The remaining candidates are "shortlisted", for review by people.

    Args:
        filters: classifiers whose outputs are the candidates' classes. The paper uses two
            ResNet-50s: one with `class_subset.restrict`, and one fine-tuned on the classes.
        confidence: threshold of the second step, a fraction.
        most: maximum number of candidates per pair of true and predicted class; None keeps all.
        crop: side of a crop in pixels; None: a model's own crop if that is smaller than its frame,
            else seven eighths of the frame.
        store: store of predictions, so that an interrupted run can continue and a new threshold
            needs no forward pass; None stores nothing.
        chunk: number of candidates stored together.
        batch_size: images per forward pass; neither this nor `chunk` changes a decision.

    Raises:
        InputError: no candidates, no filters, two with the same name, outputs that do not match the
            classes, a label that is not among them, a threshold outside [0, 1], a size below one,
            or crops that are not smaller than the frame.
        ModelError: a filter returns NaN, infinity or a wrong shape.
    """
    _require(candidates, filters, confidence, most, (chunk, batch_size))
    _require_labels(candidates)
    cropped = [ten_crops.as_filter(model, crop) for model in filters]
    said = ten_crops.answers(
        candidates, cropped, store=store, chunk=chunk, batch_size=batch_size, progress=progress
    )
    labels = np.asarray(candidates.labels, np.int64)
    return _filtration(
        "imagenet-a",
        candidates,
        filters,
        labels,
        said,
        adversarial_steps(labels, said["predicted"], said["in_truth"], confidence, most),
        {
            "confidence": confidence,
            "most": most,
            "crops": [f.side for f in cropped],
            "fingerprints": [f.fingerprint for f in cropped],
        },
    )


def anomalous_filter(
    candidates: ImageSet,
    model: Classifier,
    *,
    outputs: Sequence[int] | None = None,
    confidence: float = 0.8,
    most: int | None = None,
    store: Store | None = None,
    chunk: int = 512,
    batch_size: int = 64,
    progress: bool = False,
) -> Filtration:
    """Return the decisions on OOD candidates by ImageNet-O's rule: high confidence [nae, sec. 3].

    A candidate is rejected at the step "unconfident" if the largest probability of a class of the
    set, on the model's own crop, is below `confidence`, and at "repeated" if `most` candidates
    before it were kept with the same predicted class. The others are "shortlisted". The model
    chooses among all its classes: an object that it confidently assigns to a class outside the set
    is rejected.

    Args:
        candidates: an image set of objects outside all classes; its labels are not used.
        model: a classifier whose outputs are the set's classes, or include them.
        outputs: indices of the outputs for the set's classes, in their order; None: all.
        confidence: threshold, a fraction. The paper states "high confidence"; 0.8 is ours.
        most: maximum number of candidates per predicted class; None keeps all.

    Raises:
        InputError: no candidates, outputs that do not match the classes, a threshold outside [0,
            1], or a size below one.
        ModelError: the model returns NaN, infinity or a wrong shape.
    """
    asked = model if outputs is None else select(model, outputs, candidates.classes)
    _require(candidates, [asked], confidence, most, (chunk, batch_size))
    told = predict(
        model,
        candidates,
        cache=store,
        batch_size=batch_size,
        keep="reduced" if outputs is None else "logits",
        chunk=chunk,
        progress=progress,
    )
    predicted, share = told.predicted, told.confidence.astype(np.float64)
    if outputs is not None and told.logits is not None:
        among = softmax(told.logits.astype(np.float64), axis=1)[:, list(outputs)]
        predicted, share = among.argmax(axis=1), among.max(axis=1)
    said = {
        "predicted": predicted[:, None],
        "confidence": share[:, None],
        "in_truth": np.full((len(told), 1), np.nan),
    }
    return _filtration(
        "imagenet-o",
        candidates,
        [model],
        np.full(len(told), UNKNOWN, np.int64),
        said,
        anomalous_steps(predicted, share, confidence, most),
        {
            "confidence": confidence,
            "most": most,
            "outputs": model.outputs,
            "fingerprints": [told.fingerprint],
        },
    )


def by_rule(
    rule: Rule, candidates: ImageSet, filters: Sequence[Classifier], **settings: Any
) -> Filtration:
    """Return the filtration by one of the two rules; `settings` are those of the rule's function.

    Filters may have further classes. ImageNet-A's rule leaves these out; ImageNet-O's uses the
    confidence among all classes of the filter.

    Raises:
        InputError: a filter lacks the candidates' classes.
    """
    classes, names = candidates.classes, candidates.class_names
    if rule == "imagenet-a":
        known = [restrict(model, classes, names) for model in filters]
        return adversarial_filter(candidates, known, **settings)
    (model,) = filters
    outputs = require(model.name, model.classes, model.outputs, classes, names)
    if outputs == tuple(range(model.outputs)):
        return anomalous_filter(candidates, model, **settings)
    return anomalous_filter(candidates, model, outputs=outputs, **settings)


def _filtration(
    rule: Rule,
    candidates: ImageSet,
    filters: Sequence[Classifier],
    labels: Int64[np.ndarray, " candidates"],
    said: dict[str, np.ndarray],
    steps: tuple[str, ...],
    settings: dict[str, Any],
) -> Filtration:
    return Filtration(
        rule=rule,
        filters=tuple(model.name for model in filters),
        class_names=tuple(candidates.class_names),
        ids=tuple(candidates.ids),
        labels=labels,
        steps=steps,
        settings={"candidates": candidates.name, "digest": candidates.digest, **settings},
        predicted=said["predicted"],
        confidence=said["confidence"],
        in_truth=said["in_truth"],
    )


def _require(
    candidates: ImageSet,
    filters: Sequence[Classifier],
    confidence: float,
    most: int | None,
    sizes: tuple[int, int],
) -> None:
    if not len(candidates):
        raise InputError(f"Expected {candidates.name} to have candidates, but it has none.")
    if not filters:
        raise InputError("Expected at least one classifier to filter with, but got none.")
    names = [model.name for model in filters]
    if len(set(names)) < len(names):
        raise InputError(f"Expected filters with different names, but got {', '.join(names)}.")
    classes = len(candidates.class_names)
    for model in filters:
        if model.outputs != classes:
            raise InputError(
                f"Expected {model.name} to have {classes} outputs, the classes of "
                f"{candidates.name}, but it has {model.outputs}. Remove the other outputs with "
                "class_subset.restrict, or use a model with these classes."
            )
    if not 0 <= confidence <= 1:
        raise InputError(
            f"Expected a confidence from 0 to 1, but got {confidence}. It is a fraction: 15 % is "
            "0.15."
        )
    if min(sizes) < 1 or (most is not None and most < 1):
        raise InputError(
            "Expected `most`, `chunk` and `batch_size` to be at least 1, but got "
            f"{most}, {sizes[0]} and {sizes[1]}."
        )


def _require_labels(candidates: ImageSet) -> None:
    labels, classes = np.asarray(candidates.labels), len(candidates.class_names)
    wrong = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(wrong):
        place = int(wrong[0])
        raise InputError(
            f"Expected labels from 0 to {classes - 1} in {candidates.name}, but "
            f"{candidates.ids[place]} has {labels[place]}. ImageNet-A's rule needs the true class "
            "of every candidate."
        )
