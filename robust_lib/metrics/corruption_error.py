"""Corruption error: errors under corruption relative to a baseline's [inc, sec. 3.2].

The baseline of the paper is AlexNet; its errors are an argument, never a constant of this module.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from robust_lib.errors import InputError
from robust_lib.types import SeverityErrors
from robust_lib.vocabulary import COMMON

ErrorsByCorruption = Mapping[str, SeverityErrors]


def corruption_error(errors: SeverityErrors, baseline: SeverityErrors) -> float:
    """Return the corruption error (CE): errors summed over severities, divided by the baseline's.

    Args:
        errors: top-1 error at each severity, fractions, like `baseline`.

    Raises:
        InputError: shapes or values that errors cannot have, or a baseline that never errs.

    >>> corruption_error(np.array([0.2, 0.4]), np.array([0.4, 0.8]))
    0.5
    """
    _check(errors, baseline, "the corruption")
    return float(mean_of_ratios(errors[None], baseline[None]))


def relative_corruption_error(
    errors: SeverityErrors, clean: float, baseline: SeverityErrors, baseline_clean: float
) -> float:
    """Return the relative CE: the rise above the clean error, divided by the baseline's rise.

    The clean error is subtracted at every severity. The printed formula reads as if it were
    subtracted once from the sum, but the paper's own numbers require the former.

    Args:
        errors: top-1 error at each severity, fractions, like `baseline`.

    Raises:
        InputError: shapes or values that errors cannot have, or a baseline that does not get worse.

    >>> round(relative_corruption_error(np.array([0.4]), 0.2, np.array([0.8]), 0.4), 3)
    0.5
    """
    _check(errors, baseline, "the corruption")
    _check_clean(clean, baseline_clean)
    rise, baseline_rise = errors - clean, baseline - baseline_clean
    _check_rise(baseline_rise, "the corruption")
    return float(mean_of_ratios(rise[None], baseline_rise[None]))


def mean_corruption_error(
    errors: ErrorsByCorruption, baseline: ErrorsByCorruption, *, over: Sequence[str] = COMMON
) -> float:
    """Return the mean corruption error (mCE): the mean of the CEs of all corruptions.

    Args:
        errors: corruption -> top-1 error at each severity, fractions.
        over: the required corruptions; the paper's mCE uses the 15 common ones.

    Raises:
        InputError: a corruption is missing or not among `over`; also see `corruption_error`.

    >>> errors = {name: np.array([0.3, 0.5]) for name in COMMON}
    >>> mean_corruption_error(errors, errors)
    1.0
    """
    return float(mean_of_ratios(*_stacked(errors, baseline, over)))


def relative_mean_corruption_error(
    errors: ErrorsByCorruption,
    clean: float,
    baseline: ErrorsByCorruption,
    baseline_clean: float,
    *,
    over: Sequence[str] = COMMON,
) -> float:
    """Return the relative mCE: the mean of the relative CEs of all corruptions.

    Arguments and errors are those of `mean_corruption_error` and `relative_corruption_error`.

    >>> errors = {name: np.array([0.3, 0.5]) for name in COMMON}
    >>> relative_mean_corruption_error(errors, 0.1, errors, 0.1)
    1.0
    """
    stacked, baseline_stacked = _stacked(errors, baseline, over)
    _check_clean(clean, baseline_clean)
    rise, baseline_rise = stacked - clean, baseline_stacked - baseline_clean
    for name, row in zip(over, baseline_rise, strict=True):
        _check_rise(row, name)
    return float(mean_of_ratios(rise, baseline_rise))


def mean_of_ratios(
    errors: Float[np.ndarray, "*many corruptions severities"],
    baseline: Float[np.ndarray, "*many corruptions severities"],
) -> Float[np.ndarray, "*many"]:
    """Return the mean over corruptions of errors summed over severities, divided by the baseline's.

    It is the formula behind all functions above, without checks; axes before the last two, such as
    resamples of the images, are carried along.

    >>> float(mean_of_ratios(np.array([[0.1, 0.3], [0.4, 0.4]]), np.full((2, 2), 0.4)))
    0.75
    """
    ratios = errors.sum(-1) / baseline.sum(-1)
    return np.asarray(ratios.mean(-1))


def _stacked(
    errors: ErrorsByCorruption,
    baseline: ErrorsByCorruption,
    over: Sequence[str],
) -> tuple[
    Float[np.ndarray, "corruptions severities"], Float[np.ndarray, "corruptions severities"]
]:
    for whose, given in (("errors", errors), ("baseline", baseline)):
        missing = [name for name in over if name not in given]
        extra = [name for name in given if name not in over]
        if missing or extra:
            raise InputError(
                f"Expected the {whose} of exactly the {len(over)} corruptions of the mean, but got "
                f"others (missing: {', '.join(missing) or 'none'}; unknown: "
                f"{', '.join(extra) or 'none'})."
            )
    for name in over:
        _check(errors[name], baseline[name], name)
    if len({len(errors[name]) for name in over}) > 1:
        counts = {name: len(errors[name]) for name in over}
        raise InputError(f"Expected the same severities for every corruption, but got {counts}.")
    return np.stack([errors[n] for n in over]), np.stack([baseline[n] for n in over])


def _check(errors: SeverityErrors, baseline: SeverityErrors, name: str) -> None:
    if errors.shape != baseline.shape or errors.ndim != 1 or errors.size == 0:
        raise InputError(
            f"Expected one error per severity for both {name} and its baseline, but got shapes "
            f"{errors.shape} and {baseline.shape}."
        )
    for values in (errors, baseline):
        if not ((values >= 0) & (values <= 1)).all():
            raise InputError(
                f"Expected errors of {name} as fractions in [0, 1], but got {values.tolist()}. "
                "Divide percentages by 100."
            )
    if baseline.sum() == 0:
        raise InputError(
            f"Expected a baseline that errs under {name}, but all its errors are 0. Use "
            "another baseline."
        )


def _check_clean(clean: float, baseline_clean: float) -> None:
    if not (0 <= clean <= 1 and 0 <= baseline_clean <= 1):
        raise InputError(
            f"Expected clean errors as fractions in [0, 1], but got {clean} and {baseline_clean}. "
            "Divide percentages by 100."
        )


def _check_rise(baseline_rise: SeverityErrors, name: str) -> None:
    if baseline_rise.sum() <= 0:
        raise InputError(
            f"Expected a baseline that gets worse under {name}, but its error rises by "
            f"{baseline_rise.mean():.3g} on average, so the relative error is not defined. Use "
            "another baseline."
        )
