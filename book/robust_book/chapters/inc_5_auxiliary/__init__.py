"""Auxiliary experiments: subtypes that networks never saw, and other styles [inc, app. E]."""

import pandas as pd

from robust_book.chapters.inc_5_auxiliary import cifar_100, imagenet_22k, style_transfer
from robust_book.chapters.tables import Committed, ends
from robust_lib.protocols.unseen_subtypes import OVER_PICTURES
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

CHAPTER = cifar_100.record(
    "inc_5_auxiliary",
    also=(imagenet_22k.TUNED, imagenet_22k.BEFORE, style_transfer.CORRUPTED),
)


def subtypes_frame(results: Results) -> pd.DataFrame:
    """Return errors on seen and held-out subtypes, and accuracies on seen and unseen ones, percent.

    >>> from robust_lib.protocols import held_out_subtypes as protocol
    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> subtypes_frame(rows)["Held out"].tolist()
    ['1', '1', '2', '2', 'mean', 'mean']
    """
    shown = {
        (cifar_100.ITEM, "error"),
        (imagenet_22k.ITEM, "accuracy"),
        (imagenet_22k.ITEM, "drop"),
    }
    return pd.DataFrame(
        {
            "Network": network_title(row.model),
            "Pictures": row.dataset,
            "Held out": str(row.severity or ("mean" if row.item == cifar_100.ITEM else "")),
            "Metric": row.metric,
            "Value": 100 * row.value,
            **{end.capitalize(): value for end, value in ends(row).items()},
        }
        for row in results.rows
        if row.model is not None
        and (row.item, row.metric) in shown
        and row.convention != OVER_PICTURES
    )


COMMITTED: Committed = {"subtypes": subtypes_frame}
