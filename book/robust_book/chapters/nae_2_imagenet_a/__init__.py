"""Accuracy on ImageNet-A, beside that on ordinary pictures of its classes [nae, sec. 5]."""

from collections.abc import Mapping

import pandas as pd

from robust_book.chapters.learning import trained
from robust_book.chapters.nae import galleries
from robust_book.chapters.nae_2_imagenet_a import difficulty, mistakes, numbers, recolouring
from robust_book.chapters.view import Committed, Names
from robust_book.figures import curves
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import accuracy
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers import nae

CHAPTER = nae.record("nae_2_imagenet_a", nae.IMAGENET_A, nae.IMAGENET_VAL_A)
COMMITTED: Committed = {"hard": numbers.committed_frame}


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained here.

    >>> texts(training(page), "text")[2:5]
    ['ResNet-18-like', 'ResNet-50-like', 'ResNet-50-like, fine-tuned']
    """
    return trained(page, page.run.training_curves(), of="training pictures")


def all_networks(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 2: accuracy of all networks on both sets.

    Args:
        results: of `protocols.nae.accuracy`.
        imagenet_a: predictions on ImageNet-A.
        imagenet_val: predictions on ordinary pictures of its classes.

    >>> rows, hard, ordinary = toys.on_both(run, {"resnet18_mini": 3})
    >>> texts(all_networks(page, rows, hard, ordinary), "td")[:2]  # hard, ordinary, ±
    ['10.0 [2.1, 26.5]', '80.0 [61.4, 92.3]']
    """
    datasets = {"Hard": imagenet_a.dataset, "Ordinary": imagenet_val.dataset}
    titles = {title.lower(): name for title, name in datasets.items()}
    dots = numbers.all_dots(results, titles, page.run.paper_names)
    return page.item(
        "nae-fig2",
        results,
        figure=dot_plot(
            {"": dots},
            list(dots["hard"]),
            xlabel="accuracy (%)",
            others=numbers.PUBLIC,
            even=100 / imagenet_a.classes,
            even_words=f"chance {100 / imagenet_a.classes:.1f}",
        ),
        table=table(
            numbers.accuracy_frame(results, datasets),
            caption="Accuracy (%) on hard and on ordinary pictures, with its interval",
        ),
        alt=f"Accuracy of each network beside chance, the lowest first: {words({'': dots})}.",
        convention=f"{imagenet_a.convention}; n = {imagenet_a.n} hard and {imagenet_val.n} "
        f"ordinary pictures; {page.run.interval_words}. ResNet-50 is one of the two that chose the "
        "pictures, by ten crops of each; where its own view is no crop but the whole picture, as "
        "in the miniature, it may be right about a few. The paper prints two numbers of this "
        "figure; grey rings show an independent evaluation of public weights instead.",
    )


def mask_effect(imagenet_a: MaskedPredictions) -> Html:
    """Return the table of accuracy with the other classes masked, and with nothing masked.

    >>> texts(mask_effect(toys.masked("hard", {"mine": 3})), "td")  # masked, unmasked, difference
    ['10.0', '0.0', '10.0']
    """
    return table(
        numbers.mask_frame(accuracy.mask_effect(imagenet_a)),
        caption="Accuracy (%) on the hard pictures with the other classes masked, and with nothing "
        "masked",
    )


def candidates(page: Page, frame: pd.DataFrame) -> Html:
    """Return accuracy against the difficulty of the candidates.

    Args:
        frame: of `difficulty.candidates`.

    >>> frame = pd.DataFrame([(0.2, 10, 4, 40, 50, 25)], columns=list(difficulty.COLUMNS))
    >>> texts(candidates(page, frame), "text")[2:5]
    ['accuracy on all candidates', 'share left by the filter', 'accuracy on those left']
    """
    return page.figure(
        "fig-difficulty",
        curves.by_difficulty(frame, words="accuracy, share"),
        caption="Compare both accuracies at one difficulty: the gap between them is what the "
        "filter adds.",
        alt="Accuracy of a network that took no part against the difficulty of the candidates: on "
        f"all, and on those that passed the filter. {difficulty.in_words(frame)}",
    )


