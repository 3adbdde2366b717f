"""A grid of predictions: every model on the clean images and in every condition."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

import numpy as np
from jaxtyping import Float

from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.errors import DataError
from robust_lib.metrics.intervals import Sample
from robust_lib.models.contract import Classifier, fingerprint_of
from robust_lib.predict.classify import choose, predict_all
from robust_lib.predict.predictions import Predictions

Models = Mapping[str, Sequence[Classifier]]
"""Model name -> one classifier per seed."""

CellSet = Callable[[str, int], ImageSet]
"""(corruption, severity) -> its image set."""


@dataclass(frozen=True, eq=False)
class CorruptedSet:
    """A source of corrupted versions of an image set.

    Attributes:
        models: the models with their preprocessing for corrupted images; None: the same as for
            clean images.
        notes: corruption -> its deviation from the benchmark's, such as procedural frost.
        resized: model -> the size to which its images are resized, if any.
    """

    name: str
    cell: CellSet
    storage: str
    notes: Mapping[str, str] = field(default_factory=dict)
    models: Models | None = None
    resized: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """Predictions of every model on the clean images and in every condition.

    Attributes:
        clean: model -> predictions, one per seed.
        cells: (model, corruption, severity) -> predictions, one per seed, for each condition.
        storage: description of how corrupted images were made.
        notes: corruption -> its deviation from the benchmark's, if any.
        resized: model -> the size to which its corrupted images were resized, if it differs from
            the stored size.
        otherwise: corruption -> how its images were made, if not as in `storage`.

    >>> labels, sure = np.array([0, 0]), np.ones(2, np.float32)
    >>> clean = Predictions("net", "toys", ("a", "b"), labels, None, labels, sure)
    >>> foggy = replace(clean, predicted=np.array([0, 1]))
    >>> cells = {("net", "fog", 3): (clean,), ("net", "fog", 5): (foggy,)}
    >>> grid = Grid("toys", "toys_c", 2, {"net": (clean,)}, cells, (3, 5), "memory")
    >>> grid.corruptions, grid.errors("net", "fog")
    (('fog',), array([0. , 0.5]))
    """

    dataset: str
    corrupted: str
    n_full: int
    clean: Mapping[str, tuple[Predictions, ...]]
    cells: Mapping[tuple[str, str, int], tuple[Predictions, ...]]
    severities: tuple[int, ...]
    storage: str
    notes: Mapping[str, str] = field(default_factory=dict)
    resized: Mapping[str, str] = field(default_factory=dict)
    otherwise: Mapping[str, str] = field(default_factory=dict)

    def convention(self, *corruptions: str, model: str | None = None) -> str:
        """Return, as text, how corrupted images were made; by default for all corruptions.

        Args:
            model: the evaluated model; None: all models.

        >>> grid = Grid("toys", "toys_c", 1, {}, {("net", "frost", 5): ()}, (5,), "jpeg85",
        ...     {"frost": "not canonical"}, {"net": "then resized to 240 pixels"})
        >>> grid.convention("fog", model="net"), grid.convention(model="other")
        ('jpeg85, then resized to 240 pixels', 'jpeg85; frost: not canonical')
        >>> grid.convention("fog")
        'jpeg85; net: then resized to 240 pixels'
        """
        over = corruptions or self.corruptions
        made = dict.fromkeys(self.otherwise.get(name, self.storage) for name in over)
        told = " and ".join(made) or self.storage
        if model is not None and model in self.resized:
            told = f"{told}, {self.resized[model]}"
        named = {name: self.notes[name] for name in over if name in self.notes}
        if model is None:
            named |= self.resized
        return "; ".join([told, *(f"{name}: {note}" for name, note in named.items())])

    @property
    def models(self) -> tuple[str, ...]:
        """Return the models, in the order in which they were given."""
        return tuple(self.clean)

    @property
    def corruptions(self) -> tuple[str, ...]:
        """Return the corruptions, in the order in which they were given."""
        return tuple(dict.fromkeys(corruption for _, corruption, _ in self.cells))

    @property
    def images(self) -> int:
        """Return the number of images per condition."""
        return len(next(iter(self.clean.values()))[0].ids)

    @property
    def sample(self) -> Sample:
        """Return the images as a sample for resampling."""
        one = next(iter(self.clean.values()))[0]
        return Sample(self.dataset, one.together)

    def wrong(self, model: str, corruption: str) -> Float[np.ndarray, "severities images"]:
        """Return the share of seeds that misclassify each image, by severity."""
        return np.stack(
            [wrong_share(self.cells[model, corruption, severity]) for severity in self.severities]
        )

    def errors(self, model: str, corruption: str) -> Float[np.ndarray, " severities"]:
        """Return a model's error at each severity of a corruption, averaged over seeds."""
        return np.asarray(self.wrong(model, corruption).mean(1))

    def runs(self, model: str) -> tuple["Grid", ...]:
        """Return one grid per seed, with a single model."""
        return tuple(
            replace(
                self,
                clean={model: (run,)},
                cells={c: (runs[seed],) for c, runs in self.cells.items() if c[0] == model},
            )
            for seed, run in enumerate(self.clean[model])
        )


