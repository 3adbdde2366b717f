"""Anomaly detection on ImageNet-O by the networks' confidence [nae, sec. 5]."""

from collections.abc import Mapping

from robust_book.chapters.nae import pairs
from robust_book.chapters.nae_3_imagenet_o import low_level, numbers
from robust_book.chapters.view import Committed, percents
from robust_book.figures import anomaly
from robust_book.figures.pairs import paired
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets import ImageSet
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import detection
from robust_lib.protocols.nae.networks import FILTER, knows_all_classes
from robust_lib.results.notation import listed
from robust_lib.results.table import Results
from robust_lib.run.network import network_title, titled
from robust_lib.run.papers import nae
from robust_lib.run.run import Run

# The earlier sets are shown to one network alone, by the notebook itself.
CHAPTER = nae.record(
    "nae_3_imagenet_o",
    nae.IMAGENET_O,
    nae.IMAGENET_VAL_O,
    role="imagenet_o",
    evaluates=knows_all_classes,
)
COMMITTED: Committed = {"foreign": numbers.committed_frame}


def all_networks(
    page: Page,
    results: Results,
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
) -> Html:
    """Return Figure 3: AUPR of all networks.

    Args:
        results: of `protocols.nae.detection`.
        in_distribution: predictions on ordinary pictures of ImageNet-O's classes.
        out_of_distribution: predictions on ImageNet-O.

    >>> known, foreign = toys.detected("brightest")
    >>> rows = detection.results(known, foreign, {}, samples=20)
    >>> texts(all_networks(page, rows, known, foreign), "td")[0]  # AUPR
    '34.8 [19.7, 65.0]'
    """
    auprs = percents(results.select(item="nae-fig3", metric="aupr"))
    values = titled({model: aupr for model, aupr in auprs.items() if model != detection.CHANCE})
    names = page.run.paper_names
    chooser = network_title(names.get(FILTER, FILTER))
    printed = pairs.printed_by_network("nae-fig11", "aupr", "imagenet_o")
    paper = {network_title(names.get(one, one)): rate for one, rate in printed.items()}
    rings = " Rings: what Figure 11 prints." if paper.keys() & values.keys() else ""
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
            numbers.detection_frame(results),
            caption="AUPR, AUROC, and how many ordinary pictures are suspected when 95 % of the "
            "foreign ones are (%)",
        ),
        alt=f"Area under the precision-recall curve of each network, {min(rates):.1f} to "
        f"{max(rates):.1f} %, beside the base rate as a dotted line.",
        convention="Foreign pictures are positive; minus the largest probability, "
        f"{out_of_distribution.convention}; step-wise average precision; {out_of_distribution.n} "
        f"foreign and {in_distribution.n} ordinary pictures; {page.run.interval_words}. "
        f"Hatched: {chooser}, which chose the pictures.{rings}",
    )


def confidences(
    page: Page,
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
    network: str,
) -> Html:
    """Return how a network's confidence spreads on pictures of both kinds.

    Args:
        in_distribution: predictions on ordinary pictures.
        out_of_distribution: predictions on ImageNet-O.
        network: whose; its first seed.

    >>> texts(confidences(page, *toys.detected("brightest"), "brightest"), "text")[-2:]
    ['ordinary', 'foreign']
    """
    kinds = {"ordinary": in_distribution, "foreign": out_of_distribution}
    return page.figure(
        "fig-scores",
        anomaly.scores_by_set(
            {title: numbers.confidence(masked, network) for title, masked in kinds.items()},
            xlabel="confidence of the network (%)",
        ),
        caption="How sure one network is: where the two curves lie on each other, its confidence "
        "cannot tell foreign pictures from ordinary ones.",
        alt="How sure one network is of ordinary and of foreign pictures: "
        f"{numbers.medians(kinds, network)}.",
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
        sets: of `low_level.image_sets`.

    >>> sets = {"blobs": run.image_set("blobs"), "textures": run.image_set("textures")}
    >>> texts(samples(page, sets), "text")
    ['blobs', 'textures', 'some pictures of each set, drawn or read for this run']
    """
    return page.figure(
        "fig-sets",
        low_level.samples(sets, page.run.geometry, each=5).figure(),
        caption="Five pictures of each set, a row each.",
        alt=f"Pictures of {listed(list(sets))}.",
        description="some pictures of each set, drawn or read for this run",
    )


def size_and_attention(page: Page, results: Results, imagenet_o: MaskedPredictions) -> Html:
    """Return Figure 11: AUPR of related networks.

    Args:
        results: of `protocols.nae.detection`.
        imagenet_o: predictions on ImageNet-O.

    >>> known, foreign = toys.detected("resnet18_mini")
    >>> rows = detection.results(known, foreign, run.paper_names, samples=20)
    >>> texts(size_and_attention(page, rows, foreign), "text")[:3]  # no other size of it
    ['AUPR (%)', 'higher is better', 'not asked in this run']
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

    >>> block = scores(*toys.detected("brightest"), "brightest")
    >>> texts(block, "th")[4:6], texts(block, "td")[:6:3]  # AUPR
    (['largest probability', 'largest logit'], ['48.1', '43.1'])
    """
    return table(
        numbers.score_frame(detection.scored(in_distribution, out_of_distribution, network)),
        caption="AUPR, AUROC and FPR95 (%) of one network's scores, on the same half of the "
        "ordinary pictures",
    )


def on_each_set(run: Run, network: str) -> list[MaskedPredictions]:
    """Return a network's predictions on each out-of-distribution set, among ImageNet-O's classes.

    Args:
        run: has the network.
        network: our name of it.

    >>> [one.dataset for one in on_each_set(run, "brightest")][:3]
    ['scenes_o_filtered', 'scenes_bernoulli_noise', 'scenes_blobs']
    """
    return [
        run.predict(role, classes_of="imagenet_o", networks=[network])
        for role in low_level.OUT_OF_DISTRIBUTION
    ]
