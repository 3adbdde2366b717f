"""Adversarial objects, constructed here: confident mistakes that annotators confirm.

The full profile reads the release instead, whose images EfficientDet-D7 and people selected.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from robust_lib.cache import Store
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.curation import object_review
from robust_lib.curation.object_filtration import ObjectFiltration, construct
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import Subset
from robust_lib.errors import DataError
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.run import detectors, image_kinds, image_sets, roles
from robust_lib.run.network import resolved

FILTERED = "filtered_objects"
"""The kind of such a data set."""


@dataclass(frozen=True, eq=False)
class ObjectConstruction:
    """The steps by which a data set of adversarial objects was constructed.

    Attributes:
        filtration: the mistakes in the images, and the annotators' judgements of these.
    """

    name: str
    pool: ImageSet
    found: FoundBoxes
    filtration: ObjectFiltration

    @cached_property
    def images(self) -> Subset:
        """Return the data set: the images with a confirmed mistake.

        Raises:
            DataError: no image is left.
        """
        places = self.filtration.places
        if not places:
            raise DataError(
                f"Expected some of the {len(self.pool):,} images of {self.pool.name} to show a "
                f"confident mistake of {self.found.model} that annotators confirm, but none does. "
                "Lower the score, or draw more images."
            )
        return Subset(self.pool, places, called=self.name)


def is_constructed(profile: Profile, role: str) -> bool:
    """Return whether the adversarial objects that play a role are constructed here.

    >>> from robust_lib.config.profiles import load_profile
    >>> [is_constructed(load_profile(name), "nao") for name in ("mini", "full")]
    [True, False]
    """
    return roles.kind(profile, role) == FILTERED


def construction(
    profile: Profile,
    role: str,
    store: Store,
    *,
    detector: str | None = None,
    score: float | None = None,
    iou: float | None = None,
    annotators: int | None = None,
    count_foreign: bool = False,
) -> ObjectConstruction:
    """Return how adversarial objects were constructed; stored boxes are reused.

    The filter is the first seed's, so that detectors of all seeds see the same images. The
    annotators are simulated: they have the generator's ground truth of each object.

    Args:
        detector: filtering detector, by the paper's name or ours; None: the manifest's.
        score: threshold that the score of a confident mistake exceeds; None: the manifest's, or the
            score that the manifest's number `surest` of boxes exceeds, if that is lower, since a
            barely trained detector has no high scores.
        iou: threshold that the IoU of a detection with its object exceeds; None: the manifest's.
        annotators: number of annotators; None: the manifest's.
        count_foreign: whether out-of-distribution objects count as objects, see
            `curation.candidates`.

    Raises:
        InputError: an unknown role, or invalid thresholds.
    """
    manifest = load_dataset(profile.data[role])
    options = manifest.options
    pool = image_sets.image_set(profile, options["candidates"], store)
    first = profile.model_copy(update={"seeds": profile.seeds[:1], "limit": None})
    (usual,) = options["filters"]
    network = resolved(profile, options["networks"], detector or usual)
    by_name = detectors.detectors(first, [network], store)
    marks = detectors.fingerprints_of(by_name)
    ((found,),) = detectors.found_boxes(by_name, pool, first, store, marks).values()
    filtration = construct(
        image_kinds.as_objects(pool),
        found.detections,
        object_review.annotators(
            image_kinds.as_layouts(pool),
            options["annotators"] if annotators is None else annotators,
        ),
        score=_usual_score(options, found) if score is None else score,
        iou=options["iou"] if iou is None else iou,
        count_foreign=count_foreign,
    )
    return ObjectConstruction(manifest.name, pool, found, filtration)


def _usual_score(options: Mapping[str, Any], found: FoundBoxes) -> float:
    """Return the manifest's score threshold, or that of its `surest` boxes if that is lower."""
    scores = np.sort(found.detections.scores)
    surest = min(options["surest"], len(scores) - 1)
    if surest < 1:
        return float(options["score"])
    return min(float(options["score"]), float(scores[-surest - 1]))
