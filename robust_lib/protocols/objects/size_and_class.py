"""mAP by object size and average precision by class, as rows; [nao] prints neither."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robust_lib.metrics.box_matching import SIZES, Size
from robust_lib.metrics.detection import precision_by_class
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.scored_boxes import Scored
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results

Sized = Mapping[str, tuple[Mapping[Size, Scored], Mapping[Size, Scored]]]
"""Network -> `scored_boxes.by_size` of the ordinary and of the adversarial images."""


def results(
    sized: Sized, on_both: Mapping[str, tuple[Scored, Scored]], classes: Sequence[str]
) -> Results:
    """Return mAP by size in both data sets, and average precision by class in the adversarial one.

    A size or class is written as a part of the data set; one without objects has no row. The number
    of objects is added to each mAP.

    Args:
        on_both: network -> `scored` of the ordinary and of the adversarial images.
        classes: names, in the order of the labels.

    >>> on_both, sized = toys.coco_maps({"mine": (12, 6)}), toys.by_size({"mine": (12, 6)})
    >>> rows = results(sized, on_both, ["disc", "box", "cross"])
    >>> [row.dataset for row in rows.select(metric="map", model="mine").rows][-3:]
    ['nao/disc', 'nao/box', 'nao/cross']
    """
    rows: list[Row] = []
    for network, both in sized.items():
        for by_size in both:
            for size, one in by_size.items():
                rows += _of_size(network, size, one)
    for network, (_, adversarial) in on_both.items():
        rows += _by_class(network, adversarial, classes)
    return Results.of(dict.fromkeys(rows))


def _of_size(network: str, size: Size, one: Scored) -> Iterator[Row]:
    objects = len(one.matches[0].objects)
    part = f"{one.dataset}/{size}"
    yield Row(item=ITEM, dataset=part, metric="objects", value=float(objects))
    if objects:
        words = f"{one.settings.words}; {size} objects: {area_words(size)}"
        yield Row.of(
            one.map(), item=ITEM, dataset=part, model=network, metric="map", convention=words
        )


def _by_class(network: str, one: Scored, classes: Sequence[str]) -> Iterator[Row]:
    by_seed = [precision_by_class(m, None, one.settings.interpolation) for m in one.matches]
    objects = np.bincount(one.matches[0].object_classes, minlength=len(classes))
    for label, name in enumerate(classes):
        part = f"{one.dataset}/{name}"
        yield Row(item=ITEM, dataset=part, metric="objects", value=float(objects[label]))
        if objects[label]:
            found = Estimate.over([seed[label] for seed in by_seed], n=one.images,
                                  n_full=one.images_full)  # fmt: skip
            yield Row.of(
                found, item=ITEM, dataset=part, model=network, metric="map",
                convention=one.settings.words,
            )  # fmt: skip


def area_words(size: Size) -> str:
    """Return the range of areas of a size, as text.

    >>> [area_words(size) for size in SIZES]
    ['up to 32² pixels', '32² to 96² pixels', 'from 96² pixels']
    """
    low, high = (f"{end**0.5:.0f}²" for end in SIZES[size])
    words = {"small": f"up to {high}", "large": f"from {low}"}.get(size, f"{low} to {high}")
    return f"{words} pixels"
