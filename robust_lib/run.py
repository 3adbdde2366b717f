"""A run: what a notebook starts with, and asks for data, models and predictions."""

import json
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from robust_lib import paths, profiles, resolve
from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError, one_of
from robust_lib.manifests import ModelManifest
from robust_lib.predict import choose
from robust_lib.profiles import Profile
from robust_lib.protocols import icons50, imagenet_c, studies
from robust_lib.protocols.grid import joined
from robust_lib.protocols.imagenet_c import Grid, Models, Normaliser
from robust_lib.training import zoo
from robust_lib.training.recipes import Recipe
from robust_lib.training.zoo import Trained
from robust_lib.types import Picture
from robust_lib.vocabulary import COMMON, EXTRA, NAMES, OCCLUSION, is_own


@dataclass(frozen=True, eq=False)
class Run:
    """One execution of one notebook on one profile; made by `start`.

    Attributes:
        profile: what is used, with the notebook's parameters put in.
        notebook: its name.
        parameters: what was asked for beyond the profile.
        corruptions: those evaluated.
        names: names of the models evaluated.
        store: keeps predictions and weights.
        shows: the run in words, where the profile's own words do not fit the notebook.
        role: of the data set that models are evaluated on.
        began: the clock when it started, seconds.
    """

    profile: Profile
    notebook: str
    parameters: Mapping[str, Any]
    corruptions: tuple[str, ...]
    names: tuple[str, ...]
    store: Store
    shows: str | None = None
    role: str = "imagenet_val"
    began: float = field(default_factory=time.monotonic, repr=False)
    _asked: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path:
        """Return the folder of this profile's notebooks, results, figures and site."""
        return paths.profile(self.profile.name)

    def image_set(self, role: str) -> ImageSet:
        """Return the image set that plays a role, such as "imagenet_val"."""
        return resolve.image_set(self.profile, role, self.store)

    @cached_property
    def images(self) -> ImageSet:
        """Return the images that models are evaluated on."""
        return self.image_set(self.role)

    @cached_property
    def models(self) -> Models:
        """Return the classifiers, checked: name -> one a seed."""
        return resolve.classifiers(self.profile, self.names, self.images, self.store)

    @property
    def words(self) -> str:
        """Return the run in words, for readers."""
        if self.shows is not None:
            return self.shows
        seeds = len(self.profile.seeds)
        shown = min(self.profile.limit or len(self.images), len(self.images))
        return self.profile.words.format(
            classes=f"{len(self.images.class_names):,}",
            images=f"{shown:,}",
            seeds=f"{seeds} seed{'s' if seeds > 1 else ''}",
        )

    def pictures(self, number: int) -> list[Picture]:
        """Return some pictures of the evaluated set, as the first model sees them."""
        geometry = next(iter(self.models.values()))[0].preprocessing
        return [self.images.read(place, geometry) for place in choose(self.images.ids, number)]

    def class_of(self, number: int) -> list[str]:
        """Return the class names of the same pictures."""
        labels = self.images.labels[choose(self.images.ids, number)]
        return [self.images.class_names[label] for label in labels]

    def trained(self) -> list[Trained]:
        """Return the run's networks that are trained here, trained now if need be."""
        return resolve.trained_networks(self.profile, self.names, self.store)

    def training_curves(self) -> dict[str, list[float]]:
        """Return the training accuracy by epoch, in percent, of each network trained here."""
        return {
            made.model.name: [100 * value for value in made.curves.accuracy]
            for made in self.trained()
        }

    @property
    def baseline(self) -> str:
        """Return our model that plays the part of the baseline."""
        return self.profile.models.get(self.profile.baseline, self.profile.baseline)

    @property
    def standard(self) -> str:
        """Return the run's network that others are compared with: the first but the baseline."""
        others = [name for name in self.models if name != self.baseline]
        return others[0] if others else self.baseline

    @property
    def severity_words(self) -> str:
        """Return the severities in words, such as "1, 2, 3, 4, 5"."""
        return ", ".join(str(severity) for severity in self.profile.severities)

    @property
    def interval_words(self) -> str:
        """Return what the intervals of this run are."""
        seeds = len(self.profile.seeds)
        if seeds > 1:
            return f"mean of {seeds} seeds, interval from the smallest to the largest"
        return (
            "95 % intervals over images (Clopper-Pearson for errors, "
            f"{self.profile.bootstrap:,} bootstrap resamples for ratios)"
        )

    def corruption_grid(self, progress: bool = True) -> Grid:
        """Return the predictions of all models on the clean images and on every cell.

        Border and obstruction are in no archive; they are made here whatever the profile says.
        """
        if self.profile.corrupted == "archive" and set(self.corruptions) & set(OCCLUSION):
            made_here = self.profile.model_copy(update={"corrupted": "generated"})
            common = tuple(name for name in self.corruptions if name not in OCCLUSION)
            added = tuple(name for name in self.corruptions if name in OCCLUSION)
            grid = self._grid(made_here, added, progress)
            return grid if not common else joined(self._grid(self.profile, common, progress), grid)
        return self._grid(self.profile, self.corruptions, progress)

    def _grid(self, profile: Profile, corruptions: Sequence[str], progress: bool) -> Grid:
        source = resolve.corrupted(profile, self.images, self.models, corruptions)
        return imagenet_c.evaluate(
            self.models,
            self.images,
            source.cell,
            corruptions=corruptions,
            severities=profile.severities,
            corrupted=source.name,
            storage=source.storage,
            store=self.store,
            cell_models=source.models,
            limit=profile.limit,
            batch_size=profile.batch_size,
            progress=progress,
        )

    def normaliser(self, grid: Grid) -> Normaliser:
        """Return what corruption errors are divided by in this profile.

        Nobody published AlexNet's errors on border and obstruction: those are measured.
        """
        if self.profile.normaliser == "published":
            return imagenet_c.published(self.profile.severities, grid, self.baseline)
        return imagenet_c.measured(grid, self.baseline)

    @property
    def icons(self) -> Icons50:
        """Return the evaluated images as the icons that they are."""
        return resolve.as_icons(self.images)

    @property
    def plan(self) -> tuple[ModelManifest, Recipe]:
        """Return what the run's first network is, and how it is trained here."""
        return zoo.plan(resolve.own_name(self.profile, self.names[0]), self.profile.epochs)

    def curves_without(self, hold_outs: Sequence[str]) -> dict[str, list[float]]:
        """Return the training accuracy by epoch, in percent, of each network and hold-out."""
        names = [f"{name}@{hold_out}" for name in self.names for hold_out in hold_outs]
        made = resolve.trained_networks(self.profile, names, self.store)
        return {one.model.name: [100 * value for value in one.curves.accuracy] for one in made}

    def ask_held_out(
        self, hold_outs: Sequence[str], models: Sequence[str] | None = None
    ) -> icons50.Answers:
        """Return what networks trained without the icons of each hold-out say of them.

        Args:
            hold_outs: names as `datasets.hold_outs.named` takes them; all are looked up before the
                first network is trained.
            models: names of networks; None: the run's.
        """
        held = {name: resolve.held_out(self.images, name) for name in hold_outs}
        names = self.names if models is None else models
        answers = icons50.ask(
            lambda name: self._without(name, names),
            self.icons,
            held,
            store=self.store,
            batch_size=self.profile.batch_size,
            progress=False,
        )
        for by_model in answers.values():
            self._asked.update(
                {one.model: one.fingerprint for runs in by_model.values() for one in runs}
            )
        return answers

    @property
    def weights(self) -> dict[str, str]:
        """Return the fingerprints of the networks that were asked, by name."""
        # What a page does not look at is not loaded to be named.
        models = self.models.values() if "models" in self.__dict__ else ()
        return {one.name: one.fingerprint for runs in models for one in runs} | self._asked

    def _without(self, hold_out: str, names: Sequence[str]) -> Models:
        ended = [f"{name}@{hold_out}" for name in names]
        return resolve.classifiers(self.profile, ended, self.images, self.store)

    @property
    def command(self) -> str:
        """Return the papermill command that makes this run again, wherever its data lies."""
        given = {"profile": self.profile.name} | dict(self.parameters)
        words = [f"-y {shlex.quote(json.dumps({key: value}))}" for key, value in given.items()]
        return f"papermill notebooks/{self.notebook}.ipynb out.ipynb " + " ".join(words)


