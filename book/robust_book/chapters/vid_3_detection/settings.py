"""How the detectors were trained, beside the paper's settings [vid, table 5]."""

from collections.abc import Mapping

import pandas as pd

from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.training import zoo

ITEM = "vid-tab5"


def settings(names: Mapping[str, str], dataset: str, epochs: int | None = None) -> Results:
    """Return how the detectors were trained here, as rows.

    Args:
        names: the paper's name of a detector -> ours.
        dataset: that they were trained on.
        epochs: instead of the recipes' own; None leaves them.

    >>> rows = settings({"fasterrcnn_resnet50": "fasterrcnn_resnet50_vid"}, "imagenet_vid_train")
    >>> [(row.metric, row.value) for row in rows.rows]
    [('learning_rate', 0.01), ('batch_size', 8.0), ('iterations', 40000.0)]
    """
    rows = []
    for ours in names.values():
        _, recipe = zoo.plan(ours, epochs)
        values = {
            "learning_rate": recipe.rate,
            "batch_size": recipe.batch,
            "iterations": recipe.iterations,
        }
        rows += [
            Row(item=ITEM, dataset=dataset, model=ours, metric=name, value=float(value))
            for name, value in values.items()
            if value is not None
        ]
    return Results.of(rows)


def settings_frame(names: Mapping[str, str], epochs: int | None = None) -> pd.DataFrame:
    """Return how the detectors were trained, this run's settings beside the paper's.

    Args:
        names: the paper's name of a detector -> ours.
        epochs: instead of the recipes' own; None leaves them.

    >>> frame = settings_frame({"fasterrcnn_resnet50": "fasterrcnn_resnet50_vid"})
    >>> frame.iloc[0][["This run|Rate", "The paper|Rate", "The paper|Iterations"]].tolist()
    ['0.01', '1e-2', '40k']
    """
    lines = []
    for theirs, ours in names.items():
        manifest, recipe = zoo.plan(ours, epochs)
        printed = {row.metric: str(row.value) for row in reported(ITEM) if row.model == theirs}
        length = f"{recipe.iterations:,}" if recipe.iterations else f"{recipe.epochs} epochs"
        lines.append(
            {
                "Detector": network_title(manifest.name),
                "This run|Rate": f"{recipe.rate:g}",
                "This run|Schedule": recipe.schedule,
                "This run|Batch": str(recipe.batch),
                "This run|Iterations": length,
                "The paper|Rate": printed.get("learning_rate", "–"),
                "The paper|Schedule": printed.get("schedule", "–"),
                "The paper|Batch": printed.get("batch_size", "–"),
                "The paper|Iterations": printed.get("iterations", "–"),
            }
        )
    return pd.DataFrame(lines)
