"""Detectors of networks, loaded or trained here, and the boxes that they find."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch

from robust_lib import devices
from robust_lib.cache import Store
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.models.contract import fingerprints as named_once
from robust_lib.models.detectors import builders
from robust_lib.models.detectors.contract import Detector, check_detector
from robust_lib.predict import detect
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.run.chapter import finds_boxes, is_trained_here
from robust_lib.run.network import Network
from robust_lib.run.networks import Sets, our_name, require_device, set_of, start_of
from robust_lib.training.detection import BoxedImages
from robust_lib.training.detector_zoo import TrainedDetector, trained_detector
from robust_lib.vocabulary import is_user_function

DetectorsBySeed = dict[str, tuple[Detector, ...]]
"""Name of a network -> its detectors, one per seed."""

FoundBySeed = Mapping[str, tuple[FoundBoxes, ...]]
"""Name of a network -> the boxes that its detectors found, one record per seed."""

LEAST_SCORES: Mapping[str, float] = MappingProxyType(
    {"imagenet_vid_robust_boxes": detect.LEAST_SCORE}
)
"""Role -> the least score of a box there, where a paper's code base has one."""

LEAST_SCORE = 0.01
"""The smallest score elsewhere, which the detectors here use themselves. COCO's evaluation uses the
hundred most confident boxes whatever their score: without those below .05, a public detector has an
mAP of 27.5 instead of 28.4, and its mean recall falls by more."""

BATCH = 16  # frames per forward pass; halved where a GPU's memory does not hold them


def detectors(profile: Profile, networks: Sequence[Network], store: Store) -> DetectorsBySeed:
    """Return the detectors of some networks, checked, one per seed if they are trained here.

    Raises:
        InputError: a network that is not a detector, or a device that does not exist.
        ModelError: a model breaks the contract, or the library that builds it is not installed.
    """
    require_device(profile, networks)
    for network in networks:  # before any is trained
        _require_detector(network)
    found: DetectorsBySeed = {}
    for network in networks:
        by_seed: tuple[Detector, ...]
        if is_trained_here(network):
            by_seed = tuple(made.model for made in _by_seed(network, profile, store))
        else:
            by_seed = (builders.load(network.model, device=profile.device),)
        for model in by_seed:
            if devices.is_there(profile.device):
                check_detector(model)
        name = our_name(network, by_seed[0])
        if name in found:
            raise InputError(
                f"Expected detectors with different names, but two are called {name}, {network} "
                "being the second. Return a Detector with a unique name from it."
            )
        found[name] = by_seed
    return found


def trained_detectors(
    profile: Profile, networks: Sequence[Network], store: Store
) -> list[TrainedDetector]:
    """Return detectors that are trained here, after training those that are missing.

    Raises:
        InputError: a network that is not a detector, or a device that does not exist.
    """
    devices.is_there(profile.device)  # or no name of one; what is stored needs none
    for network in networks:
        _require_detector(network)
    here = [network for network in networks if is_trained_here(network)]
    return [made for network in here for made in _by_seed(network, profile, store)]


def found_boxes(
    models: DetectorsBySeed,
    images: ImageSet,
    profile: Profile,
    store: Store,
    fingerprints: Mapping[str, str],
    least_score: float = LEAST_SCORE,
) -> FoundBySeed:
    """Return the boxes that detectors find in images; each image is read once for all detectors.

    Args:
        least_score: minimum confidence of the boxes that are kept; a detector with a higher minimum
            of its own is used as it is.

    Raises:
        InputError: a detector whose classes differ from the images' classes.
        ModelError: a detector's output is invalid.
    """
    every = [model for by_seed in models.values() for model in by_seed]
    for model in every:
        if (model.classes, model.outputs) != (images.classes, len(images.class_names)):
            raise InputError(
                f"Expected {model.name} to have the {len(images.class_names)} classes of "
                f"{images.name} ({images.classes}), but it has {model.outputs} of {model.classes}. "
                "Boxes of other classes cannot be compared."
            )
    by_score: dict[float, list[Detector]] = {}
    for model in every:
        by_score.setdefault(max(least_score, model.least_score), []).append(model)
    found: dict[str, FoundBoxes] = {}
    for score, alike in by_score.items():
        found |= detect.detect_all(
            alike,
            images,
            cache=store,
            least_score=score,
            batch_size=BATCH,
            limit=profile.limit,
            fingerprints=fingerprints,
        )
    return {name: tuple(found[one.name] for one in by_seed) for name, by_seed in models.items()}


def fingerprints_of(models: DetectorsBySeed) -> dict[str, str]:
    """Return the fingerprint of each detector by its name."""
    return named_once(model for by_seed in models.values() for model in by_seed)


def weights_of(models: DetectorsBySeed) -> dict[str, int]:
    """Return the number of weights of each detector that is a torch module."""
    modules = {name: getattr(by_seed[0], "module", None) for name, by_seed in models.items()}
    return {
        name: sum(part.numel() for part in module.parameters())
        for name, module in modules.items()
        if isinstance(module, torch.nn.Module)
    }


def _require_detector(network: Network) -> None:
    if not finds_boxes(network) and not is_user_function(network.model):
        raise InputError(
            f"Expected a detector, but {network} is a classifier: it returns classes, not boxes. "
            "Use one of the profile's detectors, or call predict."
        )
    if finds_boxes(network):
        builders.require_usable(load_model(network.model))
    if not network.of_all_seeds.is_plain:
        raise InputError(
            f"Expected a plain detector, but got {network}: detectors are trained here without "
            "corruptions or hold-outs."
        )


def _by_seed(network: Network, profile: Profile, store: Store) -> list[TrainedDetector]:
    return [_trained(replace(network, seed=seed), profile, store) for seed in profile.seeds]


def _trained(network: Network, profile: Profile, store: Store) -> TrainedDetector:
    asked = asked_of(network, profile, store)
    data = asked["data"]
    if not isinstance(data, BoxedImages):
        raise InputError(
            f"Expected boxes of the images on which {network} is trained, but {data.name}, which "
            f"has the role {load_model(network.model).trained_on}, has none. Set a data set with "
            "annotations in the profile."
        )
    made = trained_detector(**asked, store=store)
    # Boxes are kept by name, so two seeds of a network need two.
    return replace(made, model=replace(made.model, name=str(network)))


def asked_of(
    network: Network, profile: Profile, store: Store, sets: Sets | None = None
) -> dict[str, Any]:
    """Return the zoo's arguments for one detector, which determine its weights."""
    return {
        "name": network.model,
        "data": set_of(network, profile, store, {} if sets is None else sets),
        "seed": network.seed,
        "start": start_of(network, profile, store, sets),
        "epochs": profile.epochs,
        "device": profile.device,
    }
