"""Corruption errors of one network, with how far they could move with other images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import TAIL, bootstrap_rates
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid, wrong_share
from robust_lib.results.estimate import Estimate

Wrong = Float[np.ndarray, "severities images"]
Rates = Float[np.ndarray, "samples cells"]


def mean_ratio(
    by_seed: Sequence["ImageErrors"],
    over: Sequence[str],
    *,
    relative: bool = False,
    samples: int,
    key: Sequence[object],
) -> Estimate:
    """Return the mean of some corruptions' (relative) corruption errors.

    Args:
        by_seed: the network's errors, one a seed.
        over: which corruptions.
        relative: whether the clean error is taken off first.
        samples: bootstrap resamples of the images.
        key: of the bootstrap.

    >>> base = Normaliser({"fog": np.array([0.5]), "snow": np.array([0.75])}, 0.25, "a baseline")
    >>> wrong = {"fog": np.array([[0, 0, 0, 1.0]]), "snow": np.array([[0, 1.0, 1.0, 1.0]])}
    >>> one = ImageErrors(wrong, np.zeros(4), 4, base)
    >>> mean_ratio([one], ["fog", "snow"], samples=10, key=["toys"]).value  # of CEs 0.5 and 1
    0.75
    """
    first = by_seed[0]
    return Estimate.over(
        [errors.mean_ratio(over, relative) for errors in by_seed],
        lambda: first.interval(over, relative, seeds.generator(*key, "bootstrap"), samples),
        n=len(first.clean),
        n_full=first.n_full,
    )


@dataclass(frozen=True, eq=False)
class ImageErrors:
    """One network's errors, image by image, and what they are divided by.

    Attributes:
        wrong: by corruption, whether each image was mistaken at each severity.
        clean: the same of the clean images.
        n_full: images of the whole clean set.
        normaliser: what errors are divided by.

    >>> base = Normaliser({"fog": np.array([0.5])}, 0.25, "a baseline")
    >>> one = ImageErrors({"fog": np.array([[0, 0, 0, 1.0]])}, np.zeros(4), 4, base)
    >>> one.mean_ratio(["fog"]), one.mean_ratio(["fog"], relative=True)
    (0.5, 1.0)
    """

    wrong: Mapping[str, Wrong]
    clean: Float[np.ndarray, " images"]
    n_full: int
    normaliser: Normaliser

    @classmethod
    def of(
        cls, grid: Grid, model: str, names: Sequence[str], normaliser: Normaliser
    ) -> "ImageErrors":
        """Return a model's errors on some corruptions of a grid."""
        wrong = {name: grid.wrong(model, name) for name in names}
        return cls(wrong, wrong_share(grid.clean[model]), grid.n_full, normaliser)

    def mean_ratio(self, over: Sequence[str], relative: bool = False) -> float:
        """Return the mean of some corruptions' (relative) corruption errors."""
        errors = {name: self.wrong[name].mean(1) for name in over}
        base = {name: self.normaliser.errors[name] for name in over}
        if relative:
            return ce.relative_mean_corruption_error(
                errors, float(self.clean.mean()), base, self.normaliser.clean, over=over
            )
        return ce.mean_corruption_error(errors, base, over=over)

    def interval(
        self, over: Sequence[str], relative: bool, rng: np.random.Generator, samples: int
    ) -> tuple[float, float] | None:
        """Return the bootstrap interval, or None if it has no upper end.

        It has none if more resamples than it leaves above it take the baseline's errors away.
        """
        values = _stacked(self.clean, self.wrong, over)
        cells, base = len(values), self.normaliser
        if base.wrong is not None and base.wrong_clean is not None:
            values = np.concatenate([values, _stacked(base.wrong_clean, base.wrong, over)])
        fixed = np.concatenate([[base.clean], *(base.errors[name] for name in over)])[None]
        lost: list[float] = []

        def ratios(rates: Rates) -> Float[np.ndarray, " draws"]:
            measured = rates[:, cells:] if len(values) > cells else fixed.repeat(len(rates), 0)
            above = _rise(rates[:, :cells], len(over), relative)
            below = _rise(measured, len(over), relative)
            defined = (below.sum(2) > 0).all(1)
            lost.append(1 - float(defined.mean()))
            draws = ce.mean_of_ratios(above[defined], below[defined])
            return draws if len(draws) else np.zeros(1)

        ends = bootstrap_rates(ratios, values, rng=rng, samples=samples)
        return ends if max(lost) <= TAIL else None


def _stacked(
    clean: Float[np.ndarray, " images"], wrong: Mapping[str, Wrong], over: Sequence[str]
) -> Float[np.ndarray, "cells images"]:
    """Return the clean images' errors, and below them those of each corruption's severities."""
    return np.concatenate([clean[None], *(wrong[name] for name in over)])


def _rise(
    rates: Rates, corruptions: int, relative: bool
) -> Float[np.ndarray, "samples corruptions severities"]:
    """Return errors at each severity, less the clean error if `relative`."""
    cells = rates[:, 1:].reshape(len(rates), corruptions, -1)
    return np.asarray(cells - (rates[:, :1, None] if relative else 0))
