"""The plan: the jobs that make the book's chapters.

A network that several chapters need is trained once, and images that several chapters use are
corrupted once for all their networks. Since a process takes seconds to import torch, small pieces
of work of one kind share a process.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

from robust_book.engine import costs
from robust_book.engine.evaluations import bundles, groups, shares
from robust_book.engine.jobs import SO_FAR, Job, remaining, up_to
from robust_book.engine.needs import Evaluated, Needs, lineage, needs, training_set, whole_of
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError, one_of
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network

ENOUGH = 20.0  # seconds of work that are worth a process
MOST = 80.0  # seconds of short trainings, one after the other, in a process
ENOUGH_DRAWN = 10.0  # of pictures, for which all else waits
IMPORTS = 4.0  # seconds before a process begins to work
NOTEBOOK = 14.0
SITE = 26.0
PAGE = 8.0  # to add a chapter to a site
LONG = 1800.0  # seconds on one core, in which a reader wants to see what is done


def plan(profile: Profile, chapters: Sequence[Chapter], seeds: int) -> tuple[Job, ...]:
    """Return the jobs that make some chapters and their site, each after those that it needs.

    Args:
        seeds: number of seeds for each trained network.

    Raises:
        InputError: the profile lacks a chapter's networks or one of its roles.
    """
    parts = {
        chapter.notebook: tuple(needs(part, profile) for part in chapter.parts(profile))
        for chapter in chapters
    }
    planner = _Planner(profile, seeds, parts)
    draws = planner.draws()
    trains = planner.trains(draws)
    predicts = planner.predicts(draws, trains)
    made = {name: planner.notebook(name, draws, trains, predicts) for name in parts}
    notebooks = [
        replace(job, seconds=job.seconds + costs.on_photographs(chapter, profile))
        for chapter in chapters
        for job in (made[chapter.notebook],)
    ]
    every = (draws.values(), *trains.values(), *predicts.values(), notebooks)
    jobs = tuple(dict.fromkeys(job for group in every for job in group))
    return tuple(
        # Threads read ahead of a GPU.
        replace(
            job,
            memory=costs.memory(job.kind, profile, gpu=job.gpu),
            cores=1 + profile.workers * job.gpu,
        )
        for job in jobs + sites(jobs)
    )


def sites(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Return the jobs that render the site, after each planned notebook and after all of them.

    The site after a chapter contains all chapters finished by then. In a short plan, it is rendered
    early only after the first chapter, and in a plan of one chapter only at the end.
    """
    notebooks = [job for job in jobs if job.kind == "notebook"]
    whole = Job(
        "site", "site", ("site", *(job.words[1] for job in notebooks)), _names(notebooks),
        IMPORTS + SITE,
    )  # fmt: skip
    long = sum(job.seconds for job in jobs) >= LONG
    so_far = tuple(
        Job(SO_FAR + job.words[1], "site", ("site", "--so-far"), (job.name,), IMPORTS + PAGE)
        for job in (notebooks if long else notebooks[:1])
    )
    return (*so_far, whole) if len(notebooks) > 1 else (whole,)


def needed(jobs: Sequence[Job], chapters: Sequence[str]) -> tuple[Job, ...]:
    """Return the jobs that make some of the planned chapters and their site.

    Raises:
        InputError: a chapter is not planned.
    """
    notebooks = {job.words[1]: job.name for job in jobs if job.kind == "notebook"}
    for name in chapters:
        if name not in notebooks:
            raise InputError(one_of("chapter", name, notebooks))
    chosen = up_to(jobs, [notebooks[name] for name in chapters])
    return chosen + sites(chosen)


def of_chapters(
    profile: Profile, chapters: Sequence[Chapter], every: Sequence[Chapter], seeds: int, home: Path
) -> tuple[Job, ...]:
    """Return the jobs that make some of the chapters, as far as possible those that are done.

    A job of the whole book may also train or evaluate networks that only other chapters need. So
    the chapters have jobs of their own, unless less remains to be done in those of the whole book.

    Args:
        every: all chapters that the profile can make.
        home: the profile's folder, with the stamps of finished jobs.
    """
    whole = plan(profile, every, seeds)
    shared = needed(whole, [chapter.notebook for chapter in chapters])
    own = _distinct(plan(profile, chapters, seeds), whole)
    return min(shared, own, key=lambda jobs: remaining(jobs, home))


