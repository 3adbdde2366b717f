"""The three studies, on ordinary and on adversarial images, with their detectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robust_lib import datasets
from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet, derived
from robust_lib.datasets.objects import Objects
from robust_lib.datasets.user_folder import PREFIX, image_folder
from robust_lib.errors import InputError
from robust_lib.explain import backgrounds, patch_swaps
from robust_lib.explain.backgrounds import Cutout
from robust_lib.explain.interventions import Versions
from robust_lib.explain.patch_swaps import Boxed
from robust_lib.metrics.boxes import Detections
from robust_lib.models.detectors.contract import Detector
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.attribution import changes as protocol
from robust_lib.protocols.attribution.changes import Changes, Settings
from robust_lib.protocols.attribution.predictions import (
    of_the_surest_class,
    studied,
    surest,
    taken,
)
from robust_lib.protocols.attribution.shares import Settings as ShareSettings
from robust_lib.protocols.attribution.shares import Shares
from robust_lib.protocols.attribution.shares import shares as shares_of
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.papers import nao
from robust_lib.run.roles import is_there
from robust_lib.run.run import Run
from robust_lib.types import Picture

ROLE = "backgrounds"
MOST = 0.1
"""A detector may be this sure of something in a bare background [nao, sec. 4.4]."""


@dataclass(frozen=True, eq=False)
class Ground:
    """A background.

    Attributes:
        name: name of the scene, such as "beach".
        picture: 8-bit RGB image.
        surest: score of the most confident detection in it; 0 if there is none.
        passed_over: rejected images of the scene, with more confident detections.
    """

    name: str
    picture: Picture
    surest: float
    passed_over: int = 0

    @property
    def is_bare(self) -> bool:
        """Return whether the detector finds nothing in the background.

        >>> Ground("sky", np.zeros((4, 4, 3), np.uint8), 0.3).is_bare
        False
        """
        return self.surest <= MOST


def grounds(run: Run, network: str, folder: str | None = None) -> tuple[Ground, ...]:
    """Return a background of each scene: the first image without detections.

    If all images of a scene have detections, the image with the least confident ones is used. If
    the profile's images are missing, no background is returned.

    Args:
        folder: folder of a user's images, in subfolders named like the scenes; None: the profile's.

    Raises:
        InputError: a user's subfolders have other names.
        DataError: a user's folder is missing or empty.

    >>> [(one.name, one.is_bare) for one in grounds(run, "mine")][:2]
    [('underwater', True), ('beach', True)]
    """
    images = _images(run, folder)
    if images is None:
        return ()
    seen = run.image_set(run.chapter.role)
    # A detector is shown pictures of its own classes alone, of which these have none.
    bare = derived.unlabelled(images, seen.classes, seen.class_names)
    found = run.detect(bare, [network])[network][0].detections
    surest = np.zeros(len(images))
    np.maximum.at(surest, found.images, found.scores.astype(np.float64))
    chosen = []
    for label in np.unique(images.labels):
        places = np.flatnonzero(images.labels == label)
        fitting = surest[places] <= MOST
        at = int(fitting.argmax()) if fitting.any() else int(surest[places].argmin())
        picture = images.read(int(places[at]), _AS_IT_IS)
        name = images.class_names[label].replace("_", " ")
        chosen.append(Ground(name, picture, float(surest[places[at]]), at))
    return tuple(chosen)


def used(found: Sequence[Ground]) -> tuple[Ground, ...]:
    """Return the backgrounds without detections; all backgrounds if each has detections.

    >>> sky, sea = (Ground(name, np.zeros((4, 4, 3), np.uint8), score)
    ...     for name, score in (("sky", 0.0), ("sea", 0.4)))
    >>> [one.name for one in used([sky, sea])], [one.name for one in used([sea])]
    (['sky'], ['sea'])
    """
    return tuple(one for one in found if one.is_bare) or tuple(found)


def in_words(found: Sequence[Ground]) -> str:
    """Return a text on the detections in the backgrounds alone, or that there are none.

    >>> sky, sea = (Ground(name, np.zeros((4, 4, 3), np.uint8), score)
    ...     for name, score in (("sky", 0.0), ("sea", 0.4)))
    >>> in_words([sky])
    'on none of the 1 backgrounds alone does the detector have a confidence above 0.1'
    >>> in_words([sky, sea])
    'left out is sea, on which the detector has a confidence above 0.1'
    """
    if not found:
        return (
            "this study is left out, because there are no images of backgrounds: `robust "
            "fetch backgrounds` shows where they belong; or pass a folder as the parameter "
            "`backgrounds`"
        )
    offending = [one.name for one in found if not one.is_bare]
    if not offending:
        return (
            f"on none of the {len(found)} backgrounds alone does the detector have a "
            f"confidence above {MOST:g}"
        )
    if len(offending) == len(found):
        return (
            f"on all {len(found)} backgrounds alone, the detector has a confidence above "
            f"{MOST:g}, against the paper's rule; they are used nevertheless"
        )
    verb = "is" if len(offending) == 1 else "are"
    return (
        f"left out {verb} {', '.join(offending)}, on which the detector has a confidence above "
        f"{MOST:g}"
    )


def _images(run: Run, folder: str | None) -> ImageSet | None:
    if folder is not None:
        images = image_folder(
            folder.removeprefix(PREFIX), spaces=[load_classes(ROLE)], labelled=True
        )
        if images.classes != ROLE:
            raise InputError(
                f"Expected folders in {folder} with some or all of the names "
                f"{', '.join(load_classes(ROLE).names)}, but they are named after classes of "
                f"{images.classes}. "
                "Rename the folders."
            )
        return images
    return run.image_set(ROLE) if is_there(run.profile, ROLE) else None


SETS = {"ordinary": nao.ORDINARY, "adversarial": nao.ADVERSARIAL}
"""What a set is called -> its role."""

CONTROL = 2
"""Repeats of the changes that leave less; they are a scale, and need no tenfold care."""

SAMPLED = 1000
"""Images whose answers are attributed, at most [nao, sec. 4.5]."""

_AS_IT_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Study:
    """The effect of one change on a detector's predictions in one set of images.

    Attributes:
        found: confidence before and after the change.
        controls: name of a stronger change -> its effect.
        made: the changed images.
        left_out: predictions that could not be changed.
    """

    found: Changes
    controls: Mapping[str, Changes]
    made: Versions
    left_out: int = 0


def replaced(
    run: Run, network: str, places: Sequence[Ground], how: Settings, pictures: int | None
) -> dict[str, Study]:
    """Return the effect of other backgrounds on the most confident prediction of each image.

    Objects are cut out by annotated masks if available, else by the detector's predicted masks. The
    control is the object hidden under grey noise.

    Args:
        places: backgrounds to use; if empty, nothing is studied.
        pictures: maximum number of images per set; None takes all.

    Raises:
        InputError: the images have no masks, and the detector predicts none.

    >>> found = replaced(run, "mine", grounds(run, "mine"), Settings(score=0.5), 6)
    >>> list(found), found["ordinary"].found.after.shape
    (['ordinary', 'adversarial'], (6, 6))
    """
    if not places:
        return {}
    detector = run.detectors_of([network])[network][0]
    studies = {}
    for name, role in SETS.items():
        images = run.image_set(role)
        predictions = surest(_predictions(run, role, network, how.score, pictures))
        cutouts, kept = _cutouts(images, predictions, detector, how.iou)
        cut = taken(predictions, kept)
        made = backgrounds.on_grounds(images, cutouts, {one.name: one.picture for one in places})
        found = _changes(run, network, images, cut, made, [one.name for one in places], how)
        controls = _controls(run, network, images, cut, how, ("noise",))
        studies[name] = Study(found, controls, made, len(predictions.images) - len(kept))
    return studies


def swapped(
    run: Run,
    network: str,
    how: Settings,
    pictures: int | None,
    *,
    swaps: int = patch_swaps.SWAPS,
    repeats: int = patch_swaps.REPEATS,
    patch: float = patch_swaps.PATCH,
) -> dict[str, Study]:
    """Return the effect of swapped patches on every prediction.

    The controls are all patches shuffled, and grey noise.

    Args:
        pictures: maximum number of images per set; None takes all.
        patch: side of a patch as a fraction of the box's side.

    >>> found = swapped(run, "mine", Settings(score=0.5), 6, repeats=3)
    >>> found["adversarial"].found.after.shape, list(found["adversarial"].controls)
    ((6, 3), ['layouts_nao/shuffle', 'layouts_nao/noise'])
    """
    studies = {}
    for name, role in SETS.items():
        images = run.image_set(role)
        predictions = _predictions(run, role, network, how.score, pictures)
        made = patch_swaps.patched(
            images, _boxed(predictions), swaps=swaps, repeats=repeats, patch=patch
        )
        versions = [str(number) for number in range(repeats)]
        found = _changes(run, network, images, predictions, made, versions, how)
        controls = _controls(run, network, images, predictions, how, ("shuffle", "noise"), patch)
        studies[name] = Study(found, controls, made)
    return studies


def attributed(
    run: Run, network: str, how: ShareSettings, pictures: int | None
) -> dict[str, Shares]:
    """Return the share of each attribution in its box.

    Args:
        pictures: maximum number of images per set; None takes as many as the paper.

    Raises:
        InputError: the detector's locations cannot be fixed.

    >>> how = ShareSettings(score=0.0, steps=2, most_steps=2, moved=2)
    >>> found = attributed(run, "talkative", how, 1)
    >>> len(set(found["ordinary"].of.images.tolist()))
    1
    """
    detector = run.detectors_of([network])[network][0]
    many = SAMPLED if pictures is None else min(pictures, SAMPLED)
    found = {}
    for name, role in SETS.items():
        predictions = of_the_surest_class(_predictions(run, role, network, how.score, many))
        found[name] = shares_of(detector, run.image_set(role), predictions, how, run.store)
    return found


def _predictions(
    run: Run, role: str, network: str, score: float, pictures: int | None
) -> Detections:
    return studied(run.detect(role, [network])[network][0], score, pictures)


def _changes(
    run: Run,
    network: str,
    images: ImageSet,
    before: Detections,
    made: Versions,
    versions: Sequence[str],
    how: Settings,
) -> Changes:
    if not len(made):  # there is nothing to show the detector
        after = np.zeros((0, len(versions)))
        return Changes(images.name, tuple(images.class_names), before, tuple(versions), after, how)
    after_all = run.detect(made, [network])[network][0]
    return protocol.changes(
        before,
        after_all,
        versions,
        dataset=images.name,
        classes=images.class_names,
        settings=how,
    )


def _controls(
    run: Run,
    network: str,
    images: ImageSet,
    before: Detections,
    how: Settings,
    edits: Sequence[str],
    patch: float = patch_swaps.PATCH,
) -> dict[str, Changes]:
    versions = [str(number) for number in range(CONTROL)]
    found = {}
    for edit in edits:
        made = patch_swaps.patched(images, _boxed(before), edit, repeats=CONTROL, patch=patch)
        found[made.name] = _changes(run, network, images, before, made, versions, how)
    return found


def _boxed(predictions: Detections) -> list[Boxed]:
    return [
        Boxed(int(place), box.astype(np.float64))
        for place, box in zip(predictions.images, predictions.boxes, strict=True)
    ]


def _cutouts(
    images: ImageSet, predictions: Detections, detector: Detector, iou: float
) -> tuple[list[Cutout], np.ndarray]:
    """Return the objects that can be cut out, and which predictions are of these objects."""
    objects = as_objects(images)
    are_drawn = any(_has_masks(one) for one in objects)
    cutouts, kept = [], []
    for number, (place, box) in enumerate(
        zip(predictions.images, predictions.boxes.astype(np.float64), strict=True)
    ):
        if are_drawn:
            mask = backgrounds.exact_mask(objects[place], box, iou=iou)
        else:
            picture = images.read(int(place), _AS_IT_IS)
            mask = backgrounds.own_mask(detector, datasets.to_images(picture[None])[0], box)
        if mask is not None and mask.any():
            cutouts.append(Cutout.of(int(place), mask))
            kept.append(number)
    return cutouts, np.array(kept, np.int64)


def _has_masks(objects: Objects) -> bool:
    foreign = objects.foreign
    return objects.masks is not None or (foreign is not None and foreign.masks is not None)
