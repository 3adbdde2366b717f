"""Disk space: the size of downloads and of a run, and the free space."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from robust_book.engine import costs
from robust_book.engine.needs import Evaluated, Needs, needs, training_set
from robust_book.engine.supplies import Supplies, Supply, estimated_bytes
from robust_lib import paths
from robust_lib.config.manifests import load_model, model_names
from robust_lib.config.profiles import Profile, trains_all
from robust_lib.errors import InputError
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON, EXTRA

UNPACKED = 2  # an archive lies beside what it held until it is deleted


def require_space(missing: Sequence[Supply]) -> None:
    """Raise InputError unless the disk has space for the downloads, packed and unpacked."""
    bytes_needed = UNPACKED * sum(one.bytes or 0 for one in missing if one.fetched)
    there = free()
    if bytes_needed > there:
        raise InputError(
            f"Expected {size(bytes_needed)} free in {paths.data()}, but only {size(there)} are "
            "free. Use another folder with --data, or free some space; archives may be deleted "
            "once unpacked."
        )


def to_fetch(missing: Sequence[Supply]) -> str:
    """Return one line on the downloads and the free disk space."""
    fetched = [one for one in missing if one.fetched]
    room = f"{size(free())} are free in {paths.data()}"
    if not fetched:
        return f"To fetch: nothing; {room}."
    known = UNPACKED * sum(one.bytes or 0 for one in fetched)
    unknown = sum(one.bytes is None or one.exactness == "at least" for one in fetched)
    more = f", and {unknown} items of unpublished size" if unknown else ""
    return f"To fetch: about {size(known)} packed and unpacked{more}; {room}."


def to_come(brought: Sequence[Supply]) -> str:
    """Return one line on the files that chapters download by themselves when they run.

    >>> one = Supply("weights", "a_net", False, True, 17_000_000, "", by_itself=True)
    >>> to_come([one])
    'Chapters download automatically: a_net (17.0 MB), 17.0 MB in all.'
    """
    told = ", ".join(f"{one.name} ({size_of(one)})" for one in brought)
    known = sum(one.bytes or 0 for one in brought)
    return f"Chapters download automatically: {told}, {size(known)} in all."


def writes(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> Iterator[str]:
    """Yield one line on the disk space for a run on the real data; the miniature takes little."""
    if trains_all(profile):
        return
    asked = (one for one, each in zip(wanted, found, strict=True) if each.elsewhere is None)
    parts = [needs(part, profile) for one in asked for part in one.parts(profile)]
    folder = paths.cache()
    yield (
        f"A run of these chapters writes about {size(written(parts, profile))} (decoded "
        f"images, predictions of networks, trained weights), below {folder}, where "
        f"{size(free(folder))} are free."
    )


def free(folder: Path | None = None) -> int:
    """Return the free bytes on a folder's disk; it need not exist. None: the data folder."""
    folder = folder or paths.data()
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def size_of(one: Supply) -> str:
    """Return the size of a supply as text, with its exactness."""
    if one.bytes is None:
        return "not published"
    return f"{one.exactness} {size(one.bytes)}".strip()


def size(count: int) -> str:
    """Return a number of bytes as text, in a unit in which it is not zero.

    >>> size(1_234_567_890), size(4_966_400), size(2_100), size(0)
    ('1.23 GB', '5.0 MB', '2 kB', '0 kB')
    """
    if count >= 1e8:
        return f"{count / 1e9:,.2f} GB"
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.0f} kB"


REDUCED = 12  # bytes of a predicted class and its confidence: all that is kept of a grid's answers
BOXES = 100 * 28  # of a picture, at most: so many boxes with class and score
EMBEDDING = 2_048 * 4
SIDE, CHANNELS = 224, 3
WEIGHTS = 100_000_000  # of a network whose parameters nobody can count


def written(needs: Iterable[Needs], profile: Profile) -> int:
    """Return the approximate bytes that chapters write; shared files count once.

    It counts for the real data, whose images are shown at 224 pixels.

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
    """Return the bytes that a network's predictions for an evaluation take."""
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
    """Return whether some of an evaluation's corrupted images are not in an archive.

    Then its clean ones are decoded once, for all corruptions.
    """
    published = COMMON + EXTRA if profile.corrupted == "archive" else ()
    return any(name not in published for name in key.corruptions)


def _pictures(names: Iterable[str], profile: Profile) -> int:
    return sum(costs.images(name, profile) for name in names)


def _weights(network: Network) -> int:
    known = network.model in model_names()
    return (estimated_bytes(load_model(network.model)) if known else None) or WEIGHTS
