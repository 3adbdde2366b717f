"""Review: a simulated person's decision on a scene, from the generator's ground truth.

People reviewed the images of ImageNet-A and ImageNet-O and kept those that are "valid,
single-class, and high-quality" [nae, sec. 3]. Composed scenes need no people: it is known what
covers the target, how much it stands out, and what is around it.
"""

from collections.abc import Sequence
from typing import Literal

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.miniworld.scene_set import Scenes

Verdict = Literal["keep", "drop"]

VISIBLE = 0.6  # share of the target that must be seen
# Chosen by looking at scenes in the order of their contrast, never at what a network said of them:
# below it most targets are a stain on their ground, and above it all can be made out.
CONTRAST = 0.08
# Chosen by looking at a hundred scenes that passed the two others, and checked on 60 more: of 46 in
# which the target was plainly seen it keeps 43, and of 5 in which it was lost it drops 3.
PROMINENCE = 0.4  # share that the target must be of the things about it


def reviewed(
    images: Scenes,
    ids: Sequence[str],
    *,
    visible: float = VISIBLE,
    contrast: float = CONTRAST,
    prominence: float = PROMINENCE,
) -> dict[str, Verdict]:
    """Return, for each id, whether its scene is a fair image of its target.

    Args:
        images: the image set, which composes the scenes again, since their ground truth is not
            stored.
        visible: minimum visible share of the target's pixels, a fraction.
        contrast: minimum contrast with its surroundings, from 0 to 1 (see `contrast`).
        prominence: minimum share among the visible objects on and around it, from 0 to 1 (see
            `prominence`).

    Raises:
        InputError: an id of a different set, or a limit outside [0, 1].
    """
    limits = (visible, contrast, prominence)
    if not all(0 <= limit <= 1 for limit in limits):
        raise InputError(
            "Expected visible, contrast and prominence between 0 and 1, but got "
            f"{visible}, {contrast} and {prominence}."
        )
    if foreign := sorted(set(ids) - set(images.ids)):
        raise InputError(
            f"Expected ids of {images.name}, but got {', '.join(foreign[:3])}. Review each set of "
            "scenes by itself."
        )
    verdicts: dict[str, Verdict] = {}
    for item in ids:
        scene = images.compose(item)
        known = (scene.visible, scene.contrast, scene.prominence)
        fair = all(one >= least for one, least in zip(known, limits, strict=True))
        verdicts[item] = "keep" if fair else "drop"
    return verdicts


def hardness(images: Scenes, item: str) -> float:
    """Return the difficulty of the scene with an id, from 0 to 1, without composing it.

    It equals the difficulty that `compose` returns, since it comes from the same draw.
    """
    return float(seeds.generator(images.seed, item, "how hard").uniform(*images.difficulty))
