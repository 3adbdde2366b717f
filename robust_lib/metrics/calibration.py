"""Calibration and error detection: whether a classifier's confidence matches its accuracy.

The metrics are those of [nae, app. D]. Confidence is the maximum softmax probability, a fraction;
images with the same confidence cannot be told apart, so each counts as their mean, and no number
depends on the order of the files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from robust_lib.errors import InputError, one_of
from robust_lib.metrics.intervals import bootstrap, bootstrap_draws, percentiles
from robust_lib.types import Correct, Scores

Variant = Literal["authors", "all-bins"]


def rms_calibration_error(
    confidence: Scores, correct: Correct, variant: Variant = "authors", bin_size: int = 100
) -> float:
    """Return the l2 (root mean square) calibration error, a fraction [nae, app. D].

    Images are sorted by confidence, the least confident first, and cut into n // 100 bins of 100;
    the last bin also takes the remainder. The gap of a bin is its mean confidence minus its
    accuracy; the error is the root of the mean, over images, of the squared gap of their bin.

    Args:
        confidence: (images,), fractions.
        correct: (images,), whether each was classified correctly.
        variant: "authors" leaves out the last bin, with the most confident images, but divides by
            all images, like the authors' code; "all-bins" uses every bin, as in the text.
        bin_size: images per bin.

    Raises:
        InputError: arrays of different lengths, confidence outside [0, 1] or NaN, an unknown
            variant, or too few images for one bin that counts.

    >>> confidence = np.repeat([0.5, 0.9], 100)
    >>> correct = np.tile([True, False], 100)
    >>> rms_calibration_error(confidence, correct)
    0.0
    >>> round(rms_calibration_error(confidence, correct, "all-bins"), 3)
    0.283
    """
    order = _sorted(confidence, correct)
    _check_bins(len(order), variant, bin_size)
    sure = confidence[order].astype(np.float64)
    return _rms(sure, _tied(_ties(sure), correct[order]), variant, bin_size)


def rms_calibration_error_interval(
    confidence: Scores,
    correct: Correct,
    variant: Variant = "authors",
    bin_size: int = 100,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    level: float = 0.95,
    together: Sequence[str] | None = None,
) -> tuple[float, float]:
    """Return a bootstrap interval of the l2 calibration error over images.

    The accuracy on 100 images deviates by chance, and squared gaps count that as an error, even for
    a perfectly calibrated classifier. A resample adds the same amount once more. The interval is
    computed without this addition; otherwise it could lie above the error itself. It contains the
    error.

    Args:
        together: the group of each image, if whole groups are drawn.

    Raises:
        InputError: see `rms_calibration_error` and `bootstrap`.
    """
    order = _sorted(confidence, correct)
    _check_bins(len(order), variant, bin_size)
    sure, right = confidence[order].astype(np.float64), correct[order]
    ties = _ties(sure)

    def of_resample(chosen: Int[np.ndarray, " images"]) -> float:
        places = np.sort(chosen)  # of images that are sorted already
        return _rms(sure[places], _tied(ties[places], right[places]), variant, bin_size)

    groups = None if together is None else np.asarray(together)[order].tolist()
    draws = bootstrap_draws(of_resample, len(order), rng=rng, samples=samples, together=groups)
    value = _rms(sure, _tied(ties, right), variant, bin_size)
    if groups is None:
        added = _resampling_noise(sure, right, variant, bin_size)
    else:  # what images that are wrong together add, no formula for single ones knows
        added = float((draws**2).mean()) - value**2
    low, high = (float(np.sqrt(max(0.0, end**2 - added))) for end in percentiles(draws, level))
    return min(low, value), max(high, value)


def aurra(confidence: Scores, correct: Correct) -> float:
    """Return AURRA, the area under the response rate accuracy curve, a fraction [nae, app. D].

    It is the mean, over k from 1 to n, of the accuracy on the k most confident images: it is high
    if a classifier is accurate and less confident where it errs.

    Raises:
        InputError: no images, arrays of different lengths, confidence outside [0, 1] or NaN.

    >>> round(aurra(np.array([0.9, 0.8, 0.3]), np.array([True, True, False])), 3)
    0.889
    """
    order = _sorted(confidence, correct, falling=True)
    return float(_prefix_accuracy(_tied(_ties(confidence[order]), correct[order])).mean())


def aurra_interval(
    confidence: Scores,
    correct: Correct,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    level: float = 0.95,
    together: Sequence[str] | None = None,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the AURRA over images.

    Args:
        together: the group of each image, if whole groups are drawn.

    Raises:
        InputError: see `aurra` and `bootstrap`.

    >>> confidence = np.linspace(0.2, 1, 200)
    >>> low, high = aurra_interval(confidence, confidence > 0.5, rng=np.random.default_rng(0))
    >>> low < aurra(confidence, confidence > 0.5) < high
    True
    """
    order = _sorted(confidence, correct, falling=True)
    right, ties = correct[order], _ties(confidence[order])

    def of_resample(chosen: Int[np.ndarray, " images"]) -> float:
        places = np.sort(chosen)
        return float(_prefix_accuracy(_tied(ties[places], right[places])).mean())

    return bootstrap(
        of_resample,
        len(right),
        rng=rng,
        samples=samples,
        level=level,
        together=None if together is None else np.asarray(together)[order].tolist(),
    )


