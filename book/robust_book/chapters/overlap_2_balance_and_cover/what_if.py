"""What if ImageNet-C had other corruptions?"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from robust_book.chapters.overlap import Architectures
from robust_book.html.families import FAMILIES
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import ticks, what_if
from robust_lib.protocols.overlap import benchmark as benchmarks
from robust_lib.vocabulary import corruption_label

OTHERS = "Not in ImageNet-C"


def benchmark(architectures: Architectures) -> Html:
    """Return a benchmark whose corruptions a reader chooses: is it balanced, what does it cover?

    >>> block = benchmark(toys.judged("fog", "snow", "gaussian_noise"))
    >>> texts(block, "td")[:2]  # of fog: mean overlap with the others, and the largest
    ['0.10', '0.10']
    """
    overlaps = benchmarks.average(architectures)
    names = [str(name) for name in overlaps.index]
    members = benchmarks.members(None, names)
    stored = overlaps.to_numpy().round(6)
    return what_if(
        "benchmark",
        "What if ImageNet-C had other corruptions?",
        [ticks("corruption", "The benchmark has", _groups(names), members)],
        table(
            _frame(overlaps, members),
            caption="Each corruption's mean overlap with the others of the benchmark, for those "
            "that are in it, and its largest overlap with any of them",
            decimals=2,
            filterable=False,
        ),
        {
            "corruptions": names,
            "titles": [corruption_label(name) for name in names],
            "overlaps": [
                [None if np.isnan(one) else one for one in row] for row in stored.tolist()
            ],
        },
        convention=f"Mean over {' and '.join(architectures)}; a pair that is not judged in both "
        "is left out. A benchmark is balanced where the first column is even, and covers what "
        "has a large number in the second.",
    )


def _groups(names: Sequence[str]) -> dict[str, dict[str, str]]:
    groups = {
        family: {name: corruption_label(name) for name in members if name in names}
        for family, members in FAMILIES.items()
    }
    known = {name for options in groups.values() for name in options}
    groups[OTHERS] = {name: corruption_label(name) for name in names if name not in known}
    return {title: options for title, options in groups.items() if options}


def _frame(overlaps: pd.DataFrame, members: Sequence[str]) -> pd.DataFrame:
    """Return what the script computes, for ImageNet-C."""
    balance = benchmarks.balance(overlaps, members)
    largest = pd.concat([balance["overlap"], benchmarks.coverage(overlaps, members)["overlap"]])
    return pd.DataFrame(
        {
            "Corruption": [corruption_label(str(name)) for name in overlaps.index],
            "Mean overlap": balance["mean"].reindex(overlaps.index).to_numpy(),
            "Largest": largest.reindex(overlaps.index).to_numpy(),
        }
    )
