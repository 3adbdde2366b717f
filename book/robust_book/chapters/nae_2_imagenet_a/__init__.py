"""Accuracy on ImageNet-A and on ordinary images of its classes [nae, sec. 5]."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from robust_book.chapters import galleries
from robust_book.chapters.learning import trained
from robust_book.chapters.nae import Panels, absent, gains, pairs_figure, pairs_frame
from robust_book.chapters.nae_2_imagenet_a import difficulty, mistakes, numbers
from robust_book.chapters.view import Committed, Names, printed_by_network
from robust_book.figures import curves
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.figures.pairs import differences
from robust_book.figures.spreads import spread
from robust_book.figures.style import SHARES
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import slider, what_if
from robust_book.page import Page
from robust_lib.explain import interventions
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import accuracy
from robust_lib.protocols.nae.accuracy import right_until
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers import nae

CHAPTER = replace(
    nae.record("nae_2_imagenet_a", nae.IMAGENET_A, nae.IMAGENET_VAL_A),
    checks=(interventions.chosen,),
)
COMMITTED: Committed = {"hard": numbers.committed_frame}


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained in this run.

    >>> texts(training(page), "text")[2:5]
    ['ResNet-18-like', 'ResNet-50-like', 'ResNet-50-like (fine-tuned)']
    """
    return trained(page, page.run.training_curves(), of="training images")


def all_networks(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 2: accuracy of all networks on both sets.

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
            lines={f"chance {100 / imagenet_a.classes:.1f}": 100 / imagenet_a.classes},
        ),
        table=table(
            numbers.accuracy_frame(results, datasets),
            caption="Accuracy (%) on hard and on ordinary images, with its interval",
        ),
        alt=f"Accuracy of each network and chance, the lowest first: {words({'': dots})}.",
        convention=f"{imagenet_a.convention}; n = {imagenet_a.n} hard and {imagenet_val.n} "
        f"ordinary images; {page.run.interval_words}. ResNet-50 is one of the two networks that "
        "selected the images, using ten crops of each; if it is evaluated on the whole image and "
        "not on a crop, as in the miniature, it may classify a few images correctly. The paper "
        "prints only two numbers for this figure; grey rings show an independent evaluation of "
        "public weights instead.",
    )


def at_a_glance(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return the accuracy of networks not used to select the images, one dot per network and set.

    >>> rows, hard, ordinary = toys.on_both(run, {"resnet18_mini": 3})
    >>> texts(at_a_glance(page, rows, hard, ordinary), "text")[-4:-1]
    ['ResNet-18-like', 'DenseNet-121, the paper', 'ResNet-18-like']
    """
    datasets = {"hard": imagenet_a.dataset, "ordinary": imagenet_val.dataset}
    rows = numbers.spread_rows(results, datasets, page.run.paper_names)
    chance = 100 / imagenet_a.classes
    printed = printed_by_network("nae-fig2", metric="accuracy")
    return page.figure(
        "fig-glance",
        spread(
            rows,
            xlabel="accuracy (%)",
            printed={"hard": {"DenseNet-121, the paper": printed["densenet121"]}},
            lines={f"chance {chance:.1f}": chance},
            ends=SHARES,
        ),
        caption="Accuracy on hard and on ordinary images of all networks that were not used to "
        "select the images.",
        alt=f"Accuracy of every network, one dot each: {numbers.spread_words(rows)}.",
        folded=True,
    )


def mask_effect(imagenet_a: MaskedPredictions) -> Html:
    """Return the table of accuracy with the other classes masked, and without a mask.

    >>> texts(mask_effect(toys.masked("hard", {"mine": 3})), "td")  # masked, unmasked, difference
    ['10.0', '0.0', '10.0']
    """
    return table(
        numbers.mask_frame(accuracy.mask_effect(imagenet_a)),
        caption="Accuracy (%) on the hard images with the other classes masked, and with nothing "
        "masked",
    )


def candidates(page: Page, frame: pd.DataFrame) -> Html:
    """Return the figure of accuracy by the candidates' difficulty.

    >>> texts(candidates(page, pd.DataFrame(columns=list(difficulty.COLUMNS))), "p")
    ['The candidates of these images were not published.']
    """
    if not len(frame):
        return Html("<p>The candidates of these images were not published.</p>")
    return page.figure(
        "fig-difficulty",
        curves.by_difficulty(frame, words="accuracy, share"),
        caption="At each difficulty, the gap between the two accuracies is the effect of the "
        "filter. Bands are 95 % intervals for the number of images there (Clopper-Pearson).",
        alt="Accuracy of a network that was not used for filtering against the difficulty of the "
        "candidates: on all candidates, and on those that passed the filter. "
        f"{difficulty.in_words(frame)}",
    )


def candidate_counts(frame: pd.DataFrame) -> Html:
    """Return the table of candidates and accuracies by difficulty.

    >>> frame = pd.DataFrame([(0.2, 10, 4, 40, 50, 25)], columns=list(difficulty.COLUMNS))
    >>> block = candidate_counts(frame)
    >>> dict(zip(texts(block, "th")[1:6], texts(block, "td"), strict=True))
    ... # doctest: +NORMALIZE_WHITESPACE
    {'Pool': '10', 'Passed': '4', 'Passed (%)': '40', 'Accuracy, all': '50',
     'Accuracy, passed': '25'}
    """
    return table(
        difficulty.headed(frame),
        caption="Candidates by difficulty: number that pass the filter, and accuracy (%) on all "
        "candidates and on those that pass",
        decimals={"Difficulty": 2, "Pool": 0, "Passed": 0},
    )


def failures(page: Page, results: Results, imagenet_a: MaskedPredictions, network: str) -> Html:
    """Return Figure 7: confident mistakes, and images with the most predictions over their crops.

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
            caption=f"The most frequent confusions of {network_title(network)}",
            decimals=0,
        ),
        alt=f"Above, images with confident wrong predictions: {confident.words(5)}; then images "
        f"whose ten crops get the largest number of distinct predictions: {unstable.words(5)}; "
        f"below, different objects that all get the same prediction: {stretched.words(5)}.",
        convention=f"{network_title(network)}. Upper row: the most confident mistakes, no class "
        "twice. Middle row: the images whose ten crops get the largest number of distinct "
        f"predictions, of {len(by_crop)} images examined. Lower row: the class that is predicted "
        "for images of the largest number of other classes, one image of each.",
    )


