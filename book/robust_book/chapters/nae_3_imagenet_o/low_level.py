"""Low-level statistics of out-of-distribution sets: are pixels alone enough to detect them?

The paper shows images of earlier sets and states that their low-level statistics differ from
ImageNet's while ImageNet-O's do not [nae, fig. 4]. It prints no number. Our measure is how well
intensity, contrast, gradients and spectrum separate a set from ordinary images.
"""

from collections.abc import Mapping
from functools import reduce
from types import MappingProxyType

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_book.chapters.galleries import Gallery, gallery
from robust_lib import datasets, seeds
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.metrics.anomaly import auroc, auroc_draws
from robust_lib.metrics.image_statistics import low_level_scores, statistics
from robust_lib.predict.classify import choose
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.notation import listed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import roles
from robust_lib.run.run import Run

Statistics = Float[np.ndarray, "images statistics"]
PICTURES = 500  # of each set: a statistic is a mean over pictures, which more hardly move
LEAST = 4

IN_DISTRIBUTION = "imagenet_val_o"
EARLIER = ("bernoulli_noise", "blobs", "textures", "places365")
"""Sets that detectors were tested on before; those that are not there are left out."""
EMPTY = EARLIER[:3]
"""Those of them that have no things in them."""
ROLES = (IN_DISTRIBUTION, "imagenet_o", *EARLIER)
TITLES: Mapping[str, str] = MappingProxyType(
    {
        IN_DISTRIBUTION: "ordinary",
        "imagenet_o": "out-of-distribution",
        "bernoulli_noise": "Bernoulli noise",
        "blobs": "blobs",
        "textures": "textures",
        "places365": "scenes",
    }
)
"""Role of a set -> what it is called next to the others."""


def require_number(pictures: int) -> None:
    """Raise InputError if there are too few images for a mean and a spread.

    >>> require_number(4)
    """
    if pictures < LEAST:
        raise InputError(
            f"Expected at least {LEAST} images of each set, since half of the ordinary images "
            f"define the ordinary statistics, but got {pictures}. Use more images."
        )


def image_sets(run: Run) -> dict[str, ImageSet]:
    """Return role -> image set, for the in-distribution side and all out-of-distribution sets.

    Earlier sets that are not available are left out.

    >>> sets = image_sets(run)
    >>> sets["imagenet_o"].name, len(sets)
    ('scenes_o_filtered', 6)
    """
    missing = [role for role in EARLIER if not roles.is_there(run.profile, role)]
    return {role: run.image_set(role) for role in ROLES if role not in missing}


def drawn(run: Run) -> tuple[str, ...]:
    """Return the roles of sets that are drawn without objects.

    Out-of-distribution images have the same source as ordinary ones. Pixels are therefore almost
    certain to separate drawn sets from ordinary images better than out-of-distribution ones. Drawn
    scenes are not among these sets: they contain scattered objects, as ordinary images do.

    >>> drawn(run)
    ('bernoulli_noise', 'blobs', 'textures')
    """
    there = [role for role in EMPTY if roles.is_there(run.profile, role)]
    return tuple(
        role for role in there if load_dataset(run.profile.data[role]).access == "generated"
    )


def drawn_words(run: Run) -> str:
    """Return a sentence on the sets drawn without objects; "" if there are none."""
    found = drawn(run)
    if not found:
        return ""
    named = listed([TITLES[role] for role in found])
    return f"Drawn without content, so pixel statistics separate them easily: {named}. "


def left_out(run: Run) -> str:
    """Return a sentence on the earlier sets that are missing; "" if all are available.

    >>> left_out(run)
    ''
    """
    missing = [role for role in EARLIER if not roles.is_there(run.profile, role)]
    if not missing:
        return ""
    named = listed([f"{TITLES[role]} ({run.profile.data.get(role, role)})" for role in missing])
    return f"Left out, because the images are not available: {named}."


