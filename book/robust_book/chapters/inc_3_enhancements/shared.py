"""What the blocks on enhancements share: their convention line, the standard network, no table."""

import pandas as pd

from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid

DIFFERENCES = "Clean error and mCE (%), and how many points they lie above the standard network's"
"""The caption of a table of changes."""


def convention(page: Page, grid: Grid, normaliser: Normaliser) -> str:
    """Return what gives the numbers of a block their meaning.

    >>> _, grid, normaliser = toys.enhanced(run)
    >>> convention(page, grid, normaliser).partition(";")[0]
    'Normaliser: alexnet_mini, measured on the same images'
    """
    return (
        f"Normaliser: {normaliser.words}; storage: {grid.convention()}; {grid.images:,} images a "
        f"cell, severities {page.run.severity_words}; {page.run.interval_words}; differences are "
        "paired, image by image."
    )


def base(page: Page, grid: Grid, item: str) -> str | None:
    """Return our network that an item's others are set against, if the run has it.

    >>> base(page, toys.enhanced(run)[1], "inc-fig4")
    'resnet18_mini'
    """
    return enhancements.standard(item, page.run.paper_names, grid.models)


def some(frame: pd.DataFrame, caption: str, *, least: int = 1) -> Html:
    """Return a table, or a line that says that the run has too few networks for it.

    Args:
        frame: a row a network.
        caption: of the table.
        least: rows that are worth a table.

    >>> texts(some(pd.DataFrame(), "errors"), "p")
    ['No network of this item is asked in this run.']
    """
    if len(frame) < least:
        return Html('<p class="rb-convention">No network of this item is asked in this run.</p>')
    return table(frame, caption=caption)
