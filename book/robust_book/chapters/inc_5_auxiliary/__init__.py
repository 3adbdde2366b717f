"""Auxiliary experiments: unseen subtypes, and style transfer [inc, app. E]."""

from dataclasses import replace

import pandas as pd

from robust_book.chapters.inc_5_auxiliary import cifar_100, imagenet_22k, style_transfer
from robust_book.chapters.view import Committed, title, values_frame
from robust_lib.protocols import cifar_100_subtypes, imagenet_22k_subtypes
from robust_lib.results.table import Results
from robust_lib.run import stylised_sets

CHAPTER = replace(
    cifar_100.record(
        "inc_5_auxiliary",
        also=(imagenet_22k.TUNED, imagenet_22k.BEFORE, style_transfer.CORRUPTED),
    ),
    reads=(stylised_sets.ROLE,),
)


def subtypes_frame(results: Results) -> pd.DataFrame:
    """Return the committed errors and accuracies (%) on seen, held-out and unseen subtypes."""
    shown = {
        (cifar_100_subtypes.ITEM, "error"),
        (imagenet_22k_subtypes.ITEM, "accuracy"),
        (imagenet_22k_subtypes.ITEM, "drop"),
    }
    rows = [
        row
        for row in results.rows
        if row.model is not None
        and (row.item, row.metric) in shown
        and row.convention != imagenet_22k_subtypes.OVER_PICTURES
    ]
    columns = {
        "Network": title,
        "Images": lambda row: row.dataset,
        "Held out": lambda row: str(
            row.severity or ("mean" if row.item == cifar_100_subtypes.ITEM else "")
        ),
        "Metric": lambda row: row.metric,
    }
    return values_frame(rows, columns)


COMMITTED: Committed = {"subtypes": subtypes_frame}
