"""Auxiliary experiments: subtypes that networks never saw, and other styles [inc, app. E]."""

import pandas as pd

from robust_book.chapters.inc_5_auxiliary import cifar_100, imagenet_22k, style_transfer
from robust_book.chapters.tables import Committed, ends
from robust_lib.protocols import held_out_subtypes, unseen_subtypes
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

CHAPTER = cifar_100.record(
    "inc_5_auxiliary",
    also=(imagenet_22k.TUNED, imagenet_22k.BEFORE, style_transfer.CORRUPTED),
)


def subtypes_frame(results: Results) -> pd.DataFrame:
    """Return errors and accuracies (%) on seen, held-out and unseen subtypes, as is committed."""
    shown = {
        (held_out_subtypes.ITEM, "error"),
        (unseen_subtypes.ITEM, "accuracy"),
        (unseen_subtypes.ITEM, "drop"),
    }
    return pd.DataFrame(
        {
            "Network": network_title(row.model),
            "Pictures": row.dataset,
            "Held out": str(row.severity or ("mean" if row.item == held_out_subtypes.ITEM else "")),
            "Metric": row.metric,
            "Value": 100 * row.value,
            **{end.capitalize(): value for end, value in ends(row).items()},
        }
        for row in results.rows
        if row.model is not None
        and (row.item, row.metric) in shown
        and row.convention != unseen_subtypes.OVER_PICTURES
    )


COMMITTED: Committed = {"subtypes": subtypes_frame}
