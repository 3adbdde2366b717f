"""Accuracy on ImageNet-A, beside that on ordinary pictures of its classes [nae, sec. 5]."""

from collections.abc import Mapping

import pandas as pd

from robust_lib.chapters import nae
from robust_lib.chapters.nae import galleries, pairs
from robust_lib.chapters.nae_2_imagenet_a import (
    accuracies,
    difficulty,
    mistakes,
    recolouring,
    settings,
)
from robust_lib.figures import bars, curves
from robust_lib.figures.pairs import paired
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import accuracy
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.table import Results
from robust_lib.run.page import Page

CHAPTER = nae.record("nae_2_imagenet_a", nae.IMAGENET_A, nae.IMAGENET_VAL_A)


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained here."""
    return page.figure(
        "fig-training",
        curves.training(page.run.training_curves(), ylabel="accuracy on training pictures (%)"),
        alt="Training accuracy of each network by epoch.",
    )


def all_networks(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 2: accuracy of all networks on both sets.

    Args:
        page: the chapter's.
        results: of `protocols.nae.accuracy`.
        imagenet_a: predictions on ImageNet-A.
        imagenet_val: predictions on ordinary pictures of its classes.
    """
    datasets = {"Hard": imagenet_a.dataset, "Ordinary": imagenet_val.dataset}
    titles = {f"{title.lower()}, this run": name for title, name in datasets.items()}
    return page.item(
        "nae-fig2",
        results,
        figure=bars.dots(
            accuracies.public_weights_frame(results, titles, page.run.paper_names),
            xlabel="accuracy (%)",
        ),
        table=table(
            accuracies.accuracy_frame(results, datasets),
            caption="Accuracy (%) on hard and on ordinary pictures; ± is half the wider interval",
        ),
        alt="Accuracy of each network on hard and on ordinary pictures: of public weights, and in "
        "this run.",
        convention=f"{imagenet_a.convention}; n = {imagenet_a.n} hard and {imagenet_val.n} "
        f"ordinary pictures; {page.run.interval_words}. ResNet-50 is one of the two that chose the "
        "pictures, by ten crops of each; where its own view is no crop but the whole picture, as "
        "in the miniature, it may be right about a few. The paper prints two numbers of this "
        "figure; grey dots show an independent evaluation of public weights instead.",
    )


def mask_effect(imagenet_a: MaskedPredictions) -> Html:
    """Return the table of accuracy with the other classes masked, and with nothing masked."""
    return table(
        accuracies.mask_frame(accuracy.mask_effect(imagenet_a)),
        caption="Accuracy (%) on the hard pictures with the other classes masked, and with nothing "
        "masked",
    )


def gates(page: Page, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions) -> Html:
    """Return the table of what public weights must reach on the real data."""
    return table(
        accuracies.gate_frame(imagenet_a, imagenet_val, page.run.paper_names),
        caption="Accuracy (%) of public weights on the real data, as others found it and as this "
        "run does",
        decimals=2,
    )


def candidates(page: Page, frame: pd.DataFrame) -> Html:
    """Return accuracy against the difficulty of the candidates.

    Args:
        page: the chapter's.
        frame: of `difficulty.candidates`.
    """
    return page.figure(
        "fig-difficulty",
        curves.by_difficulty(frame, words="accuracy, share"),
        alt="Accuracy of a network that took no part against the difficulty of the candidates: on "
        "all, and on those that passed the filter.",
    )


def candidate_counts(frame: pd.DataFrame) -> Html:
    """Return the table of candidates and accuracies by difficulty.

    Args:
        frame: of `difficulty.candidates`.
    """
    return table(
        difficulty.headed(frame),
        caption="Candidates by difficulty: how many pass the filter, and accuracy (%) on all and "
        "on those",
        decimals={"Difficulty": 2, "Pool": 0, "Left": 0},
    )


def failures(page: Page, results: Results, imagenet_a: MaskedPredictions, network: str) -> Html:
    """Return Figure 7: confident mistakes, and pictures whose crops get the most predictions.

    Args:
        page: the chapter's.
        results: of `mistakes.results`.
        imagenet_a: predictions on ImageNet-A.
        network: whose mistakes.
    """
    run = page.run
    by_crop = mistakes.crop_predictions(run, network, limit=256)
    confident = galleries.mistakes(
        imagenet_a, run.images, network=network, geometry=run.geometry
    ).part(0, 6)
    unstable = mistakes.unstable(by_crop, run.images, geometry=run.geometry, most=6)
    return page.item(
        "nae-fig7",
        results,
        figure=(confident + unstable).figure(),
        table=table(
            mistakes.confusion_frame(imagenet_a, run.images, network),
            caption="The commonest confusions of the network",
            decimals=0,
        ),
        alt="Above, six pictures with confident wrong answers; below, six whose ten crops get the "
        "most different answers.",
        convention="Upper row: surest mistakes, no class twice. Lower row: the pictures whose ten "
        f"crops get the most different answers, of {len(by_crop)} pictures looked at.",
    )


