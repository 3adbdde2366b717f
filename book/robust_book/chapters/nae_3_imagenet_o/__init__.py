"""Anomaly detection on ImageNet-O by the networks' confidence [nae, sec. 5]."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_book.chapters.nae import (
    absent,
    gains,
    pairs_figure,
    pairs_frame,
    printed_by_network,
)
from robust_book.chapters.nae_3_imagenet_o import low_level
from robust_book.chapters.view import Committed, Names, cell_of, metrics_frame, percents
from robust_book.figures import anomaly
from robust_book.figures.dot_plots import words
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets import ImageSet
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import detection
from robust_lib.protocols.nae.networks import FILTER, knows_all_classes
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import KeyNumber, paired_points, percent
from robust_lib.results.notation import listed
from robust_lib.results.table import Results
from robust_lib.run.network import network_title, titled
from robust_lib.run.papers import nae
from robust_lib.run.run import Run

# The earlier sets are shown to one network alone, by the notebook itself.
CHAPTER = replace(
    nae.record(
        "nae_3_imagenet_o",
        nae.IMAGENET_O,
        nae.IMAGENET_VAL_O,
        role="imagenet_o",
        evaluates=knows_all_classes,
    ),
    checks=(low_level.require_number,),
    if_there=low_level.EARLIER,
)


def all_networks(
    page: Page,
    results: Results,
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
) -> Html:
    """Return Figure 3: AUPR of all networks.

    >>> known, foreign = toys.detected("brightest")
    >>> rows = detection.results(known, foreign, {}, samples=20)
    >>> texts(all_networks(page, rows, known, foreign), "td")[0]  # AUPR
    '34.8 [13.8, 59.0]'
    """
    auprs = percents(results.select(item="nae-fig3", metric="aupr"))
    values = titled({model: aupr for model, aupr in auprs.items() if model != detection.CHANCE})
    names = page.run.paper_names
    chooser = network_title(names.get(FILTER, FILTER))
    printed = printed_by_network("nae-fig11", "aupr", "imagenet_o")
    paper = {network_title(names.get(one, one)): rate for one, rate in printed.items()}
    rings = " Rings: values printed in Figure 11." if paper.keys() & values.keys() else ""
    rates = [value for value, _, _ in values.values()]
    return page.item(
        "nae-fig3",
        results,
        figure=anomaly.aupr_bars(
            values,
            100 * detection.base_rate(results),
            xlabel="AUPR (%)",
            marked=[title for title in values if title == chooser],
            paper=paper,
        ),
        table=table(
            detection_frame(results),
            caption="AUPR, AUROC and FPR95 (%). FPR95 is the false positive rate at 95 % recall: "
            "the share of ordinary images that are flagged when 95 % of the out-of-distribution "
            "(OOD) images are flagged",
        ),
        alt=f"Area under the precision-recall curve of each network, {min(rates):.1f} to "
        f"{max(rates):.1f} %, with the base rate as a dotted line.",
        convention="Out-of-distribution images are positive; the score is the negative of "
        f"the largest probability, {out_of_distribution.convention}; step-wise "
        f"average precision; {out_of_distribution.n} out-of-distribution and "
        f"{in_distribution.n} ordinary images; {page.run.interval_words}. "
        f"Hatched: {chooser}, which was used to select the images.{rings}",
    )


def confidences(
    page: Page,
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
    network: str,
) -> Html:
    """Return the distributions of a network's confidence on ordinary and OOD images.

    >>> texts(confidences(page, *toys.detected("brightest"), "brightest"), "text")[-2:]
    ['ordinary', 'out-of-distribution']
    """
    kinds = {"ordinary": in_distribution, "out-of-distribution": out_of_distribution}
    return page.figure(
        "fig-scores",
        anomaly.scores_by_set(
            {title: confidence(masked, network) for title, masked in kinds.items()},
            xlabel="confidence of the network (%)",
        ),
        caption=f"Confidence of {network_title(network)}: where the two curves coincide, "
        "confidence cannot separate out-of-distribution images from ordinary ones.",
        alt=f"Confidence of {network_title(network)} on ordinary and on out-of-distribution "
        f"images: {medians(kinds, network)}.",
    )


def earlier_sets(
    page: Page,
    results: Results,
    sets: Mapping[str, ImageSet],
    measured: Mapping[str, low_level.Statistics],
    detected: Mapping[str, tuple[float, float]],
    pictures: int,
) -> Html:
    """Return Figure 4: low-level statistics of ImageNet-O and of earlier sets.

    Args:
        sets: role -> image set.
        measured: role of a set -> its statistics.
        detected: data set -> AUPR and AUROC of a network's score.
    """
    run = page.run
    titles = {images.name: low_level.TITLES[role] for role, images in sets.items()}
    return page.item(
        "nae-fig4",
        results,
        figure=anomaly.statistics_panels(low_level.titled(measured)),
        table=table(
            low_level.set_frame(results, detected, titles),
            caption="AUROC (%) of low-level pixel statistics and of a network's confidence for "
            "separating each set from ordinary images",
        ),
        alt="The spread of brightness, contrast, gradients and spectral slope in ordinary "
        f"images and in {len(sets) - 1} other sets.",
        convention=(
            f"At most {pictures} images per set, {run.geometry.words}; distance to the mean of "
            "half of the ordinary images, evaluated on the other half. AUROC with "
            "out-of-distribution images as positives. "
            f"{low_level.drawn_words(run)}{low_level.left_out(run)}"
        ).strip(),
        built_in=low_level.drawn(run),
    )


def samples(page: Page, sets: Mapping[str, ImageSet]) -> Html:
    """Return some images of each set.

    >>> sets = {"blobs": run.image_set("blobs"), "textures": run.image_set("textures")}
    >>> texts(samples(page, sets), "text")
    ['blobs', 'textures']
    """
    return page.figure(
        "fig-sets",
        low_level.samples(sets, page.run.geometry, each=5).figure(),
        caption="Five images of each set, one row per set.",
        alt=f"Images of {listed(list(sets))}.",
        description="some images of each set, drawn or read for this run",
    )


def size_and_attention(page: Page, results: Results, imagenet_o: MaskedPredictions) -> Html:
    """Return Figure 11: differences in AUPR between related networks.

    >>> known, foreign = toys.detected("resnet18_mini")
    >>> rows = detection.results(known, foreign, run.paper_names, samples=20)
    >>> block = str(size_and_attention(page, rows, foreign))  # no other size of it; the paper's
    >>> "This run has no pair of these networks." in block, "the paper" in block
    (True, True)
    """
    item, names = "nae-fig11", page.run.paper_names
    panels = {"AUPR": ("gain", imagenet_o.dataset)}
    frame = pairs_frame(results, item, "aupr", {"out-of-distribution": imagenet_o.dataset}, names)
    found = gains(results, item, panels, names)["AUPR"]
    told = words({"": {"": found}}, " points") or "no pair"
    return page.item(
        item,
        results,
        figure=pairs_figure(
            page,
            results,
            item,
            panels,
            xlabel="larger, or with attention, minus the other",
            better=("higher",),
            paper={"AUPR": ("aupr", "imagenet_o")},
        ),
        table=table(
            frame.drop(columns="Images"),
            caption="AUPR (%) of both networks of each pair, and the difference in points, with "
            "paired intervals",
        )
        if len(frame)
        else None,
        alt="AUPR of the larger network minus that of the smaller one in three families, and with "
        f"squeeze-and-excitation minus without: {told}.",
        convention=f"{absent(results, item, panels, names)}AUPR is computed as in the figure of "
        f"all networks; {page.run.interval_words}. Intervals of differences are paired: both "
        "networks are evaluated on the same resampled images.",
    )


def scores(
    in_distribution: MaskedPredictions, out_of_distribution: MaskedPredictions, network: str
) -> Html:
    """Return the table of detection rates by score, for one network.

    >>> block = scores(*toys.detected("brightest"), "brightest")
    >>> texts(block, "th")[4:6], texts(block, "td")[:6:3]  # AUPR
    (['largest probability', 'largest logit'], ['48.1', '43.1'])
    """
    found = detection.scored(in_distribution, out_of_distribution, network)
    told = "" if MAHALANOBIS in found else f"; {SCORES[MAHALANOBIS]} needs two images per class"
    return table(
        score_frame(found),
        caption=f"AUPR, AUROC and FPR95 (%) of the scores of {network_title(network)}, all on the "
        f"same half of the ordinary images{told}",
    )


def on_each_set(run: Run, sets: Iterable[str], network: str) -> list[MaskedPredictions]:
    """Return a network's predictions on each out-of-distribution set, among ImageNet-O's classes.

    Args:
        sets: roles of the sets; that of the in-distribution side may be included.

    >>> [one.dataset for one in on_each_set(run, low_level.ROLES, "brightest")][:3]
    ['scenes_o_filtered', 'scenes_bernoulli_noise', 'scenes_blobs']
    """
    return [
        run.predict(role, classes_of="imagenet_o", networks=[network])
        for role in sets
        if role != low_level.IN_DISTRIBUTION
    ]


MAHALANOBIS = "mahalanobis"
SCORES = MappingProxyType(
    {
        "msp": "largest probability",
        "max_logit": "largest logit",
        "energy": "energy",
        "entropy": "entropy",
        MAHALANOBIS: "Mahalanobis' distance",
        detection.CHANCE: "none: chance",
    }
)
"""Score -> how tables call it."""

RATES = MappingProxyType({"aupr": "AUPR", "auroc": "AUROC", "fpr_at_recall": "FPR95"})
"""Metric -> its column."""

_ROLES = MappingProxyType({"foreign": "imagenet_o", "noise": "bernoulli_noise"})
SEEN_BY = (*(f"{key}_by_{who}" for key in _ROLES for who in ("pixels", "network")), "fooled")
"""Names of the numbers that compare noise with out-of-distribution images."""


def confidence(masked: MaskedPredictions, network: str) -> Float[np.ndarray, " images"]:
    """Return the confidence of a network's first seed on each image, percent."""
    return 100 * np.asarray(masked.predictions[network][0].confidence, np.float64)


