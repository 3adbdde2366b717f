"""Corruption errors of seven networks [inc, sec. 3.2 and 3.3]."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from robust_book.chapters.inc import baseline_frame, networks_frame, severity_frame
from robust_book.chapters.inc_2_mce import numbers
from robust_book.chapters.learning import trained
from robust_book.chapters.view import Committed, percents, printed_by_network
from robust_book.figures import bars, curves, heatmaps, image_grids
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.families import FAMILIES, grouped
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.html.what_if import choice, ticks, what_if
from robust_book.page import Page
from robust_lib.metrics.corruption_error import mean_of_ratios
from robust_lib.protocols.corruption_error.normaliser import Normaliser, measured
from robust_lib.protocols.grid import Grid
from robust_lib.results.notation import listed
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.network import network_title, network_titles, titled
from robust_lib.run.papers import inc
from robust_lib.vocabulary import COMMON, OCCLUSION, corruption_heading, corruption_label

CHAPTER = Chapter(
    "inc_2_mce",
    networks="imagenet_c",
    shows=(OnCorruptions("imagenet_val"),),
    baseline=True,
    on_photographs=COMMON + OCCLUSION,
)
COMMITTED: Committed = {"networks": networks_frame, "severities": baseline_frame}


def images(page: Page) -> Html:
    """Return some images of the evaluated set with their classes.

    >>> texts(images(page), "text")[:4]
    ['green', 'blue', 'red', 'green']
    """
    return page.figure(
        "fig-images",
        image_grids.grid(page.run.pictures(15), page.run.class_of(15), columns=5, size=1.4),
        caption="Test images with their true classes.",
        alt=f"Images of {listed(page.run.class_of(15))}.",
    )


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained in this run.

    >>> texts(training(page), "text")[2:5]
    ['AlexNet-like', 'VGG-11-like', 'ResNet-18-like']
    """
    return trained(page, page.run.training_curves(), of="augmented training images")


def severity_curves(page: Page, results: Results, grid: Grid) -> Html:
    """Return the figure of error by severity, one panel per corruption.

    >>> rows = toys.rows("inc-tab1", "error", {"vgg11": 0.25})
    >>> rows += toys.rows("inc-tab1", "error", {"vgg11": 0.5}, corruption="fog", severity=3)
    >>> texts(severity_curves(page, rows, toys.grid("vgg11")), "text")[:5]
    ['Fog', 'VGG-11', 'Snow', 'top-1 error (%)', 'severity (0 is clean)']
    """
    frame = severity_frame(results, grid.corruptions)
    return page.figure(
        "fig-severity",
        curves.by_severity(frame),
        caption="Top-1 error against severity, one panel per corruption. Look for severities at "
        "which the error does not rise, and for panels in which the order of the networks changes.",
        alt="Top-1 error of each network against severity, one panel per corruption; mean over the "
        f"panels: {curves.severity_words(frame)}.",
    )


def cells(results: Results) -> Html:
    """Return the table of errors by network, corruption and severity.

    >>> rows = toys.rows("inc-tab1", "error", {"vgg11": 0.5}, corruption="fog", severity=3)
    >>> texts(cells(rows), "td")
    ['Fog', '50.0', '9']
    """
    return table(
        numbers.cells_frame(results),
        caption="; ".join(
            filter(
                None,
                (
                    "Top-1 error (%) by network, corruption and severity",
                    numbers.widest(results, "error"),
                ),
            )
        ),
    )


def normaliser_errors(page: Page, results: Results, grid: Grid) -> Html:
    """Return the errors that divide corruption errors: the paper's and this run's."""
    dots = numbers.normaliser_dots(results, inc.baseline(page.run))
    return page.item(
        "inc-alexnet",
        results,
        figure=dot_plot(
            {"": dots},
            numbers.corruptions_of(dots),
            xlabel="mean top-1 error over the severities (%)",
            others=numbers.PRINTED,
        ),
        alt=f"AlexNet's mean error under each corruption, lowest first: {words({'': dots})}.",
        convention=f"Top-1 error averaged over severities {page.run.severity_words}; storage: "
        f"{grid.convention()}; {grid.images:,} images per condition.",
    )