def robust_training(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 8: accuracy after six kinds of training, the paper's and this run's."""
    ours = {"hard": imagenet_a.dataset, "ordinary": imagenet_val.dataset}
    paper = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    return page.item(
        "nae-fig8",
        results,
        figure=bars.architectures(
            accuracies.robust(results, ours, page.run.paper_names),
            accuracies.printed_robust(paper),
            words=("The paper", "This run"),
            ylabel="accuracy (%)",
            even=None,
        ),
        alt="Accuracy on hard and on ordinary pictures after several kinds of training: the "
        "paper's and this run's.",
        convention=f"{imagenet_a.n} hard and {imagenet_val.n} ordinary pictures; the network's "
        f"outputs are the classes, nothing is masked; {page.run.interval_words}."
        + settings.textures(page.run.paper_names),
    )


def attention(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 9: accuracy without and with squeeze-and-excitation."""
    panels = _panels(imagenet_a, imagenet_val)
    return page.item(
        "nae-fig9",
        results,
        figure=paired(
            pairs.paired(results, "nae-fig9", panels, page.run.paper_names),
            words=("without", "with squeeze-and-excitation"),
            better=("higher", "higher"),
        ),
        alt="Accuracy of two networks with and without squeeze-and-excitation, on hard and on "
        "ordinary pictures.",
        convention=f"{imagenet_a.convention}; {page.run.interval_words}.",
    )


def size(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 10: accuracy of smaller and larger networks."""
    panels = _panels(imagenet_a, imagenet_val)
    return page.item(
        "nae-fig10",
        results,
        figure=paired(
            pairs.paired(results, "nae-fig10", panels, page.run.paper_names),
            words=("smaller", "larger"),
            better=("higher", "higher"),
            paper=pairs.printed("nae-fig10", {"hard": ("accuracy", "imagenet_a")}),
        ),
        alt="Accuracy of a smaller and a larger network of three families, on hard and on ordinary "
        "pictures.",
        convention=f"{imagenet_a.convention}; {page.run.interval_words}.",
    )


def _panels(
    imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Mapping[str, tuple[str, str]]:
    return {
        "hard": ("accuracy", imagenet_a.dataset),
        "ordinary": ("accuracy", imagenet_val.dataset),
    }


def other_colours(
    page: Page,
    results: Results,
    imagenet_a: MaskedPredictions,
    recoloured: Mapping[str, MaskedPredictions],
    network: str,
) -> Html:
    """Return Figure 12: pictures that are recognised in other colours.

    Args:
        page: the chapter's.
        results: of `recolouring.results`.
        imagenet_a: predictions on ImageNet-A.
        recoloured: of `recolouring.predictions`.
        network: whose predictions.
    """
    run = page.run
    found = recolouring.counterfactuals(imagenet_a, recoloured, network)
    return page.item(
        "nae-fig12",
        results,
        figure=recolouring.before_and_after(found, run.images, run.geometry).figure(),
        table=table(
            recolouring.recoloured_frame(imagenet_a, recoloured, network),
            caption="Accuracy (%) by colours, and how many answers turn right and turn wrong",
            decimals={"Wrong, now right": 0, "Right, now wrong": 0},
        ),
        alt="Pictures as they are, with a wrong answer, and below each the same with other colours "
        "and a right one.",
        convention=f"First seed of {network}; hues turned on the colour circle, or no colour at "
        f"all; {imagenet_a.convention}.",
        stand_ins={"banana": imagenet_a.dataset},
    )


def key_numbers(
    results: Results,
    imagenet_a: MaskedPredictions,
    imagenet_val: MaskedPredictions,
    by_difficulty: pd.DataFrame,
    names: Mapping[str, str],
) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `protocols.nae.accuracy`.
        imagenet_a: predictions on ImageNet-A.
        imagenet_val: predictions on ordinary pictures of its classes.
        by_difficulty: of `difficulty.candidates`.
        names: the paper's name of a network -> ours.
    """
    accuracy_numbers = accuracies.key_numbers(results, imagenet_a, imagenet_val, names)
    return accuracy_numbers | difficulty.key_numbers(by_difficulty)
