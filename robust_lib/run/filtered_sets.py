"""Data sets that are constructed here: candidates, filtered by networks, then reviewed.

The full profile reads the archives of ImageNet-A and ImageNet-O instead, whose images the authors
selected with their networks and reviewed.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from robust_lib.cache import Store
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.curation.decisions import STEPS, Filtration
from robust_lib.curation.filtration import by_rule
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import Subset
from robust_lib.errors import DataError, InputError, one_of
from robust_lib.miniworld import review
from robust_lib.models.contract import Classifier
from robust_lib.run import image_kinds, image_sets, networks, object_sets, roles
from robust_lib.run.network import resolved

FILTERED = "filtered"
"""The kind of such a data set."""


@dataclass(frozen=True, eq=False)
class Construction:
    """The steps by which a data set of natural adversarial examples was constructed."""

    name: str
    candidates: ImageSet
    filtration: Filtration

    @cached_property
    def images(self) -> Subset:
        """Return the data set: the images that remain after all steps.

        Raises:
            DataError: no image is left.
        """
        places = self.filtration.places
        if not places:
            raise DataError(
                f"Expected some of the {len(self.candidates):,} candidates of {self.name} to "
                "remain, but all were rejected. Draw more candidates or harder ones."
            )
        return Subset(self.candidates, places, called=self.name)


def image_set(profile: Profile, role: str, store: Store) -> ImageSet:
    """Return the image set that plays a role in a profile, constructed now if necessary.

    Raises:
        InputError: the profile has no such role.
        DataError: the data is missing, or no image is left.
    """
    if is_constructed(profile, role):
        return construction(profile, role, store).images
    if object_sets.is_constructed(profile, role):
        return object_sets.construction(profile, role, store).images
    return image_sets.image_set(profile, role, store)


def is_constructed(profile: Profile, role: str) -> bool:
    """Return whether the data set that plays a role is constructed here."""
    return roles.kind(profile, role) == FILTERED


def construction(
    profile: Profile, role: str, store: Store, **rule: float | int | None
) -> Construction:
    """Return how the data set of a role was constructed; stored results are reused.

    The filters are the first seed's, so that networks of all seeds see the same images. The
    reviewer is the generator, which knows the visible part of each target.

    Args:
        rule: thresholds instead of the manifest's, as the filters of `curation.filtration` take
            them.

    Raises:
        InputError: an unknown role or rule, or filters with different classes from the candidates.
        DataError: a class has no image left.
    """
    manifest = load_dataset(profile.data[role])
    options = manifest.options
    if options["rule"] not in STEPS:
        raise InputError(one_of("a rule", options["rule"], STEPS))
    candidates = image_sets.image_set(profile, options["candidates"], store)
    filters = _filters(profile, manifest, candidates, store)
    thresholds = dict(options.get("thresholds", {})) | rule
    decide = partial(
        by_rule,
        options["rule"],
        candidates,
        filters,
        store=store,
        batch_size=profile.batch,
        progress=True,
    )
    if "surest" in options and "confidence" not in thresholds:
        sure = np.sort(decide(confidence=0.0).confidence[:, 0])
        thresholds["confidence"] = float(sure[-min(options["surest"], len(sure))])
    found = decide(**thresholds)
    if options["rule"] == "imagenet-a" and profile.candidates is None:
        found.require_every_class()  # a part of the pool cannot promise it
    scenes = image_kinds.as_scenes(candidates)
    found = found.reviewed(review.reviewed(scenes, found.shortlisted))
    return Construction(manifest.name, candidates, found)


def _filters(
    profile: Profile, manifest: DatasetManifest, candidates: ImageSet, store: Store
) -> list[Classifier]:
    first = profile.model_copy(update={"seeds": profile.seeds[:1]})
    section, names = manifest.options["networks"], manifest.options["filters"]
    wanted = [resolved(profile, section, name) for name in names]
    models = networks.classifiers(first, wanted, candidates, store)
    return [model for (model,) in models.values()]