def corruption_errors(
    page: Page, results: Results, grid: Grid, normaliser: Normaliser, wrong: Html | None = None
) -> Html:
    """Return Table 1: clean errors, corruption errors (CE) and mCE.

    Args:
        wrong: block with the misclassified images of each cell, from `mistakes.pictured`; None
            without images.
    """
    return page.item(
        "inc-tab1",
        results,
        figure=_matrices(results, "inc-tab1", "ce", "corruption error (%), AlexNet = 100"),
        table=lines(
            table(
                grouped(numbers.error_frame(results)),
                caption="Clean error, mCE and CE (%), this run",
                lowest=True,
            ),
            wrong,
        ),
        paper=_printed("inc-tab1", "Clean error, mCE and CE (%), Table 1"),
        alt="Corruption error of each network on each corruption, the paper's on the left and this "
        f"run's on the right: {numbers.seen(results, 'inc-tab1', 'ce')}.",
        convention=f"Normaliser: {normaliser.words}; storage: {grid.convention()}; "
        f"{grid.images:,} images per condition; {page.run.interval_words}.",
    )


def relative_corruption_errors(
    page: Page, results: Results, grid: Grid, normaliser: Normaliser
) -> Html:
    """Return Table 2: clean errors, relative corruption errors and their means."""
    unit = "relative corruption error (%), AlexNet = 100"
    small = numbers.small_rises(normaliser)
    return page.item(
        "inc-tab2",
        results,
        figure=_matrices(results, "inc-tab2", "relative_ce", unit, small),
        table=table(
            grouped(numbers.error_frame(results, prefix="relative_")),
            caption="Clean error, relative mCE and relative CE (%), this run",
            lowest=True,
        ),
        paper=_printed("inc-tab2", "Clean error, relative mCE and relative CE (%), Table 2"),
        alt="Relative corruption error of each network, the paper's on the left and this run's on "
        f"the right: {numbers.seen(results, 'inc-tab2', 'relative_ce')}.",
        convention=f"Normaliser: {normaliser.words}; clean error subtracted at every severity; "
        f"{numbers.small_rise_words(small)}storage: {grid.convention()}; {grid.images:,} "
        f"images per condition; {page.run.interval_words}.",
    )


def means(page: Page, results: Results, normaliser: Normaliser) -> Html:
    """Return Figure 2: mCE and relative mCE by architecture.

    >>> values = {"alexnet_mini": 1.0, "resnet18_mini": 0.9}
    >>> rows = toys.rows("inc-fig2", "mce", values, "scenes_val_c")
    >>> block = means(page, rows, inc.normaliser(run, toys.grid("alexnet_mini")))
    >>> [name in texts(block, "text") for name in ("AlexNet-like", "mCE", "This run")]
    [True, True, True]
    """
    ours = {
        "mCE": results.select(metric="mce", corruption=None),
        "relative mCE": results.select(metric="relative_mce", corruption=None),
    }
    return page.item(
        "inc-fig2",
        results,
        figure=bars.architectures(
            {title: titled(percents(rows)) for title, rows in ours.items()},
            {
                "mCE": titled(printed_by_network("inc-tab1", metric="mce")),
                "relative mCE": titled(printed_by_network("inc-tab2", metric="relative_mce")),
            },
            words=("The paper", "This run"),
        ),
        rows=results.select(metric=["mce", "relative_mce"]),
        alt="mCE and relative mCE by architecture, the paper's on the left and this run's on the "
        f"right; in this run, mCE goes {numbers.from_to(results, 'mce')}.",
        convention=f"Normaliser: {normaliser.words}; means over the 15 common corruptions; "
        f"{page.run.interval_words}.",
    )


def _matrices(
    results: Results, item: str, metric: str, unit: str, small: Sequence[str] = ()
) -> Figure:
    frames = (
        numbers.printed_by_corruption(item, metric),
        numbers.models_by_corruption(results, metric),
    )
    return heatmaps.models_by_corruption(
        [frame.rename(index=network_titles(frame.index)) for frame in frames],
        ["The paper", "This run"],
        unit=unit,
        unsure=((), small),
    )


