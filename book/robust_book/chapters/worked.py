"""Worked examples: a chapter's formula with this run's numbers, in a few sentences.

The role `{result}` places them next to the formula. If a run lacks a number, a sentence states it.
"""

from collections.abc import Mapping

import numpy as np

from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import truth_of
from robust_lib.metrics.box_matching import SIZES
from robust_lib.metrics.boxes import areas, intersection_over_union
from robust_lib.metrics.calibration import aurra, response_rate_accuracy, rms_calibration_error
from robust_lib.metrics.overlap import overlap_score, robustness_score
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.reported import data_title
from robust_lib.results.table import Results
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, corruption_label

NOTHING = KeyNumber("This run has no numbers for an example.")
BIN = 100  # images, as in the authors' code


def corruption_errors(
    results: Results, grid: Grid, normaliser: Normaliser, corruption: str = COMMON[0]
) -> dict[str, KeyNumber]:
    """Return worked examples of CE, mCE and relative CE for the run's last network.

    >>> grid = toys.grid("alexnet_mini", "resnet18_mini")
    >>> found = corruption_errors(Results(), grid, toys.normaliser(grid), "fog")
    >>> found["worked_ce"].text.partition(": ")[2], found["worked_mce"].text
    ('CE = 20.00 / 20.00 = 100.0 %.', 'This run has no numbers for an example.')
    >>> found["worked_relative_ce"].text.partition(": ")[2]
    'relative CE = 10.000 / 10.000 = 100.0 %.'
    """
    network = grid.models[-1]
    found = dict.fromkeys(("worked_ce", "worked_mce", "worked_relative_ce"), NOTHING)
    title, what = network_title(network), _named(corruption)
    if corruption in grid.corruptions and normaliser.divides(corruption, relative=False):
        ours = float(grid.errors(network, corruption).mean())
        base = float(normaliser.errors[corruption].mean())
        words = f"{grid.convention(corruption)}; divided by {normaliser.words}"
        found["worked_ce"] = KeyNumber(
            f"Under {what}, {title} errs on {_two(ours)} % of the images, averaged over "
            f"the severities, and the baseline on {_two(base)} %: "
            f"CE = {_two(ours)} / {_two(base)} = {_one(ours / base)} %.",
            ours / base,
            words,
            grid.images,
        )
        if normaliser.divides(corruption, relative=True):
            clean = float(
                np.mean([(one.predicted != one.labels).mean() for one in grid.clean[network]])
            )
            rise, other = ours - clean, base - normaliser.clean
            found["worked_relative_ce"] = KeyNumber(
                f"On clean images, {title} errs on {_two(clean)} % and the baseline on "
                f"{_two(normaliser.clean)} %. Under {what}, these errors are higher by "
                f"{_points(rise)} and by {_points(other)} points, averaged over the severities: "
                f"relative CE = {_points(rise)} / {_points(other)} = {_one(rise / other)} %.",
                rise / other,
                words,
                grid.images,
            )
    mean = results.first(metric="mce", model=network)
    rows = sorted(
        (
            row
            for row in results.select(metric="ce", model=network).rows
            if row.corruption in COMMON
        ),
        key=lambda row: row.value,
    )
    if mean is not None and rows:
        least, most = (
            f"{_one(row.value)} % ({_named(str(row.corruption))})" for row in (rows[0], rows[-1])
        )
        found["worked_mce"] = KeyNumber(
            f"The {len(rows)} CEs of {title} range from {least} to {most}; their mean, "
            f"{_one(mean.value)} %, is its mCE.",
            mean.value,
            mean.convention or "",
            mean.n,
        )
    return found


def overlap(architectures: Mapping[str, ArchitectureOverlaps]) -> dict[str, KeyNumber]:
    """Return a worked example of the overlapping score, for the first judged pair of corruptions.

    >>> overlap(toys.judged("fog", "snow"))["worked_overlap"].text.rpartition(": ")[2]
    'score = (1 / 2) × (0.050 / 0.500 + 0.050 / 0.500) = 0.10.'
    """
    name, one = next(iter(architectures.items()))
    judged = np.argwhere(one.judged.pairs)
    if not len(judged) or one.table.seeds > 1 or not one.convention.divide_by_clean:
        return {"worked_overlap": NOTHING}
    first, second = sorted(judged[0].tolist())
    robust = robustness_score(one.table.accuracy[0], one.table.clean[0][:, None])
    r01, r02 = robust[0, [first, second]]
    r11, r12 = robust[first + 1, [first, second]]
    r21, r22 = robust[second + 1, [first, second]]
    score = overlap_score(*map(float, (r11, r12, r21, r22, r01, r02)))
    a, b = (_named(one.table.corruptions[place]) for place in (first, second))
    shares = (
        f"{_three(r12 - r02)} / {_three(r22 - r02)} + {_three(r21 - r01)} / {_three(r11 - r01)}"
    )
    clipped = " A negative mean counts as 0." if score == 0 else ""
    return {
        "worked_overlap": KeyNumber(
            f"{network_title(name)} trained with {a} gains {_three(r12 - r02)} in robustness to "
            f"{b}, and trained with {b} it gains {_three(r22 - r02)}. To {a} it gains "
            f"{_three(r21 - r01)} by training with {b}, and {_three(r11 - r01)} by training with "
            f"{a}: score = (1 / 2) × ({shares}) = {score:.2f}.{clipped}",
            score,
            one.table.words,
            one.table.n,
        )
    }


