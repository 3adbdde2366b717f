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
from robust_lib.errors import InputError, one_of
from robust_lib.predict import choose
from robust_lib.profiles import Profile
from robust_lib.protocols import imagenet_c
from robust_lib.protocols.imagenet_c import Grid, Models, Normaliser
from robust_lib.training.zoo import Trained
from robust_lib.types import Picture
from robust_lib.vocabulary import COMMON, EXTRA, NAMES, OCCLUSION


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
        """Return the predictions of all models on the clean images and on every cell."""
        source = resolve.corrupted(self.profile, self.images, self.models, self.corruptions)
        return imagenet_c.evaluate(
            self.models,
            self.images,
            source.cell,
            corruptions=self.corruptions,
            severities=self.profile.severities,
            corrupted=source.name,
            storage=source.storage,
            store=self.store,
            cell_models=source.models,
            limit=self.profile.limit,
            batch_size=self.profile.batch_size,
            progress=progress,
        )

    def normaliser(self, grid: Grid) -> Normaliser:
        """Return what corruption errors are divided by in this profile."""
        if self.profile.normaliser == "published":
            return imagenet_c.published(self.profile.severities)
        return imagenet_c.measured(grid, self.baseline)

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
    role: str = "imagenet_val",
    study: str | None = None,
    trained_with: Sequence[str] | None = (),
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
        role: of the data set that models are evaluated on.
        study: a key of the profile's studies, whose networks `models` then names.
        trained_with: corruptions; each model is joined by one trained with each of them. None:
            with each of the study's.
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
    for name in corruptions or ():
        if name not in NAMES:
            raise InputError(one_of("corruption", name, NAMES))
    evaluated: tuple[str, ...] = COMMON + EXTRA if chosen.extra else COMMON
    if study is not None:
        if study not in chosen.studies:
            raise InputError(one_of("a study of the profile", study, chosen.studies))
        chosen = chosen.model_copy(update={"models": chosen.studies[study]})
        evaluated = chosen.study_corruptions or COMMON + OCCLUSION
    trained_with = _spelled_out(trained_with)
    spoilt = evaluated if trained_with is None else tuple(trained_with)
    names = _names(chosen, models, with_baseline=role == "imagenet_val")
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


def _endings(trained_with: Sequence[str]) -> tuple[str, ...]:
    for name in trained_with:
        if name not in NAMES:
            raise InputError(one_of("corruption to train with", name, NAMES))
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