def _printed(item: str, caption: str) -> Html:
    frame = grouped(numbers.printed_error_frame(item))
    # As the paper has them: one decimal in the means, none in the CEs.
    decimals = {str(name): 1 if place < 3 else 0 for place, name in enumerate(frame.columns)}
    return table(frame, caption=caption, decimals=decimals, lowest=True)


OTHERS = "Not in the mean"


def normalisers_and_corruptions(grid: Grid, normaliser: Normaliser) -> Html:
    """Return mCEs that a reader can recompute with another normaliser or other corruptions.

    Args:
        normaliser: the run's normaliser, which is selected first.

    >>> grid = toys.grid("alexnet_mini", "vgg11")
    >>> block = normalisers_and_corruptions(grid, toys.normaliser(grid))
    >>> texts(block, "td")[:4], texts(block, "option")[0]
    (['10.0', '100.0', '100.0', '20.0'], 'AlexNet-like of this run')
    """
    known = [name for name in grid.corruptions if name in normaliser.errors]
    ticked = [name for name in known if name in COMMON]
    divisors = {f"{network_title(name)} of this run": measured(grid, name) for name in grid.models}
    words = [one.words for one in divisors.values()]
    if normaliser.words not in words:  # it is a published one
        divisors = {normaliser.words: normaliser} | divisors
    return what_if(
        "mce",
        "What if the baseline were a different network, and ImageNet-C had different corruptions?",
        [
            choice(
                "normaliser",
                "Divide by the errors of",
                {str(place): title for place, title in enumerate(divisors)},
                str(words.index(normaliser.words) if normaliser.words in words else 0),
            ),
            ticks("corruption", "Take the mean over", _groups(known), ticked),
        ],
        table(
            _frame(grid, normaliser, ticked),
            caption="Clean error (%), and mCE, relative mCE and mean error (%) over the ticked "
            "corruptions",
            filterable=False,
        ),
        _data(grid, divisors, known),
        convention=f"Storage: {grid.convention()}; {grid.images:,} images per condition. A mean is "
        "missing if the baseline makes no error, or does not get worse, under a ticked "
        "corruption. The mean error is not normalised.",
    )


def _groups(known: Sequence[str]) -> dict[str, dict[str, str]]:
    groups = {
        family: {name: corruption_heading(name) for name in members if name in known}
        for family, members in FAMILIES.items()
    }
    groups[OTHERS] = {name: corruption_label(name) for name in known if name not in COMMON}
    return {title: options for title, options in groups.items() if options}


def _data(grid: Grid, divisors: Mapping[str, Normaliser], known: Sequence[str]) -> dict[str, Any]:
    return {
        "corruptions": list(known),
        "networks": [
            {
                "title": network_title(name),
                "clean": 1 - _accuracy(grid, name),
                "errors": [grid.errors(name, one).tolist() for one in known],
            }
            for name in grid.models
        ],
        "normalisers": [
            {
                "title": title,
                "clean": one.clean,
                "errors": [one.errors[name].tolist() for name in known],
            }
            for title, one in divisors.items()
        ],
    }


def _accuracy(grid: Grid, network: str) -> float:
    return float(np.mean([(one.predicted == one.labels).mean() for one in grid.clean[network]]))


def _frame(grid: Grid, normaliser: Normaliser, ticked: Sequence[str]) -> pd.DataFrame:
    """Return the frame that the script computes, at the paper's setting, in percent."""
    rows = []
    divided = [
        bool(ticked) and all(normaliser.divides(name, relative=relative) for name in ticked)
        for relative in (False, True)
    ]
    for network in grid.models:
        clean = 1 - _accuracy(grid, network)
        cells: list[float | None] = [None, None, None]
        if ticked:
            ours = np.stack([grid.errors(network, name) for name in ticked])
            base = np.stack([normaliser.errors[name] for name in ticked])
            if divided[0]:
                cells[0] = 100 * float(mean_of_ratios(ours, base))
            if divided[1]:
                cells[1] = 100 * float(mean_of_ratios(ours - clean, base - normaliser.clean))
            cells[2] = 100 * float(ours.mean())
        rows.append([network_title(network), 100 * clean, *cells])
    return pd.DataFrame(rows, columns=["Network", "Clean error", "mCE", "Rel. mCE", "Mean error"])