def calibration(masked: MaskedPredictions, network: str) -> dict[str, KeyNumber]:
    """Return worked examples of a network's calibration error and AURRA.

    >>> found = calibration(toys.masked("hard", {"mine": 100}, images=200), "mine")
    >>> found["worked_error"].text.partition(": ")[2][:38], found["worked_aurra"].n
    ('100 / 200 × (0.763 − 0.000)² = 0.2909.', 200)
    """
    by_seed = masked.predictions[network]
    if len(by_seed) > 1:
        return {"worked_error": NOTHING, "worked_aurra": NOTHING}
    (one,) = by_seed
    return {"worked_error": _error(one, network), "worked_aurra": _aurra(one, network)}


def _error(one: Predictions, network: str) -> KeyNumber:
    confidence, correct = one.confidence, one.predicted == one.labels
    images = len(correct)
    if images < 2 * BIN:
        return NOTHING
    least = np.argsort(confidence, kind="stable")[:BIN]
    sure, right = float(confidence[least].mean()), float(correct[least].mean())
    part = BIN / images * (sure - right) ** 2
    error = rms_calibration_error(confidence, correct, "all-bins")
    return KeyNumber(
        f"Of the {images:,} hard images, the {BIN} for which {network_title(network)} is least "
        f"confident have a mean confidence of {_one(sure)} % and an accuracy of {_one(right)} %. "
        f"This bin adds to the sum under the root: {BIN} / {images:,} × "
        f"({_three(sure)} − {_three(right)})² = {part:.4f}. All bins together add "
        f"{error**2:.4f}, the root of which is {_one(error)} %.",
        error,
        f"calibration error with all bins on {one.dataset}",
        images,
    )


def _aurra(one: Predictions, network: str) -> KeyNumber:
    confidence, correct = one.confidence, one.predicted == one.labels
    tenth, half, every = response_rate_accuracy(confidence, correct, np.array([0.1, 0.5, 1.0]))
    area = aurra(confidence, correct)
    return KeyNumber(
        f"{network_title(network)} classifies {_one(tenth)} % correctly if it responds to a tenth "
        f"of the {len(correct):,} images, {_one(half)} % if it responds to half of them, and "
        f"{_one(every)} % if it responds to all. The mean of this accuracy over all response "
        f"rates, from one image to all, is its AURRA: {_one(area)} %.",
        area,
        f"AURRA on {one.dataset}",
        len(correct),
    )


def pm_k(results: Results, network: str, k: int) -> dict[str, KeyNumber]:
    """Return a worked example of a network's pm-k accuracy, from counts of frame sets.

    >>> rows = toys.pm_k_rows({"mine": (6, 9)}, {})
    >>> pm_k(rows, "mine", 10)["worked_pm_k"].text.rpartition(": ")[2]
    'pm-10 accuracy = 6 / 10 = 60.0 %.'
    """
    anchors, whole = (
        results.first(item="vid-tab3", model=network, metric="pm_accuracy", k=far) for far in (0, k)
    )
    if anchors is None or whole is None or not whole.n:
        return {"worked_pm_k": NOTHING}
    right = [row.value * whole.n for row in (anchors, whole)]
    on_anchor, on_all = map(round, right)
    if max(abs(right[0] - on_anchor), abs(right[1] - on_all)) > 1e-6:
        return {"worked_pm_k": NOTHING}  # a mean over seeds
    return {
        "worked_pm_k": KeyNumber(
            f"{network_title(network)} classifies {on_anchor:,} of {whole.n:,} anchors correctly: "
            f"{on_anchor:,} / {whole.n:,} = {_one(anchors.value)} %. In {on_all:,} sets it "
            f"correctly classifies every frame that counts, at most {k} frames away: pm-{k} "
            f"accuracy = {on_all:,} / {whole.n:,} = {_one(whole.value)} %.",
            whole.value,
            whole.convention or "",
            whole.n,
        )
    }


