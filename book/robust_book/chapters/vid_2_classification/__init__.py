"""pm-k accuracy of classifiers on ImageNet-Vid-Robust [vid, sec. 4.1]."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from robust_book.chapters.learning import trained
from robust_book.chapters.vid_2_classification import numbers
from robust_book.chapters.view import Committed
from robust_book.figures import curves, scatter
from robust_book.figures.dot_plots import words
from robust_book.figures.pairs import FEW, drops
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import choice, slider, ticks, what_if
from robust_book.page import Page
from robust_lib.config.manifests import load_model
from robust_lib.metrics import pm_k
from robust_lib.metrics.class_scores import require_pooling
from robust_lib.metrics.pm_k import Hits
from robust_lib.protocols.pm_k.frame_predictions import (
    FramePredictions,
    require_frames,
    require_reading,
)
from robust_lib.protocols.pm_k.networks import DETECTOR, STILLS, typical
from robust_lib.results.reported import data_title
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers import vid
from robust_lib.run.run import Run

CHAPTER = replace(
    vid.record("vid_2_classification", beside=(vid.DETECTION,), still=True),
    checks=(require_frames, require_reading, require_pooling),
)

_DROPS = (
    "If the anchor counts as a frame, a drop is the share of sets that become wrong, and it has "
    "the interval of a share. Claims that compare two drops use the same resampled sets for both."
)

COMMITTED: Committed = {"types": numbers.committed_frame}


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained here.

    >>> texts(training(page), "summary")
    ['How the networks learned: accuracy on training images by epoch']
    """
    return trained(page, page.run.training_curves(), of="training images")


