"""How long ImageNet-C takes with many networks on many GPUs, and where more GPUs are of no use.

A prediction job shows one corruption to all networks on one GPU; threads read its pictures while
the networks work, so a picture costs the longer of the two. A corruption is never two jobs.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from robust_lib.vocabulary import COMMON, SEVERITIES

PUBLISHED: Mapping[str, float] = MappingProxyType({"float32": 1261.0, "half": 3382.0})
"""Precision -> pictures a second that ResNet-50 sees on one V100 with 16 GB, in batches of 256.

Published in NVIDIA's DeepLearningExamples (PyTorch, ConvNets, resnet50v1.5, container 21.03). No
GPU was measured for this book: these are assumptions, and half precision there is float16.
"""


@dataclass(frozen=True)
class Rates:
    """What work costs.

    Attributes:
        read: milliseconds of one thread for a picture of the archive, from its file to 8 bits.
        load: seconds until one network is ready, its weights on disk.
        forward: pictures a second that one network sees on one GPU.
        readers: threads a job that read pictures.
        start: seconds until a process has imported what it needs.
    """

    read: float
    load: float
    forward: float
    readers: int = 8
    start: float = 4.0


@dataclass(frozen=True)
class Scale:
    """What a number of GPUs comes to.

    Attributes:
        gpus: that there are.
        busy: that have a job at all.
        hours: until the last job is done.
        bound: what a job waits for most, "networks" or "reading".
    """

    gpus: int
    busy: int
    hours: float
    bound: str


def scale(
    rates: Rates,
    gpus: int,
    *,
    networks: int,
    images: int = 50_000,
    corruptions: Sequence[str] = COMMON,
    severities: Sequence[int] = SEVERITIES,
) -> Scale:
    """Return how long ImageNet-C takes on some GPUs.

    Args:
        rates: what work costs.
        gpus: how many, each with the readers' cores.
        networks: how many see each picture.
        images: of a cell.
        corruptions: a job each.
        severities: of each corruption.

    >>> on = [scale(Rates(0.3, 1.0, 1000.0), gpus, networks=50) for gpus in (1, 15, 64)]
    >>> [(one.busy, round(one.hours, 2)) for one in on]
    [(1, 52.31), (15, 3.49), (15, 3.49)]
    """
    reading, showing = rates.read / 1000 / rates.readers, networks / rates.forward
    job = rates.start + networks * rates.load + len(severities) * images * max(reading, showing)
    rounds = math.ceil(len(corruptions) / gpus)
    return Scale(
        gpus,
        min(gpus, math.ceil(len(corruptions) / rounds)),
        rounds * job / 3600,
        "reading" if reading > showing else "networks",
    )


def table(
    read: float, load: float, *, networks: int = 50, gpus: Iterable[int] = (1, 8, 15, 64)
) -> list[dict[str, str]]:
    """Return a row for each precision and number of GPUs, as the book shows them.

    Args:
        read: see `Rates`.
        load: see `Rates`.
        networks: how many, each as costly as a ResNet-50.
        gpus: numbers of them.

    >>> [row["hours"] for row in table(0.3, 1.0, gpus=[1, 64]) if row["precision"] == "half"]
    ['15.6', '1.0']
    """
    rows = []
    for precision, forward in PUBLISHED.items():
        rates = Rates(read, load, forward)
        alone = scale(rates, 1, networks=networks)
        for number in gpus:
            found = scale(rates, number, networks=networks)
            times = alone.hours / found.hours
            rows.append(
                {
                    "precision": precision,
                    "GPUs": f"{number}",
                    "with a job": f"{found.busy}",
                    "hours": f"{found.hours:.1f}",
                    "times as fast as one": f"{times:.1f}",
                    "of what they could": f"{times / number:.2f}",
                    "waits for": found.bound,
                }
            )
    return rows
