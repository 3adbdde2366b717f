"""The share of a prediction's attribution in its box [nao, sec. 4.5, fig. 7].

A large box contains much of any attribution. Each share is therefore compared with that of boxes of
the same size at random positions, and with the share of the area. Shares use absolute values; in
signed shares, pixels that count against the class are subtracted, and the share of a class is the
sum inside the boxes of its objects divided by the total sum.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float

from robust_lib import datasets, seeds
from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, ModelError
from robust_lib.explain import integrated_gradients as ig
from robust_lib.explain.integrated_gradients import Attribution
from robust_lib.metrics.boxes import Detections
from robust_lib.metrics.class_means import ClassMeans, class_means, mean_over_classes
from robust_lib.models.contract import fingerprint_of
from robust_lib.models.detectors.class_logits import fixed_places, logits_at
from robust_lib.models.detectors.contract import Detector, Image
from robust_lib.predict.store import Arrays, Pieces, join
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.attribution.predictions import taken
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row

_AS_IT_IS = Preprocessing(None, None)
_PIECE = 16  # pictures after which an interrupted run can go on
FORMAT = 1
"""Increase this number if the same detector and images would get other shares than before."""

_COLUMNS = ("error", "inside", "signed_inside", "signed_all", "random", "area", "steps")
ITEM = "nao-fig7"
HALF = 0.5
"""A class lies mostly in the box if more than this share of its attribution does."""

METRICS = {
    "inside": "attribution_inside",
    "signed": "signed_inside",
    "random": "random_inside",
    "area": "area_inside",
}
"""Name of a number here -> its name in results."""

MOSTLY = {"inside": "classes_mostly_inside", "signed": "classes_mostly_inside_signed"}
"""Name of a share -> name of the share of classes with more than half of it inside."""

Drawn = Callable[[], Float[np.ndarray, " draws"]]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings for computing attributions.

    Attributes:
        steps: initial number of gradients along the path.
        most_steps: maximum number of gradients, reached by doubling while the error is too large.
        tolerance: allowed error of the sum of the attribution, as a fraction of the change from the
            baseline.
        baseline: grey level at which the path begins; 0 for black.
        moved: number of boxes of the same size at random positions.
    """

    score: float
    steps: int = ig.STEPS
    most_steps: int = 8 * ig.STEPS
    tolerance: float = 0.05
    baseline: float = 0.0
    moved: int = 16
    seed: int = 0
    samples: int = 1000

    def __post_init__(self) -> None:
        if min(self.steps, self.most_steps, self.moved) < 1 or not 0 < self.tolerance < 1:
            raise InputError(
                "Expected steps, most_steps and moved of at least 1 and a tolerance between 0 and "
                f"1, but got {self.steps}, {self.most_steps}, {self.moved} and {self.tolerance:g}."
            )

    @property
    def words(self) -> str:
        """Return the conventions as text.

        >>> Settings(score=0.5).words.partition(";")[0]
        'predictions from 0.5 of the class of the most confident one'
        """
        begin = "black" if self.baseline == 0 else f"grey of level {self.baseline:g}"
        return (
            f"predictions from {self.score:g} of the class of the most confident one; integrated "
            f"gradients of the class logit of the fixed anchor or region from {begin}, "
            f"{self.steps} to {self.most_steps} steps; boxes of other objects of the class are "
            "left out; absolute values of pixels' sums over colours"
        )


@dataclass(frozen=True, eq=False)
class Shares:
    """The share of each prediction's attribution that is in its box.

    Attributes:
        numbers: values for each prediction: `error`, of the sum, a fraction; `inside`, the share of
            absolute values in the box; `signed_inside` and `signed_all`, signed sums, in the
            box and in total; `random`, the mean share in boxes at random positions; `area`, the
            box's share of the area; `steps`, the number of gradients used. NaN if the prediction
            was not found again.
    """

    dataset: str
    classes: tuple[str, ...]
    of: Detections
    numbers: Mapping[str, Float[np.ndarray, " predictions"]]
    settings: Settings

    @cached_property
    def kept(self) -> Bool[np.ndarray, " predictions"]:
        """Return which predictions count: those with a small error and a defined share."""
        error, inside = self.numbers["error"], self.numbers["inside"]
        return np.asarray((error <= self.settings.tolerance) & np.isfinite(inside))

    @property
    def largest_error(self) -> float:
        """Return the largest error of the predictions that count; 0 if none does."""
        return float(self.numbers["error"][self.kept].max(initial=0.0))

    def means(self, name: str) -> ClassMeans:
        """Return the class means of a number; `signed` is the quotient of its two sums."""
        if name == "signed":
            return self._means(self.numbers["signed_inside"], self.numbers["signed_all"])
        return self._means(self.numbers[name], None)

    def _means(self, values: np.ndarray, over: np.ndarray | None) -> ClassMeans:
        kept = self.kept
        places, images = np.unique(self.of.images, return_inverse=True)
        return class_means(
            values[kept],
            images[kept],
            self.of.classes[kept].astype(np.int64),
            (len(places), len(self.classes)),
            over=None if over is None else over[kept],
        )


