"""How long chapters take on machines that have not seen them: pictures, forward passes, hours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from robust_lib import paths
from robust_lib.config.manifests import load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.results.gates.references import gates
from robust_lib.run import costs
from robust_lib.run.chapter import Chapter, is_trained_here
from robust_lib.run.needs import Needs, needs
from robust_lib.run.network import Network

UNKNOWN = 12.0  # billion multiply-adds of a picture, where nobody says: a ResNet-152's


@dataclass(frozen=True)
class Work:
    """What a chapter's predictions ask of a machine; trainings are told by the plan's own jobs.

    Attributes:
        notebook: of the chapter.
        pictures: read, and corrupted where that is done here, once for all networks.
        passes: pictures times networks.
        gigaflops: of all passes, billion multiply-adds.
        training: seconds of training on a GPU, from the recipes; 0 where nothing is trained.
    """

    notebook: str
    pictures: int
    passes: int
    gigaflops: float
    training: float


def gates_of(chapter: Chapter, profile: Profile) -> int:
    """Return how many public reference numbers a chapter's results will be held against.

    >>> from robust_lib.config.profiles import load_profile
    >>> gates_of(Chapter("one", networks="nae", role="imagenet_a"), load_profile("mini"))
    0
    """
    wanted = [needs(part, profile) for part in chapter.parts(profile)]
    models = {network.model for need in wanted for network in need.networks}
    seen = {name for need in wanted for key in need.evaluated for name in key.datasets}
    if profile.corrupted == "archive" and any(
        key.corruptions for n in wanted for key in n.evaluated
    ):
        seen.add("imagenet_c")
    judged = [gate for gate in gates() if not gate.unlike]
    return sum(gate.model in models and gate.dataset in seen for gate in judged)


@dataclass(frozen=True)
class Machine:
    """What a machine does in a second.

    Attributes:
        words: what it is.
        pictures: read and prepared, with all its readers.
        gigaflops: of forward passes, billion multiply-adds.
        share: of an even split that each more of them still does.
        measured: whether its rates were measured here, or are somebody's estimate.
    """

    words: str
    pictures: float
    gigaflops: float
    measured: bool
    share: float = 1.0

    def hours(self, work: Work, devices: int = 1) -> float:
        """Return the hours of a chapter's predictions on some of these machines side by side.

        Reading goes on while networks compute, so the slower of both decides.

        >>> work = Work("one", 3_600_000, 3_600_000, 36_000.0, 0.0)
        >>> Machine("one", 1000.0, 10.0, True).hours(work)
        1.0
        """
        seconds = max(work.pictures / self.pictures, work.gigaflops / self.gigaflops)
        return (seconds + work.training) / (devices * self.share ** (devices > 1)) / 3600


def work(chapter: Chapter, profile: Profile, parts: Sequence[Needs] | None = None) -> Work:
    """Return what a chapter's predictions ask of a machine.

    >>> from robust_lib.config.profiles import load_profile
    >>> from robust_lib.run.chapter import OnCorruptions
    >>> mce = Chapter("mce", networks="imagenet_c", shows=(OnCorruptions("imagenet_val"),))
    >>> work(mce, load_profile("full")).pictures  # 19 corruptions at 5 severities, and clean
    4800000
    """
    pictures = passes = 0
    flops = training = 0.0
    for need in parts or [needs(part, profile) for part in chapter.parts(profile)]:
        for key in need.evaluated:
            counts = [costs.images(name, profile) for name in key.datasets]
            cells = 1 + len(key.corruptions) * len(key.severities)
            images = cells * sum(min(count, key.limit or count) for count in counts)
            pictures += images
            passes += images * len(need.networks)
            flops += images * sum(gigaflops(network) for network in need.networks)
        training += sum(costs.training(one, profile) for one in need.trained)
    return Work(chapter.notebook, pictures, passes, flops, training)


def gigaflops(network: Network) -> float:
    """Return the billion multiply-adds of one picture, as the publishers of its weights say.

    >>> gigaflops(Network("resnet50"))
    4.089
    """
    if network.model not in model_names() or is_trained_here(network):
        return UNKNOWN
    row = load_model(network.model)
    return _published(row.builder, str(row.arguments.get("name")), str(row.weights))


@cache
def _published(builder: str, name: str, weights: str) -> float:
    if not builder.startswith("torchvision"):
        return UNKNOWN
    from torchvision import models

    found = models.get_model_weights(name)
    member = found.__members__.get(weights) or next(iter(found))
    return float(member.meta.get("_ops", UNKNOWN))


def machines() -> dict[str, Machine]:
    """Return the machines whose rates stand in data_manifests/rates.csv, by their keys."""
    table = pd.read_csv(paths.manifests() / "rates.csv")
    return {
        str(row["key"]): Machine(
            str(row["machine"]), float(row["pictures"]), float(row["gigaflops"]),
            bool(row["status"] == "measured"), float(row["share"]),
        )
        for row in table.to_dict("records")
    }  # fmt: skip
