"""Paired differences of two models' numbers, on the same resamples of the images.

Images that are correlated, such as scenes of one drawing, are resampled together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Int

from robust_lib import seeds
from robust_lib.metrics import anomaly
from robust_lib.metrics.intervals import Draws, Sample, bootstrap_draws, shared_rates
from robust_lib.passport.record import Number, Passport, Section
from robust_lib.predict.answers_file import read_answers
from robust_lib.protocols.nae.calibration import AURRA, ERRORS
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.types import Correct, Scores
from robust_lib.vocabulary import COMMON

Said = Mapping[str, pd.DataFrame]
"""Image set -> how a model did: right, sure, reach and together of each image; see `Judged`."""
Both = tuple[Said, Said]

_RATES = ("accuracy", "error")
_RATIOS = ("ce", "mean_ce", "mce", "relative_ce", "relative_mce")
_SURE = {one.metric: one.value for one in (*ERRORS, AURRA)}


def said_in(passport: Passport, folder: Path) -> Said:
    """Return a model's prediction for each image, from the file next to its passport."""
    path = folder / (passport.answers or "")
    if passport.answers is None or not path.exists():
        return {}
    frame = read_answers(str(path)).frame.set_index("id")
    return {
        str(name): part[["right", "sure", "reach", "together"]]
        for name, part in frame.groupby("images", sort=False)
    }


def draws(number: Number, section: Section, said: Both) -> Draws | None:
    """Return the draws of the second model's number minus that of the first.

    The result is None if they cannot be paired: a prediction is missing, or there is no rule.
    """
    if number.metric in _RATES:
        apart = _rates(number.dataset, said)
        return apart if apart is None or number.metric == "error" else -apart
    if number.metric in _RATIOS:
        return _ratios(number, section, said)
    if number.metric == "pm_accuracy":
        return _frames(number, said)
    if number.metric == "aupr":
        return _foreign(number, section, said)
    return _confidences(number, said) if number.metric in _SURE else None


def _rates(dataset: str, said: Both) -> Draws | None:
    """Return the difference of two error rates."""
    wrong = _wrong(dataset, said)
    if wrong is None:
        return None
    sample = _sample(dataset, said)
    one, other = (shared_rates(each[None], sample)[:, 0] for each in wrong)
    return np.asarray(other - one, np.float64)


def _ratios(number: Number, section: Section, said: Both) -> Draws | None:
    """Return the difference of two corruption errors, or of two means of them."""
    relative = number.metric.startswith("relative")
    metric = "relative_ce" if relative else "ce"
    if number.metric == metric:
        wanted: Sequence[str] = (str(number.corruption),)
    else:
        wanted = HALVES[str(number.corruption)] if number.metric == "mean_ce" else COMMON
    every = {one.corruption: one for one in section.numbers if one.metric == metric}
    if not set(wanted) <= every.keys():
        return None
    parts = [_of_corruption(every[name], section, said, relative=relative) for name in wanted]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return np.asarray(np.stack(known).mean(axis=0), np.float64)


def _of_corruption(ce: Number, section: Section, said: Both, *, relative: bool) -> Draws | None:
    """Return the difference of two corruption errors, the normalising ones held fixed."""
    errors = [one for one in section.numbers if one.metric == "error"]
    clean = next((one for one in errors if one.severity is None), None)
    steps = [one for one in errors if one.corruption == ce.corruption and one.severity is not None]
    ends = [f"/{ce.corruption}/{one.severity}" for one in steps]
    cells = [next((name for name in said[0] if name.endswith(end)), None) for end in ends]
    if clean is None or not steps or ce.value == 0:
        return None
    pairs = [None if name is None else _wrong(name, said) for name in cells]
    pairs += [_wrong(clean.dataset, said)] if relative else []
    known = [pair for pair in pairs if pair is not None]
    if len(known) < len(pairs):
        return None
    lost = sum(one.value - clean.value * relative for one in steps)
    # Once for each severity, what is wrong without a corruption does not count.
    weights = np.array([1.0] * len(steps) + [-float(len(steps))] * relative)
    first = next(name for name in cells if name is not None)
    sample = replace(_sample(first, said), name=clean.dataset)
    one, other = (
        shared_rates(np.stack([pair[at] for pair in known]), sample) @ weights for at in (0, 1)
    )
    return np.asarray((other - one) / (lost / ce.value), np.float64)


