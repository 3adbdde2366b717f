"""A run: what a notebook asks for data, models and predictions."""

import json
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.manifests import ModelManifest, load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.hold_outs import HoldOut
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError
from robust_lib.predict.classify import choose
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols import surface_variation
from robust_lib.protocols.grid import Grid, Models, evaluate, joined
from robust_lib.protocols.normaliser import Normaliser, measured, published
from robust_lib.run import corrupted_sets, filtered_sets, image_sets, networks
from robust_lib.training import zoo
from robust_lib.training.recipes import Recipe
from robust_lib.training.zoo import Trained
from robust_lib.types import Picture
from robust_lib.vocabulary import OCCLUSION


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
        told_of: role of the data set that the badge tells of.
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
    told_of: str = "imagenet_val"
    began: float = field(default_factory=time.monotonic, repr=False)
    _asked: dict[str, str] = field(default_factory=dict, repr=False)
    _sets: dict[str, ImageSet] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path:
        """Return the folder of this profile's notebooks, results, figures and site."""
        return paths.profile(self.profile.name)

    def image_set(self, role: str) -> ImageSet:
        """Return the image set that plays a role, such as "imagenet_val"."""
        if role not in self._sets:
            self._sets[role] = filtered_sets.image_set(self.profile, role, self.store)
        return self._sets[role]

    @property
    def image_sets_used(self) -> tuple[ImageSet, ...]:
        """Return the image sets that were looked at so far."""
        return tuple(self._sets.values())

    @cached_property
    def images(self) -> ImageSet:
        """Return the images that models are evaluated on."""
        return self.image_set(self.role)

    @cached_property
    def models(self) -> Models:
        """Return the classifiers, checked: name -> one a seed."""
        return networks.classifiers(self.profile, self.names, self.images, self.store)

    @property
    def first(self) -> str:
        """Return our name of the first network of the run."""
        return next(iter(self.models))

    @property
    def geometry(self) -> Preprocessing:
        """Return how the first network sees pictures."""
        return self.models[self.first][0].preprocessing

    @property
    def words(self) -> str:
        """Return the run in words, for readers."""
        return self.words_of(self.told_of) if self.shows is None else self.shows

    def words_of(self, *roles: str) -> str:
        """Return the run in words where it shows the images of some roles, a line each."""
        return ";\n".join(self._words_of(role) for role in roles)

    def _words_of(self, role: str) -> str:
        seeds = len(self.profile.seeds)
        images = self.image_set(role)
        shown = min(self.profile.limit or len(images), len(images))
        return self.profile.words.format(
            title=load_dataset(self.profile.data[role]).title,
            classes=f"{len(images.class_names):,}",
            images=f"{shown:,}",
            seeds=f"{seeds} seed{'s' if seeds > 1 else ''}",
        )

    def pictures(self, number: int) -> list[Picture]:
        """Return some pictures of the evaluated set, as the first model sees them."""
        return [self.images.read(place, self.geometry) for place in choose(self.images.ids, number)]

    def class_of(self, number: int) -> list[str]:
        """Return the class names of the same pictures."""
        labels = self.images.labels[choose(self.images.ids, number)]
        return [self.images.class_names[label] for label in labels]

    def trained(self) -> list[Trained]:
        """Return the run's networks that are trained here, trained now if need be."""
        return networks.trained_networks(self.profile, self.names, self.store)

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

    def with_networks_of(self, other: "Run") -> "Run":
        """Return this run with another's networks, too, so that images are corrupted once for all.

        Raises:
            InputError: the other one shows other images.
        """
        if (self.images.digest, self.profile.severities) != (
            other.images.digest,
            other.profile.severities,
        ):
            raise InputError(
                f"Expected studies that show their networks the same images, but {self.role} are "
                f"others than {other.role}. Name one study at a time."
            )
        names = [
            networks.own_name(run.profile, name) for run in (self, other) for name in run.names
        ]
        return replace(self, names=tuple(dict.fromkeys(names)))

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
        source = corrupted_sets.corrupted(profile, self.images, self.models, corruptions)
        return evaluate(
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
            return published(self.profile.severities, grid, self.baseline)
        return measured(grid, self.baseline)

    @property
    def icons(self) -> Icons50:
        """Return the evaluated images as the icons that they are."""
        return image_sets.as_icons(self.images)

    @property
    def plan(self) -> tuple[ModelManifest, Recipe]:
        """Return what the run's first network is, and how it is trained here."""
        return zoo.plan(networks.own_name(self.profile, self.names[0]), self.profile.epochs)

    def curves_without(self, hold_outs: Sequence[str]) -> dict[str, list[float]]:
        """Return the training accuracy by epoch, in percent, of each network and hold-out."""
        names = [f"{name}@{hold_out}" for name in self.names for hold_out in hold_outs]
        made = networks.trained_networks(self.profile, names, self.store)
        return {one.model.name: [100 * value for value in one.curves.accuracy] for one in made}

    def held_out(self, names: Iterable[str]) -> dict[str, HoldOut]:
        """Return name -> which of the run's icons a hold-out takes.

        Args:
            names: as `datasets.hold_outs.named` takes them.

        Raises:
            InputError: another name.
        """
        return {name: image_sets.held_out(self.images, name) for name in names}

    def ask_held_out(
        self, hold_outs: Sequence[str], models: Sequence[str] | None = None
    ) -> surface_variation.Answers:
        """Return what networks trained without the icons of each hold-out say of them.

        Args:
            hold_outs: names as `datasets.hold_outs.named` takes them; all are looked up before the
                first network is trained.
            models: names of networks; None: the run's.
        """
        held = self.held_out(hold_outs)
        names = self.names if models is None else models
        answers = surface_variation.ask(
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
        return networks.classifiers(self.profile, ended, self.images, self.store)

    @property
    def command(self) -> str:
        """Return the papermill command that makes this run again, wherever its data lies."""
        given = {"profile": self.profile.name} | dict(self.parameters)
        words = [f"-y {shlex.quote(json.dumps({key: value}))}" for key, value in given.items()]
        return f"papermill notebooks/{self.notebook}.ipynb out.ipynb " + " ".join(words)
