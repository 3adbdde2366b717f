"""Low-level statistics of out-of-distribution sets: whether pixels alone give them away.

The paper shows pictures of earlier sets and says that their low-level statistics differ from
ImageNet's while ImageNet-O's do not [nae, fig. 4]. It prints no number; how well intensity,
contrast, gradients and spectrum tell a set from ordinary pictures is our way to measure it.
"""

from collections.abc import Mapping
from functools import reduce
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from robust_lib import datasets, seeds
from robust_lib.chapters.nae.galleries import Shown, show
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.metrics.image_statistics import low_level_auroc, statistics
from robust_lib.predict.classify import choose
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.row import Row
from robust_lib.results.table import Results

Statistics = Float[np.ndarray, "images statistics"]
PICTURES = 500  # of each set: a statistic is a mean over pictures, which more hardly move


LEAST = 4
ORDINARY = "imagenet_val_o"
FOREIGN = ("imagenet_o", "bernoulli_noise", "blobs", "textures", "places365")
ROLES = (ORDINARY, *FOREIGN)
TITLES: Mapping[str, str] = MappingProxyType(
    {
        ORDINARY: "ordinary",
        "imagenet_o": "ImageNet-O",
        "bernoulli_noise": "Bernoulli noise",
        "blobs": "blobs",
        "textures": "textures",
        "places365": "scenes",
    }
)
"""Role of a set -> what it is called beside the others."""


def require_number(pictures: int) -> None:
    """Raise InputError unless so many pictures have a mean and a spread."""
    if pictures < LEAST:
        raise InputError(
            f"Expected at least {LEAST} pictures of each set, but got {pictures}: half of the "
            "ordinary ones say what is ordinary."
        )


def samples(sets: Mapping[str, ImageSet], geometry: Preprocessing, *, each: int) -> Shown:
    """Return some pictures of each set, the set's name above the first."""
    rows = []
    for role, images in sets.items():
        places = choose(images.ids, each)
        words = [TITLES[role], *[""] * (len(places) - 1)]
        rows.append(show(images, places, words, geometry))
    return reduce(Shown.__add__, rows)


def titles(sets: Mapping[str, ImageSet]) -> dict[str, str]:
    """Return name of a set -> what it is called beside the others."""
    return {images.name: TITLES[role] for role, images in sets.items()}


def titled(measured: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Return the statistics under what each set is called."""
    return {TITLES[role]: values for role, values in measured.items()}


def measure(
    sets: Mapping[str, ImageSet], geometry: Preprocessing, *, limit: int = PICTURES
) -> dict[str, Statistics]:
    """Return name of a set -> the statistics of some of its pictures, a row each.

    Args:
        sets: name -> pictures.
        geometry: how a network sees them.
        limit: pictures of each set, a fixed choice.
    """
    return {
        name: statistics(datasets.stack(images, choose(images.ids, limit), geometry))
        for name, images in sets.items()
    }


def results(measured: Mapping[str, Statistics], sets: Mapping[str, ImageSet]) -> Results:
    """Return how well low-level statistics alone tell each set from ordinary pictures, as rows.

    Args:
        measured: role of a set -> its statistics.
        sets: role -> the set.
    """
    inside = measured[ORDINARY]
    return Results.of(
        Row(
            item="nae-fig4",
            dataset=sets[role].name,
            metric="low_level_auroc",
            convention=(
                "distance to the ordinary pictures' mean statistics, fitted to half of them and "
                "tested on the other half"
            ),
            value=low_level_auroc(inside, values, rng=seeds.generator("low level", role)),
            n=len(values),
            n_full=len(values),
        )
        for role, values in measured.items()
        if role != ORDINARY
    )
