"""What corruptions look like: one picture under many of them, stored as the benchmark stores it."""

from collections.abc import Sequence

import numpy as np

from robust_lib.datasets.imagenet_c import Storage, corrupt_stack
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.results import Results
from robust_lib.types import Picture
from robust_lib.vocabulary import SEVERITIES

PHOTOGRAPHS = ("china", "flower")
CAPTIONS = ("clean", *(f"severity {severity}" for severity in SEVERITIES))


def photograph(name: str, *, side: int = 224) -> Picture:
    """Return one of the photographs that scikit-learn bundles, resized and cropped to a square.

    Args:
        name: one of `PHOTOGRAPHS`.
        side: pixels of the square; the shorter side is resized to 8/7 of it, as ImageNet's 256
            is of 224.
    """
    from PIL import Image
    from sklearn.datasets import load_sample_image

    if name not in PHOTOGRAPHS:
        raise InputError(one_of("photograph", name, PHOTOGRAPHS))
    whole = Image.fromarray(load_sample_image(f"{name}.jpg"))
    return Preprocessing(side * 8 // 7, side).apply(whole)


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
        {
            "item": item,
            "dataset": "imagenet_c",
            "corruption": only,
            "metric": metric,
            "value": value,
        }
        for metric, value in numbers.items()
    )


def frost_words() -> str:
    """Return whose textures the frost is made of, for the convention line."""
    from robust_lib.corruptions import convention  # imports OpenCV

    return convention("frost")


def _shown(picture: Picture, name: str, severity: int, key: str, storage: Storage) -> Picture:
    made = corrupt_stack(picture[None], name, severity, ids=[key], storage=storage)[0]
    if made.dtype == np.uint8:
        return np.asarray(made)
    return (np.asarray(made) * 255).astype(np.uint8)