def joined(one: Grid, other: Grid) -> Grid:
    """Return one grid with the conditions of both grids, which share models and images.

    >>> fog, border = (Grid("toys", "toys_c", 1, {}, {("net", name, 5): ()}, (5,), storage)
    ...     for name, storage in (("fog", "archive"), ("border", "memory")))
    >>> both = joined(fog, border)
    >>> both.corruptions, both.convention("fog"), both.convention()
    (('fog', 'border'), 'archive', 'archive and memory')
    """
    others = {name: other.storage for name in other.corruptions if other.storage != one.storage}
    return replace(
        one,
        cells={**one.cells, **other.cells},
        notes={**one.notes, **other.notes},
        resized={**one.resized, **other.resized},
        otherwise={**one.otherwise, **others, **other.otherwise},
    )


def evaluate(
    models: Models,
    clean: ImageSet,
    source: CorruptedSet,
    *,
    corruptions: Sequence[str],
    severities: Sequence[int],
    store: Store | None,
    clean_too: bool = True,
    limit: int | None = None,
    batch_size: int = 128,
    workers: int = 0,
) -> Grid:
    """Return the predictions of all models on the clean images and in every condition.

    Every image is read once and corrupted once for all models; stored predictions are not computed
    again.

    Args:
        clean_too: whether to evaluate the clean images as well; only one of several processes does
            so.
        limit: number of images per condition; None: all.

    Raises:
        DataError: a condition and the clean set differ in their images, their order or their class
            indices.

    >>> from functools import partial
    >>> from robust_lib.datasets import derived, imagenet_c, synthetic
    >>> from robust_lib.models.adapter import wrap_callable
    >>> from robust_lib.preprocessing import Preprocessing
    >>> blobs, tones = synthetic.Synthetic("blobs", "blobs", 4, 32, "", ()), ("dark", "light")
    >>> dark = derived.Relabelled(blobs, "tones", tones, np.array([0, 0, 0, 0]))
    >>> net = wrap_callable(lambda images: [[1 - one.mean(), one.mean()] for one in images],
    ...     "net", "tones", Preprocessing(None, 32))
    >>> source = CorruptedSet("blobs_c", partial(imagenet_c.Corrupted, dark), "jpeg85")
    >>> grid = evaluate({"net": [net]}, dark, source, store=None, corruptions=["brightness"],
    ...     severities=[3, 4, 5])
    >>> grid.errors("net", "brightness")
    array([0.  , 0.25, 1.  ])
    """
    predicted = partial(
        predict_all,
        cache=store,
        batch_size=batch_size,
        workers=workers,
        limit=limit,
        keep="reduced",
        fingerprints={run.name: fingerprint_of(run) for runs in models.values() for run in runs},
    )
    cells: dict[tuple[str, str, int], tuple[Predictions, ...]] = {}
    for corruption, severity in product(corruptions, severities):
        images = source.cell(corruption, severity)
        _require_counterpart(images, clean, limit)
        found = _by_model(source.models or models, images, predicted)
        cells |= {(model, corruption, severity): runs for model, runs in found.items()}
    return Grid(
        clean.name,
        source.name,
        len(clean),
        _by_model(models, clean, predicted) if clean_too else {},
        cells,
        tuple(severities),
        source.storage,
        source.notes,
        source.resized,
    )


def _by_model(
    models: Models, images: ImageSet, predicted: Callable[..., dict[str, Predictions]]
) -> dict[str, tuple[Predictions, ...]]:
    """Return model name -> predictions on the images, one per seed; batches are read once."""
    found = predicted([classifier for runs in models.values() for classifier in runs], images)
    return {name: tuple(found[one.name] for one in runs) for name, runs in models.items()}


def _require_counterpart(images: ImageSet, clean: ImageSet, limit: int | None) -> None:
    """Raise DataError unless a condition has the clean images: errors are compared by image."""
    chosen = choose(clean.ids, limit)
    if tuple(images.ids) not in (tuple(clean.ids), tuple(clean.ids[place] for place in chosen)):
        raise DataError(_others(images, clean))
    labels = np.asarray(clean.labels)
    if len(images) != len(labels):
        labels = labels[chosen]
    same = (images.classes, images.class_names) == (clean.classes, clean.class_names)
    if not same or not np.array_equal(images.labels, labels):
        what = (
            "the labels of some images differ"
            if same
            else f"its {len(images.class_names)} classes of {images.classes} are not the "
            f"{len(clean.class_names)} of {clean.classes}, or not in the same order"
        )
        raise DataError(
            f"Expected {images.name} to number the classes of its images as {clean.name} does, "
            f"but {what}. Read both with the same class list."
        )


def _others(images: ImageSet, clean: ImageSet) -> str:
    pairs = zip(images.ids, clean.ids, strict=False)
    place = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    differing = (
        f"{len(images)} images and {len(clean)} clean ones"
        if place is None
        else f"{images.ids[place]} where the clean set has {clean.ids[place]}"
    )
    return (
        f"Expected {images.name} to show the images of {clean.name} in the same order, but it has "
        f"{differing}. Both must come from the same images and classes."
    )


def wrong_share(runs: Sequence[Predictions]) -> Float[np.ndarray, " images"]:
    """Return the share of seeds that misclassify each image.

    >>> labels, sure = np.array([0, 0]), np.ones(2, np.float32)
    >>> one = Predictions("net", "toys", ("a", "b"), labels, None, labels, sure)
    >>> other = replace(one, predicted=np.array([0, 1]))
    >>> wrong_share([one, other])
    array([0. , 0.5])
    """
    return np.asarray(np.mean([~run.correct for run in runs], axis=0))