def start(
    profile: str,
    notebook: str,
    *,
    models: Sequence[str] | None = None,
    corruptions: Sequence[str] | None = None,
    severities: Sequence[int] | str | None = None,
    limit: int | None = None,
    seeds: Sequence[int] | int | str | None = None,
    device: str | None = None,
    storage: str | None = None,
    data: str | None = None,
    epochs: int | None = None,
    recompute: bool = False,
    shows: str | None = None,
    study: str | None = None,
    trained_with: Sequence[str] | None = None,
    own: str | None = None,
    baseline: bool = True,
    parameters: Mapping[str, Any] | None = None,
) -> Run:
    """Return a run of a notebook on a profile; None leaves a value to the profile.

    A list may come as its text, such as '["alexnet"]': papermill's -p hands lists over so.

    Args:
        profile: a file of data_manifests/profiles.
        notebook: the notebook's name.
        models: names as `resolve.classifiers` takes them.
        corruptions: names of corruptions.
        severities: of 1 to 5.
        limit: images a cell.
        seeds: of the networks trained here: a list, or how many.
        device: where models run.
        storage: "jpeg85" or "memory".
        data: folder of the data sets, instead of ROBUST_DATA.
        epochs: of the networks trained here, instead of their recipes'.
        recompute: compute again what the store has.
        shows: the run in words, where the profile's own do not fit; see `Run`.
        study: a key of the profile's studies, whose networks `models` then names.
        trained_with: corruptions; each model is joined by one trained with each of them. None:
            with each of the study's, if it has such networks.
        own: a corruption of one's own, <file>.py:<function>, that joins those of the study.
        baseline: whether the model that normalises is joined to those named.
        parameters: the notebook's own, where they are not called as these arguments are.

    Raises:
        InputError: an unknown name or an impossible value.
    """
    import cv2
    import torch

    # Several threads on busy cores collapse; parallel processes do not.
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    if data is not None:
        paths.use_data(Path(data))
    models, corruptions = _spelled_out(models), _spelled_out(corruptions)
    severities, seeds = _spelled_out(severities), _spelled_out(seeds)
    for what, names in (("models", models), ("corruptions", corruptions)):
        listed = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        if not listed and names is not None:
            raise InputError(
                f"Expected {what} as a list of names, such as '[\"{names}\"]', but got {names!r}."
            )
    counted = range(seeds) if isinstance(seeds, int) else seeds
    chosen = profiles.changed(
        profiles.load_profile(profile),
        severities=severities,
        limit=limit,
        seeds=list(counted) if isinstance(counted, range) else counted,
        device=device,
        storage=storage,
        epochs=epochs,
    )
    _require_corruptions("corruption", corruptions or ())
    evaluated: tuple[str, ...] = COMMON + EXTRA if chosen.extra else COMMON
    role = "imagenet_val"
    joined: tuple[str, ...] = ()
    if study is not None:
        about = studies.load_study(study, chosen)
        added = () if own is None else (own,)
        _require_corruptions("corruption of your own", added)
        evaluated, role = studies.corruptions(chosen) + added, about.role
        chosen = chosen.model_copy(update={"models": chosen.studies[study]})
        if about.words is not None:
            cut = f", {chosen.epochs} epochs each" if chosen.epochs else ""
            chosen = chosen.model_copy(update={"words": about.words + cut, "limit": None})
        joined = evaluated if about.each_corruption else ()
        baseline = baseline and about.baseline
    trained_with = _spelled_out(trained_with)
    spoilt = joined if trained_with is None else tuple(trained_with)
    names = _names(chosen, models, with_baseline=baseline)
    given = parameters or {
        "models": models,
        "corruptions": corruptions,
        "severities": severities,
        "limit": limit,
        "seeds": seeds,
        "device": device,
        "storage": storage,
        "epochs": epochs,
    }
    return Run(
        chosen,
        notebook,
        {key: value for key, value in given.items() if value is not None},
        tuple(evaluated if corruptions is None else corruptions),
        tuple(f"{name}{end}" for name in names for end in _endings(spoilt)),
        Store(paths.cache() / "store", recompute),
        shows,
        role,
    )


def _spelled_out(value: Any) -> Any:
    """Return the list that a text spells out; anything else as it is."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            return yaml.safe_load(value)
        except yaml.YAMLError:
            return value
    return value


def _require_corruptions(what: str, names: Sequence[str]) -> None:
    from robust_lib.corruptions import own  # imports OpenCV

    for name in names:
        if is_own(name):
            own.load(name)
        elif name not in NAMES:
            raise InputError(one_of(what, name, NAMES))


def _endings(trained_with: Sequence[str]) -> tuple[str, ...]:
    _require_corruptions("corruption to train with", trained_with)
    return ("", *(f"+{name}" for name in trained_with))


def _names(
    profile: Profile, models: Sequence[str] | None, *, with_baseline: bool
) -> tuple[str, ...]:
    names = tuple(profile.models if models is None else models)
    if not names or not with_baseline:
        return names
    needed = profile.normaliser == "measured" and not {
        profile.baseline,
        profile.models.get(profile.baseline),
    } & set(names)
    return (profile.baseline, *names) if needed else names
