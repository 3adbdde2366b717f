"""Networks taken from a pack instead of being trained: which fit, and whether they are correct.

A network fits if its recipe, training images, code and initial network are the current ones. A book
therefore has the same networks with a pack as without: only the time differs.
"""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robust_book import chapters
from robust_book.engine import costs, pace, pack
from robust_book.engine.jobs import FOUND, Job
from robust_book.engine.pack import Pack
from robust_book.engine.plan import IMPORTS, NOTEBOOK, sites
from robust_book.engine.progress import in_words
from robust_lib import paths
from robust_lib.cache import Description, Store, content_key
from robust_lib.config.manifests import begins_as, load_model
from robust_lib.config.profiles import Profile
from robust_lib.errors import RunError
from robust_lib.run.chapter import plain
from robust_lib.run.network import Network
from robust_lib.run.networks import Sets
from robust_lib.run.run import Run
from robust_lib.run.start import start
from robust_lib.run.trainings import Training, training
from robust_lib.training.zoo import PRECISIONS, stored_as

ERRORS = 3  # standard errors by which two trainings may differ on processors of two kinds
SHOWN = 5  # networks that are named in a line
UNLIKE = {
    "manifest": "a different architecture",
    "recipe": "a different recipe",
    "data": "different training images",
    "code": "different code",
    "starts from": "a different initial network",
}


@dataclass(frozen=True, eq=False)
class Taken:
    """The networks that a plan trains, by their origin.

    Attributes:
        before: networks that were stored already, from this pack or trained here.
        fitting: network that the pack has -> key of its entry.
        lacking: network that must be trained -> reason.
        predictions: keys of the entries of predictions that were taken.
    """

    pack: Pack
    fitting: dict[Network, str] = field(default_factory=dict)
    before: list[Network] = field(default_factory=list)
    lacking: dict[Network, str] = field(default_factory=dict)
    trainings: dict[Network, Training] = field(default_factory=dict)
    predictions: Sequence[str] = ()

    def lines(self) -> Iterator[str]:
        """Yield lines on the number of networks taken, and on the reasons why others were not."""
        new = self.fitting.keys() - self.before
        every = len(self.before) + len(new) + len(self.lacking)
        there = f", {len(self.before)} are stored already" if self.before else ""
        sets = f"{len(self.predictions):,} set{'s' * (len(self.predictions) > 1)} of predictions"
        also = f", and {sets}" * bool(self.predictions)
        yield (
            f"{self.pack.name}: {len(new)} of {every} networks are taken from this "
            f"pack{there}{also}."
        )
        reasons: dict[str, list[str]] = {}
        for network, why in self.lacking.items():
            reasons.setdefault(why, []).append(str(network))
        for why, names in reasons.items():
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            yield f"Trained here, {len(names)}: {', '.join(names[:SHOWN])}{more}: {why}."


def training_run(
    networks: Sequence[str], profile: str, chapter: str = "inc_2_mce", seed: int = 0,
    device: str | None = None,
) -> Run:  # fmt: skip
    """Return the run in which networks are trained.

    Args:
        chapter: chapter that defines the networks' names.
    """
    record = replace(chapters.chapter(chapter), variants=plain, baseline=False)
    return start(record, profile, models=list(networks), seeds=[seed], device=device)


def take(found: Pack, jobs: Sequence[Job], profile: str) -> Taken:
    """Copy the fitting networks of a pack into the store; return a plan's networks by origin."""
    taken = Taken(found)
    for seed, names in _by_seed(jobs).items():
        run = training_run(names, profile, seed=seed)
        sets: Sets = {}
        for network in run.networks:
            _take(taken, replace(network, seed=seed), run, sets)
    store = Store(paths.cache() / "store")
    new = [key for key in found.keys(*pack.PREDICTIONS) if not store.has(key)]
    for key in new:
        store.put(key, found.arrays(key), found.descriptions[key], taken=True)
    return replace(taken, predictions=new)


def stored(jobs: Sequence[Job], profile: str) -> list[str]:
    """Return the keys of the networks that a plan trains, all of which are stored.

    Raises:
        RunError: one of them is not stored.
    """
    found = []
    for seed, names in _by_seed(jobs).items():
        run = training_run(names, profile, seed=seed)
        sets: Sets = {}
        for network in (replace(one, seed=seed) for one in run.networks):
            asked = training(network, run.profile, run.store, sets)
            about = None if asked is None else stored_as(run.store, asked.description)
            if about is None:
                raise RunError(
                    f"Expected all networks of profile {profile} to be trained, but {network} is "
                    f"not. `make book PROFILE={profile}` trains it."
                )
            found.append(content_key(about))
    return found


def _by_seed(jobs: Sequence[Job]) -> dict[int, list[str]]:
    """Return seed -> networks that jobs train, each after the one that it starts from."""
    by_seed: dict[int, list[str]] = {}
    for job in jobs:
        if job.kind == "train":
            by_seed.setdefault(int(job.words[-1]), []).extend(job.words[1:-2])
    return by_seed


