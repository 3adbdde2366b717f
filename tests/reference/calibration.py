"""Calibration and error detection as defined, one bin and one prefix at a time, in plain Python."""

import math


def shared(confidence, correct):
    """Each image is as right as the images of its confidence are in the mean."""
    said = list(zip(confidence, correct, strict=True))
    alike = [[right for other, right in said if other == sure] for sure, _ in said]
    return [sum(one) / len(one) for one in alike]


def rms_calibration_error(confidence, correct, variant, bin_size):
    correct = shared(confidence, correct)
    images = sorted(zip(confidence, correct, strict=True), key=lambda image: image[0])
    bins = []
    while len(images) - len(bins) * bin_size >= bin_size:
        bins.append(images[len(bins) * bin_size : (len(bins) + 1) * bin_size])
    bins[-1] = images[(len(bins) - 1) * bin_size :]
    counted = bins[:-1] if variant == "authors" else bins
    total = 0.0
    for members in counted:
        sure = sum(confidence for confidence, _ in members) / len(members)
        right = sum(correct for _, correct in members) / len(members)
        total += len(members) / len(images) * (sure - right) ** 2
    return math.sqrt(total)


def most_confident_first(confidence, correct):
    """Insertion by hand: an image goes behind all that are as sure or surer."""
    ranked = []
    for sure, right in zip(confidence, shared(confidence, correct), strict=True):
        place = sum(other >= sure for other, _ in ranked)
        ranked.insert(place, (sure, right))
    return [right for _, right in ranked]


def aurra(confidence, correct):
    ranked = most_confident_first(confidence, correct)
    return sum(sum(ranked[:k]) / k for k in range(1, len(ranked) + 1)) / len(ranked)


def response_rate_accuracy(confidence, correct, percent):
    """Whole percents, so that how many images they are needs no rounding."""
    ranked = most_confident_first(confidence, correct)
    taken = -(-percent * len(ranked) // 100)
    return sum(ranked[:taken]) / taken


def reliability(confidence, correct, bins):
    rows = []
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        members = [
            (sure, right)
            for sure, right in zip(confidence, correct, strict=True)
            if low <= sure < high or (number == bins - 1 and sure == 1)
        ]
        count = len(members)
        rows.append(
            (
                sum(sure for sure, _ in members) / count if count else math.nan,
                sum(right for _, right in members) / count if count else math.nan,
                count,
            )
        )
    return rows
