"""pm-k accuracy of classifiers on ImageNet-Vid-Robust [vid, sec. 4.1]."""

from robust_book.chapters.learning import trained
from robust_book.chapters.vid_2_classification import numbers
from robust_book.chapters.view import Committed, Names
from robust_book.figures import curves, scatter
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.protocols.pm_k.networks import TYPES
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers import vid

CHAPTER = vid.record("vid_2_classification", beside=(vid.DETECTION,))

_DROPS = (
    "Where the anchor counts, a drop is the share of the sets that are lost, and has the exact "
    "interval of a share, too. The claims compare several numbers on the same resampled sets: the "
    "interval of a drop that stands there is of resamples, and differs a little."
)

COMMITTED: Committed = {"types": numbers.committed_frame}


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained here.

    >>> texts(training(page), "summary")
    ['How the networks learned: accuracy on training pictures by epoch']
    """
    return trained(page, page.run.training_curves(), of="training pictures")


def six_types(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Table 1: what each type of training does to both accuracies.

    Args:
        results: of `protocols.pm_k.classification`.

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
            "with 95 % intervals, and what is lost",
        ),
        paper=table(numbers.printed_types_frame(), caption="The paper's Table 1: accuracy (%)"),
        alt="A row a type of training: accuracies of this run and of the paper.",
        convention=f"{_convention(answers)} Anchor and worst frame have exact (Clopper-Pearson) "
        f"intervals. {_DROPS} The average "
        "neighbour is the mean over sets of the share of neighbours that are right. "
        + _types_words(vid.names(page.run)),
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
    )


def scattered(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Figure 3: accuracy on the worst frame against that on the anchor, one dot per network.

    Args:
        results: of `protocols.pm_k.classification`.

    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> block = scattered(page, rows, toys.answers({"resnet50_mini": [3, 5]}))
    >>> texts(block, "text")[:2]
    ['accuracy on the anchor (%)', 'accuracy on the worst frame, k = 10 (%)']
    """
    names = vid.names(page.run)
    groups = numbers.dots(results, answers, names)
    fit = {row.metric: row.value for row in results.select(item="vid-fig3").rows}
    line = (fit["slope"], 100 * fit["intercept"]) if "slope" in fit else None
    told = (
        f"the line through them has the slope {fit['slope']:.2f} and R² = {fit['r_squared']:.2f}"
        if line is not None
        else "there are too few for a line"
    )
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
        alt="Accuracy on the worst frame against accuracy on the anchor, a dot a network; dotted "
        f"is where both are equal; {told}.",
        convention=f"{_convention(answers)} Lines through the dots are 95 % intervals over sets. "
        "Slope and R² are of this run's networks, each dot weighing the same; their intervals are "
        "of resampled sets. The grey rings are the paper's Table 3, on its older version of the "
        "data set, k = 10.",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
    )


def by_distance(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Figure 4: accuracy as more frames around the anchor count.

    Args:
        results: of `protocols.pm_k.classification`.

    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> block = by_distance(page, rows, toys.answers({"resnet50_mini": [3, 5]}))
    >>> texts(block, "text")[:2]
    ['k: frames to either side of the anchor that count', 'accuracy (%)']
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
        figure=curves.by_distance(lines, ylabel="accuracy (%)"),
        alt=f"Accuracy against the distance k: {told}.",
        convention=f"{_convention(answers)} A set counts at k if all of its frames within k of the "
        "anchor are right; bands are exact 95 % intervals over sets. Those of Table 1, and the "
        "most accurate of all on the anchors.",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
    )


