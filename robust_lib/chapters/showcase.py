"""What corruptions look like: pictures under many of them, stored as the benchmark stores them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from robust_lib.datasets import ImageSet
from robust_lib.datasets.imagenet_c import Storage, corrupt_stack
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.types import Picture
from robust_lib.vocabulary import NAMES, SEVERITIES

PHOTOGRAPHS = ("china", "flower", "portrait")
CAPTIONS = ("clean", *(f"severity {severity}" for severity in SEVERITIES))
CLEAN = "clean"
FILE = "showcase-{picture}-{corruption}-{severity}.webp"
"""The file of a picture under a corruption; the clean one has severity 0."""

_SIDE = 224  # pixels, of the benchmark's pictures
_WHOLE = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Shown:
    """A picture to be looked at, and how it is called; its side is named where it is unusual."""

    words: str
    picture: Picture

    @property
    def title(self) -> str:
        """Return its name for readers.

        >>> Shown("Bell", np.zeros((64, 64, 3), np.uint8)).title
        'Bell (64 px)'
        """
        side = len(self.picture)
        return self.words if side == _SIDE else f"{self.words} ({side} px)"


def photograph(name: str, *, side: int = _SIDE) -> Picture:
    """Return one of the photographs that come with this project's packages, cut to a square.

    Args:
        name: one of `PHOTOGRAPHS`; the first two come with scikit-learn, the third with matplotlib.
        side: pixels of the square; the shorter side is resized to 8/7 of it, as ImageNet's 256
            is of 224.
    """
    if name not in PHOTOGRAPHS:
        raise InputError(one_of("photograph", name, PHOTOGRAPHS))
    return Preprocessing(side * 8 // 7, side).apply(_bundled(name))


def pictures(run: Any, scenes: int) -> dict[str, Shown]:
    """Return the photographs, and the first pictures of the evaluated set, by name.

    A picture of the set is taken whole if it is small, and else prepared as the benchmark prepares
    its pictures.

    Args:
        run: what has the evaluated set as its `images`, such as a `Run`; read only if wanted.
        scenes: how many pictures of it; with 0 no data is asked for.

    Raises:
        InputError: fewer than none, or more than the set has.
    """
    if scenes and not 0 < scenes <= len(run.images):
        raise InputError(
            f"Expected 0 to {len(run.images)} pictures of {run.images.name}, but got {scenes}."
        )
    found = {name: Shown(name.capitalize(), photograph(name)) for name in PHOTOGRAPHS}
    for place in range(scenes):
        words = run.images.class_names[int(run.images.labels[place])]
        name = f"{re.sub(r'[^a-z0-9]+', '_', words.lower())}_{place}"
        found[name] = Shown(words[:1].upper() + words[1:], _prepared(run.images, place))
    return found


def versions(shown: Mapping[str, Shown]) -> dict[str, Picture]:
    """Return each picture clean, and under every corruption at every severity, by `FILE`.

    The draws are keyed by the picture's name, so each has a fog of its own.
    """
    made = {}
    for name, one in shown.items():
        made[FILE.format(picture=name, corruption=CLEAN, severity=0)] = one.picture
        for corruption in NAMES:
            _, *corrupted = severities(one.picture, corruption, key=name)
            for severity, seen in zip(SEVERITIES, corrupted, strict=True):
                file = FILE.format(picture=name, corruption=corruption, severity=severity)
                made[file] = seen
    return made


def gallery(
    picture: Picture,
    corruptions: Sequence[str],
    severity: int,
    *,
    key: str = "showcase",
    storage: Storage = "jpeg85",
) -> list[Picture]:
    """Return a picture under each of several corruptions at one severity, 8-bit."""
    return [_shown(picture, name, severity, key, storage) for name in corruptions]


def severities(
    picture: Picture,
    corruption: str,
    *,
    key: str = "showcase",
    storage: Storage = "jpeg85",
) -> list[Picture]:
    """Return a picture clean and at the five severities of a corruption, 8-bit."""
    return [picture, *(_shown(picture, corruption, s, key, storage) for s in SEVERITIES)]


def counts(corruptions: Sequence[str], *, item: str = "inc-fig1") -> Results:
    """Return how many corruptions, severities and cells of both there are, as rows.

    Rows about a single corruption name it.
    """
    only = corruptions[0] if len(corruptions) == 1 else None
    numbers = {
        "corruption_types": len(corruptions),
        "severities": len(SEVERITIES),
        "distinct_corruptions": len(corruptions) * len(SEVERITIES),
    }
    return Results.of(
        Row(item=item, dataset="imagenet_c", corruption=only, metric=metric, value=float(value))
        for metric, value in numbers.items()
    )


def frost_words() -> str:
    """Return whose textures the frost is made of, for the convention line."""
    from robust_lib.corruptions import convention  # imports OpenCV

    return convention("frost")


def _bundled(name: str) -> Image.Image:
    if name == "portrait":
        from matplotlib.cbook import get_sample_data

        with Image.open(str(get_sample_data("grace_hopper.jpg", asfileobj=False))) as whole:
            return whole.convert("RGB")
    from sklearn.datasets import load_sample_image

    return Image.fromarray(load_sample_image(f"{name}.jpg"))


def _prepared(images: ImageSet, place: int) -> Picture:
    whole = images.read(place, _WHOLE)
    small = max(whole.shape[:2]) <= _SIDE
    return whole if small else images.read(place, Preprocessing(256, _SIDE))


def _shown(picture: Picture, name: str, severity: int, key: str, storage: Storage) -> Picture:
    made = corrupt_stack(picture[None], name, severity, ids=[key], storage=storage)[0]
    if made.dtype == np.uint8:
        return np.asarray(made)
    return (np.asarray(made) * 255).astype(np.uint8)