def _take(taken: Taken, network: Network, run: Run, sets: Sets) -> None:
    found, store = taken.pack, run.store
    asked = training(network, run.profile, store, sets)
    if asked is None:
        base = begins_as(load_model(network.model), corrupted=network.corruption is not None)
        taken.lacking[network] = f"it starts from {base}, which is trained here"
        return
    about = asked.description
    fits = [key for one in PRECISIONS if (key := content_key({**about, "precision": one}))
            in found.descriptions]  # fmt: skip
    taken.trainings[network] = asked
    if fits:
        taken.fitting[network] = fits[0]
    if stored_as(store, about) is not None:
        taken.before.append(network)
    elif fits:
        store.put(fits[0], found.arrays(fits[0]), found.descriptions[fits[0]], taken=True)
    else:
        taken.lacking[network] = _why(about, found.descriptions.values())


def _why(about: Description, others: Iterable[Description]) -> str:
    """Return the reason to train a network: the differences from the most similar one of a pack."""
    same = ("what", "model", "seed", "corruption")
    alike = [one for one in others if all(one.get(key) == about.get(key) for key in same)]
    if not alike:
        return "the pack has no network of that name"
    unlike = [
        [key for key in {**about, **one} if key != "precision" and about.get(key) != one.get(key)]
        for one in alike
    ]
    return ", ".join(UNLIKE.get(key, f"another {key}") for key in min(unlike, key=len))


def planned(jobs: Sequence[Job], taken: Taken, profile: Profile) -> tuple[Job, ...]:
    """Return a plan's jobs with their times in seconds, given the networks that were taken.

    If so little work is left that the plan is a short one, the site is rendered as in such a plan.

    Args:
        jobs: jobs with this machine's times.
    """
    lacking = {(network.of_all_seeds, network.seed) for network in taken.lacking}
    about = taken.pack.about
    answered = not lacking and about.code == pack.code(profile.name)

    def seconds(job: Job) -> float:
        if job.kind == "train":
            every = [Network.read(name) for name in job.words[1:-2]]
            left = [one for one in every if (one, int(job.words[-1])) in lacking]
            work = [sum(costs.training(one, profile) for one in some) for some in (left, every)]
            return job.seconds * (IMPORTS + work[0]) / (IMPORTS + work[1]) if left else FOUND
        shown = [*takewhile(lambda word: not word.startswith("-"), job.words[1:])]
        each: dict[str, float] = {"predict": FOUND, "notebook": IMPORTS + NOTEBOOK}
        found = each if answered else {}
        return found.get(job.kind, job.seconds) if {*shown} <= {*about.chapters} else job.seconds

    made = [replace(job, seconds=min(job.seconds, seconds(job))) for job in jobs]
    shown = {job.name for job in sites([job for job in made if job.kind != "site"])}
    return tuple(job for job in made if job.name in shown or job.kind != "site")


def retrain(taken: Taken, number: int, profile: Profile, say: Callable[[str], None]) -> None:
    """Train some networks of a pack again, drawn at random, and compare.

    Raises:
        RunError: the pack's networks differ from those trained here; all of them are then removed
            from the store.
    """
    store = Store(paths.cache() / "store")
    lot = random.SystemRandom().sample([*taken.fitting], min(number, len(taken.fitting)))
    seconds = sum(costs.training(network.of_all_seeds, profile) for network in lot)
    names = ", ".join(map(str, lot)) or "none, since no network was taken from the pack"
    say(f"Trained again, drawn at random: {names}; {in_words(seconds)}.")
    for network in lot:
        with TemporaryDirectory(prefix=".again-", dir=paths.cache()) as again:
            complaint, words = _compared(taken, network, Store(Path(again)), store)
        if complaint:
            for key in (*taken.fitting.values(), *taken.predictions):
                if store.is_taken(key):
                    store.drop(key)
            raise RunError(
                f"Refused {taken.pack.name}: training {network} again gave a different network: "
                f"{words}. No network of the pack was kept. Omit NETWORKS or --networks, and "
                "report this to the author of the pack."
            )
        say(f"{network}: {words}.")


def _compared(taken: Taken, network: Network, again: Store, store: Store) -> tuple[bool, str]:
    """Return whether a network of a pack and one trained now differ, and how, in words."""
    asked, key = taken.trainings[network], taken.fitting[network]
    about, theirs = asked.description, taken.pack.arrays(key)
    made = asked.made(again)
    mine = again.get(content_key(about))
    if mine.keys() == theirs.keys() and all(np.array_equal(mine[one], theirs[one]) for one in mine):
        return False, "the same bits"
    if key == content_key(about) and taken.pack.about.machine == pace.name(1):
        return True, "different bits on the same kind of processor"
    # From the pack, not from the store, which may have been trained here.
    again.drop(content_key(about))
    again.put(content_key(about), theirs, about)
    right = asked.correct(made), asked.correct(asked.made(again))
    (a, b), n = (float(one.mean()) for one in right), len(right[0])
    error = math.sqrt((a * (1 - a) + b * (1 - b)) / n)
    words = (
        f"{100 * a:.1f} % of {n} training images correct when trained here, {100 * b:.1f} % with "
        "the pack's network"
    )
    return abs(a - b) > ERRORS * error, words