def six_types(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Table 1: accuracy on the anchor and on the worst frame, by type of training.

    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> block = six_types(page, rows, toys.answers({"resnet50_mini": [3, 5]}))
    >>> texts(block, "td")[:4]
    ['50.0 [18.7, 81.3]', '96.5', '30.0 [6.7, 65.2]', '20.0 [2.5, 55.6]']
    """
    frame = numbers.types_frame(results, answers, vid.names(page.run))
    return page.item(
        "vid-tab1",
        results,
        table=table(
            frame,
            caption="Accuracy (%) on the anchors, on an average neighbour and on the worst frame, "
            "with 95 % intervals, and the drop",
        ),
        paper=table(numbers.printed_types_frame(), caption="The paper's Table 1: accuracy (%)"),
        alt="One row per type of training: accuracies of this run and of the paper.",
        convention=(
            f"{_convention(answers)} Intervals for anchor and worst frame: "
            f"{page.run.interval_words}. {_DROPS} The average neighbour is the mean over sets "
            "of the share of neighbours classified correctly. "
        )
        + _types_words(page, answers),
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
        defined=answers.anchor,
    )


def scattered(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Figure 3: accuracy on the worst frame against that on the anchor, one dot per network.

    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> block = scattered(page, rows, toys.answers({"resnet50_mini": [3, 5]}))
    >>> texts(block, "text")[:2]
    ['accuracy on the anchor (%)', 'accuracy on the worst frame, k = 10 (%)']
    """
    names = vid.names(page.run)
    groups = numbers.dots(results, answers, names)
    fit = {row.metric: row.value for row in results.select(item="vid-fig3").rows}
    line = (fit["slope"], 100 * fit["intercept"]) if "slope" in fit else None
    told = _fit_words(fit) if line is not None else "there are too few networks for a line"
    return page.item(
        "vid-fig3",
        results,
        figure=scatter.against(
            groups,
            xlabel="accuracy on the anchor (%)",
            ylabel=f"accuracy on the worst frame, k = {answers.k} (%)",
            line=line,
            others=numbers.PAPER,
        ),
        alt="Accuracy on the worst frame against accuracy on the anchor, one dot per network; "
        f"on the dotted line both are equal; {told}.",
        convention=f"{_convention(answers)} Lines through the dots are 95 % intervals over sets. "
        "Slope, R² and rank correlation are computed over this run's networks with equal weights; "
        "their intervals resample sets. The grey rings show the paper's Table 3, for its older "
        "version of the data set and k = 10.",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
    )


def _fit_words(fit: Mapping[str, float]) -> str:
    told = f"the line through them has the slope {fit['slope']:.2f} and R² = {fit['r_squared']:.2f}"
    if "rank_correlation" not in fit:
        return told
    return (
        f"{told}; accuracy on the anchor and drop have a rank correlation of "
        f"{fit['rank_correlation']:.2f}"
    )


def by_distance(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Figure 4: accuracy by the distance k within which frames count.

    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> block = by_distance(page, rows, toys.answers({"resnet50_mini": [3, 5]}))
    >>> texts(block, "text")[:2]
    ['accuracy (%)', '● ResNet-50-like']
    """
    shown = dict.fromkeys(str(row.model) for row in results.select(item="vid-fig4").rows)
    lines = numbers.by_distance(results, shown)
    told = "; ".join(
        f"{title} from {values[0][0]:.0f} to {values[answers.k][0]:.0f} %"
        for title, values in lines.items()
    )
    return page.item(
        "vid-fig4",
        results,
        figure=curves.by_distance(
            {"": lines}, ylabel="accuracy (%)", printed={"": numbers.printed_ends()}
        ),
        alt=f"Accuracy against the distance k: {told}.",
        convention=f"{_convention(answers)} A set counts as correct at k if all of its "
        "frames within k of the anchor are classified correctly; bands: "
        f"{page.run.interval_words}. Networks: those of Table 1, and the most "
        "accurate of all on the anchors.",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
        defined=answers.anchor,
    )


def class_by_class(page: Page, results: Results, answers: FramePredictions, network: str) -> Html:
    """Return Figure 5: both accuracies of one network, class by class.

    >>> rows = toys.class_rows({"resnet50_mini": [3, 5]}, "resnet50_mini")
    >>> block = class_by_class(page, rows, toys.answers({"resnet50_mini": [3, 5]}), "resnet50_mini")
    >>> texts(block, "td")[:4]
    ['5', '40.0 [5.3, 85.3]', '20.0 [0.5, 71.6]', '20.0']
    """
    of_each = numbers.of_classes(results, answers.dataset, answers.k)
    dots = numbers.class_dots(of_each)
    both = {name: (dots[numbers.ANCHOR][name], dots[numbers.WORST][name]) for name in of_each}
    sets = {name: rows[numbers.ANCHOR].n or 0 for name, rows in of_each.items()}
    return page.item(
        "vid-fig5",
        results,
        figure=drops(both, sets, (numbers.ANCHOR, numbers.WORST)),
        table=table(
            numbers.class_frame(of_each),
            caption=f"Accuracy (%) of {network_title(network)} by class, with 95 % intervals",
        ),
        alt="Accuracy by class on the anchor and on the worst frame, the largest drop first: "
        f"{words({'': dots})}.",
        convention=f"{network_title(network)}. {_convention(answers)} A set belongs to every class "
        f"that its anchor shows; n is the number of these sets{_drawings(answers)}; classes with "
        f"fewer than {FEW} are grey. Intervals of accuracies: {page.run.interval_words}.",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
    )


def all_networks(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Table 3: every network of this run and of the paper.

    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> block = all_networks(page, rows, toys.answers({"resnet50_mini": [3, 5]}))
    >>> texts(block, "td")[:3]
    ['trained on still images', '50.0 [18.7, 81.3]', '30.0 [6.7, 65.2]']
    """
    return page.item(
        "vid-tab3",
        results,
        table=table(
            numbers.all_frame(results, answers, vid.names(page.run)),
            caption="Accuracy (%) on the anchors and on the worst frame, sorted by the latter: "
            "this run's networks, each next to its counterpart in the paper, then the paper's "
            "other networks",
        ),
        alt="One row per network: both accuracies and the drop, of this run and of the paper.",
        convention=f"{_convention(answers)} The paper's numbers are for its older version of the "
        "data set. Rows without results for this run belong to networks without public weights, or "
        f"to networks that the profile leaves out. {_DROPS}",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
        defined=answers.anchor,
    )


def tuned(run: Run) -> Results:
    """Return a run's settings of fine-tuning, as rows [vid, table 4]."""
    data = run.profile.data["imagenet_vid_train"]
    return numbers.settings(run.paper_names, data, run.profile.epochs)


def fine_tuning(page: Page, results: Results) -> Html:
    """Return Table 4: the settings of fine-tuning on video.

    >>> rows = numbers.settings(run.paper_names, "clips_train")
    >>> texts(fine_tuning(page, rows), "td")[5:8]
    ['1e-5', 'Reduce LR On Plateau', '32']
    """
    names = vid.names(page.run)
    return page.item(
        "vid-tab4",
        results,
        table=table(
            numbers.settings_frame(names, page.run.profile.epochs),
            caption="Learning rate, schedule, batch size, epochs and optimiser, of this run and of "
            "the paper",
        ),
        alt="One row per fine-tuned network: settings of this run and of the paper.",
        convention="A frame's label is the class of its largest object, as in the paper. Reduce on "
        "plateau: the rate is reduced to a tenth when the loss on the training frames has "
        "stopped falling; the paper specifies neither the loss nor the number of epochs.",
    )


def readings(page: Page, answers: FramePredictions, summed: FramePredictions) -> Html:
    """Return accuracies of the same predictions under other conventions, as a folded block.

    Args:
        answers: predictions of the networks; a class's score is the largest logit of its outputs.
        summed: likewise; the score is the sum of the outputs' probabilities.

    >>> answers = toys.answers({"resnet50_mini": [3, 5]})
    >>> texts(readings(page, answers, answers), "td")
    ['30.0', '30.0', '30.0', '30.0']
    """
    return table(
        numbers.readings_frame(answers, summed, typical(vid.names(page.run), answers.by_network)),
        caption=f"Accuracy (%) on the worst frame, k = {answers.k}, under four conventions",
    )


def _convention(answers: FramePredictions) -> str:
    return f"n = {answers.n:,} sets of frames, k = {answers.k}; {answers.words}."


def _drawings(answers: FramePredictions) -> str:
    """Return a text on the number of drawings, if several sets show the same one."""
    groups = answers.sample.groups
    return "" if groups is None else f", and all {answers.n:,} together show {groups} drawings"


def _types_words(page: Page, answers: FramePredictions) -> str:
    """Return a text on the stand-ins for networks with unclear names, and their training data."""
    names, told = vid.names(page.run), []
    if (ours := names.get("resnet50_augmented")) is not None:
        told.append(
            "The paper does not specify the augmentation in its second row; this run uses that of "
            f"{network_title(ours)}. The paper's third row uses a different kind of adversarial "
            "training (feature denoising); this run uses FGSM."
        )
    detector, stills = names.get(DETECTOR), names.get(STILLS)
    if detector in answers.by_network and stills in answers.by_network:
        frame = page.run.image_set(vid.BOXES).read(0, load_model(str(detector)).preprocessing)
        told.append(
            f"The detector takes frames of {max(frame.shape[:2])} pixels, "
            f"{network_title(str(stills))} {load_model(str(stills)).preprocessing.words}."
        )
    return " ".join(told)


ANCHOR = "anchor"


def distances(answers: FramePredictions, network: str, class_names: tuple[str, ...]) -> Html:
    """Return accuracies at a k that a reader chooses, and the sets that fail at that k.

    Args:
        class_names: names of the frames' classes.

    >>> block = distances(toys.answers({"resnet50_mini": [3, 5]}), "resnet50_mini", ("owl", "key"))
    >>> texts(block, "td")  # anchors, worst frames, lost, falling at k = 10
    ['50.0', '30.0', '20.0', '0.0']
    """
    names = list(answers.by_network)
    hits = {name: _both(answers, name) for name in names}
    return what_if(
        "pm_k",
        "What if the frames had to be nearer, or the anchor did not count?",
        [
            slider("k", "Counted frames on either side, k", 0, answers.k, answers.k),
            ticks(
                ANCHOR,
                "Counted in every set",
                {"": {ANCHOR: "the anchor, as in the authors' code"}},
                [ANCHOR] * answers.anchor,
            ),
            choice(
                "network",
                "Sets of",
                {str(place): network_title(name) for place, name in enumerate(names)},
                str(names.index(network)),
            ),
        ],
        table(
            pd.DataFrame(
                [[network_title(name), *_row(hits[name][not answers.anchor])] for name in names],
                columns=["Network", "Anchors", "Worst frames", "Drop", "Failing at k"],
            ),
            caption="Accuracy (%) on the anchors and on the worst of the counted frames, and "
            "the percentage of sets that become wrong",
            filterable=False,
        ),
        {
            "networks": [
                {
                    "title": network_title(name),
                    "seeds": [[_bits(one) for one in of_reading] for of_reading in hits[name]],
                }
                for name in names
            ],
            "sets": _titles(answers, class_names),
        },
        convention=(
            f"{data_title(answers.dataset)}, {answers.n} sets; {answers.words}. Each mark is a "
            "set: grey if the network classifies all counted frames correctly, red if it does not, "
            "dark red if it fails only on frames at distance k"
        )
        + ("; marks are of the first seed." if len(hits[network][0]) > 1 else "."),
    )


def _both(answers: FramePredictions, network: str) -> tuple[tuple[Hits, ...], ...]:
    """Return each seed's hits, with the anchor among the frames and without it."""
    members, offsets = answers.sets.members, answers.sets.offsets
    return tuple(
        tuple(
            pm_k.hits(right, members, offsets, answers.k, anchor=anchor)
            for right in answers.correct(network)
        )
        for anchor in (True, False)
    )


def _row(hits: tuple[Hits, ...]) -> list[float]:
    shares = np.mean([one.mean(0) for one in hits], axis=0)
    falling = np.mean([(one[:, -2] & ~one[:, -1]).mean() for one in hits])
    first, worst = 100 * float(shares[0]), 100 * float(shares[-1])
    return [first, worst, first - worst, 100 * float(falling)]


def _bits(hits: Hits) -> list[int]:
    """Return one number per set; its bit d is set if the set is correct within d frames."""
    bits: list[int] = (hits @ (1 << np.arange(hits.shape[1]))).tolist()
    return bits


def _titles(answers: FramePredictions, class_names: tuple[str, ...]) -> list[str]:
    """Return a title for each set: its class and its clip."""
    sets = answers.sets
    titles = []
    for anchor in sets.anchors.tolist():
        clip = sets.frames[anchor].rpartition("/")[0].rpartition("/")[2]
        shown = " and ".join(class_names[label] for label in sets.labels[anchor])
        titles.append(f"{shown} ({clip})")
    return titles
