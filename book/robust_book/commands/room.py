"""Room on the disk: what is to be fetched, what a run writes, and how much is free."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from robust_book.engine.disk import written
from robust_book.engine.needs import needs
from robust_book.engine.supplies import Supplies, Supply
from robust_lib import paths
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError
from robust_lib.run.chapter import Chapter

UNPACKED = 2  # an archive lies beside what it held until it is deleted


def require_room(missing: Sequence[Supply]) -> None:
    """Raise InputError unless the disk holds what is to be fetched, packed and unpacked."""
    bytes_needed = UNPACKED * sum(one.bytes or 0 for one in missing if one.fetched)
    there = free()
    if bytes_needed > there:
        raise InputError(
            f"Expected {size(bytes_needed)} free in {paths.data()}, but there are {size(there)}. "
            "Name another folder with --data, or make room; archives may be deleted once unpacked."
        )


def to_fetch(missing: Sequence[Supply]) -> str:
    """Return in a line what is to be fetched, and how much of the disk is free."""
    fetched = [one for one in missing if one.fetched]
    room = f"{size(free())} are free in {paths.data()}"
    if not fetched:
        return f"To fetch: nothing; {room}."
    known = UNPACKED * sum(one.bytes or 0 for one in fetched)
    unknown = sum(one.bytes is None or one.exactness == "at least" for one in fetched)
    more = f", and {unknown} things whose size nobody publishes" if unknown else ""
    return f"To fetch: about {size(known)} packed and unpacked{more}; {room}."


def writes(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> Iterator[str]:
    """Yield what a run writes on the real data; the miniature writes little."""
    if profile.corrupted != "archive":
        return
    asked = (one for one, each in zip(wanted, found, strict=True) if each.elsewhere is None)
    parts = [needs(part, profile) for one in asked for part in one.parts(profile)]
    folder = paths.cache()
    yield (
        f"A run of these chapters writes about {size(written(parts, profile))} itself (decoded "
        f"pictures, answers of networks, trained weights), below {folder}, where "
        f"{size(free(folder))} are free."
    )


def free(folder: Path | None = None) -> int:
    """Return the free bytes of a folder's disk, made or not; None: the data's."""
    folder = folder or paths.data()
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def size_of(one: Supply) -> str:
    """Return the size of a supply in words, with how exact it is."""
    if one.bytes is None:
        return "not published"
    return f"{one.exactness} {size(one.bytes)}".strip()


def size(count: int) -> str:
    """Return a number of bytes in words.

    >>> size(1_234_567_890)
    '1.23 GB'
    """
    return f"{count / 1e9:,.2f} GB"
