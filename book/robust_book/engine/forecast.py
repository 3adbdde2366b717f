"""Forecast of a chapter's hours on other machines, from images, passes and multiply-adds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from robust_book.engine import costs
from robust_book.engine.needs import Needs, needs, training_set
from robust_lib import paths
from robust_lib.config.manifests import load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.config.strict_yaml import read_yaml
from robust_lib.results.gates.gate import Gate
from robust_lib.results.gates.references import gates
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON, EXTRA

UNKNOWN = 12.0  # billion multiply-adds of a picture, where nobody says: a ResNet-152's
SIDE = 224  # of that picture, pixels; a smaller one costs less


@dataclass(frozen=True)
class Work:
    """The work of a chapter's predictions and trainings.

    Attributes:
        pictures: images read (and corrupted, if that is done here) once for all networks.
        gigaflops: billion multiply-adds of all passes.
        training: billion multiply-adds of the forward passes in training, from the recipes.
        uncounted: data sets with an unknown number of images, for evaluation or training; none of
            these numbers includes them.
        archive: number of the images that come resized from the archive of ImageNet-C.
        corrupted: number of the images that are corrupted here, each from one that was read before.
    """

    notebook: str
    pictures: int
    passes: int
    gigaflops: float
    training: float
    uncounted: tuple[str, ...] = ()
    archive: int = 0
    corrupted: int = 0


def gates_of(chapter: Chapter, profile: Profile) -> tuple[Gate, ...]:
    """Return the public reference numbers that a chapter's results will be compared with.

    Numbers that no run of this project can reproduce, since its preprocessing differs, are not
    judged.

    >>> from robust_lib.config.profiles import load_profile
    >>> gates_of(Chapter("one", networks="nae", role="imagenet_a"), load_profile("mini"))
    ()
    """
    wanted = [needs(part, profile) for part in chapter.parts(profile)]
    models = {network.model for need in wanted for network in need.networks}
    seen = {name for need in wanted for key in need.evaluated for name in key.datasets}
    if profile.corrupted == "archive" and any(
        key.corruptions for n in wanted for key in n.evaluated
    ):
        seen.add("imagenet_c")
    return tuple(
        gate
        for gate in gates()
        if gate.model in models and gate.dataset in seen and not gate.unlike
    )


def work(chapter: Chapter, profile: Profile, parts: Sequence[Needs] | None = None) -> Work:
    """Return the work of a chapter's predictions and trainings.

    >>> from robust_lib.config.profiles import load_profile
    >>> from robust_lib.run.chapter import OnCorruptions
    >>> mce = Chapter("mce", networks="imagenet_c", shows=(OnCorruptions("imagenet_val"),))
    >>> work(mce, load_profile("full")).pictures  # 19 corruptions at 5 severities, and clean
    4800000
    """
    pictures = passes = archive = corrupted = 0
    flops = training = 0.0
    uncounted: dict[str, None] = {}
    for need in parts or [needs(part, profile) for part in chapter.parts(profile)]:
        for key in need.evaluated:
            counts = [costs.images(name, profile) for name in key.datasets]
            cell = sum(min(count, key.limit or count) for count in counts)
            images = cell * (1 + len(key.corruptions) * len(key.severities))
            published = sum(name in COMMON + EXTRA for name in key.corruptions)
            published = published if profile.corrupted == "archive" else 0
            archive += cell * published * len(key.severities)
            corrupted += cell * (len(key.corruptions) - published) * len(key.severities)
            pictures += images
            passes += images * len(need.networks)
            flops += images * sum(gigaflops(network) for network in need.networks)
            uncounted |= {name: None for name in key.datasets if not costs.images(name, profile)}
        for network in need.trained:
            name = training_set(network, profile)
            if not costs.images(name, profile):
                uncounted[name] = None
                continue
            training += costs.learned_from(network, profile) * gigaflops(network)
    return Work(
        chapter.notebook, pictures, passes, flops, training, tuple(uncounted), archive, corrupted
    )


def gigaflops(network: Network) -> float:
    """Return the billion multiply-adds for one image, as the network's publishers state them.

    >>> gigaflops(Network("resnet50"))
    4.089
    """
    if network.model not in model_names():
        return UNKNOWN
    row = load_model(network.model)
    known = _published(row.builder, str(row.arguments.get("name")), str(row.weights))
    if known is not None:
        return known
    side = row.preprocessing.crop
    return UNKNOWN if side is None else UNKNOWN * (side / SIDE) ** 2


@cache
def _published(builder: str, name: str, weights: str) -> float | None:
    if not builder.startswith("torchvision"):
        return None
    from torchvision import models

    found = models.get_model_weights(name)
    member = found.__members__.get(weights) or next(iter(found))
    counted = member.meta.get("_ops")
    return None if counted is None else float(counted)


ARCHIVED, PHOTOGRAPH = "an image of the archive", "a photograph of 500 x 375 pixels"
"""Rows of data_manifests/measured/reading_cost.csv."""


@dataclass(frozen=True)
class Reading:
    """The time one core takes to read an image, from a file to 8 bits, or to corrupt one.

    Attributes:
        archived: milliseconds for an image of ImageNet-C's archive.
        photograph: likewise, for one that is resized and cropped.
        corrupted: likewise, for a corruption of one of 224 pixels, a mean over all.
    """

    archived: float
    photograph: float
    measured: str
    corrupted: float = 0.0

    def seconds(self, work: Work) -> float:
        """Return the seconds that one core needs to prepare a chapter's images for networks.

        >>> Reading(0.5, 3.0, "").seconds(Work("one", 3000, 3000, 0.0, 0.0, archive=2000))
        4.0
        """
        photographs = work.pictures - work.archive - work.corrupted
        reading = work.archive * self.archived + photographs * self.photograph
        return (reading + work.corrupted * self.corrupted) / 1000


@dataclass(frozen=True)
class Machine:
    """The computing rates of a machine.

    Attributes:
        gigaflops: billion multiply-adds in forward passes.
        training: likewise in training, including the backward pass.
        readers: number of cores that only read; 0: the computing device also reads.
        share: efficiency of several such machines, as a fraction of linear speed-up.
        status: whether its rates were timed or assumed.
        source: origin of the rates.
    """

    words: str
    reading: Reading
    gigaflops: float
    training: float
    readers: int = 0
    share: float = 1.0
    status: str = "assumed"
    source: str = ""

    def hours(self, work: Work, devices: int = 1) -> float:
        """Return the hours of a chapter's work on some of these machines side by side.

        If readers have cores of their own, they read while networks compute, and the slower of the
        two decides; otherwise both times add up.

        >>> work, reading = Work("one", 1_200_000, 1_200_000, 36_000.0, 0.0), Reading(0.6, 3.0, "")
        >>> [Machine("one", reading, 10.0, 3.0, readers=cores).hours(work) for cores in (8, 0)]
        [1.0, 2.0]
        """
        reading, computing = self.reading.seconds(work), work.gigaflops / self.gigaflops
        beside = max(reading / max(self.readers, 1), computing)
        predicting = beside if self.readers else reading + computing
        seconds = predicting + work.training / self.training
        return seconds / (devices * self.share ** (devices > 1)) / 3600


def reading_cost() -> Reading:
    """Return the measured costs of reading and of corrupting, from data_manifests/measured."""
    measured = paths.manifests() / "measured"
    ours = pd.read_csv(measured / "corruption_cost.csv").set_index("Corruption")["ours"]
    every = ours[[name for name in ours.index if not name.startswith("Sum")]]
    stem = measured / "reading_cost"
    cost = pd.read_csv(stem.with_suffix(".csv")).set_index("read")["CPU ms"]
    made = read_yaml(stem.with_suffix(".yaml"))["provenance"]
    words = f"{made['date']}, {made['device']}"
    return Reading(
        float(cost[ARCHIVED]), float(cost[PHOTOGRAPH]), words, corrupted=float(every.mean())
    )


def machines() -> dict[str, Machine]:
    """Return the machines of data_manifests/rates.csv by their keys."""
    table, reading = pd.read_csv(paths.manifests() / "rates.csv"), reading_cost()
    return {
        str(row["key"]): Machine(
            str(row["machine"]), reading, float(row["gigaflops"]), float(row["training"]),
            int(row["readers"]), float(row["share"]), str(row["status"]), str(row["source"]),
        )
        for row in table.to_dict("records")
    }  # fmt: skip


def rates_in_words() -> list[str]:
    """Return the rates behind the hours, their sources, and which of them are assumed.

    >>> rates_in_words()[0].partition(":")[0]
    'Reading'
    """
    reading = reading_cost()
    return [
        f"Reading: {reading.archived:.2f} ms of a core for an image of the archive, "
        f"{reading.photograph:.2f} ms for a photograph, and {reading.corrupted:.2f} ms to corrupt "
        f"one here; measured ({reading.measured}).",
        *(
            f"Computing, {machine.words}: {machine.gigaflops:,.0f} billion multiply-adds per "
            f"second in predictions, {machine.training:,.0f} in trainings; {machine.status} "
            f"({machine.source})."
            for machine in machines().values()
        ),
        "This machine's cores are assumed to be as fast as that machine's: nothing is timed here.",
    ]
