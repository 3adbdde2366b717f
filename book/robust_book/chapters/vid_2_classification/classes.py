"""Accuracy class by class, as Figure 5 and its table show it."""

from collections.abc import Mapping

import pandas as pd

from robust_book.chapters.tables import cell_of
from robust_book.chapters.vid_2_classification.accuracies import interval
from robust_book.figures.bars import Interval
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ANCHOR, WORST = "anchor", "worst frame"


def of_classes(results: Results, dataset: str, k: int) -> dict[str, dict[str, Row]]:
    """Return class -> "anchor" and "worst frame" -> its row, by the latter, the lowest first.

    Args:
        results: of `protocols.pm_k.by_class`.
        dataset: name of the frames.
        k: farthest frame that counts.

    >>> found = of_classes(toys.class_rows({"mine": [3, 5]}, "mine"), "toys", 10)
    >>> {name: row["worst frame"].value for name, row in found.items()}
    {'monkey': 0.2, 'lion': 0.4}
    """
    found: dict[str, dict[str, Row]] = {}
    for row in results.select(metric="pm_accuracy").rows:
        name, _, group = row.dataset.partition("/")
        if name == dataset and group and row.k in (0, k):
            found.setdefault(group, {})[ANCHOR if row.k == 0 else WORST] = row
    ranked = sorted(found, key=lambda one: (found[one][WORST].value, found[one][ANCHOR].value))
    return {one: found[one] for one in ranked}


def class_dots(of_each: Mapping[str, Mapping[str, Row]]) -> dict[str, dict[str, Interval]]:
    """Return "anchor" and "worst frame" -> class -> (value, low, high), percent.

    >>> rows = of_classes(toys.class_rows({"mine": [3, 5]}, "mine"), "toys", 10)
    >>> class_dots(rows)["anchor"]["lion"][0]
    60.0
    """
    return {
        source: {name: interval(rows[source]) for name, rows in of_each.items()}
        for source in (ANCHOR, WORST)
    }


def class_frame(of_each: Mapping[str, Mapping[str, Row]]) -> pd.DataFrame:
    """Return accuracy (%) of each class with its interval, its drop and its sets.

    >>> rows = of_classes(toys.class_rows({"mine": [3, 5]}, "mine"), "toys", 10)
    >>> class_frame(rows)[["Class", "Sets", "Drop"]].to_numpy().tolist()
    [['monkey', 5, 20.0], ['lion', 5, 20.0]]
    """
    return pd.DataFrame(
        {
            "Class": list(of_each),
            "Sets": [rows[ANCHOR].n for rows in of_each.values()],
            "Anchor": [cell_of(rows[ANCHOR]) for rows in of_each.values()],
            "Worst frame": [cell_of(rows[WORST]) for rows in of_each.values()],
            "Drop": [
                round(100 * (rows[ANCHOR].value - rows[WORST].value), 6)
                for rows in of_each.values()
            ],
        }
    )