def response_rate_accuracy(
    confidence: Scores, correct: Correct, rates: Float[np.ndarray, " rates"]
) -> Float[np.ndarray, " rates"]:
    """Return the accuracy on the most confident images, for each response rate [nae, fig. 13].

    For each rate, the fewest images that make up at least this fraction of all are used.

    Args:
        rates: response rates, above 0 and up to 1; 1 gives the usual accuracy.

    Raises:
        InputError: see `aurra`, or a rate outside (0, 1].

    >>> response_rate_accuracy(np.array([0.9, 0.8, 0.3, 0.2]),
    ...     np.array([True, False, False, False]), np.array([0.25, 0.5, 1.0])).tolist()
    [1.0, 0.5, 0.25]
    """
    order = _sorted(confidence, correct, falling=True)
    if not ((rates > 0) & (rates <= 1)).all():
        raise InputError(
            f"Expected response rates above 0 and up to 1, but got {rates.tolist()}. Pass "
            "fractions, not percentages."
        )
    shares = np.arange(1, len(order) + 1) / len(order)
    # Compared with quotients, 0.07 of 100 images are 7, though 0.07 * 100 is a little more.
    right = _tied(_ties(confidence[order]), correct[order])
    return _prefix_accuracy(right)[np.searchsorted(shares, rates)]


@dataclass(frozen=True, eq=False)
class Reliability:
    """The numbers of a reliability diagram, one per bin of confidence; NaN for empty bins.

    Attributes:
        edges: (bins + 1,), from 0 to 1.
        confidence: (bins,), mean confidence of the images in each bin.
        accuracy: (bins,), fraction of these images that is classified correctly.
    """

    edges: Float[np.ndarray, " edges"]
    confidence: Float[np.ndarray, " bins"]
    accuracy: Float[np.ndarray, " bins"]
    count: Int[np.ndarray, " bins"]


def reliability(confidence: Scores, correct: Correct, bins: int = 10) -> Reliability:
    """Return mean confidence and accuracy in bins of equal width, for a reliability diagram.

    A bin includes its lower edge; the last one also includes 1. Empty bins are kept, as NaN with a
    count of 0, so that the bins of all classifiers agree.

    Raises:
        InputError: see `aurra`, or no bins.

    >>> drawn = reliability(np.array([0.55, 0.65, 1.0]), np.array([True, False, True]), bins=2)
    >>> drawn.accuracy.round(3).tolist(), drawn.count.tolist()
    ([nan, 0.667], [0, 3])
    """
    _sorted(confidence, correct)
    if bins < 1:
        raise InputError(f"Expected at least one bin, but got {bins}.")
    edges = np.arange(bins + 1) / bins  # quotients, or the edge at 0.3 would lie a little above
    place = np.minimum(np.searchsorted(edges, confidence, side="right") - 1, bins - 1)
    count = np.bincount(place, minlength=bins)
    filled = np.where(count == 0, np.nan, count)
    return Reliability(
        edges,
        np.bincount(place, confidence, bins) / filled,
        np.bincount(place, correct, bins) / filled,
        count,
    )


