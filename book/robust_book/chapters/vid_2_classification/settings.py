"""How the networks were fine-tuned on video, beside the paper's settings [vid, table 4]."""

from collections.abc import Mapping

import pandas as pd

from robust_lib.protocols.pm_k.networks import FINE_TUNED
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.training import zoo

ITEM = "vid-tab4"
_SCHEDULES = {"plateau": "reduce on plateau", "cosine": "cosine", "step": "steps"}


def settings(names: Mapping[str, str], dataset: str, epochs: int | None = None) -> Results:
    """Return how the fine-tuned networks were trained here, as rows.

    Args:
        names: the paper's name of a network -> ours.
        dataset: that they were fine-tuned on.
        epochs: instead of the recipes' own; None leaves them.

    >>> rows = settings({"resnet50_finetune": "resnet50_finetune"}, "imagenet_vid_train")
    >>> [(row.metric, row.value) for row in rows.rows]
    [('learning_rate', 0.0001), ('batch_size', 32.0), ('epochs', 10.0)]
    """
    rows = []
    for paper in FINE_TUNED:
        if paper in names:
            _, recipe = zoo.plan(names[paper], epochs)
            values = {
                "learning_rate": recipe.rate,
                "batch_size": recipe.batch,
                "epochs": recipe.epochs,
            }
            rows += [
                Row(item=ITEM, dataset=dataset, model=names[paper], metric=name, value=float(value))
                for name, value in values.items()
            ]
    return Results.of(rows)


def settings_frame(names: Mapping[str, str], epochs: int | None = None) -> pd.DataFrame:
    """Return the settings of the fine-tuned networks, this run's beside the paper's.

    Args:
        names: the paper's name of a network -> ours.
        epochs: instead of the recipes' own; None leaves them.

    >>> frame = settings_frame({"resnet50_finetune": "resnet50_finetune"})
    >>> frame[frame["Network"] == "ResNet-50, video"]["The paper|Rate"].tolist()
    ['1e-4']
    """
    paper = {
        model: {row.metric: str(row.value) for row in reported(ITEM) if row.model == model}
        for model in FINE_TUNED
    }
    rows = []
    for theirs in FINE_TUNED:
        line: dict[str, str] = {"Network": theirs}
        if theirs in names:
            manifest, recipe = zoo.plan(names[theirs], epochs)
            line = {
                "Network": network_title(manifest.name),
                "This run|Rate": f"{recipe.rate:g}",
                "This run|Schedule": _SCHEDULES[recipe.schedule],
                "This run|Batch": str(recipe.batch),
                "This run|Epochs": str(recipe.epochs),
                "This run|Optimiser": {"sgd": "SGD", "adamw": "AdamW"}[recipe.optimiser],
            }
        said = paper[theirs]
        rows.append(
            line
            | {
                "The paper|Rate": said["learning_rate"],
                "The paper|Schedule": said["schedule"],
                "The paper|Batch": said["batch_size"],
                "The paper|Epochs": said["epochs"],
                "The paper|Optimiser": "not said",
            }
        )
    columns = ["Rate", "Schedule", "Batch", "Epochs", "Optimiser"]
    heads = [f"{family}|{name}" for family in ("This run", "The paper") for name in columns]
    return pd.DataFrame(rows).reindex(columns=["Network", *heads]).astype(object).fillna("–")
