"""Anomaly detection on ImageNet-O by the networks' confidence [nae, sec. 5]."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_lib.chapters import nae
from robust_lib.chapters.nae import pairs
from robust_lib.chapters.nae_3_imagenet_o import low_level
from robust_lib.chapters.tables import intervals
from robust_lib.datasets import ImageSet
from robust_lib.figures import anomaly
from robust_lib.figures.pairs import paired
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import detection
from robust_lib.protocols.nae.networks import FILTER, knows_all_classes
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.network import network_title, titled
from robust_lib.run.page import Page
from robust_lib.run.run import Run

# The earlier sets are shown to one network alone, by the notebook itself.
CHAPTER = nae.record(
    "nae_3_imagenet_o",
    nae.IMAGENET_O,
    nae.IMAGENET_VAL_O,
    role="imagenet_o",
    evaluates=knows_all_classes,
)


def all_networks(
    page: Page,
    results: Results,
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
) -> Html:
    """Return Figure 3: AUPR of all networks.

    Args:
        page: the chapter's.
        results: of `protocols.nae.detection`.
        in_distribution: predictions on ordinary pictures of ImageNet-O's classes.
        out_of_distribution: predictions on ImageNet-O.
    """
    auprs = intervals(results.select(item="nae-fig3"), "aupr")
    return page.item(
        "nae-fig3",
        results,
        figure=anomaly.aupr_bars(
            titled({model: aupr for model, aupr in auprs.items() if model != detection.CHANCE}),
            detection.base_rate(results),
            xlabel="AUPR (%)",
        ),
        table=table(
            detection_frame(results),
            caption="AUPR with the ends of its interval, AUROC, and how many ordinary pictures are "
            "suspected when 95 % of the foreign ones are (%)",
        ),
        alt="Area under the precision-recall curve of each network, with the base rate as a dotted "
        "line.",
        convention="Foreign pictures are positive; minus the largest probability, "
        f"{out_of_distribution.convention}; step-wise average precision; {out_of_distribution.n} "
        f"foreign and {in_distribution.n} ordinary pictures; {page.run.interval_words}. ResNet-50 "
        "chose the pictures.",
    )


def confidences(
    page: Page,
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
    network: str,
) -> Html:
    """Return how a network's confidence spreads on pictures of both kinds.

    Args:
        page: the chapter's.
        in_distribution: predictions on ordinary pictures.
        out_of_distribution: predictions on ImageNet-O.
        network: whose; its first seed.
    """
    kinds = {"ordinary": in_distribution, "foreign": out_of_distribution}
    return page.figure(
        "fig-scores",
        anomaly.scores_by_set(
            {title: confidence(masked, network) for title, masked in kinds.items()},
            xlabel="confidence of the network (%)",
        ),
        alt="How sure one network is of ordinary and of foreign pictures, a curve each.",
    )


def earlier_sets(
    page: Page,
    results: Results,
    measured: Mapping[str, low_level.Statistics],
    detected: Mapping[str, tuple[float, float]],
    pictures: int,
) -> Html:
    """Return Figure 4: low-level statistics of ImageNet-O and of earlier sets.

    Args:
        page: the chapter's.
        results: of `low_level.results`.
        measured: of `low_level.measure`.
        detected: data set -> AUPR and AUROC of a network's score.
        pictures: of each set, at most.
    """
    run = page.run
    titles = {run.image_set(role).name: title for role, title in low_level.TITLES.items()}
    return page.item(
        "nae-fig4",
        results,
        figure=anomaly.statistics_panels(low_level.titled(measured)),
        table=table(
            low_level.set_frame(results, detected, titles),
            caption="How well pixels alone, and how well a network's confidence, tell each set "
            "from ordinary pictures (%)",
        ),
        alt="The spread of brightness, contrast, gradients and spectral slope in ordinary pictures "
        "and in five other sets.",
        convention=f"At most {pictures} pictures a set, {run.geometry.words}; distance to the mean "
        "of half of the ordinary pictures, judged on the other half. AUROC, foreign pictures "
        "positive.",
    )


def samples(page: Page, sets: Mapping[str, ImageSet]) -> Html:
    """Return some pictures of each set.

    Args:
        page: the chapter's.
        sets: of `low_level.image_sets`.
    """
    return page.figure(
        "fig-sets",
        low_level.samples(sets, page.run.geometry, each=6).figure(size=1.05),
        alt="Six pictures of each set, a row each.",
        description="some pictures of each set, drawn or read for this run",
    )


def size_and_attention(page: Page, results: Results, imagenet_o: MaskedPredictions) -> Html:
    """Return Figure 11: AUPR of related networks.

    Args:
        page: the chapter's.
        results: of `protocols.nae.detection`.
        imagenet_o: predictions on ImageNet-O.
    """
    panels = {"AUPR": ("aupr", imagenet_o.dataset)}
    return page.item(
        "nae-fig11",
        results,
        figure=paired(
            pairs.paired(results, "nae-fig11", panels, page.run.paper_names),
            words=("smaller, or without attention", "larger, or with it"),
            better=("higher",),
            paper=pairs.printed("nae-fig11", {"AUPR": ("aupr", "imagenet_o")}),
        ),
        alt="AUPR of a smaller and a larger network of three families, and with and without "
        "squeeze-and-excitation.",
        convention=f"As in the figure of all networks; {page.run.interval_words}.",
    )


def scores(
    in_distribution: MaskedPredictions, out_of_distribution: MaskedPredictions, network: str
) -> Html:
    """Return the table of one network's scores.

    Args:
        in_distribution: predictions on ordinary pictures.
        out_of_distribution: predictions on ImageNet-O.
        network: whose.
    """
    return table(
        score_frame(detection.scored(in_distribution, out_of_distribution, network)),
        caption="AUPR, AUROC and FPR95 (%) of one network's scores, on the same half of the "
        "ordinary pictures",
    )


def on_each_set(run: Run, network: str) -> list[MaskedPredictions]:
    """Return a network's predictions on each out-of-distribution set, among ImageNet-O's classes.

    Args:
        run: has the network.
        network: our name of it.
    """
    return [
        run.predict(role, classes_of="imagenet_o", networks=[network])
        for role in low_level.OUT_OF_DISTRIBUTION
    ]


def confidence(masked: MaskedPredictions, network: str) -> Float[np.ndarray, " images"]:
    """Return the confidence of a network's first seed in each picture, percent.

    >>> from robust_lib.predict.predictions import Predictions
    >>> first = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> toy = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> confidence(toy, "mine").round(1).tolist()
    [88.1, 73.1]
    """
    return 100 * np.asarray(masked.predictions[network][0].confidence, np.float64)


def detection_frame(results: Results) -> pd.DataFrame:
    """Return AUPR with its interval, AUROC and FPR95 (%) by network.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of(
    ...     Row(item="nae-fig3", dataset="toy", model="vgg19", metric=metric, value=0.5, low=0.25,
    ...         high=0.75, n=8, n_full=8) for metric in detection.METRICS)
    >>> detection_frame(rows)[["Network", "AUPR", "From", "To"]].to_dict("records")
    [{'Network': 'VGG-19', 'AUPR': 50.0, 'From': 25.0, 'To': 75.0}]
    """
    rows = results.select(item="nae-fig3")
    auprs = intervals(rows, "aupr")
    auroc, fpr95 = intervals(rows, "auroc"), intervals(rows, "fpr_at_recall")
    frame = pd.DataFrame({"Network": [network_title(model) for model in auroc]})
    for place, title in enumerate(("AUPR", "From", "To")):
        frame[title] = [100 * auprs[model][place] for model in auroc]
    frame["AUROC"] = [100 * value for value, _, _ in auroc.values()]
    frame["FPR95"] = [100 * fpr95[model][0] for model in auroc]
    return frame


def score_frame(scored: Mapping[str, detection.Rates]) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by score.

    Args:
        scored: of `protocols.nae.detection.scored`.

    >>> score_frame({"msp": (0.5, 0.75, 1.0)}).to_dict("records")
    [{'Score': 'msp', 'AUPR': 50.0, 'AUROC': 75.0, 'FPR95': 100.0}]
    """
    return pd.DataFrame(
        [(score, *(100 * rate for rate in rates)) for score, rates in scored.items()],
        columns=["Score", "AUPR", "AUROC", "FPR95"],
    )


def key_numbers(results: Results, names: Mapping[str, str]) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `protocols.nae.detection`.
        names: the paper's name of a network -> ours.
    """
    rows = {str(row.model): row for row in results.select(item="nae-fig3", metric="aupr").rows}
    chooser = rows.pop(names.get(FILTER, FILTER), None)
    chance = rows.pop(detection.CHANCE)
    ranked = sorted(rows.values(), key=lambda row: row.value)
    named = {"chance": chance, "chooser": chooser}
    named |= {"best": ranked[-1] if ranked else None, "worst": ranked[0] if ranked else None}
    return {key: percent(row, missing="an unknown AUPR") for key, row in named.items()}
