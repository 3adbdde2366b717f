"""Corruption errors of one network, with how far they could move with other images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import bootstrap_rates
from robust_lib.protocols.grid import Grid, wrong_share
from robust_lib.protocols.normaliser import Normaliser

TAIL = 0.025  # share of resamples that a 95 % interval leaves above it


def ratio(
    runs: Sequence["Cells"],
    over: Sequence[str],
    *,
    relative: bool = False,
    samples: int,
    key: Sequence[object],
) -> dict[str, float | None]:
    """Return the mean corruption error over some corruptions, with its interval, as columns.

    The interval is over images with one seed, and from the smallest to the largest with several.

    Args:
        runs: the network's errors, one a seed.
        over: which corruptions.
        relative: whether the clean error is taken off first.
        samples: bootstrap resamples.
        key: of the bootstrap.
    """
    values = [run.value(over, relative) for run in runs]
    ends: tuple[float, float] | None = (min(values), max(values))
    if len(runs) == 1:
        ends = runs[0].interval(over, relative, seeds.generator(*key, "bootstrap"), samples)
    return around(float(np.mean(values)), *(ends or (None, None)))


def around(value: float, low: float | None, high: float | None) -> dict[str, float | None]:
    """Return value, low and high as columns.

    Rounding can leave the mean of equal seeds outside them by a hair, and so can a percentile
    interval its own point when errors saturate.
    """
    if low is None or high is None:
        return {"value": value, "low": None, "high": None}
    return {"value": value, "low": min(low, value), "high": max(high, value)}


@dataclass(frozen=True)
class Cells:
    """One model's errors on every image, ready for ratios: row 0 is clean, then severities.

    Attributes:
        wrong: by corruption, whether each image was mistaken.
        clean: the same of the clean images.
        normaliser: what errors are divided by.
    """

    wrong: Mapping[str, Float[np.ndarray, "severities images"]]
    clean: Float[np.ndarray, " images"]
    normaliser: Normaliser

    @classmethod
    def of(cls, grid: Grid, model: str, names: Sequence[str], normaliser: Normaliser) -> "Cells":
        """Return a model's errors on some corruptions of a grid."""
        wrong = {name: grid.wrong(model, name) for name in names}
        return cls(wrong, wrong_share(grid.clean[model]), normaliser)

    def value(self, over: Sequence[str], relative: bool = False) -> float:
        """Return the mean (relative) corruption error over some corruptions."""
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
        base = self.normaliser
        if base.wrong is not None and base.wrong_clean is not None:
            values = np.concatenate([values, _stacked(base.wrong_clean, base.wrong, over)])
        lost: list[float] = []

        def ratio(rates: Float[np.ndarray, "samples cells"]) -> Float[np.ndarray, " draws"]:
            above = _summed(rates[:, : 1 + self._cells(over)], len(over), relative)
            if len(values) > 1 + self._cells(over):
                below = _summed(rates[:, 1 + self._cells(over) :], len(over), relative)
            else:
                fixed = np.concatenate([[base.clean], *(base.errors[name] for name in over)])
                below = np.broadcast_to(_summed(fixed[None], len(over), relative), above.shape)
            defined = (below > 0).all(1)
            lost.append(1 - float(defined.mean()))
            draws: Float[np.ndarray, " draws"] = (above[defined] / below[defined]).mean(1)
            return draws if len(draws) else np.zeros(1)

        ends = bootstrap_rates(ratio, values, rng=rng, samples=samples)
        return ends if max(lost) <= TAIL else None

    def _cells(self, over: Sequence[str]) -> int:
        return sum(len(self.wrong[name]) for name in over)


def _stacked(
    clean: Float[np.ndarray, " images"],
    wrong: Mapping[str, Float[np.ndarray, "severities images"]],
    over: Sequence[str],
) -> Float[np.ndarray, "cells images"]:
    return np.concatenate([clean[None], *(wrong[name] for name in over)])


def _summed(
    rates: Float[np.ndarray, "samples cells"], corruptions: int, relative: bool
) -> Float[np.ndarray, "samples corruptions"]:
    """Return errors summed over severities, less the clean error at each if `relative`."""
    cells = rates[:, 1:].reshape(len(rates), corruptions, -1)
    return np.asarray((cells - (rates[:, :1, None] if relative else 0)).sum(2))