def _distinct(jobs: Sequence[Job], others: Sequence[Job]) -> tuple[Job, ...]:
    """Return jobs under other names if others of the same name do something else.

    Each then keeps its stamp when the other is done.
    """
    taken = {job.name: job.words for job in others if job.kind != "site"}
    names = {
        job.name: f"{job.name}-{sha256(' '.join(job.words).encode()).hexdigest()[:6]}"
        for job in jobs
        if taken.get(job.name, job.words) != job.words
    }
    return tuple(
        replace(
            job,
            name=names.get(job.name, job.name),
            needs=tuple(names.get(name, name) for name in job.needs),
        )
        for job in jobs
    )


@dataclass(frozen=True)
class _Planner:
    """Planner that turns the requirements of chapters into jobs.

    Attributes:
        seeds: number of seeds for each trained network.
        parts: chapter -> its requirements, and those of the chapters whose networks it also shows.
    """

    profile: Profile
    seeds: int
    parts: Mapping[str, tuple[Needs, ...]]

    @property
    def needs(self) -> list[Needs]:
        return [need for group in self.parts.values() for need in group]

    def wanted_by(self, wants: Callable[[Needs], bool]) -> tuple[str, ...]:
        """Return the chapters that need something."""
        return tuple(name for name, group in self.parts.items() if any(map(wants, group)))

    def draws(self) -> dict[str, Job]:
        """Return data set -> the job that draws its images."""
        sets = dict.fromkeys(name for need in self.needs for name in need.datasets)

        def seconds(name: str) -> float:
            return costs.drawing(name, self.profile)

        def wanted_by(name: str) -> tuple[str, ...]:
            return self.wanted_by(lambda need: name in need.datasets)

        found = {}
        for group in bundles(sets, seconds, wanted_by, ENOUGH_DRAWN):
            words = ("draw", *(_role(name, self.profile) for name in group))
            cost = IMPORTS + sum(map(seconds, group))
            job = Job(f"draw-{group[0]}", "draw", words, (), cost)
            found.update(dict.fromkeys(group, job))
        return found

    def trains(self, draws: Mapping[str, Job]) -> dict[Network, list[Job]]:
        """Return network -> the jobs that train it, one for each seed.

        A network that starts from another is trained by the same job. If it is worth a process, a
        later job trains it, so that chapters without it need not wait.
        """
        alike: dict[tuple[str, ...], list[tuple[Network, ...]]] = {}
        later: list[tuple[tuple[Network, ...], tuple[str, ...]]] = []
        for line in self._lines():
            sets = [whole_of(training_set(network, self.profile)) for network in line]
            before = _names(draws[name] for name in sets if name in draws)
            if len(lineage(line[0])) == 1:
                alike.setdefault(before, []).append(line)
            else:
                later.append((line, before))
        found: dict[Network, list[Job]] = {}
        for before, group in alike.items():
            for bundle in bundles(group, self._training, self._wanting, ENOUGH):
                for seed in range(self.seeds):
                    self._train(found, bundle, before, seed)
        for line, before in later:
            for seed, job in enumerate(found[lineage(line[0])[-2]]):
                self._train(found, [line], (*before, job.name), seed)
        return found

    def _lines(self) -> list[tuple[Network, ...]]:
        """Return the trained networks in groups that one process trains, one after the other.

        Many short trainings that start from one network are divided among several processes.
        """
        head: dict[Network, Network] = {}
        lines: dict[Network, list[Network]] = {}
        last: dict[Network, Network] = {}
        for network in chain.from_iterable(need.trained for need in self.needs):
            if network in head:
                continue
            alone = costs.training(network, self.profile) >= ENOUGH
            start = lineage(network)[-2:][0]  # itself, where it starts from nothing
            if alone or start == network:
                head[network] = network
            else:
                head[network] = last.get(start, head[start])
                if self._training(lines[head[network]]) + self._training([network]) > MOST:
                    head[network] = last[start] = network
            lines.setdefault(head[network], []).append(network)
        return list(map(tuple, lines.values()))

    def _train(
        self,
        found: dict[Network, list[Job]],
        lines: Sequence[tuple[Network, ...]],
        before: tuple[str, ...],
        seed: int,
    ) -> None:
        networks = list(chain.from_iterable(lines))
        cost = IMPORTS + sum(map(self._training, lines))
        name = re.sub(r"\W+", "-", f"train-{replace(networks[0], seed=seed)}")
        words = ("train", *map(str, networks), "--seed", str(seed))
        job = Job(name, "train", words, before, cost, on_gpu(self.profile))
        for network in networks:
            found.setdefault(network, []).append(job)

    def _training(self, line: Sequence[Network]) -> float:
        return sum(costs.training(network, self.profile) for network in line)

    def _wanting(self, line: Sequence[Network]) -> tuple[str, ...]:
        return self.wanted_by(lambda need: not {*line}.isdisjoint(need.networks))

    def predicts(
        self, draws: Mapping[str, Job], trains: Mapping[Network, Sequence[Job]]
    ) -> dict[Evaluated, list[Job]]:
        """Return evaluation -> the jobs that compute its predictions."""
        found: dict[Evaluated, list[Job]] = {}
        for keys in groups(self.needs):
            found |= {key: [] for key in keys}
            together = self._together(keys)
            parts = shares(keys, tuple(together.values()), self.profile, self.seeds, ENOUGH)
            little = len(together) == 1 and sum(share.seconds for share in parts) < ENOUGH
            if little or keys[0].embeddings:
                continue  # its notebook does that itself
            seen_clean: set[str] = set()
            for share in parts:
                wanting = [together[name] for name in share.chapters]
                before = [draws[name] for need in wanting for name in need.datasets]
                networks = dict.fromkeys(one for need in wanting for one in need.networks)
                before += [job for one in networks for job in trains.get(one, ())]
                option = "--boxes" if keys[0].boxes else "--roles"
                shown = share.names
                if keys[0].corruptions:
                    option = "--corruptions"
                    # The clean images are shown once, by the first of them.
                    shown += ("clean",) * (not seen_clean.issuperset(share.chapters))
                    seen_clean.update(share.chapters)
                words = ("predict", *share.chapters, option, *shown, "--seeds", str(self.seeds))
                name = f"predict-{share.chapters[0]}-{share.names[0]}"
                cost, gpu = IMPORTS + share.seconds, on_gpu(self.profile)
                job = Job(name, "predict", words, _names(before), cost, gpu)
                for key in keys:
                    if any(key in need.evaluated for need in wanting):
                        found[key].append(job)
        return found

    def _together(self, keys: Sequence[Evaluated]) -> dict[str, Needs]:
        """Return chapter -> its requirements, for the chapters with one of some evaluations."""
        wanting = (need for need in self.needs if not need.evaluated.keys().isdisjoint(keys))
        return {need.notebook: need for need in wanting}

    def notebook(
        self,
        name: str,
        draws: Mapping[str, Job],
        trains: Mapping[Network, Sequence[Job]],
        predicts: Mapping[Evaluated, Sequence[Job]],
    ) -> Job:
        """Return the job that executes a chapter's notebook."""
        before: list[Job] = []
        seconds, alone = IMPORTS + NOTEBOOK, False
        for need in self.parts[name]:
            before += [draws[one] for one in need.datasets]
            before += [job for one in need.trained for job in trains[one]]
            before += [job for key in need.evaluated for job in predicts[key]]
            # What no job predicts, the notebook does.
            left = [key for key in need.evaluated if not predicts[key]]
            alone |= bool(need.networks) and (bool(left) or not need.evaluated)
            for key in left:
                parts = shares([key], [need], self.profile, self.seeds, ENOUGH)
                seconds += sum(share.seconds for share in parts)
        words = ("run", name, "-p", "seeds", str(self.seeds), "--into-book")
        gpu = on_gpu(self.profile) and alone
        return Job(f"notebook-{name}", "notebook", words, _names(before), seconds, gpu)


def on_gpu(profile: Profile) -> bool:
    """Return whether a profile's networks run on a GPU.

    >>> from robust_lib.config.profiles import load_profile
    >>> on_gpu(load_profile("full")), on_gpu(load_profile("mini"))
    (True, False)
    """
    return profile.device.startswith("cuda")


def _names(jobs: Iterable[Job]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(job.name for job in jobs))


def _role(name: str, profile: Profile) -> str:
    """Return the role of a data set, or else that of one of its parts."""
    roles = [role for role, played in profile.data.items() if played == name]
    parts = [role for role, played in profile.data.items() if whole_of(played) == name]
    return (roles or parts)[0]
