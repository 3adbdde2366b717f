"""Style transfer on the page: restyled pictures, and its corruption error beside the fifteen."""

import numpy as np

from robust_book.chapters import inc_2_mce
from robust_book.chapters.inc_5_auxiliary import style_tables
from robust_book.figures import image_grids
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.corruption_error import style_transfer as protocol
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.results.table import Results
from robust_lib.run import stylised_sets
from robust_lib.run.papers import inc
from robust_lib.run.run import Run

CORRUPTED = inc_2_mce.CHAPTER
"""The chapter whose networks and corrupted pictures these are."""

SHOWN = 4  # pictures, each of another class


def ready(run: Run) -> Run:
    """Return a run of the chapter on corruption errors, for which styles and their way are at hand.

    Raises:
        DataError: the pictures of styles are not there.
        ModelError: the networks that paint are not there.

    >>> ready(toys.corrupting()).images.name
    'scenes_val'
    """
    run.image_set(stylised_sets.ROLE)
    stylised_sets.transfer(run.profile)
    return run


def corrupted(run: Run) -> tuple[Grid, Normaliser]:
    """Return what the networks of Table 1 say under corruptions and style transfer.

    Args:
        run: of the chapter on corruption errors.

    Returns:
        The predictions, and what errors are divided by.

    >>> grid, base = corrupted(toys.corrupting())
    >>> grid.corruptions[-1], base.words
    ('style_transfer', 'alexnet_mini, measured on the same images')
    """
    grid = stylised_sets.grid(run)
    return grid, inc.normaliser(run, grid)


def restyled(page: Page, run: Run) -> Html:
    """Return some pictures, the pictures whose styles they get, and all severities of that.

    Args:
        page: of the chapter.
        run: whose images are restyled.

    >>> texts(restyled(page, toys.corrupting()), "text")[:3]
    ['clean', 'style', 'severity 1']
    """
    severities = run.profile.severities
    sets = [stylised_sets.shown(run, severity) for severity in severities]
    classes = np.unique(run.images.labels)[:: max(1, len(run.images.class_names) // SHOWN)]
    places = [int(np.argmax(run.images.labels == one)) for one in classes[:SHOWN]]
    pictures, captions = [], []
    for place in places:
        style = sets[0].styles.read(sets[0].style_of(place), run.geometry)
        pictures += [run.images.read(place, run.geometry), style]
        pictures += [one.read(place, run.geometry) for one in sets]
        captions += ["clean", "style", *(f"severity {severity}" for severity in severities)]
    return page.figure(
        "fig-styles",
        image_grids.grid(pictures, captions, columns=2 + len(sets), size=1.0),
        caption="The first picture of each row, in the style of the second. Up to which severity "
        "do you know what it shows?",
        alt=f"{len(places)} pictures, clean and in the style of another one: with "
        "rising severity they take over more of its colours and contrasts.",
        description=run.description,
    )


def errors(page: Page, run: Run, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return the corruption error of style transfer beside those of ImageNet-C's fifteen.

    Args:
        page: of the chapter.
        run: of the chapter on corruption errors.
        results: of `protocols.corruption_error.style_transfer`.
        grid: the predictions.
        normaliser: what errors are divided by.

    >>> grid = toys.restyled("alexnet_mini", "resnet50_mini")
    >>> base = toys.normaliser(grid)
    >>> rows = protocol.results(grid, base, samples=20)
    >>> block = errors(page, run, rows, grid, base)
    >>> "The paper (ResNet-50)" in texts(block, "text")
    True
    """
    network = style_tables.network(run.paper_names, grid.models)
    dots = style_tables.dots(results, network)
    return page.item(
        protocol.ITEM,
        results,
        figure=dot_plot(
            {"": dots},
            style_tables.ranked(dots),
            xlabel="corruption error (%, AlexNet = 100)",
            others=style_tables.PRINTED,
            even=100.0,
            even_words="AlexNet",
        ),
        table=table(
            style_tables.frame(results, grid.models),
            caption=f"Error (%) on {grid.images:,} clean pictures and its mean over severities of "
            "style transfer; corruption errors (%) of style transfer and of ImageNet-C",
        ),
        alt=f"Corruption errors of one network, style transfer's among them: {words({'': dots})}.",
        convention=f"Restyling: {stylised_sets.transfer(run.profile).words}. Normaliser: "
        f"{normaliser.words}; storage: {grid.storage}; {grid.images:,} images a cell; "
        f"{run.interval_words}; all comparisons resample the same images.",
        description=run.description,
        stand_ins=protocol.stand_ins(grid),
        networks=run.paper_names,
    )
