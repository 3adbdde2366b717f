"""Predictions of a run's networks in parallel processes; the run reads them from the store.

Each process recreates the run from names and evaluates one corruption, or one network on the images
of one role, at a time. Batches do not depend on the process, so the predictions are the same, bit
by bit.
"""

import os
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from robust_lib.datasets.archive_writer.files import Each, Stopped
from robust_lib.errors import DataError, InputError, RobustLibError
from robust_lib.run import corrupted_sets
from robust_lib.run.chapter import OnBoxes, OnCorruptions, OnImages
from robust_lib.run.run import Run
from robust_lib.vocabulary import COMMON

LOOK = 0.2  # seconds between two looks whether the parent still waits


@dataclass(frozen=True)
class Part:
    """The part of a run that a process evaluates at a time.

    Attributes:
        name: name of a corruption, or of a role.
        network: network evaluated on the images of a role; "" for all networks of the run.
        corruption: corruption of a detector's images; "" for none.
    """

    kind: Literal["clean", "corruption", "images", "boxes"]
    name: str = ""
    network: str = ""
    corruption: str = ""


def fill(run: Run, make: Callable[[], Run], each: Each) -> None:
    """Store the predictions of a run's networks on all images of its chapter.

    Networks that are trained here are trained first, by this process. Missing images are left to
    the run, which knows whether it can omit them.

    Args:
        make: function that makes the same run; importable by name with its arguments, for other
            processes.
        each: the other processes, from `processes`.

    Raises:
        InputError: a device other than a processor.
        RobustLibError: the error of an evaluation; no further ones are started.
        RunError: a process ended in the middle of its work.
    """
    require_processor(run.profile.device)
    errors: list[RobustLibError] = []
    pickled, every = pickle.dumps(make), list(parts(run))
    for error in each(partial(_show, pickled, part) for part in every if not errors):
        if error is not None:
            errors.append(error)
    if errors:
        raise errors[0]


def require_processor(device: str) -> None:
    """Raise InputError unless several processes can compute on a device."""
    if device != "cpu":
        raise InputError(
            f"Expected the device cpu for several jobs, but got {device}: processes would wait for "
            "one another on other devices. Use one job, or the device cpu."
        )


def parts(run: Run) -> Iterator[Part]:
    """Yield the parts of a run's evaluation."""
    for shows in run.chapter.shows:
        if isinstance(shows, OnCorruptions):
            if run.models:  # trained now, if they are
                yield from (Part("corruption", name) for name in run.corruptions)
                yield Part("clean")
        elif isinstance(shows, OnImages | OnBoxes):
            boxes = isinstance(shows, OnBoxes)
            networks = run.detectors_of(run.networks) if boxes else run.models
            for role in (role for role in shows.roles if role in run.profile.data):
                for name in networks:
                    yield Part("boxes" if boxes else "images", role, name)
                    if isinstance(shows, OnBoxes) and shows.corrupted:
                        yield from (Part("boxes", role, name, corruption) for corruption in COMMON)


def _show(pickled: bytes, part: Part, stopped: Stopped) -> RobustLibError | None:
    """Evaluate the networks of a run on a part, and return the error that this raised."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(LOOK):
            if stopped():  # what is written appears whole or not at all
                os._exit(1)

    threading.Thread(target=watch, name="end with parent", daemon=True).start()
    try:
        _shown(_made(pickled), part)
    except DataError:
        return None
    except RobustLibError as error:
        return error
    finally:
        done.set()
    return None


@lru_cache(maxsize=1)
def _made(pickled: bytes) -> Run:
    run: Run = pickle.loads(pickled)()
    return run


def _shown(run: Run, part: Part) -> None:
    if part.kind == "images":
        run.predict(part.name, run.chapter.classes_of(part.name), [part.network])
    elif part.corruption:
        corrupted = corrupted_sets.of_objects(run.profile, run.image_set(part.name))
        for (name, _), images in corrupted.items():
            if name == part.corruption:
                run.detect(images, [part.network])
    elif part.kind == "boxes":
        run.detect(part.name, [part.network])
    else:
        corruptions = (part.name,) if part.kind == "corruption" else ()
        given = (run.profile, run.images, run.models, corruptions, run.store)
        corrupted_sets.grid(*given, clean=part.kind == "clean")