def detection_frame(results: Results) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by network, each with its interval."""
    rows = results.select(item="nae-fig3")
    columns = {title: percents(rows.select(metric=metric)) for metric, title in RATES.items()}
    frame = pd.DataFrame({"Network": [network_title(model) for model in columns["AUROC"]]})
    for title, found in columns.items():
        frame[title] = [cell_of(found[model]) for model in columns["AUROC"]]
    return frame


def committed_frame(results: Results) -> pd.DataFrame:
    """Return the table to commit: AUPR, AUROC and FPR95 (%) by network with intervals."""
    return metrics_frame(results.select(item="nae-fig3"), RATES)


COMMITTED: Committed = {"foreign": committed_frame}


def medians(kinds: Mapping[str, MaskedPredictions], network: str) -> str:
    """Return a text on a network's median confidence on each kind of images."""
    return "; ".join(
        f"{title}, median {np.median(confidence(masked, network)):.0f} %"
        for title, masked in kinds.items()
    )


def score_frame(scored: Mapping[str, detection.Rates]) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by score."""
    return pd.DataFrame(
        [
            (SCORES.get(score, score), *(100 * rate for rate in rates))
            for score, rates in scored.items()
        ],
        columns=["Score", "AUPR", "AUROC", "FPR95"],
    )


def key_numbers(results: Results, names: Names) -> dict[str, KeyNumber]:
    """Return the numbers in the prose, ready for the `{result}` role."""
    rows = {str(row.model): row for row in results.select(item="nae-fig3", metric="aupr").rows}
    chance, chooser = rows.pop(detection.CHANCE), rows.pop(names.get(FILTER, FILTER), None)
    ranked = sorted(rows.values(), key=lambda row: row.value)
    named = {"chance": chance, "chooser": chooser}
    named |= {"best": ranked[-1] if ranked else None, "worst": ranked[0] if ranked else None}
    return {key: percent(row, missing="an unknown AUPR") for key, row in named.items()}


def noise_against_foreign(
    run: Run,
    sets: Mapping[str, ImageSet],
    in_distribution: MaskedPredictions,
    others: Sequence[MaskedPredictions],
    network: str,
) -> dict[str, Estimate]:
    """Return by how much better a network's confidence detects noise than OOD images.

    Args:
        others: predictions on each out-of-distribution set, from `on_each_set`.

    Returns:
        "auroc" and "aupr" -> the difference; empty if there is no noise.
    """
    if _ROLES["noise"] not in sets:
        return {}
    known = {one.dataset: one for one in others}
    noise, foreign = (known[sets[_ROLES[key]].name] for key in ("noise", "foreign"))
    samples = run.profile.bootstrap
    return detection.apart(in_distribution, noise, foreign, network, samples=samples)


def seen_by(
    sets: Mapping[str, ImageSet],
    alone: Results,
    detected: Mapping[str, tuple[float, float]],
    apart: Mapping[str, Estimate],
) -> dict[str, KeyNumber]:
    """Return the prose's numbers on how well pixels and a network detect noise and OOD images.

    Args:
        detected: data set -> AUPR and AUROC of a network's score.
        apart: result of `noise_against_foreign`.
    """
    numbers: dict[str, KeyNumber] = {}
    if _ROLES["noise"] not in sets:
        return dict.fromkeys(SEEN_BY, KeyNumber("not measured"))
    named = {key: sets[role].name for key, role in _ROLES.items()}
    for key, name in named.items():
        by_pixels = alone.first(metric="low_level_auroc", dataset=name)
        numbers[f"{key}_by_pixels"] = percent(by_pixels)
        auroc = detected[name][1]
        words = f"AUROC of one network's confidence on {low_level.TITLES[_ROLES[key]]}; no interval"
        numbers[f"{key}_by_network"] = KeyNumber(f"{100 * auroc:.1f} %", auroc, words)
    return numbers | {"fooled": fooled(apart)}


def fooled(apart: Mapping[str, Estimate]) -> KeyNumber:
    """Return a text on whether noise or OOD images fool a network more, by AUROC and by AUPR.

    >>> one = Estimate(value=0.2, low=0.1, high=0.3, n=9, n_full=9)
    >>> fooled({"auroc": one, "aupr": replace(one, low=-0.1)}).text[:59]
    'by AUROC, out-of-distribution images fool it more than pure'
    """
    texts = []
    for metric in ("auroc", "aupr"):
        if (found := apart.get(metric)) is None:
            continue
        if found.low is None or found.high is None or found.low <= 0 <= found.high:
            words = "whether pure noise or out-of-distribution images fool it more is not decided"
        elif found.value > 0:
            words = "out-of-distribution images fool it more than pure noise does"
        else:
            words = "pure noise fools it more than out-of-distribution images do"
        number = paired_points(found, "").text
        texts.append(f"by {RATES[metric]}, {words} (noise minus out-of-distribution: {number})")
    return KeyNumber(
        "; ".join(texts),
        apart["auroc"].value,
        "one network's confidence; paired on the ordinary images",
        apart["auroc"].n,
    )
