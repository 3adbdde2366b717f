"""What chapters ask of machines that have not seen them: pictures, passes, multiply-adds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from robust_book.engine import costs
from robust_book.engine.needs import Needs, needs, training_set
from robust_lib.config.manifests import load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.results.gates.gate import Gate
from robust_lib.results.gates.references import gates
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON, EXTRA

UNKNOWN = 12.0  # billion multiply-adds of a picture, where nobody says: a ResNet-152's
SIDE = 224  # of that picture, pixels; a smaller one costs less


@dataclass(frozen=True)
class Work:
    """What a chapter's predictions and trainings ask of a machine.

    Attributes:
        notebook: of the chapter.
        pictures: read, and corrupted where that is done here, once for all networks.
        passes: pictures times networks.
        gigaflops: of all passes, billion multiply-adds.
        training: of the forward passes of trainings, billion multiply-adds, from the recipes.
        uncounted: data sets among those shown or trained on whose pictures nobody counted; they
            are in none of these numbers.
        archive: how many of the pictures lie in the archive of ImageNet-C, resized already.
    """

    notebook: str
    pictures: int
    passes: int
    gigaflops: float
    training: float
    uncounted: tuple[str, ...] = ()
    archive: int = 0


def gates_of(chapter: Chapter, profile: Profile) -> tuple[Gate, ...]:
    """Return the public reference numbers that a chapter's results will be held against.

    Those that no run of this project can find, for it shows pictures otherwise, are not judged.

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
    """Return what a chapter's predictions and trainings ask of a machine.

    >>> from robust_lib.config.profiles import load_profile
    >>> from robust_lib.run.chapter import OnCorruptions
    >>> mce = Chapter("mce", networks="imagenet_c", shows=(OnCorruptions("imagenet_val"),))
    >>> work(mce, load_profile("full")).pictures  # 19 corruptions at 5 severities, and clean
    4800000
    """
    pictures = passes = archive = 0
    flops = training = 0.0
    uncounted: dict[str, None] = {}
    for need in parts or [needs(part, profile) for part in chapter.parts(profile)]:
        for key in need.evaluated:
            counts = [costs.images(name, profile) for name in key.datasets]
            cell = sum(min(count, key.limit or count) for count in counts)
            images = cell * (1 + len(key.corruptions) * len(key.severities))
            if profile.corrupted == "archive":
                published = sum(name in COMMON + EXTRA for name in key.corruptions)
                archive += cell * published * len(key.severities)
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
    return Work(chapter.notebook, pictures, passes, flops, training, tuple(uncounted), archive)


def gigaflops(network: Network) -> float:
    """Return the billion multiply-adds of one picture, as the publishers of such networks say.

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
