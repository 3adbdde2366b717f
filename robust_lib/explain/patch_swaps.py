"""Patch swaps: images whose object is scrambled inside its box, while its texture is kept.

Two patches of the box change places, three times, so that "object is barely recognizable by just
the shape" [nao, sec. 4.6]. The paper does not state the size of a patch. Two stronger changes give
a scale for the effect of a swap: all patches in random order, and grey noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, one_of
from robust_lib.explain.interventions import Versions
from robust_lib.types import Picture

Box = Float[np.ndarray, "4"]
Crop = Picture

SWAPS = 3
REPEATS = 10
"""Swaps of a version, and versions of a prediction [nao, sec. 4.6]."""

PATCH = 1 / 3
"""Sides of a patch as a share of the box's: six such patches are two thirds of it."""

_TRIES = 1000
_ROUNDING = 1e-9
FORMAT = 1
"""Raise it when the same change of the same image would look other than before."""


def swapped(crop: Crop, rng: np.random.Generator, *, swaps: int, patch: float) -> Crop:
    """Return a crop in which pairs of patches are swapped.

    The two patches of a swap do not overlap; those of different swaps may. A crop without room for
    two patches is unchanged.

    Args:
        patch: sides of a patch as a share of the crop's sides, up to a half.
    """
    found = crop.copy()
    high, wide = (max(1, round(patch * side)) for side in crop.shape[:2])
    rows, columns = crop.shape[0] - high + 1, crop.shape[1] - wide + 1
    if not crop.size or (rows <= high and columns <= wide):  # any two overlap
        return found
    for _ in range(swaps):
        for _ in range(_TRIES):
            tops, lefts = rng.integers(0, rows, 2), rng.integers(0, columns, 2)
            if abs(tops[0] - tops[1]) >= high or abs(lefts[0] - lefts[1]) >= wide:
                one, other = (
                    (slice(top, top + high), slice(left, left + wide))
                    for top, left in zip(tops, lefts, strict=True)
                )
                found[one], found[other] = found[other].copy(), found[one].copy()
                break
    return found


def shuffled(crop: Crop, rng: np.random.Generator, *, patch: float) -> Crop:
    """Return a crop with its patches in random order; a remainder at the edges is unchanged.

    Args:
        patch: sides of a patch as a share of the crop's sides.
    """
    found = crop.copy()
    high, wide = (max(1, int(patch * side + _ROUNDING)) for side in crop.shape[:2])
    corners = [
        (top, left)
        for top in range(0, crop.shape[0] - high + 1, high)
        for left in range(0, crop.shape[1] - wide + 1, wide)
    ]
    for (top, left), source in zip(corners, rng.permutation(len(corners)), strict=True):
        y, x = corners[source]
        found[top : top + high, left : left + wide] = crop[y : y + high, x : x + wide]
    return found


def noise(crop: Crop, rng: np.random.Generator) -> Crop:
    """Return grey noise in place of a crop: a random grey level for every pixel."""
    levels = rng.integers(0, 256, (*crop.shape[:2], 1), dtype=np.uint8)
    return np.repeat(levels, 3, axis=2)


EDITS = ("swaps", "shuffle", "noise")
"""The edits inside a box: the paper's swaps, and the two that leave less of the object."""


@dataclass(frozen=True, eq=False)
class Boxed:
    """A prediction whose box is changed: the index of its image in a set, and its box."""

    place: int
    box: Box


def patched(
    base: ImageSet,
    boxes: Sequence[Boxed],
    edit: str = "swaps",
    *,
    swaps: int = SWAPS,
    repeats: int = REPEATS,
    patch: float = PATCH,
    seed: int = 0,
) -> Versions:
    """Return changed versions of the images of some predictions, one prediction after another.

    A version depends on the seed, its image's id, the number of the prediction among those of the
    image, and the repeat; outside the box, the image is unchanged.

    Args:
        edit: a name of `EDITS`.
        repeats: number of versions per prediction.
        patch: sides of a patch as a share of the box's sides.

    Raises:
        InputError: an unknown edit, no swaps or repeats, or patches larger than half of the box.
    """
    if edit not in EDITS:
        raise InputError(one_of("edit", edit, EDITS))
    if min(swaps, repeats) < 1 or not 0 < patch <= 0.5:
        raise InputError(
            "Expected swaps and repeats of at least 1, and patches above 0 and up to 0.5 of a "
            f"box's sides, but got {swaps}, {repeats} and {patch:g}."
        )
    numbers = _numbered([one.place for one in boxes])
    versions = [(one, repeat) for one in range(len(boxes)) for repeat in range(repeats)]

    def change(picture: Picture, index: int) -> Picture:
        one, repeat = versions[index]
        boxed = boxes[one]
        name = base.ids[boxed.place]
        rng = seeds.generator(seed, name, numbers[one], repeat, f"patches: {edit}")
        inside = pixels(boxed.box, picture)
        found = picture.copy()
        if edit == "swaps":
            found[inside] = swapped(picture[inside], rng, swaps=swaps, patch=patch)
        elif edit == "shuffle":
            found[inside] = shuffled(picture[inside], rng, patch=patch)
        else:
            found[inside] = noise(picture[inside], rng)
        return found

    about = {
        "format": FORMAT,
        "swaps": swaps if edit == "swaps" else None,
        "patch": patch if edit != "noise" else None,
        "seed": seed,
        "boxes": [one.box.astype(np.float64).tolist() for one in boxes],
    }
    places = [boxes[one].place for one, _ in versions]
    marks = [f"{numbers[one]}/{edit}-{repeat}" for one, repeat in versions]
    return Versions(base, edit, places, marks, change, about)


def pixels(box: Box, picture: Picture) -> tuple[slice, slice]:
    """Return the rows and columns of an image that are entirely inside a box, xyxy."""
    height, width = picture.shape[:2]
    left, top = (max(0, int(np.ceil(edge))) for edge in box[:2])
    right, bottom = (int(np.floor(edge)) for edge in box[2:])
    right, bottom = min(right, width), min(bottom, height)
    return slice(top, max(top, bottom)), slice(left, max(left, right))


def _numbered(places: Sequence[int]) -> list[int]:
    """Return the number of each prediction among those of its image, from 0."""
    return [list(places[:at]).count(place) for at, place in enumerate(places)]
