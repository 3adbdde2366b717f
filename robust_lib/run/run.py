"""A run: a chapter on a profile, with its images, networks and their predictions."""

import json
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from robust_lib.cache import Store
from robust_lib.config.manifests import ModelManifest
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet, together
from robust_lib.datasets.user_folder import is_users
from robust_lib.errors import InputError, one_of
from robust_lib.metrics.class_scores import Pooling
from robust_lib.models import adapter
from robust_lib.models.contract import Classifier
from robust_lib.models.contract import fingerprints as named_once
from robust_lib.models.detectors.contract import Detector
from robust_lib.predict.classify import choose
from robust_lib.predict.embed import Embeddings, embed, whole
from robust_lib.predict.masked import MaskedPredictions, predict_masked
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.grid import Grid
from robust_lib.run import corrupted_sets, experiments, filtered_sets, roles
from robust_lib.run.chapter import Chapter, OnBoxes
from robust_lib.run.detectors import (
    LEAST_SCORE,
    LEAST_SCORES,
    DetectorsBySeed,
    FoundBySeed,
    detectors,
    found_boxes,
)
from robust_lib.run.image_kinds import subjects
from robust_lib.run.network import Network, resolved
from robust_lib.run.networks import (
    BySeed,
    classifier,
    classifiers,
    groups_known,
    our_name,
    row_of,
    trained_networks,
    training_curves,
)
from robust_lib.training import zoo
from robust_lib.training.recipes import Recipe
from robust_lib.training.zoo import Trained
from robust_lib.types import Picture