def average_precisions(results: Results, network: str, dataset: str) -> dict[str, KeyNumber]:
    """Return a worked example of a detector's mAP, the mean of its average precisions by class.

    Args:
        results: rows of mAP, also by class, as from `size_and_class`.

    >>> average_precisions(Results(), "mine", "nao")["worked_map"].text
    'This run has no numbers for an example.'
    """
    mean = results.first(metric="map", model=network, dataset=dataset)
    parts = {
        row.dataset.partition("/")[2]: row.value
        for row in results.select(metric="objects").rows
        if row.dataset.startswith(f"{dataset}/") and row.value
    }
    found = {
        part: row.value
        for part in parts
        if part not in SIZES
        and (row := results.first(model=network, metric="map", dataset=f"{dataset}/{part}"))
    }
    # Several seeds have another mean than that of these.
    if (
        mean is None
        or len(found) < 2
        or abs(float(np.mean(list(found.values()))) - mean.value) > 5e-4
    ):
        return {"worked_map": NOTHING}
    ranked = sorted(found, key=lambda part: found[part])
    low, high = ranked[0], ranked[-1]
    return {
        "worked_map": KeyNumber(
            f"On the adversarial images, the average precision of {network_title(network)} ranges "
            f"from {_one(found[low])} % ({low}) to {_one(found[high])} % ({high}). The mean over "
            f"the {len(found)} classes that occur is its mAP: {_one(mean.value)} %.",
            mean.value,
            mean.convention or "",
            mean.n,
        )
    }


def box_overlap(images: ImageSet, found: FoundBoxes) -> dict[str, KeyNumber]:
    """Return a worked example of IoU, for a detector's most confident box with a fair fit.

    >>> ordinary, _ = toys.pictures()
    >>> box_overlap(ordinary, toys.object_boxes({"mine": 12})["mine"][0])["worked_iou"].text
    'This run has no numbers for an example.'
    """
    truth, boxes = truth_of(list(as_objects(images))), found.detections
    ranked = np.argsort(-boxes.scores, kind="stable")[:_LOOKED_AT]
    for place in ranked if found.ids == tuple(images.ids) else ():
        there = np.flatnonzero(
            (truth.images == boxes.images[place])
            & (truth.classes == boxes.classes[place])
            & ~truth.crowds
        )
        box = boxes.boxes[place][None].repeat(len(there), 0)
        overlaps = intersection_over_union(box, truth.boxes[there], truth.crowds[there])
        best = int(overlaps.argmax()) if len(there) else 0
        if not len(there) or not _FAIR[0] <= overlaps[best] <= _FAIR[1]:
            continue
        iou = float(overlaps[best])
        own, other = float(areas(box)[best]), float(areas(truth.boxes[there])[best])
        shared = iou * (own + other) / (1 + iou)
        together = own + other - shared
        return {
            "worked_iou": KeyNumber(
                f"A box that {network_title(found.model)} predicts in an ordinary image has an "
                f"area of {own:,.0f} square pixels, and the true box {other:,.0f}. They share "
                f"{shared:,.0f} and together cover {together:,.0f}: "
                f"IoU = {shared:,.0f} / {together:,.0f} = {iou:.2f}.",
                iou,
                f"one object of {data_title(images.name)}",
                1,
            )
        }
    return {"worked_iou": NOTHING}


_LOOKED_AT = 2000  # boxes, the most confident
_FAIR = (0.5, 0.8)  # an IoU that counts as found at some of COCO's thresholds and not at others


def _named(corruption: str) -> str:
    """Return the name of a corruption as written within a sentence.

    >>> _named("gaussian_noise"), _named("fog")
    ('Gaussian noise', 'fog')
    """
    return corruption_label(corruption).lower().replace("gaussian", "Gaussian")


def _one(fraction: float) -> str:
    return f"{100 * fraction:.1f}".replace("-", "\N{MINUS SIGN}")


def _two(fraction: float) -> str:
    return f"{100 * fraction:.2f}".replace("-", "\N{MINUS SIGN}")


def _points(fraction: float) -> str:
    return f"{100 * fraction:.3f}".replace("-", "\N{MINUS SIGN}")


def _three(number: float) -> str:
    return f"{number:.3f}".replace("-", "\N{MINUS SIGN}")