def shares(
    detector: Detector,
    images: ImageSet,
    predictions: Detections,
    settings: Settings,
    store: Store | None = None,
) -> Shares:
    """Return the share of each prediction's attribution in its box, computed or stored.

    Args:
        detector: detector of a supported family.
        predictions: the predictions, grouped by image.
        store: store of the numbers; None stores nothing.

    Raises:
        InputError: a detector whose output positions cannot be fixed.

    >>> how = Settings(score=0.0, steps=2, most_steps=2, moved=4)
    >>> detector, images, predictions = toys.untrained()
    >>> shares(detector, images, predictions, how).numbers["area"].round(2).max() <= 1
    np.True_
    """
    places = np.unique(predictions.images)
    parts = [
        _piece(detector, images, predictions, places[at : at + _PIECE], settings, store)
        for at in range(0, len(places), _PIECE)
    ]
    numbers = join(parts) if parts else {name: np.zeros(0) for name in _COLUMNS}
    return Shares(images.name, tuple(images.class_names), predictions, numbers, settings)


def attributed(
    detector: Detector, image: Image, predictions: Detections, settings: Settings
) -> Attribution:
    """Return each pixel's contribution to the class logits of an image's predictions.

    Raises:
        InputError: a detector whose output positions cannot be fixed.
        ModelError: the detector predicts different boxes for this image.

    >>> detector, images, predictions = toys.untrained()
    >>> image = datasets.to_images(images.read(0, _AS_IT_IS)[None])[0]
    >>> how = Settings(score=0.0, steps=2, most_steps=2)
    >>> attributed(detector, image, predictions, how).heat.shape
    (2, 64, 64)
    """
    places = fixed_places(detector, image, predictions.boxes, predictions.classes)
    rows, columns = torch.arange(len(places)), torch.as_tensor(predictions.classes)

    def asked(pictures: torch.Tensor) -> torch.Tensor:
        return logits_at(detector, pictures, places)[:, rows, columns]

    return ig.within(
        asked,
        image,
        tolerance=settings.tolerance,
        steps=settings.steps,
        most=settings.most_steps,
        baseline=settings.baseline,
    )


def _piece(
    detector: Detector,
    images: ImageSet,
    predictions: Detections,
    places: np.ndarray,
    settings: Settings,
    store: Store | None,
) -> Arrays:
    """Return the numbers of the predictions of some images."""
    own = taken(predictions, np.flatnonzero(np.isin(predictions.images, places)))
    how = {name: value for name, value in asdict(settings).items() if name != "samples"}
    about: dict[str, Any] = {
        "what": "attribution inside",
        "format": FORMAT,
        "fingerprint": fingerprint_of(detector),
        "digest": images.digest,
        "boxes": hashlib.sha256(own.boxes.astype(np.float32).tobytes()).hexdigest(),
        "classes": own.classes.tolist(),
        **how,
    }
    pieces = Pieces(about, images.ids, store)
    chosen = [int(place) for place in places]
    found = pieces.find(chosen)
    if found is None:
        rows = []
        for place in chosen:
            here = taken(own, np.flatnonzero(own.images == place))
            rows += _of_picture(detector, images, place, here, settings)
        table = np.array(rows, np.float64).reshape(-1, len(_COLUMNS))
        found = {name: table[:, at].copy() for at, name in enumerate(_COLUMNS)}
        pieces.put(chosen, found)
    return found