def candidate_counts(frame: pd.DataFrame) -> Html:
    """Return the table of candidates and accuracies by difficulty.

    Args:
        frame: of `difficulty.candidates`.

    >>> frame = pd.DataFrame([(0.2, 10, 4, 40, 50, 25)], columns=list(difficulty.COLUMNS))
    >>> block = candidate_counts(frame)
    >>> dict(zip(texts(block, "th")[1:6], texts(block, "td"), strict=True))
    {'Pool': '10', 'Left': '4', 'Left (%)': '40', 'Right of all': '50', 'Right of left': '25'}
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
        results: of `mistakes.results`.
        imagenet_a: predictions on ImageNet-A.
        network: whose mistakes.

    >>> imagenet_a = toys.masked("hard", {"brightest": 3})
    >>> rows = mistakes.results(imagenet_a, run.images, "brightest")
    >>> block = failures(page, rows, imagenet_a, "brightest")
    >>> texts(block, "text")[:2], texts(block, "td")[:2]
    (['red', '→ green 90 %'], ['green', '9'])
    """
    run = page.run
    by_crop = mistakes.crop_predictions(run, network, limit=256)
    confident = galleries.mistakes(
        imagenet_a, run.images, network=network, geometry=run.geometry
    ).part(0, galleries.COLUMNS)
    unstable = mistakes.unstable(by_crop, run.images, geometry=run.geometry, most=galleries.COLUMNS)
    stretched = mistakes.stretched(
        imagenet_a, run.images, network, geometry=run.geometry, most=galleries.COLUMNS
    )
    return page.item(
        "nae-fig7",
        results,
        figure=(confident + unstable + stretched).figure(),
        table=table(
            mistakes.confusion_frame(imagenet_a, run.images, network),
            caption="The commonest confusions of the network",
            decimals=0,
        ),
        alt=f"Above, pictures with confident wrong answers: {confident.words(5)}; then pictures "
        f"whose ten crops get the most different answers: {unstable.words(5)}; below, different "
        f"things that are all taken for one: {stretched.words(5)}.",
        convention="Upper row: surest mistakes, no class twice. Middle row: the pictures whose "
        f"ten crops get the most different answers, of {len(by_crop)} pictures looked at. Lower "
        "row: the class that pictures of the most other classes are taken for, one of each.",
    )


def other_colours(
    page: Page,
    results: Results,
    imagenet_a: MaskedPredictions,
    recoloured: Mapping[str, MaskedPredictions],
    network: str,
) -> Html:
    """Return Figure 12: pictures that are recognised in other colours.

    Args:
        results: of `recolouring.results`.
        imagenet_a: predictions on ImageNet-A.
        recoloured: of `recolouring.predictions`.
        network: whose predictions.

    >>> imagenet_a = toys.masked("hard", {"mine": 3})
    >>> edited = {"grey": toys.masked("hard/grey", {"mine": 9})}
    >>> rows = recolouring.results(imagenet_a, edited, "mine")
    >>> block = other_colours(page, rows, imagenet_a, edited, "mine")
    >>> dict(zip(texts(block, "th")[1:4], texts(block, "td")[3:6], strict=True))  # grey
    {'Accuracy': '30.0', 'Wrong, now right': '6', 'Right, now wrong': '0'}
    """
    run = page.run
    found = recolouring.counterfactuals(imagenet_a, recoloured, network)
    shown = recolouring.before_and_after(found, run.images, run.geometry)
    return page.item(
        "nae-fig12",
        results,
        figure=shown.figure(columns=len(found)),
        table=table(
            recolouring.recoloured_frame(imagenet_a, recoloured, network),
            caption="Accuracy (%) by colours, and how many answers turn right and turn wrong",
            decimals={"Wrong, now right": 0, "Right, now wrong": 0},
        ),
        alt="Pictures as they are, and below each the same with other colours: "
        f"{shown.words(2 * len(found))}.",
        convention=f"First seed of {network_title(network)}; hues turned on the colour circle, or "
        f"no colour at all; judged on the net change over all {imagenet_a.n} pictures, with a "
        f"bootstrap interval; {imagenet_a.convention}.",
    )


def key_numbers(
    results: Results,
    imagenet_a: MaskedPredictions,
    imagenet_val: MaskedPredictions,
    by_difficulty: pd.DataFrame,
    names: Names,
) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `protocols.nae.accuracy`.
        imagenet_a: predictions on ImageNet-A.
        imagenet_val: predictions on ordinary pictures of its classes.
        by_difficulty: of `difficulty.candidates`.

    >>> rows, hard, ordinary = toys.on_both(run, {"resnet18_mini": 3})
    >>> frame = pd.DataFrame(columns=list(difficulty.COLUMNS))
    >>> numbers = key_numbers(rows, hard, ordinary, frame, run.paper_names)
    >>> numbers["best"].text, numbers["chance"].text, numbers["easy_all"].text
    ('10.0 %', '33.3 %', 'not measured')
    """
    accuracy_numbers = numbers.key_numbers(results, imagenet_a, imagenet_val, names)
    return accuracy_numbers | difficulty.key_numbers(by_difficulty)