def _frames(number: Number, said: Both) -> Draws | None:
    """Return the difference of two accuracies on all frames within k, over sets of frames."""
    both = _both(number.dataset, ("reach",), said)
    if both is None:
        return None
    reach = [each["reach"].to_numpy(np.int64) for each in both]
    sets = reach[0] >= 0  # of anchors
    if not sets.any() or (sets != (reach[1] >= 0)).any():
        return None
    sample = _sample(number.dataset, said).part(number.dataset, np.flatnonzero(sets).tolist())
    one, other = (
        shared_rates((each[sets] > int(number.k or 0))[None], sample)[:, 0] for each in reach
    )
    return np.asarray(other - one, np.float64)


def _foreign(number: Number, section: Section, said: Both) -> Draws | None:
    """Return the difference of two AUPRs; both kinds of images are resampled separately."""
    ordinary = [name for name in section.sets if name != number.dataset]
    if len(ordinary) != 1:
        return None
    sides = [_both(name, ("sure",), said) for name in (ordinary[0], number.dataset)]
    inside, outside = sides
    if inside is None or outside is None:
        return None
    one, other = (
        anomaly.aupr_draws(
            -inside[at]["sure"].to_numpy(np.float64),
            -outside[at]["sure"].to_numpy(np.float64),
            rng=seeds.generator("resamples", ordinary[0], number.dataset),
            together=(_sample(ordinary[0], said).together, _sample(number.dataset, said).together),
        )
        for at in (0, 1)
    )
    return np.asarray(other - one, np.float64)


def _confidences(number: Number, said: Both) -> Draws | None:
    """Return the difference of two calibration errors or AURRAs.

    A calibration error increases in a resample, by chance and by about the same amount for both
    models; the remainder in the mean of the differences is subtracted.
    """
    both = _both(number.dataset, ("right", "sure"), said)
    if both is None:
        return None
    statistic = _SURE[number.metric]
    arrays = [(each["sure"].to_numpy(np.float64), each["right"].to_numpy(bool)) for each in both]
    rows = len(arrays[0][0])
    one, other = (
        bootstrap_draws(
            partial(_of_resample, statistic, *each),
            rows,
            rng=seeds.generator("resamples", number.dataset, rows),
            together=_sample(number.dataset, said).together,
        )
        for each in arrays
    )
    apart = np.asarray(other - one, np.float64)
    exact = statistic(*arrays[1]) - statistic(*arrays[0])
    return apart if number.metric == AURRA.metric else apart + (exact - apart.mean())


def _of_resample(
    statistic: Callable[[Scores, Correct], float],
    sure: Scores,
    right: Correct,
    chosen: Int[np.ndarray, " images"],
) -> float:
    return statistic(sure[chosen], right[chosen])


def _wrong(dataset: str, said: Both) -> tuple[Correct, Correct] | None:
    """Return the errors of both models by image, in one order, if the images are the same."""
    both = _both(dataset, ("right",), said)
    if both is None:
        return None
    one, other = (~each["right"].to_numpy(bool) for each in both)
    return one, other


def _sample(dataset: str, said: Both) -> Sample:
    """Return the sample of both models' images, in the first one's order, with any groups."""
    index = said[0][dataset].index
    told = (each[dataset]["together"].loc[index] for each in said)
    groups = next((one for one in told if one.notna().all()), None)
    return Sample(dataset, None if groups is None else tuple(map(str, groups)))


def _both(
    dataset: str, columns: Sequence[str], said: Both
) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Return both models' predictions for the same images in one order, or None."""
    if any(dataset not in each for each in said):
        return None
    one, other = (each[dataset][list(columns)] for each in said)
    if set(one.index) != set(other.index):
        return None
    other = other.loc[one.index]
    return None if one.isna().to_numpy().any() or other.isna().to_numpy().any() else (one, other)
