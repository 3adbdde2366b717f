"""Natural Adversarial Objects: records, roles, detectors, and the boxes that they find.

All four chapters use the same images, so the boxes are found once for all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.errors import InputError
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.objects import confusions, error_kinds, scored_boxes, size_and_class
from robust_lib.protocols.objects.confusions import Confusion
from robust_lib.protocols.objects.error_kinds import ErrorKinds
from robust_lib.protocols.objects.scored_boxes import Scored, Settings
from robust_lib.results.table import Results
from robust_lib.run import roles
from robust_lib.run.boxes_of_files import require_file_of_each, with_file
from robust_lib.run.chapter import Chapter, OnBoxes
from robust_lib.run.detectors import FoundBySeed, weights_of
from robust_lib.run.experiments import as_list
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.run import Run

Kinds = Mapping[str, tuple[ErrorKinds, ErrorKinds]]
"""Detector -> its errors in the ordinary and in the adversarial images."""

Sets = tuple[ImageSet, ImageSet]
"""Ordinary and adversarial images."""

Measured = TypeVar("Measured")

ORDINARY = "coco_val"
ADVERSARIAL = "nao"
TRAINING = "coco_train"
POOL = "openimages"
AT_RANDOM = "openimages_random"
"""Images of the pool, drawn at random: what a drop costs without any choice."""

FILTER = "efficientdet_d7"
"""The detector whose mistakes chose the adversarial objects [nao, sec. 3.3]."""

WORDS = "{title}: {images} images, {classes} classes, {seeds}"

ON_OBJECTS = OnBoxes((ORDINARY, ADVERSARIAL))
"""One evaluation, so that the chapters share boxes."""


ON_POOL = OnBoxes((AT_RANDOM,), if_there=True)


def record(notebook: str) -> Chapter:
    """Return the record of a chapter whose networks are detectors.

    >>> record("nao_2_map").role
    'nao'
    """
    return Chapter(
        notebook,
        networks="nao",
        role=ADVERSARIAL,
        shows=(ON_OBJECTS,),
        every_image=True,
        description=WORDS,
    )


MAP = replace(record("nao_2_map"), shows=(ON_OBJECTS, ON_POOL), checks=(Settings,))
"""The chapter whose boxes the other chapters look at as well."""


def weights(run: Run) -> dict[str, int]:
    """Return the number of weights of each of the run's detectors.

    >>> from dataclasses import replace
    >>> weights(replace(run, networks=()))
    {}
    """
    return weights_of(run.detectors_of(run.networks))


def found(
    run: Run, detections: str | Sequence[str] | None = None
) -> tuple[FoundBySeed, FoundBySeed]:
    """Return the boxes that detectors find in ordinary and in adversarial images.

    Args:
        detections: files with other detectors' boxes; see `boxes_of_files.with_file`. `{role}` in a
            path stands for "coco_val" and "nao".

    Raises:
        InputError: there is no detector.
        DataError: a detector's file is missing for one of the two roles.
    """
    given = as_list(detections)
    files = [given] if isinstance(given, str) else list(given or ())
    if not (run.networks or files):
        raise InputError("Expected at least one detector, but got none. Pass models or detections.")
    for path in files:
        require_file_of_each(path, (ORDINARY, ADVERSARIAL))

    def of(role: str) -> FoundBySeed:
        boxes = run.detect(role)
        for path in files:
            boxes = with_file(boxes, run, role, path)
        return boxes

    return of(ORDINARY), of(ADVERSARIAL)


def scored(
    images: Sets, found: tuple[FoundBySeed, FoundBySeed], how: Settings
) -> dict[str, tuple[Scored, Scored]]:
    """Return detectors' boxes matched with the objects in ordinary and adversarial images.

    >>> images = toys.Shapes(), toys.Shapes()
    >>> list(scored(images, (toys.object_boxes({"mine": 9}),) * 2, Settings()))
    ['mine']
    """
    return _on_both(
        images,
        found,
        lambda by_seed, ids, objects: scored_boxes.scored(by_seed, ids, objects, how),
    )


def by_size_and_class(
    images: Sets,
    found: tuple[FoundBySeed, FoundBySeed],
    on_both: Mapping[str, tuple[Scored, Scored]],
    how: Settings,
) -> Results:
    """Return detectors' mAP by the size of objects, and by class on the adversarial images.

    >>> images, boxes = toys.pictures(), toys.object_boxes({"mine": 9})
    >>> on_both = scored(images, (boxes, boxes), Settings(samples=20))
    >>> rows = by_size_and_class(images, (boxes, boxes), on_both, Settings(samples=20))
    >>> rows.row(dataset="shapes/small", metric="objects").value
    10.0
    """
    sized = _on_both(
        images,
        found,
        lambda by_seed, ids, objects: scored_boxes.by_size(by_seed, ids, objects, how),
    )
    return size_and_class.results(sized, on_both, images[0].class_names)


def scored_at_random(run: Run, how: Settings) -> dict[str, Scored]:
    """Return the run's detectors' boxes matched with the objects in random images of the pool.

    The result is empty if these images are not available, and omits detectors read from files.
    """
    if not roles.is_there(run.profile, AT_RANDOM):
        return {}
    images = run.image_set(AT_RANDOM)
    objects = as_objects(images)
    return {
        name: scored_boxes.scored(by_seed, images.ids, objects, how)
        for name, by_seed in run.detect(AT_RANDOM).items()
    }


def kinds_of_error(images: Sets, found: tuple[FoundBySeed, FoundBySeed]) -> Kinds:
    """Return the kinds of errors that detectors make in ordinary and in adversarial images.

    >>> images = toys.Shapes(), toys.Shapes()
    >>> kinds_of_error(images, (toys.object_boxes({"mine": 9}),) * 2)["mine"][0].images
    12
    """
    return _on_both(images, found, error_kinds.error_kinds)


def _on_both(
    images: Sets,
    found: tuple[FoundBySeed, FoundBySeed],
    measure: Callable[[Sequence[FoundBoxes], Sequence[str], Sequence[Objects]], Measured],
) -> dict[str, tuple[Measured, Measured]]:
    """Return what is measured of each detector that has boxes in both sets of images."""
    objects = [as_objects(one) for one in images]
    ordinary, adversarial = (
        {name: measure(by_seed, one.ids, known) for name, by_seed in boxes.items()}
        for boxes, one, known in zip(found, images, objects, strict=True)
    )
    return {name: (ordinary[name], adversarial[name]) for name in ordinary if name in adversarial}


def confused(images: ImageSet, found: FoundBySeed, detector: str) -> tuple[Confusion, ...]:
    """Return the classes that a detector, trained with the first seed, confuses.

    >>> confused(toys.Shapes(), toys.object_boxes({"mine": 12}), "mine")[0].predicted
    'box'
    """
    wrong = confusions.mistakes(
        found[detector][0], images.ids, as_objects(images), images.class_names
    )
    return confusions.confusions(wrong)
