"""Trainings as they would run now, each identified by a description before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robust_lib.cache import Description, Store
from robust_lib.config.manifests import begins_as, load_model
from robust_lib.config.profiles import Profile
from robust_lib.metrics.boxes import most_confident
from robust_lib.models.contract import Classifier
from robust_lib.models.detectors.contract import Detector
from robust_lib.predict.classify import choose, predict
from robust_lib.predict.detect import detect
from robust_lib.run import detectors, networks
from robust_lib.run.chapter import finds_boxes, is_trained_here
from robust_lib.run.network import Network
from robust_lib.training import detector_zoo, zoo

IMAGES = 2000  # by which two trainings of a network are compared


@dataclass(frozen=True, eq=False)
class Training:
    """The training of one network.

    Attributes:
        asked: arguments for the zoo.
    """

    network: Network
    asked: Mapping[str, Any]

    @property
    def description(self) -> Description:
        """Return everything that determines the weights, as the store's description."""
        if finds_boxes(self.network):
            return detector_zoo.description_of(**self.asked)
        return zoo.description_of(**self.asked)

    def made(self, store: Store) -> Classifier | Detector:
        """Return the network, which is trained now unless it is in the store."""
        if finds_boxes(self.network):
            return detector_zoo.trained_detector(**self.asked, store=store, progress=False).model
        return zoo.trained(**self.asked, store=store, progress=False).model

    def correct(self, made: Classifier | Detector) -> np.ndarray:
        """Return whether a network is correct on each image in a sample of its training images.

        A detector is correct if its most confident box has the class of an object in the image.
        """
        data = self.asked["data"]
        if isinstance(made, Classifier):
            return predict(made, data, limit=IMAGES, keep="reduced").correct
        boxes, places = detect(made, data, limit=IMAGES).detections, choose(data.ids, IMAGES)
        there = [data.annotations[place].classes for place in places]
        said = most_confident(boxes, len(places))
        return np.array([one in of for one, of in zip(said, there, strict=True)])


def training(
    network: Network, profile: Profile, store: Store, sets: networks.Sets
) -> Training | None:
    """Return the training of a network with one seed; None if its starting network is not stored.

    Args:
        sets: role -> training set, for all networks of a profile.
    """
    base = begins_as(load_model(network.model), corrupted=network.corruption is not None)
    if base is not None and is_trained_here(start := Network(base, seed=network.seed)):
        before = training(start, profile, store, sets)
        if before is None or zoo.stored_as(store, before.description) is None:
            return None
    asked_of = detectors.asked_of if finds_boxes(network) else networks.asked_of
    return Training(network, asked_of(network, profile, store, sets))