@dataclass(frozen=True, eq=False)
class Run:
    """One execution of one chapter on one profile, made by `start`.

    Attributes:
        profile: the profile, with the notebook's parameters inserted.
        began: time of the start in seconds.
        given: available classifiers by name of the network; all others are loaded or trained.
    """

    chapter: Chapter
    profile: Profile
    parameters: Mapping[str, Any]
    corruptions: tuple[str, ...]
    networks: tuple[Network, ...]
    store: Store
    began: float = field(default_factory=time.monotonic, repr=False)
    given: Mapping[str, Classifier] = field(default_factory=dict, repr=False)
    _fingerprints: dict[str, str] = field(default_factory=dict, repr=False)
    _notes: dict[str, str] = field(default_factory=dict, repr=False)
    _sets: dict[str, ImageSet] = field(default_factory=dict, repr=False)
    _detectors: DetectorsBySeed = field(default_factory=dict, repr=False)
    _embedding: dict[str, Classifier] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path:
        """Return the folder of this run's notebook, results, figures and site."""
        return experiments.folder(self.chapter.notebook, self.profile.name, self.parameters)

    def image_set(self, role: str) -> ImageSet:
        """Return the image set that plays a role, such as "imagenet_val"."""
        if role not in self._sets:
            found = filtered_sets.image_set(self.profile, role, self.store)
            data = self.profile.data
            for other, one in self._sets.items() if is_users(data.get(role, "")) else ():
                if one.name == found.name and data[other] != data[role]:
                    raise InputError(
                        f"Expected image sets with different names, but {data[other]} and "
                        f"{data[role]} are both called {found.name} in results. Rename a folder or "
                        "file."
                    )
            self._sets[role] = found
        return self._sets[role]

    @property
    def image_sets_used(self) -> Mapping[str, ImageSet]:
        """Return role -> image set, for the roles that were used so far."""
        return dict(self._sets)

    @property
    def images(self) -> ImageSet:
        """Return the images on which networks are evaluated."""
        return self.image_set(self.chapter.role)

    @cached_property
    def models(self) -> BySeed:
        """Return the run's checked classifiers: name of a network -> one per seed."""
        return self.models_of(self.networks)

    def models_of(self, wanted: Sequence[Network]) -> BySeed:
        """Return the checked classifiers of some networks: name -> one per seed."""
        found = classifiers(self.profile, wanted, self.images, self.store, self.given)
        self._record(one for many in found.values() for one in many)
        return found

    @property
    def paper_names(self) -> Mapping[str, str]:
        """Return the paper's name of each network -> our stand-in."""
        return self.chapter.models(self.profile)

    def network(self, name: str) -> Network:
        """Return the network that a name refers to, the paper's name or ours."""
        return resolved(self.profile, self.chapter.networks, name)

    def evaluated(self, named: str | None, *papers: str, others: Iterable[str] = ()) -> str:
        """Return our name of one of the run's networks, given our name, the paper's or its file.

        Args:
            named: name of the network; None: the first of `papers` that the run has, or else the
                run's first network.
            papers: preferred networks by the papers' names, the paper's own choice first.
            others: names shown next to the run's networks, such as detectors read from files.

        Raises:
            InputError: the run has no such network, or no networks.
        """
        known = self._called | {one: one for one in others}
        if named is None:
            named = next((paper for paper in papers if paper in known), next(iter(known), None))
        if named not in known:
            listed = dict.fromkeys(known.values()) or ["nothing"]
            raise InputError(one_of("a network of this run", named, listed))
        return known[named]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return our name of each of the run's networks, in order.

        The name of a user's model is known once it is loaded; all other names are known before
        training.
        """
        if all(row_of(network) is not None for network in self.networks):
            return tuple(map(str, self.networks))
        finds = any(isinstance(one, OnBoxes) for one in self.chapter.shows)
        return tuple(self.detectors_of(self.networks) if finds else self.models)

    @cached_property
    def _called(self) -> dict[str, str]:
        """Map each possible name of the run's networks, in their order, to our name."""
        names = self.names
        asked = dict(zip(map(str, self.networks), names, strict=True))
        papers = {paper: asked.get(str(self.network(paper))) for paper in self.paper_names}
        by_paper = {paper: ours for paper, ours in papers.items() if ours is not None}
        return {name: name for name in names} | asked | by_paper

    def predict(
        self,
        images: str | ImageSet,
        classes_of: str | ImageSet | None = None,
        networks: Sequence[str | Network] | None = None,
        *,
        how: Pooling = "max",
    ) -> MaskedPredictions:
        """Return the predictions of networks on some images, masked to some classes.

        Args:
            images: a role, or an image set.
            classes_of: role or image set to whose classes the predictions are restricted; None: the
                images'. Networks that lack any of these classes are left out.
            networks: names of the run's networks, or other networks; None: all of the run's.

        Raises:
            InputError: no network has all of the classes.
        """
        seen = self.image_set(images) if isinstance(images, str) else images
        among = self.image_set(classes_of) if isinstance(classes_of, str) else classes_of or seen
        models = self._models(networks)
        outputs = groups_known(models, among)
        for name in models.keys() - outputs:
            one = models[name][0]
            self._notes[f"{name} {among.name}"] = (
                f"{name} is left out of {seen.name}: its {one.outputs:,} outputs of {one.classes} "
                f"are not the classes of {among.name} ({among.classes})."
            )
        return predict_masked(
            {name: models[name] for name in outputs},
            seen,
            outputs,
            how=how,
            store=self.store,
            batch_size=self.profile.batch,
            workers=self.profile.workers,
            progress=False,
        )

    def _models(self, wanted: Sequence[str | Network] | None) -> BySeed:
        if wanted is None:
            return self.models
        others = self.models_of([one for one in wanted if isinstance(one, Network)])
        return {one: self.models[one] for one in wanted if isinstance(one, str)} | dict(others)

    def grid(self, clean: bool = True) -> Grid:
        """Return the predictions of all networks on every corruption, and on the clean images."""
        given = (self.profile, self.images, self.models, self.corruptions, self.store)
        return corrupted_sets.grid(*given, clean)

    def detect(
        self, images: str | ImageSet, networks: Sequence[str | Network] | None = None
    ) -> FoundBySeed:
        """Return the boxes that detectors find in some images: name -> one record per seed.

        Args:
            images: a role, or an image set.
            networks: names of networks, or networks; None: the run's.

        Raises:
            InputError: a network that is not a detector, or a detector whose classes differ from
                the images' classes.
        """
        seen = self.image_set(images) if isinstance(images, str) else images
        models = self.detectors_of(networks or self.networks)
        least = LEAST_SCORES.get(images, LEAST_SCORE) if isinstance(images, str) else LEAST_SCORE
        return found_boxes(models, seen, self.profile, self.store, self._fingerprints, least)

    def detectors_of(self, wanted: Sequence[str | Network]) -> DetectorsBySeed:
        """Return checked detectors, given by name or network: name -> one per seed."""
        asked = [one for one in wanted if isinstance(one, Network)]
        if len(asked) < len(wanted):  # a user's is named as it calls itself
            mine = dict(zip(self.names, self.networks, strict=True))
            asked = [
                (mine.get(one) or self.network(one)) if isinstance(one, str) else one
                for one in wanted
            ]
        missing = [one for one in asked if str(one) not in self._detectors]
        loaded = detectors(self.profile, missing, self.store).values()
        self._detectors.update(zip(map(str, missing), loaded, strict=True))
        by_network = [(one, self._detectors[str(one)]) for one in asked]
        models = {our_name(one, by_seed[0]): by_seed for one, by_seed in by_network}
        self._record(one for many in models.values() for one in many)
        return models

    def embed(self, images: str | ImageSet, network: str | Network) -> Embeddings:
        """Return a network's embeddings of some images: the inputs of its last linear layer.

        Args:
            images: a role, or an image set, of any classes.
            network: the name of a network, or a network; the first of several seeds is used.

        Raises:
            ModelError: a network without a last linear layer.
        """
        seen = self.image_set(images) if isinstance(images, str) else images
        asked = self.network(network) if isinstance(network, str) else network
        if str(asked) not in self._embedding:
            self._embedding[str(asked)] = classifier(self.profile, asked, self.store)
        model = self._embedding[str(asked)]
        self._record([model])
        return embed(
            model,
            seen,
            preprocessing=whole(model.preprocessing),
            cache=self.store,
            batch_size=self.profile.batch,
            limit=self.profile.limit,
            workers=self.profile.workers,
        )

    def _record(self, models: Iterable[Classifier | Detector]) -> None:
        """Record the networks' fingerprints; names must be unique, as they key predictions."""
        models = tuple(models)
        self._fingerprints.update(named_once(models, self._fingerprints))
        for model in models:
            if getattr(model, "assumed", False):
                self._notes[model.name] = f"{model.name} sees {adapter.seen(model)}."

    def with_networks_of(self, other: "Run") -> "Run":
        """Return this run with a second run's networks added, so that images are corrupted once.

        Raises:
            InputError: the other run evaluates different images.
        """
        seen = [(run.images.digest, run.profile.severities) for run in (self, other)]
        corrupted_sets.require_same(
            seen[0], seen[1], (self.chapter.notebook, other.chapter.notebook)
        )
        every = dict.fromkeys([*self.networks, *other.networks])
        corruptions = dict.fromkeys([*self.corruptions, *other.corruptions])
        return replace(self, networks=tuple(every), corruptions=tuple(corruptions))

    def trained(self, wanted: Sequence[Network] | None = None) -> list[Trained]:
        """Return the named networks, or the run's for None, which are trained if necessary."""
        chosen = self.networks if wanted is None else wanted
        return trained_networks(self.profile, chosen, self.store)

    def training_curves(self, of: Sequence[Network] | None = None) -> dict[str, list[list[float]]]:
        """Return title of a model -> training accuracy (%) of each of its networks, by epoch."""
        return training_curves(self.trained(of))

    @property
    def recipe(self) -> tuple[ModelManifest, Recipe]:
        """Return the model of the run's first network, and its training recipe."""
        return zoo.plan(self.networks[0].model, self.profile.epochs)

    @property
    def first(self) -> str:
        """Return our name of the first network of the run."""
        return next(iter(self.models))

    @property
    def geometry(self) -> Preprocessing:
        """Return the preprocessing of the first network."""
        return self.models[self.first][0].preprocessing

    def pictures(self, number: int) -> list[Picture]:
        """Return some images of the evaluated set, preprocessed for the first network."""
        return [self.images.read(place, self.geometry) for place in choose(self.images.ids, number)]

    def class_of(self, number: int) -> list[str]:
        """Return the class names of the images that `pictures` returns."""
        labels = self.images.labels[choose(self.images.ids, number)]
        return [self.images.class_names[label] for label in labels]

    @property
    def description(self) -> str:
        """Return a description of the run, for readers."""
        words = self.chapter.description
        return words if words and "{" not in words else self.described(self.chapter.role)

    def described(self, *shown: str) -> str:
        """Return descriptions of the images in some roles of the run, one line for each role."""
        return ";\n".join(roles.described(self.profile, one, self.image_set(one)) for one in shown)

    @property
    def severity_words(self) -> str:
        """Return the severities as text, such as "1, 2, 3, 4, 5"."""
        return ", ".join(map(str, self.profile.severities))

    @property
    def interval_words(self) -> str:
        """Return a description of this run's intervals."""
        if (seeds := len(self.profile.seeds)) > 1:
            return f"mean of {seeds} seeds, interval from the smallest to the largest"
        ratios = f"{self.profile.bootstrap:,} bootstrap resamples for ratios"
        said = f"95 % intervals over images (Clopper-Pearson for errors, {ratios})"
        used = self.image_sets_used.values()
        if not any(together(images) or subjects(images) for images in used):
            return said
        return f"{said}; if images of one drawing are correlated, over drawings if that is wider"

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on the networks used so far, one sentence each.

        They name the networks that are left out on some images because of their classes, and those
        whose preprocessing is assumed.
        """
        return tuple(self._notes.values())

    @property
    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprints of the networks that were loaded, by name."""
        return dict(self._fingerprints)

    @property
    def command(self) -> str:
        """Return the papermill command that repeats this run, whatever the data folder."""
        given = {"profile": self.profile.name} | dict(self.parameters)
        words = [f"-y {shlex.quote(json.dumps({key: value}))}" for key, value in given.items()]
        return f"papermill notebooks/{self.chapter.notebook}.ipynb out.ipynb " + " ".join(words)