def _of_picture(
    detector: Detector, images: ImageSet, place: int, own: Detections, settings: Settings
) -> list[tuple[float, ...]]:
    """Return the numbers of each prediction of an image."""
    image = datasets.to_images(images.read(place, _AS_IT_IS)[None])[0]
    try:
        found = attributed(detector, image, own, settings)
    except ModelError:  # found again by another region by a rounding error: counted, not hidden
        return [(np.nan,) * len(_COLUMNS)] * len(own.images)
    height, width = image.shape[1:]
    pixels = [ig.pixels_of(box.astype(np.float64), height, width) for box in own.boxes]
    rows: list[tuple[float, ...]] = []
    for number, (heat, box) in enumerate(zip(found.heat, own.boxes, strict=True)):
        others = np.zeros((height, width), bool)
        for other, mask in enumerate(pixels):
            others |= mask & (other != number)
        rng = seeds.generator(settings.seed, images.ids[place], number, "box elsewhere")
        moved = [
            ig.pixels_of(ig.elsewhere(box.astype(np.float64), height, width, rng), height, width)
            for _ in range(settings.moved)
        ]
        counted = np.where(others, 0.0, heat)
        rows.append(
            (
                float(found.error[number]),
                ig.share_inside(heat, pixels[number], others),
                float(counted[pixels[number]].sum()),
                float(counted.sum()),
                float(np.mean([ig.share_inside(heat, mask, others) for mask in moved])),
                ig.share_inside(np.ones_like(heat), pixels[number], others),
                float(found.steps),
            )
        )
    return rows


def rows(model: str, found: Shares) -> list[Row]:
    """Return the rows of one data set: over all classes, by class, and how many are mostly inside.

    >>> made = rows("mine", toys.shares([0.75, 0.25], classes=[0, 1]))
    >>> [(row.metric, row.dataset, row.value) for row in made[:2]]
    [('attribution_inside', 'toys', 0.5), ('attribution_inside', 'toys/cat', 0.75)]
    """
    if not found.kept.any():
        return []
    made = []
    for name, metric in METRICS.items():
        means = found.means(name)
        over_all = means.over_classes(means.values)
        made.append(_row(model, found, metric, "", float(over_all), partial(_mean, found, name)))
        for label in np.flatnonzero(means.known):
            drawn = partial(_class, found, name, int(label))
            value = float(means.values[label])
            made.append(_row(model, found, metric, found.classes[label], value, drawn))
    for name, metric in MOSTLY.items():
        means = found.means(name)
        mostly = float(means.over_classes(_mostly(means.values)))
        made.append(_row(model, found, metric, "", mostly, partial(_most, found, name)))
    inside = found.means("inside")
    gain = partial(_gain, found)
    apart = float(inside.over_classes(inside.values - found.means("random").values))
    made.append(_row(model, found, "gain", "", apart, gain))
    return made


def _row(model: str, found: Shares, metric: str, name: str, value: float, drawn: Drawn) -> Row:
    draws = Draws(found.dataset, drawn)
    labels = found.of.classes[found.kept]
    means = found.means("inside")
    counted = [found.classes.index(name)] if name else np.flatnonzero(means.counted)
    many = int(np.isin(labels, counted).sum())
    return Row.of(
        Estimate.over([value], lambda: ends_of(draws), n=many, draws=draws),
        item=ITEM,
        dataset=f"{found.dataset}/{name}" if name else found.dataset,
        model=model,
        metric=metric,
        convention=found.settings.words if name else f"{found.settings.words}; {means.words}",
    )


def _counted(found: Shares, name: str) -> Float[np.ndarray, "draws classes"]:
    return found.means(name).draws(found.dataset, found.settings.samples, counted=True)


def _mean(found: Shares, name: str) -> Float[np.ndarray, " draws"]:
    return mean_over_classes(_counted(found, name))


def _class(found: Shares, name: str, label: int) -> Float[np.ndarray, " draws"]:
    return found.means(name).draws(found.dataset, found.settings.samples)[:, label]


def _most(found: Shares, name: str) -> Float[np.ndarray, " draws"]:
    return mean_over_classes(_mostly(_counted(found, name)))


def _gain(found: Shares) -> Float[np.ndarray, " draws"]:
    return mean_over_classes(_counted(found, "inside") - _counted(found, "random"))


def _mostly(values: np.ndarray) -> np.ndarray:
    """Return 1 where more than half is inside and 0 if not, NaN if nothing is known."""
    return np.where(np.isfinite(values), (values > HALF).astype(np.float64), np.nan)
