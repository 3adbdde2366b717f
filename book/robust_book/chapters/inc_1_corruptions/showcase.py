"""Images under many corruptions, stored as in the benchmark."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from robust_lib.config.corruption_cards import convention
from robust_lib.config.withheld import may_show
from robust_lib.datasets import ImageSet
from robust_lib.datasets.imagenet_c import Storage, corrupt_stack
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.run import Run
from robust_lib.types import Picture
from robust_lib.vocabulary import NAMES, SEVERITIES

PHOTOGRAPHS = ("china", "flower", "portrait")
CAPTIONS = ("clean", *(f"severity {severity}" for severity in SEVERITIES))
CLEAN = "clean"
FILE = "showcase-{picture}-{corruption}-{severity}.webp"
"""The file of an image under a corruption; the clean one has severity 0."""

_SIDE = 224  # pixels, of the benchmark's pictures
_AS_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Sample:
    """An image and its subject."""

    subject: str
    picture: Picture

    @property
    def title(self) -> str:
        """Return the sample's title, with the side of its image if that is unusual."""
        side = len(self.picture)
        return self.subject if side == _SIDE else f"{self.subject} ({side} px)"


def require(photograph: str, severity: int, corruption: str, scenes: int) -> None:
    """Raise InputError unless the photograph, severity, corruption and scenes can be shown.

    >>> require("china", 3, "fog", 0)
    """
    shown = {"photograph": PHOTOGRAPHS, "severity": SEVERITIES, "corruption": NAMES}
    given = (photograph, severity, corruption)
    for (what, allowed), value in zip(shown.items(), given, strict=True):
        if value not in allowed:
            raise InputError(one_of(what, value, allowed))
    if scenes < 0:
        raise InputError(f"Expected a number of scenes of at least 0, but got {scenes}.")


def photograph(name: str, *, side: int = _SIDE) -> Picture:
    """Return one of the photographs from this project's packages, cropped to a square.

    Args:
        name: one of `PHOTOGRAPHS`; the first two come with scikit-learn, the third with matplotlib.
        side: side of the square in pixels; the shorter side is first resized to 8/7 of it, as 256
            is 8/7 of 224 for ImageNet.

    Raises:
        InputError: the name is not in `PHOTOGRAPHS`.

    >>> photograph("flower", side=32).shape
    (32, 32, 3)
    """
    if name not in PHOTOGRAPHS:
        raise InputError(one_of("photograph", name, PHOTOGRAPHS))
    return Preprocessing(side * 8 // 7, side).apply(_bundled(name))


def samples(run: Run, scenes: int) -> dict[str, Sample]:
    """Return the photographs and the first of a run's images, by name.

    Images that may not be redistributed are left out.

    Args:
        scenes: number of the run's images; they are loaded only if it is not 0.

    Raises:
        InputError: the number is negative, or larger than the number of images.

    >>> {name: one.title for name, one in samples(run, 1).items()}
    {'china': 'China', 'flower': 'Flower', 'portrait': 'Portrait', 'red_0': 'Red (32 px)'}
    """
    found = {name: Sample(name.capitalize(), photograph(name)) for name in PHOTOGRAPHS}
    wanted = scenes != 0 and may_show(run.profile, run.chapter.role)
    return found | first_of(run.images, scenes) if wanted else found


def first_of(images: ImageSet, number: int) -> dict[str, Sample]:
    """Return the first images of an image set, by class and position.

    Small images are unchanged; others are preprocessed like the benchmark's images.

    Raises:
        InputError: the number is below one, or larger than the number of images.
    """
    if not 0 < number <= len(images):
        raise InputError(f"Expected 0 to {len(images)} images of {images.name}, but got {number}.")
    found = {}
    for place in range(number):
        subject = images.class_names[int(images.labels[place])]
        name = f"{re.sub(r'[^a-z0-9]+', '_', subject.lower())}_{place}"
        found[name] = Sample(subject[:1].upper() + subject[1:], _prepared(images, place))
    return found


def versions(samples: Mapping[str, Sample]) -> dict[str, Picture]:
    """Return each image, clean and under every corruption at every severity, by `FILE`.

    Random draws are keyed by the image's name, so each image has its own fog.
    """
    made = {}
    for name, one in samples.items():
        made[FILE.format(picture=name, corruption=CLEAN, severity=0)] = one.picture
        for corruption in NAMES:
            _, *corrupted = severities(one.picture, corruption, key=name)
            for severity, picture in zip(SEVERITIES, corrupted, strict=True):
                file = FILE.format(picture=name, corruption=corruption, severity=severity)
                made[file] = picture
    return made


def gallery(
    picture: Picture,
    corruptions: Sequence[str],
    severity: int,
    *,
    key: str = "showcase",
    storage: Storage = "jpeg85",
) -> list[Picture]:
    """Return an image under each of several corruptions at one severity, 8-bit."""
    return [_corrupted(picture, name, severity, key, storage) for name in corruptions]


def severities(
    picture: Picture,
    corruption: str,
    *,
    key: str = "showcase",
    storage: Storage = "jpeg85",
) -> list[Picture]:
    """Return an image, clean and at the five severities of a corruption, 8-bit."""
    return [picture, *(_corrupted(picture, corruption, s, key, storage) for s in SEVERITIES)]


def counts(corruptions: Sequence[str], *, item: str = "inc-fig1") -> Results:
    """Return the numbers of corruptions, severities and conditions as rows.

    Rows about a single corruption contain its name.
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


def frost_convention() -> str:
    """Return the source of the frost textures, for the convention line."""
    return convention("frost")


def _bundled(name: str) -> Image.Image:
    if name == "portrait":
        from matplotlib.cbook import get_sample_data

        with Image.open(str(get_sample_data("grace_hopper.jpg", asfileobj=False))) as picture:
            return picture.convert("RGB")
    from sklearn.datasets import load_sample_image

    return Image.fromarray(load_sample_image(f"{name}.jpg"))


def _prepared(images: ImageSet, place: int) -> Picture:
    picture = images.read(place, _AS_IS)
    small = max(picture.shape[:2]) <= _SIDE
    return picture if small else images.read(place, Preprocessing(256, _SIDE))


def _corrupted(picture: Picture, name: str, severity: int, key: str, storage: Storage) -> Picture:
    made = corrupt_stack(picture[None], name, severity, ids=[key], storage=storage)[0]
    if made.dtype == np.uint8:
        return np.asarray(made)
    return (np.asarray(made) * 255).astype(np.uint8)
