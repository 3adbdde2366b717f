"""Backgrounds that objects are put before: six places, and what a detector sees in each alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet, derived
from robust_lib.datasets.user_folder import PREFIX, image_folder
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.run.run import Run
from robust_lib.types import Picture

ROLE = "backgrounds"
MOST = 0.1
"""A detector may be this sure of something in a bare background [nao, sec. 4.4]."""

_AS_IT_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Ground:
    """A background.

    Attributes:
        name: of the place, such as "beach".
        picture: 8-bit RGB.
        surest: score of what the detector is surest of in it; 0 if it sees nothing.
        passed_over: pictures of the place in which it saw more.
    """

    name: str
    picture: Picture
    surest: float
    passed_over: int = 0

    @property
    def is_bare(self) -> bool:
        """Return whether the detector sees nothing in it.

        >>> Ground("sky", np.zeros((4, 4, 3), np.uint8), 0.3).is_bare
        False
        """
        return self.surest <= MOST


def grounds(run: Run, network: str, folder: str | None = None) -> tuple[Ground, ...]:
    """Return a background of each place: the first in which the detector sees nothing.

    Where it sees something in all pictures of a place, that in which it is least sure of it.

    Args:
        network: our name of the detector.
        folder: of a user's pictures, in folders called as the places; None: the profile's.

    Raises:
        InputError: a profile without backgrounds.
        DataError: a folder that is not there, or folders in it called otherwise.

    >>> [(one.name, one.is_bare) for one in grounds(run, "mine")][:2]
    [('underwater', True), ('beach', True)]
    """
    images = _images(run, folder)
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
    """Return the backgrounds in which the detector sees nothing; all, if it sees something in each.

    >>> sky, sea = (Ground(name, np.zeros((4, 4, 3), np.uint8), score)
    ...     for name, score in (("sky", 0.0), ("sea", 0.4)))
    >>> [one.name for one in used([sky, sea])], [one.name for one in used([sea])]
    (['sky'], ['sea'])
    """
    return tuple(one for one in found if one.is_bare) or tuple(found)


def in_words(found: Sequence[Ground]) -> str:
    """Return what the detector sees in the backgrounds alone, in words.

    >>> sky, sea = (Ground(name, np.zeros((4, 4, 3), np.uint8), score)
    ...     for name, score in (("sky", 0.0), ("sea", 0.4)))
    >>> in_words([sky])
    'in none of the 1 backgrounds alone is the detector surer of anything than 0.1'
    >>> in_words([sky, sea])
    'left out is sea, where the detector is surer of something than 0.1'
    """
    offending = [one.name for one in found if not one.is_bare]
    if not offending:
        return (
            f"in none of the {len(found)} backgrounds alone is the detector surer of anything "
            f"than {MOST:g}"
        )
    if len(offending) == len(found):
        return (
            f"in all {len(found)} backgrounds alone the detector is surer of something than "
            f"{MOST:g}, against the paper's rule; they are used all the same"
        )
    verb = "is" if len(offending) == 1 else "are"
    return (
        f"left out {verb} {', '.join(offending)}, where the detector is surer of something than "
        f"{MOST:g}"
    )


def _images(run: Run, folder: str | None) -> ImageSet:
    if folder is not None:
        images = image_folder(
            folder.removeprefix(PREFIX), spaces=[load_classes(ROLE)], labelled=True
        )
        if images.classes != ROLE:
            raise InputError(
                f"Expected folders called {', '.join(load_classes(ROLE).names)}, or some of these, "
                f"in {folder}, but theirs are classes of {images.classes}. Rename them."
            )
        return images
    if ROLE not in run.profile.data:
        raise InputError(
            f"Expected backgrounds in profile {run.profile.name}, but it has none. Name a folder "
            f"with the folders {', '.join(load_classes(ROLE).names)}, or give the profile the role "
            f"{ROLE}."
        )
    return run.image_set(ROLE)
