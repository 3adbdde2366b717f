"""The cost of the studies at the paper's size: this run's seconds times the paper's counts."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from robust_book.chapters.nao_4_attribution.studies import SAMPLED, Study
from robust_lib import datasets
from robust_lib.models.detectors.class_logits import fixed_places, logits_at
from robust_lib.models.detectors.contract import Detector, Image
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.attribution.shares import Shares
from robust_lib.run.network import network_title
from robust_lib.run.papers import nao
from robust_lib.run.run import Run

PICTURES = {"ordinary": 5_000, "adversarial": 7_936}
"""Images of COCO's validation set and of the release [nao, sec. 3.1, 4.1]."""

_TIMES = 3
_AS_IT_IS = Preprocessing(None, None)


@dataclass(frozen=True)
class Cost:
    """The cost of a study.

    Attributes:
        study: title of the study.
        network: our name of the detector.
        asked: number of evaluations at the paper's size.
        seconds: duration of one evaluation here.
        unit: unit of an evaluation: an image or a gradient.
    """

    study: str
    network: str
    asked: int
    seconds: float
    unit: str

    @property
    def hours(self) -> float:
        """Return the hours on one machine like this.

        >>> Cost("swaps", "mine", 7200, 0.5, "image").hours
        1.0
        """
        return self.asked * self.seconds / 3600


def costs(
    run: Run,
    grounds: Mapping[str, Study],
    swaps: Mapping[str, Study],
    shares: Mapping[str, Shares],
    networks: tuple[str, str, str],
) -> tuple[Cost, ...]:
    """Return the cost of each study at the paper's size, on this machine.

    The numbers of predictions per image and of steps per path are those of this run.

    Args:
        networks: our names of their detectors, in the order backgrounds, attributions, patches.

    >>> [one.study for one in costs(run, {}, {}, {}, ("mine", "talkative", "mine"))]
    ['backgrounds', 'attributions', 'swaps']
    """
    images = run.image_set(nao.ORDINARY)
    image = datasets.to_images(images.read(0, _AS_IT_IS)[None])[0]
    detectors = [run.detectors_of([name])[name][0] for name in networks]
    paper = sum(PICTURES.values())
    versions = {
        name: sum(one.found.after.size for one in study.values())
        / max(1, sum(len(np.unique(one.found.before.images)) for one in study.values()))
        for name, study in (("backgrounds", grounds), ("swaps", swaps))
    }
    steps = [one.numbers["steps"][one.kept].sum() for one in shares.values()]
    shown = sum(len(np.unique(one.of.images[one.kept])) for one in shares.values())
    gradients = float(sum(steps)) / max(1, shown)
    # On a processor other work is left out; a GPU's time is that of the clock on the wall.
    clock = time.process_time if run.profile.device == "cpu" else time.perf_counter
    return (
        Cost(
            "backgrounds",
            networks[0],
            round(paper * versions["backgrounds"]),
            _seconds(clock, lambda: detectors[0]([image])),
            "image",
        ),
        Cost(
            "attributions",
            networks[1],
            round(SAMPLED * gradients),
            _seconds(clock, lambda: _gradient(detectors[1], image)),
            "gradient",
        ),
        Cost(
            "swaps",
            networks[2],
            round(paper * versions["swaps"]),
            _seconds(clock, lambda: detectors[2]([image])),
            "image",
        ),
    )


def cost_frame(found: tuple[Cost, ...]) -> pd.DataFrame:
    """Return the costs as a table.

    >>> frame = cost_frame((Cost("swaps", "mine", 7200, 0.5, "image"),))
    >>> frame["At the paper's size"][0], float(frame["Hours, one core"][0])
    ('7,200 images', 1.0)
    """
    lines = [
        {
            "Study": one.study,
            "Detector": network_title(one.network),
            "At the paper's size": f"{one.asked:,} {one.unit}s",
            "Seconds each, this run": one.seconds,
            "Hours, one core": one.hours,
            "Shards of an hour": max(1, int(np.ceil(one.hours))),
        }
        for one in found
    ]
    return pd.DataFrame(lines)


def _seconds(clock: Callable[[], float], asked: Callable[[], object]) -> float:
    """Return the shortest time of several evaluations, after one warm-up."""
    asked()
    taken = []
    for _ in range(_TIMES):
        began = clock()
        asked()
        taken.append(clock() - began)
    return min(taken)


def _gradient(detector: Detector, image: Image) -> None:
    """Compute a detector's gradient of one logit with respect to an image."""
    boxes, classes, _ = (part[:1] for part in detector([image])[0])
    if not len(boxes):  # the detector sees nothing at all
        return
    places = fixed_places(detector, image, boxes, classes)
    picture = image[None].clone().requires_grad_()
    torch.autograd.grad(logits_at(detector, picture, places)[0, 0, int(classes[0])], picture)