def samples(sets: Mapping[str, ImageSet], geometry: Preprocessing, *, each: int) -> Gallery:
    """Return some images of each set, with the set's title above the first.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> blobs = Synthetic("toy", "blobs", 4, 32, "animals", ("owl", "bee"))
    >>> samples({"blobs": blobs}, Preprocessing(None, 32), each=2).captions
    ('blobs', '')
    """
    rows = []
    for role, images in sets.items():
        indices = choose(images.ids, each)
        captions = [TITLES[role], *[""] * (len(indices) - 1)]
        rows.append(gallery(images, indices, captions, geometry))
    return reduce(Gallery.__add__, rows)


def titled(measured: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Return title of a set -> its statistics.

    >>> list(titled({"places365": np.zeros((2, 4))}))
    ['scenes']
    """
    return {TITLES[role]: values for role, values in measured.items()}


def measure(
    sets: Mapping[str, ImageSet], geometry: Preprocessing, *, limit: int = PICTURES
) -> dict[str, Statistics]:
    """Return role of a set -> the statistics of some of its images, one row per image.

    Args:
        sets: role -> image set.
        limit: maximum number of images per set, a fixed choice.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> blobs = Synthetic("toy", "blobs", 4, 32, "animals", ("owl", "bee"))
    >>> measure({"blobs": blobs}, Preprocessing(None, 32))["blobs"].shape
    (4, 4)
    """
    return {
        role: statistics(datasets.stack(images, choose(images.ids, limit), geometry))
        for role, images in sets.items()
    }


def results(measured: Mapping[str, Statistics], sets: Mapping[str, ImageSet]) -> Results:
    """Return, as rows, how well low-level statistics alone separate each set from ordinary images.

    Args:
        measured: role of a set -> its statistics.
        sets: role -> image set.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "bernoulli_noise", 8, 32, "animals", ("owl", "bee"))
    >>> sets = {IN_DISTRIBUTION: run.image_set(IN_DISTRIBUTION), "bernoulli_noise": noise}
    >>> rows = results(measure(sets, run.geometry), sets)
    >>> [(row.dataset, row.value) for row in rows.rows]
    [('noise', 1.0)]
    """
    return Results.of(
        Row.of(
            _low_level(measured, role),
            item="nae-fig4",
            dataset=sets[role].name,
            metric="low_level_auroc",
            convention="distance to the ordinary images' mean statistics, fitted to half of them "
            "and tested on the other half",
        )
        for role in measured
        if role != IN_DISTRIBUTION
    )


def _low_level(measured: Mapping[str, Statistics], role: str) -> Estimate:
    ordinary, others = measured[IN_DISTRIBUTION], measured[role]
    scores = low_level_scores(ordinary, others, rng=seeds.generator("low level", role))
    draws = Draws(role, lambda: auroc_draws(*scores, rng=seeds.generator("resamples", role)))
    return Estimate.over([auroc(*scores)], lambda: ends_of(draws), n=len(others), draws=draws)


def set_frame(
    low_level: Results,
    detected: Mapping[str, tuple[float, float]],
    titles: Mapping[str, str],
) -> pd.DataFrame:
    """Return how well pixel statistics and a network separate each set from ordinary images.

    Args:
        detected: data set -> AUPR and AUROC of the network's score.
        titles: data set -> its title.

    >>> rows = Results.of([Row(item="nae-fig4", dataset="dtd", metric="low_level_auroc",
    ...                        value=0.75, n=8, n_full=8)])
    >>> set_frame(rows, {"dtd": (0.25, 0.5)}, {"dtd": "textures"}).to_dict("records")
    [{'Set': 'textures', 'Pixels, AUROC': 75.0, 'Network, AUROC': 50.0, 'Network, AUPR': 25.0}]
    """
    rows = low_level.select(metric="low_level_auroc").rows
    return pd.DataFrame(
        {
            "Set": [titles[row.dataset] for row in rows],
            "Pixels, AUROC": [100 * row.value for row in rows],
            "Network, AUROC": [100 * detected[row.dataset][1] for row in rows],
            "Network, AUPR": [100 * detected[row.dataset][0] for row in rows],
        }
    )
