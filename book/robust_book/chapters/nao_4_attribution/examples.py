"""Images of each study: replaced backgrounds, attribution maps, swapped patches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robust_book.chapters.nao_4_attribution.studies import SETS, Study
from robust_book.figures.heat import over
from robust_lib import datasets
from robust_lib.metrics.boxes import Detections
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.attribution.predictions import taken
from robust_lib.protocols.attribution.shares import Shares, attributed
from robust_lib.run.run import Run
from robust_lib.types import AnyPicture

_AS_IT_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Shown:
    """Images in rows, with a caption each.

    Attributes:
        pictures: 8-bit RGB, row by row.
        captions: one caption per image.
        columns: number of images per row.
    """

    pictures: tuple[AnyPicture, ...]
    captions: tuple[str, ...]
    columns: int


def changed(studies: Mapping[str, Study], names: Sequence[str], most: int = 1) -> Shown:
    r"""Return some original and changed images of objects, with the detector's probabilities.

    For each set, the objects with the change nearest to the mean are shown: neither the best nor
    the worst.

    Args:
        names: titles of the shown versions.

    >>> from robust_book.chapters.nao_4_attribution.studies import grounds
    >>> from robust_book.chapters.nao_4_attribution.studies import replaced
    >>> from robust_lib.protocols.attribution.changes import Settings
    >>> found = replaced(run, "mine", grounds(run, "mine"), Settings(score=0.5), 6)
    >>> changed(found, ["underwater", "beach"]).captions[:3]
    ('disc 85 %', 'underwater\ndisc 85 %', 'beach\ndisc 85 %')
    """
    pictures: list[AnyPicture] = []
    captions: list[str] = []
    for study in studies.values():
        for number in _typical(study, most):
            before, versions = study.found.before, len(study.found.versions)
            label = study.found.classes[before.classes[number]]
            place = int(before.images[number])
            pictures.append(study.made.base.read(place, _AS_IT_IS))
            captions.append(f"{label} {100 * before.scores[number]:.0f} %")
            for version, name in enumerate(names):
                score = study.found.after[number, version]
                pictures.append(study.made.read(number * versions + version, _AS_IT_IS))
                said = f"{label} {100 * score:.0f} %" if score else "no longer detected"
                captions.append(f"{name}\n{said}")
    return Shown(tuple(pictures), tuple(captions), 1 + len(names))


def under_heat(run: Run, network: str, shares: Mapping[str, Shares], most: int = 4) -> Shown:
    """Return images under the attribution map of their most confident prediction, with its box.

    For each set, the first images with a counted share are shown, at most one per class.

    >>> under_heat(run, "mine", {}).pictures
    ()
    """
    detector = run.detectors_of([network])[network][0] if shares else None
    pictures: list[AnyPicture] = []
    captions: list[str] = []
    for name, found in shares.items():
        images = run.image_set(SETS[name])
        for number in _first_of_each_class(found, most):
            one = taken(found.of, np.array([number]))
            picture = images.read(int(one.images[0]), _AS_IT_IS)
            image = datasets.to_images(picture[None])[0]
            assert detector is not None
            heat = attributed(detector, image, one, found.settings).heat[0]
            pictures.append(over(picture, heat.astype(np.float64), [_corners(one)]))
            inside = 100 * found.numbers["inside"][number]
            captions.append(f"{found.classes[one.classes[0]]}: {inside:.0f} % inside")
    return Shown(tuple(pictures), tuple(captions), most)


def _typical(study: Study, most: int) -> list[int]:
    """Return the predictions with the change nearest to the mean, at most one per image."""
    found = study.found
    if not len(found.before.images):
        return []
    change = np.abs(found.after - found.before.scores[:, None]).mean(1)
    order = np.argsort(np.abs(change - change.mean()), kind="stable")
    _, first = np.unique(found.before.images[order], return_index=True)
    return [int(order[at]) for at in np.sort(first)[:most]]


def _first_of_each_class(found: Shares, most: int) -> list[int]:
    kept = np.flatnonzero(found.kept)
    _, first = np.unique(found.of.classes[kept], return_index=True)
    return [int(kept[at]) for at in np.sort(first)[:most]]


def _corners(one: Detections) -> tuple[float, float, float, float]:
    left, top, right, bottom = map(float, one.boxes[0])
    return left, top, right, bottom
