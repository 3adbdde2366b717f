"""Corruption errors of one network with intervals over images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import Sample, shared_rates
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid, wrong_share
from robust_lib.results.estimate import Draws, Estimate, ends_of

Wrong = Float[np.ndarray, "severities images"]
Rates = Float[np.ndarray, "samples cells"]

_UNNAMED = Sample("images")


def mean_ratio(
    by_seed: Sequence["ImageErrors"],
    over: Sequence[str],
    *,
    relative: bool = False,
    samples: int,
) -> Estimate:
    """Return the mean (relative) corruption error over some corruptions.

    Args:
        by_seed: one record per seed.
        relative: whether the clean error is subtracted first.

    >>> base = Normaliser({"fog": np.array([0.5]), "snow": np.array([0.75])}, 0.25, "a baseline")
    >>> wrong = {"fog": np.array([[0, 0, 0, 1.0]]), "snow": np.array([[0, 1.0, 1.0, 1.0]])}
    >>> one = ImageErrors(wrong, np.zeros(4), 4, base)
    >>> mean_ratio([one], ["fog", "snow"], samples=10).value  # of CEs 0.5 and 1
    0.75
    """
    first = by_seed[0]
    draws = Draws(first.images.name, lambda: first.draws(over, relative, samples))
    return Estimate.over(
        [errors.mean_ratio(over, relative) for errors in by_seed],
        lambda: ends_of(draws),
        n=len(first.clean),
        n_full=first.n_full,
        draws=draws,
    )


@dataclass(frozen=True, eq=False)
class ImageErrors:
    """One network's errors for each image, and the divisors of its corruption errors.

    Attributes:
        wrong: corruption -> whether each image was misclassified at each severity.
        images: the clean set, whose resamples all networks share.

    >>> base = Normaliser({"fog": np.array([0.5])}, 0.25, "a baseline")
    >>> one = ImageErrors({"fog": np.array([[0, 0, 0, 1.0]])}, np.zeros(4), 4, base)
    >>> one.mean_ratio(["fog"]), one.mean_ratio(["fog"], relative=True)
    (0.5, 1.0)
    """

    wrong: Mapping[str, Wrong]
    clean: Float[np.ndarray, " images"]
    n_full: int
    normaliser: Normaliser
    images: Sample = _UNNAMED

    @classmethod
    def of(
        cls, grid: Grid, model: str, names: Sequence[str], normaliser: Normaliser
    ) -> "ImageErrors":
        """Return a model's errors on some corruptions of a grid."""
        wrong = {name: grid.wrong(model, name) for name in names}
        clean = wrong_share(grid.clean[model])
        return cls(wrong, clean, grid.n_full, normaliser, grid.sample)

    def mean_ratio(self, over: Sequence[str], relative: bool = False) -> float:
        """Return the mean (relative) corruption error over some corruptions."""
        errors = {name: self.wrong[name].mean(1) for name in over}
        base = {name: self.normaliser.errors[name] for name in over}
        if relative:
            return ce.relative_mean_corruption_error(
                errors, float(self.clean.mean()), base, self.normaliser.clean, over=over
            )
        return ce.mean_corruption_error(errors, base, over=over)

    def draws(
        self, over: Sequence[str], relative: bool, samples: int
    ) -> Float[np.ndarray, " samples"]:
        """Return the mean ratio in resamples of the images that are the same for all networks.

        It is missing (NaN) for a resample without any error of the baseline.
        """
        rates = shared_rates(self._cells(over), self.images, samples=samples)
        return self._ratios(rates, over, relative)

    def _cells(self, over: Sequence[str]) -> Float[np.ndarray, "cells images"]:
        """Return the network's errors, and below them the baseline's if it was measured."""
        values, base = _stacked(self.clean, self.wrong, over), self.normaliser
        if base.wrong is None or base.wrong_clean is None:
            return values
        return np.concatenate([values, _stacked(base.wrong_clean, base.wrong, over)])

    def _ratios(
        self, rates: Rates, over: Sequence[str], relative: bool
    ) -> Float[np.ndarray, " samples"]:
        """Return the mean ratio of each resample, NaN if the baseline makes no error in it."""
        base, cells = self.normaliser, 1 + sum(len(self.wrong[name]) for name in over)
        fixed = np.concatenate([[base.clean], *(base.errors[name] for name in over)])[None]
        measured = rates[:, cells:] if rates.shape[1] > cells else fixed.repeat(len(rates), 0)
        above = _rise(rates[:, :cells], len(over), relative)
        below = _rise(measured, len(over), relative)
        defined = (below.sum(2) > 0).all(1)
        drawn = np.full(len(rates), np.nan)
        drawn[defined] = ce.mean_of_ratios(above[defined], below[defined])
        return drawn


def _stacked(
    clean: Float[np.ndarray, " images"], wrong: Mapping[str, Wrong], over: Sequence[str]
) -> Float[np.ndarray, "cells images"]:
    """Return the clean images' errors, and below them those of each corruption's severities."""
    return np.concatenate([clean[None], *(wrong[name] for name in over)])


def _rise(
    rates: Rates, corruptions: int, relative: bool
) -> Float[np.ndarray, "samples corruptions severities"]:
    """Return errors at each severity, minus the clean error if `relative`."""
    cells = rates[:, 1:].reshape(len(rates), corruptions, -1)
    return np.asarray(cells - (rates[:, :1, None] if relative else 0))
