"""The accuracies behind overlaps: of each network, on clean images and on each corruption."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib.errors import InputError, one_of
from robust_lib.metrics.intervals import Sample, shared_rates
from robust_lib.protocols.grid import Grid
from robust_lib.vocabulary import NAMES, is_corruption

AccuracyTable = Float[np.ndarray, "seeds models corruptions"]
CleanTable = Float[np.ndarray, "seeds models"]
Right = Float[np.ndarray, "seeds models corruptions images"]
RightClean = Float[np.ndarray, "seeds models images"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Accuracies:
    """The accuracies of one architecture's networks, by training corruption.

    Attributes:
        accuracy: fractions, averaged over severities; network 0 is the standard one, network i + 1
            was also trained with corruption i.
        clean: each network's accuracy on clean images.
        right: for each image, the share of severities at which it was classified correctly; None if
            only accuracies are known.
        right_clean: the same for clean images.
        together: the group of each image, if images of a group are correlated.

    Raises:
        InputError: unknown or repeated corruptions, fewer than two, or arrays of the wrong shape.

    >>> alone, with_fog, with_snow = [0.2, 0.2], [0.8, 0.4], [0.4, 0.8]
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), clean=np.full((1, 3), 0.8),
    ...     accuracy=np.array([[alone, with_fog, with_snow]]), n=9, n_full=9, words="memory")
    >>> one.seeds, one.accuracy.shape
    (1, (1, 3, 2))
    """

    dataset: str
    corruptions: tuple[str, ...]
    accuracy: AccuracyTable
    clean: CleanTable
    n: int
    n_full: int
    words: str
    right: Right | None = None
    right_clean: RightClean | None = None
    together: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in self.corruptions:
            if not is_corruption(name):
                raise InputError(one_of("corruption", name, NAMES))
        count = len(self.corruptions)
        if len(set(self.corruptions)) != count or count < 2:
            raise InputError(
                f"Expected at least two corruptions, each once, but got {self.corruptions}."
            )
        shape = (len(self.accuracy), count + 1, count)
        if self.accuracy.shape != shape or self.clean.shape != shape[:2] or shape[0] == 0:
            raise InputError(
                f"Expected accuracies of shape (seeds, {count + 1}, {count}), the standard network "
                f"first, and clean ones of shape (seeds, {count + 1}), but got "
                f"{self.accuracy.shape} and {self.clean.shape}."
            )

    @property
    def seeds(self) -> int:
        """Return the number of seeds with which every network was trained."""
        return len(self.accuracy)


def from_grid(grid: Grid, standard: str, trained: Mapping[str, str]) -> Accuracies:
    """Return the accuracies in a grid of predictions.

    Args:
        standard: network trained without a corruption.
        trained: corruption -> network trained with it.

    Raises:
        InputError: a network or corruption that the grid lacks, or networks with different numbers
            of seeds.

    >>> from robust_lib.predict.predictions import Predictions
    >>> logits = np.eye(2, dtype=np.float32)
    >>> right = Predictions.from_logits(logits, ids=("a", "b"), labels=np.array([0, 1]),
    ...     model="net", dataset="toys")
    >>> names = ("net", "net+fog", "net+snow")
    >>> grid = Grid("toys", "toys_c", 2, {name: (right,) for name in names}, {(name, c, 5): (right,)
    ...     for name in names for c in ("fog", "snow")}, (5,), "memory")
    >>> from_grid(grid, "net", {"fog": "net+fog", "snow": "net+snow"}).accuracy.shape
    (1, 3, 2)
    """
    corruptions, names = tuple(trained), (standard, *trained.values())
    for name in names:
        if name not in grid.models:
            raise InputError(one_of("an evaluated network", name, grid.models))
    for name in corruptions:
        if name not in grid.corruptions:
            raise InputError(one_of("an evaluated corruption", name, grid.corruptions))
    runs = {name: grid.runs(name) for name in names}
    if len({len(one) for one in runs.values()}) > 1:
        counts = {name: len(one) for name, one in runs.items()}
        raise InputError(f"Expected the same number of seeds for every network, but got {counts}.")
    # Seeds outermost: each is a study of its own.
    right = np.array(
        [
            [[1 - run.wrong(name, c).mean(0) for c in corruptions] for name, run in one.items()]
            for one in _by_seed(runs)
        ]
    )
    right_clean = np.array(
        [
            [run.clean[name][0].correct.astype(float) for name, run in one.items()]
            for one in _by_seed(runs)
        ]
    )
    severities = ", ".join(str(severity) for severity in grid.severities)
    return Accuracies(
        dataset=grid.dataset,
        corruptions=corruptions,
        accuracy=right.mean(-1),
        clean=right_clean.mean(-1),
        n=grid.images,
        n_full=grid.n_full,
        words=f"{grid.convention(*corruptions)}, mean of severities {severities}",
        right=right,
        right_clean=right_clean,
        together=grid.sample.together,
    )


def resampled(
    table: Accuracies, *, samples: int
) -> (
    tuple[
        Float[np.ndarray, "samples models corruptions"],
        Float[np.ndarray, "samples models"],
    ]
    | None
):
    """Return the accuracies of one seed's networks in resamples of the images.

    All networks and corruptions have the same images, so a resample draws the same ones for all.

    Returns:
        Accuracies and clean accuracies; None with several seeds, or if only accuracies are known.

    >>> right = np.ones((1, 3, 2, 9))
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=right.mean(-1),
    ...     clean=np.ones((1, 3)), n=9, n_full=9, words="memory", right=right,
    ...     right_clean=right[:, :, 0])
    >>> accuracy, clean = resampled(one, samples=50)
    >>> accuracy.shape, clean.shape
    ((50, 3, 2), (50, 3))
    """
    if table.seeds > 1 or table.right is None or table.right_clean is None:
        return None
    _, models, corruptions, images = table.right.shape
    cells = np.concatenate([table.right[0].reshape(-1, images), table.right_clean[0]])
    drawn = shared_rates(cells, Sample(table.dataset, table.together), samples=samples)
    drawn, inner = np.clip(drawn, 0.0, 1.0), models * corruptions  # single precision misses them
    # A network that is right on nothing has nothing to lose: a resample of few groups keeps one.
    clean = np.maximum(drawn[:, inner:], 1 / images)
    return drawn[:, :inner].reshape(-1, models, corruptions), clean


def _by_seed(runs: Mapping[str, tuple[Grid, ...]]) -> list[dict[str, Grid]]:
    names = list(runs)
    return [dict(zip(names, one, strict=True)) for one in zip(*runs.values(), strict=True)]