def _ties(ordered: Scores) -> Int[np.ndarray, " images"]:
    """Return the number of each image's tie, from 0, of images in the order of their confidence."""
    return np.cumsum(np.append(0, np.diff(ordered) != 0))[-len(ordered) :]


def _tied(ties: Int[np.ndarray, " images"], correct: Correct) -> Float[np.ndarray, " images"]:
    """Return for each image the share of its tie that is right."""
    right, many = np.bincount(ties, weights=correct), np.bincount(ties)
    return np.asarray(right[ties] / many[ties], np.float64)


def _prefix_accuracy(correct: Float[np.ndarray, " images"]) -> Float[np.ndarray, " images"]:
    return np.cumsum(correct) / np.arange(1, len(correct) + 1)


def _rms(
    confidence: Scores, correct: Float[np.ndarray, " images"], variant: Variant, bin_size: int
) -> float:
    starts, counts = _bins(len(confidence), variant, bin_size)
    gaps = np.add.reduceat(confidence - correct, starts)[: len(counts)] / counts
    return float(np.sqrt(counts @ gaps**2 / len(confidence)))


def _resampling_noise(
    confidence: Scores, correct: Correct, variant: Variant, bin_size: int
) -> float:
    """Return what resampling adds to the squared error: the variance of the bins' mean gaps.

    A tie that is in several bins varies as one: by what it has of a bin, and its own size.
    """
    starts, counts = _bins(len(confidence), variant, bin_size)
    ties = _ties(confidence)
    shares = _tied(ties, correct)
    gaps = confidence - shares
    means = np.add.reduceat(gaps, starts)[: len(counts)] / counts
    squares = np.add.reduceat(gaps**2, starts)[: len(counts)] / counts
    size = np.bincount(ties)
    bins = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(ties)))
    _, first, own = np.unique(bins * len(size) + ties, return_index=True, return_counts=True)
    spread = own**2 * (shares * (1 - shares))[first] / size[ties[first]]
    within = np.bincount(bins[first], spread, len(starts))[: len(counts)] / counts
    return float((squares - means**2 + within).sum() / len(confidence))


def _bins(
    images: int, variant: Variant, bin_size: int
) -> tuple[Int[np.ndarray, " bins"], Int[np.ndarray, " counted"]]:
    """Return where all bins start, and how many images are in each of those that count."""
    starts = np.arange(images // bin_size) * bin_size
    counts = np.diff(starts, append=images)
    return starts, counts[:-1] if variant == "authors" else counts


def _check_bins(images: int, variant: str, bin_size: int) -> None:
    if variant not in get_args(Variant):
        raise InputError(one_of("variant", variant, get_args(Variant)))
    if bin_size < 1:
        raise InputError(f"Expected bins of at least one image, but got {bin_size}.")
    least = 2 * bin_size if variant == "authors" else bin_size
    if images < least:
        raise InputError(
            f"Expected at least {least} images for bins of {bin_size} in the variant {variant}, "
            f"but got {images}. Use more images, or a smaller bin_size, and state it."
        )


def _sorted(
    confidence: Scores, correct: Correct, *, falling: bool = False
) -> Int[np.ndarray, " images"]:
    """Return an order of the images by confidence."""
    if confidence.ndim != 1 or len(confidence) == 0 or confidence.shape != correct.shape:
        raise InputError(
            "Expected one confidence and one correctness per image, for at least one image, but "
            f"got arrays of shape {confidence.shape} and {correct.shape}."
        )
    if not ((confidence >= 0) & (confidence <= 1)).all():
        raise InputError(
            "Expected confidence from 0 to 1, but got NaN or numbers outside this range. Pass the "
            "maximum softmax probability as a fraction."
        )
    return np.argsort(-confidence if falling else confidence, kind="stable")