def key_numbers(
    results: Results,
    imagenet_a: MaskedPredictions,
    imagenet_val: MaskedPredictions,
    by_difficulty: pd.DataFrame,
    names: Names,
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose, ready for the `{result}` role.

    >>> rows, hard, ordinary = toys.on_both(run, {"resnet18_mini": 3})
    >>> frame = pd.DataFrame(columns=list(difficulty.COLUMNS))
    >>> numbers = key_numbers(rows, hard, ordinary, frame, run.paper_names)
    >>> numbers["best"].text, numbers["chance"].text, numbers["easy_all"].text
    ('10.0 %', '33.3 %', 'not measured')
    """
    accuracy_numbers = numbers.key_numbers(results, imagenet_a, imagenet_val, names)
    return accuracy_numbers | difficulty.key_numbers(by_difficulty)


def robust_training(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 8: the effect of several kinds of training on accuracy.

    >>> right = {"resnext50_200_mini": 3, "resnext50_200_mini_fgsm": 6}
    >>> rows, hard, ordinary = toys.on_both(run, right)
    >>> texts(robust_training(page, rows, hard, ordinary), "td")[:2]  # hard, ordinary
    ['10.0 [2.1, 26.5]', '80.0 [61.4, 92.3]']
    """
    ours = {"hard": imagenet_a.dataset, "ordinary": imagenet_val.dataset}
    gained = numbers.robust(results, ours, page.run.paper_names, "gain")
    theirs = numbers.printed_gains()
    shown = {title: {"": dots} for title, dots in gained.items() if dots}
    return page.item(
        "nae-fig8",
        results,
        figure=differences(
            gained,
            xlabel="with this training minus ordinary training",
            better=("higher", "higher"),
            paper=theirs,
        ),
        table=_some(
            numbers.robust_frame(results, ours, page.run.paper_names),
            "Accuracy (%) after each training, with its interval",
        ),
        alt="Change in accuracy from ordinary training to five other types of training, on hard "
        "images on the left and on ordinary ones on the right, on one axis. "
        f"{words(shown, ' points')}.",
        convention=f"{imagenet_a.n} hard and {imagenet_val.n} ordinary images; the network's "
        f"outputs are exactly these classes, so nothing is masked; {page.run.interval_words}. "
        "Intervals of differences are paired: both networks are evaluated on the same resampled "
        "images." + numbers.textures(page.run.paper_names),
    )


def attention(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 9: the effect of squeeze-and-excitation on accuracy.

    >>> right = {"resnext101_32x4d_mini": 3, "resnext101_32x4d_se_mini": 6}
    >>> rows, hard, ordinary = toys.on_both(run, right)
    >>> block = attention(page, rows, hard, ordinary)
    >>> dict(zip(texts(block, "th")[2:5], texts(block, "td")[1:4], strict=True))["Second"]
    '20.0 [7.7, 38.6]'
    """
    return _pairs(
        page,
        results,
        (imagenet_a, imagenet_val),
        "nae-fig9",
        xlabel="with attention minus without",
        alt="Accuracy with squeeze-and-excitation minus accuracy without it",
    )


def size(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 10: accuracy of larger networks minus that of smaller ones.

    >>> rows, hard, ordinary = toys.on_both(run, {"resnet18_mini": 3})
    >>> block = str(size(page, rows, hard, ordinary))  # no other size of it; the paper's alone
    >>> "This run has no pair of these networks." in block, "the paper" in block
    (True, True)
    """
    return _pairs(
        page,
        results,
        (imagenet_a, imagenet_val),
        "nae-fig10",
        xlabel="larger minus smaller",
        alt="Accuracy of the larger network minus that of the smaller one in three families",
        paper={"hard": ("accuracy", "imagenet_a")},
    )


def _pairs(
    page: Page,
    results: Results,
    both: tuple[MaskedPredictions, MaskedPredictions],
    item: str,
    *,
    xlabel: str,
    alt: str,
    paper: Panels = MappingProxyType({}),
) -> Html:
    datasets = {
        title: masked.dataset for title, masked in zip(("hard", "ordinary"), both, strict=True)
    }
    panels = {title: ("gain", dataset) for title, dataset in datasets.items()}
    names = page.run.paper_names
    found = gains(results, item, panels, names)
    shown = {title: {"": dots} for title, dots in found.items() if dots}
    return page.item(
        item,
        results,
        figure=pairs_figure(page, results, item, panels, xlabel=xlabel, paper=paper),
        table=_some(
            pairs_frame(results, item, "accuracy", datasets, names),
            "Accuracy (%) of both networks of each pair, and the difference in points, with "
            "paired intervals",
        ),
        alt=f"{alt}, on hard and on ordinary images: {words(shown, ' points') or 'no pair'}.",
        convention=f"{absent(results, item, panels, names)}{both[0].convention}; "
        f"{page.run.interval_words}. Intervals of differences are paired: both networks are "
        "evaluated on the same resampled images.",
    )


def _some(frame: pd.DataFrame, caption: str) -> Html | None:
    """Return a table, or an empty block if it has no row."""
    return table(frame, caption=caption) if len(frame) else None


def mask(imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions) -> Html:
    """Return accuracies that a reader can recompute with fewer masked classes.

    >>> hard, ordinary = (toys.masked(name, {"mine": right}) for name, right in
    ...     (("hard", 3), ("ordinary", 24)))
    >>> texts(mask(hard, ordinary), "td")  # hard, ordinary, difference
    ['10.0', '80.0', '70.0']
    """
    wider = [name for name in imagenet_a.unmasked if name in imagenet_val.unmasked]
    if not wider:
        return Html(
            '<p class="rb-convention">No network of this run has classes other than those '
            "of the images, so there is no mask to remove.</p>"
        )
    others = imagenet_a.outputs - imagenet_a.classes
    stored = {
        name: [_stored(masked, name) for masked in (imagenet_a, imagenet_val)] for name in wider
    }
    return what_if(
        "mask",
        "What if the mask were removed, class by class?",
        [slider("others", "Other classes that may be predicted", 0, others, 0)],
        table(
            pd.DataFrame(
                [[network_title(name), *_row(*both)] for name, both in stored.items()],
                columns=["Network", "Hard", "Ordinary", "Difference"],
            ),
            caption="Accuracy (%) on hard and on ordinary images, and the difference in points",
            filterable=False,
        ),
        {
            "networks": [
                dict(zip(("hard", "ordinary"), both, strict=True)) for both in stored.values()
            ]
        },
        convention=f"{imagenet_a.convention}. Only networks with outputs for further classes are "
        f"listed; the {others} other classes are added in the order of the network's outputs.",
    )


def _stored(masked: MaskedPredictions, network: str) -> dict[str, Any]:
    by_seed = right_until(masked, network)
    pictures = len(masked.predictions[network][0].ids)
    return {"pictures": pictures, "until": [list(map(list, one.items())) for one in by_seed]}


def _row(hard: dict[str, Any], ordinary: dict[str, Any]) -> list[float]:
    first, second = (
        100
        * float(np.mean([sum(count for _, count in seed) for seed in one["until"]]))
        / one["pictures"]
        for one in (hard, ordinary)
    )
    return [first, second, second - first]
