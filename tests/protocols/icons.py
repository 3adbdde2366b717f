"""A few icons, and predictions on them that are known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.hold_outs import named
from robust_lib.datasets.icons50 import Icons50
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import surface_variation

CLASSES = load_classes("icons50")
BIRD, HAT = CLASSES.folders.index("bird"), CLASSES.folders.index("hat")


@dataclass(frozen=True, eq=False)
class Drawn:
    """Two classes, three vendors, two of them with two renditions, three subtypes."""

    name: str = "icons50_open"
    classes: str = "icons50"
    digest: str = "drawn"
    subtypes: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "bird": ("duck", "owl", "penguin"),
            "hat": ("womans_hat", "cap", "crown"),
        }
    )

    @property
    def class_names(self):
        return CLASSES.names

    @cached_property
    def ids(self):
        vendors = {"google": (1, 2), "microsoft": (1, 2), "openmoji": (1,)}
        return tuple(
            f"{folder}/{vendor}_{rendition}_{subtype}.png"
            for folder, names in self.subtypes.items()
            for vendor, renditions in vendors.items()
            for rendition in renditions
            for subtype in names
        )

    @cached_property
    def labels(self):
        return np.array([CLASSES.folders.index(path.split("/")[0]) for path in self.ids], np.int64)

    def __len__(self):
        return len(self.ids)

    def read(self, index, preprocessing):
        return np.full((preprocessing.crop or 8, preprocessing.crop or 8, 3), index, np.uint8)


ICONS = Icons50(Drawn())
MANY = Icons50(Drawn(subtypes=dict.fromkeys(CLASSES.folders[:20], ("one", "two", "three"))))
"""Twenty classes: enough subtypes on either side to tell how these vary."""
HELD = surface_variation.protocols()
SUBTYPES = surface_variation.held_out_subtypes(ICONS.name)


def predicted_on(hold_out, wrong, model="net"):
    """Predictions of a network that takes the first `wrong` icons held out for the other class."""
    test = named(ICONS.icons, hold_out, ["duck", "womans_hat"]).test
    labels = ICONS.labels[test]
    other = np.where(labels == BIRD, HAT, BIRD)
    predicted = np.where(np.arange(len(test)) < wrong, other, labels)
    ids = tuple(ICONS.ids[place] for place in test)
    confidence = np.full(len(test), 0.9, np.float32)
    return Predictions(model, "icons50_open", ids, labels, None, predicted, confidence)


def by_hold_out(*wrong, names=("style", "version", "subtype")):
    return {
        HELD[name]: {"net": tuple(predicted_on(HELD[name], count) for count in wrong)}
        for name in names
    }
