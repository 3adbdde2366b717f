"""What if the mean corruption error had another normaliser, or were over other corruptions?"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from robust_book.html.families import FAMILIES
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import choice, ticks, what_if
from robust_lib.metrics.corruption_error import mean_of_ratios
from robust_lib.protocols.corruption_error.normaliser import Normaliser, measured
from robust_lib.protocols.grid import Grid
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, corruption_heading, corruption_label

OTHERS = "Not in the mean"


def normalisers_and_corruptions(grid: Grid, normaliser: Normaliser) -> Html:
    """Return mCEs that a reader computes again with another normaliser or other corruptions.

    Args:
        normaliser: of the run, the first choice.

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
        "What if AlexNet were another network, and ImageNet-C other corruptions?",
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
            caption="Clean error, mCE, relative mCE and mean error (%), mean over the ticked "
            "corruptions",
            filterable=False,
        ),
        _data(grid, divisors, known),
        convention=f"Storage: {grid.convention()}; {grid.images:,} images a cell. A mean is "
        "missing where the normaliser does not err, or does not get worse, under a ticked "
        "corruption. The mean error is divided by nothing.",
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
    """Return what the script computes, at the paper's setting, in percent."""
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