def class_by_class(page: Page, results: Results, answers: FramePredictions, network: str) -> Html:
    """Return Figure 5: both accuracies of one network, class by class.

    Args:
        results: of `protocols.pm_k.by_class`.
        network: whose.

    >>> rows = toys.class_rows({"resnet50_mini": [3, 5]}, "resnet50_mini")
    >>> block = class_by_class(page, rows, toys.answers({"resnet50_mini": [3, 5]}), "resnet50_mini")
    >>> texts(block, "td")[:4]
    ['5', '40.0 [5.3, 85.3]', '20.0 [0.5, 71.6]', '20.0']
    """
    of_each = numbers.of_classes(results, answers.dataset, answers.k)
    dots = numbers.class_dots(of_each)
    return page.item(
        "vid-fig5",
        results,
        figure=dot_plot({"": dots}, list(of_each), xlabel="accuracy (%)"),
        table=table(
            numbers.class_frame(of_each),
            caption=f"Accuracy (%) of {network_title(network)} by class, with 95 % intervals",
        ),
        alt=f"Accuracy by class, the lowest on the worst frame first: {words({'': dots})}.",
        convention=f"{network_title(network)}. {_convention(answers)} A set belongs to every class "
        "that its anchor shows. Intervals are exact, and each class has few sets.",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
    )


def all_networks(page: Page, results: Results, answers: FramePredictions) -> Html:
    """Return Table 3: every network of this run, and every one of the paper's.

    Args:
        results: of `protocols.pm_k.classification`.

    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> block = all_networks(page, rows, toys.answers({"resnet50_mini": [3, 5]}))
    >>> texts(block, "td")[:3]
    ['trained on stills', '50.0 [18.7, 81.3]', '30.0 [6.7, 65.2]']
    """
    return page.item(
        "vid-tab3",
        results,
        table=table(
            numbers.all_frame(results, answers, vid.names(page.run)),
            caption="Accuracy (%) on the anchors and on the worst frame, by the latter: this run's "
            "networks, each beside the paper's whose part it plays, then the paper's others",
        ),
        alt="A row a network: both accuracies and the drop, of this run and of the paper.",
        convention=f"{_convention(answers)} The paper's numbers are on its older version of the "
        "data set. A row without numbers of this run is a network that has no public weights, or "
        f"that the profile leaves out. {_DROPS}",
        stand_ins=vid.versions(answers.dataset),
        networks=vid.names(page.run),
    )


def fine_tuning(page: Page, results: Results) -> Html:
    """Return Table 4: how networks were fine-tuned on video.

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
            caption="Rate, schedule, batch, epochs and optimiser, of this run and of the paper",
        ),
        alt="A row a fine-tuned network: settings of this run and of the paper.",
        convention="A frame's label is the class of its largest object, as in the paper. Reduce on "
        "plateau: the rate falls to a tenth when the loss on the training frames has stopped "
        "falling; the paper says neither on which loss nor after how many epochs.",
    )


def readings(page: Page, answers: FramePredictions, summed: FramePredictions) -> Html:
    """Return what other conventions make of the same predictions, folded.

    Args:
        answers: of the networks, a class's score the largest logit of its outputs.
        summed: likewise, the sum of their probabilities.

    >>> answers = toys.answers({"resnet50_mini": [3, 5]})
    >>> texts(readings(page, answers, answers), "td")
    ['30.0', '30.0', '30.0', '30.0']
    """
    names = vid.names(page.run)
    shown = dict.fromkeys(names[one] for one in TYPES if one in names)
    return table(
        numbers.readings_frame(answers, summed, shown),
        caption=f"Accuracy (%) on the worst frame, k = {answers.k}, in four conventions",
    )


def _convention(answers: FramePredictions) -> str:
    return f"n = {answers.n:,} sets of frames, k = {answers.k}; {answers.words}."


def _types_words(names: Names) -> str:
    """Return which networks play the parts whose paper's names say too little."""
    ours = names.get("resnet50_augmented")
    if ours is None:
        return ""
    return (
        "The paper does not say which augmentation its second row has; this run's is that of "
        f"{network_title(ours)}. Its third row trains against attacks in another way (feature "
        "denoising); this run's is trained against FGSM."
    )
