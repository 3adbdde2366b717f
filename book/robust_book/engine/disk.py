"""What a run writes itself, about: decoded pictures, stored answers, trained weights."""

from collections.abc import Iterable

from robust_book.engine import costs
from robust_book.engine.needs import Evaluated, Needs, training_set
from robust_book.engine.weight_sizes import estimated_bytes
from robust_lib.config.manifests import load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON, EXTRA

REDUCED = 12  # bytes of a predicted class and its confidence: all that is kept of a grid's answers
BOXES = 100 * 28  # of a picture, at most: so many boxes with class and score
EMBEDDING = 2_048 * 4
SIDE, CHANNELS = 224, 3
WEIGHTS = 100_000_000  # of a network whose parameters nobody can count


def written(needs: Iterable[Needs], profile: Profile) -> int:
    """Return about how many bytes chapters write, of what they need; what several need, once.

    It counts for the real data, whose pictures are shown at 224 pixels.

    >>> from robust_lib.config.profiles import load_profile
    >>> written([], load_profile("full"))
    0
    """
    asked: set[tuple[Evaluated, Network]] = set()
    trained: set[Network] = set()
    decoded: set[tuple[str, ...]] = set()
    for need in needs:
        asked |= {(key, network) for key in need.evaluated for network in need.networks}
        trained |= set(need.trained)
        decoded |= {(training_set(network, profile),) for network in need.trained}
        decoded |= {key.datasets for key in need.evaluated if _is_made_here(key, profile)}
    return (
        sum(_answers(key, profile) for key, _ in asked)
        + len(profile.seeds) * sum(map(_weights, trained))
        + sum(_pictures(names, profile) * SIDE * SIDE * CHANNELS for names in decoded)
    )


def _answers(key: Evaluated, profile: Profile) -> int:
    """Return the bytes that a network's answers to an evaluation take."""
    number = sum(
        min(count, key.limit or count)
        for count in (costs.images(name, profile) for name in key.datasets)
    )
    if key.corruptions:
        return number * (1 + len(key.corruptions) * len(key.severities)) * REDUCED
    if key.boxes:
        return number * BOXES
    if key.embeddings:
        return number * EMBEDDING
    return number * (costs.OUTPUTS * costs.LOGIT + REDUCED)


def _is_made_here(key: Evaluated, profile: Profile) -> bool:
    """Return whether some of an evaluation's corrupted pictures come from no archive.

    Then its clean ones are decoded once, for all corruptions.
    """
    published = COMMON + EXTRA if profile.corrupted == "archive" else ()
    return any(name not in published for name in key.corruptions)


def _pictures(names: Iterable[str], profile: Profile) -> int:
    return sum(costs.images(name, profile) for name in names)


def _weights(network: Network) -> int:
    known = network.model in model_names()
    return (estimated_bytes(load_model(network.model)) if known else None) or WEIGHTS
