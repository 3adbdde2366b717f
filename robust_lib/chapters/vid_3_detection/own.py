"""The detectors of a run: how those trained here learned, and a user's, from a file of boxes."""

from collections.abc import Mapping
from pathlib import Path

from robust_lib.errors import InputError
from robust_lib.predict import detections_file
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.run.detectors import FoundBySeed, trained_detectors
from robust_lib.run.network import Network
from robust_lib.run.run import Run

Losses = dict[str, list[list[float]]]


def losses(run: Run) -> Losses:
    """Return title of a detector -> for each of those trained here its loss by epoch.

    >>> from dataclasses import replace
    >>> losses(replace(run, networks=()))
    {}
    """
    found: Losses = {}
    for made in trained_detectors(run.profile, run.networks, run.store):
        title = Network.read(made.model.name).plain.title
        found.setdefault(title, []).append(list(made.curves.loss))
    return found


def with_file(found: FoundBySeed, run: Run, role: str, path: str | None) -> FoundBySeed:
    """Return what detectors found, and what a file says that another one did.

    Args:
        found: of `Run.detect`.
        run: of the chapter.
        role: of the frames.
        path: COCO results json. An image_id is the path of a frame, such as
            "val/ILSVRC2015_val_00000000/000442.JPEG", a category_id the number of a class from 0,
            in the order of the class list. None: no file.

    Raises:
        InputError: ids of other frames or classes, or a file called as one of the detectors.
        DataError: no such file, or no results.

    >>> with_file({}, run, "imagenet_vid_robust_boxes", None)
    {}
    """
    if path is None:
        return found
    images, name = run.image_set(role), Path(path).stem
    if name in found:
        raise InputError(
            f"Expected a file called otherwise than the run's detectors, but got {name}. Rename it."
        )
    categories: Mapping[int, int] = {place: place for place in range(len(images.class_names))}
    detections = detections_file.load(Path(path), images.ids, categories)
    own = FoundBoxes(name, images.name, tuple(images.ids), detections, 0.0, len(detections.images))
    return {**found, name: (own,)}
