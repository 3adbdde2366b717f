"""The kinds of detectors' errors on ordinary and on adversarial objects, as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robust_lib.datasets.objects import Objects, truth_of
from robust_lib.metrics.detection_errors import (
    BACKGROUND,
    FOREGROUND,
    KINDS,
    costs,
    errors_of,
)
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.scored_boxes import seen
from robust_lib.results.row import Row
from robust_lib.results.table import Results

WORDS = (
    f"IoU {FOREGROUND:g}, {BACKGROUND:g} for the background; rise of mAP if all errors of a kind "
    "were corrected (TIDE)"
)


@dataclass(frozen=True)
class ErrorKinds:
    """One detector's errors in one data set: means over seeds.

    Attributes:
        costs: kind -> rise of mAP without these errors, a fraction.
        counts: kind -> number of errors.
    """

    dataset: str
    images: int
    costs: Mapping[str, float]
    counts: Mapping[str, float]


def error_kinds(
    found: Sequence[FoundBoxes], ids: Sequence[str], objects: Sequence[Objects]
) -> ErrorKinds:
    """Return the kinds of errors that a detector makes in a data set, and the cost of each.

    Raises:
        InputError: boxes in different images, or no objects in them.

    >>> images = toys.Shapes()
    >>> kinds = error_kinds(toys.object_boxes({"mine": 0}, images)["mine"], images.ids,
    ...     images.annotations)
    >>> max(kinds.costs, key=kinds.costs.get)
    'classification'
    """
    shown = seen(found[0], ids, objects)
    truth = truth_of(shown)
    by_seed = [errors_of(truth, one.detections) for one in found]
    cost = [costs(one) for one in by_seed]
    return ErrorKinds(
        found[0].dataset,
        len(shown),
        {kind: float(np.mean([one[kind] for one in cost])) for kind in KINDS},
        {kind: float(np.mean([one.counts[kind] for one in by_seed])) for kind in KINDS},
    )


def results(on_both: Mapping[str, tuple[ErrorKinds, ErrorKinds]]) -> Results:
    """Return the cost of each kind of error, as rows; the kind is given as a part of the data set.

    >>> rows = results(toys.kinds_of_error({"mine": (12, 6)}))
    >>> rows.row(dataset="nao/classification").value > 0
    True
    """
    return Results.of(
        Row(
            item=ITEM,
            dataset=f"{one.dataset}/{kind}",
            model=network,
            metric="error_cost",
            convention=WORDS,
            value=value,
            n=one.images,
            n_full=one.images,
        )
        for network, both in on_both.items()
        for one in both
        for kind, value in one.costs.items()
    )
