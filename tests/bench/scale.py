"""How long ImageNet-C takes with many networks on many GPUs, and where more GPUs are of no use.

A prediction job shows one corruption to all networks on one GPU; threads read its pictures while
the networks work, so a picture costs the longer of the two. A corruption is never two jobs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from robust_lib import paths
from robust_lib.vocabulary import COMMON, SEVERITIES


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


def forward_rates() -> dict[str, float]:
    """Return precision -> pictures a second that a ResNet-50 sees on one GPU, as measured.

    >>> forward_rates()["bfloat16"] > forward_rates()["float32"]
    True
    """
    measured = pd.read_csv(paths.manifests() / "measured" / "gpu_networks.csv")
    return dict(
        zip(
            measured["precision"],
            measured["predicting, images per second"].astype(float),
            strict=True,
        )
    )


def table(
    read: float, load: float, *, networks: int = 50, gpus: Iterable[int] = (1, 8, 15, 64)
) -> list[dict[str, str]]:
    """Return a row for each precision and number of GPUs, as the book shows them.

    Args:
        read: see `Rates`.
        load: see `Rates`.
        networks: how many, each as costly as a ResNet-50.

    >>> [row["GPUs"] for row in table(0.3, 1.0, gpus=[1, 64]) if row["precision"] == "float32"]
    ['1', '64']
    """
    rows = []
    for precision, forward in forward_rates().items():
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
