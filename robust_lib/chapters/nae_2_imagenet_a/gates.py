"""Gates: what public weights must reach on the real data, as an independent evaluation found it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.reported import reference

GATE = 0.006  # points: two printed decimals

NORMALISED = ("dpn68", "dpn98")
"""Networks whose pictures were normalised as they were trained where the references come from; the
paper, and so this library, normalises those of all networks alike."""


def gate_frame(
    imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions, names: Mapping[str, str]
) -> pd.DataFrame:
    """Return what an independent evaluation of public weights found, beside this run.

    Whoever runs the real data with public weights must find the same to rounding; ResNet-50, which
    chose the pictures, is right about none of them. All networks of the reference have a row.

    Args:
        imagenet_a: predictions on ImageNet-A, or on what stands for it.
        imagenet_val: predictions on ordinary pictures of its classes.
        names: the paper's name of a network -> ours.

    >>> imagenet_a = toys.masked("imagenet_a", {"resnet50": 0})
    >>> imagenet_val = toys.masked("imagenet_val_a", {"resnet50": 30})
    >>> frame = gate_frame(imagenet_a, imagenet_val, {"resnet50": "resnet50"})
    >>> frame[frame["Network"] == "resnet50"].iloc[:, 1:].to_numpy().tolist()
    [['imagenet_a', 0.0, 0.0, 'passed'], ['imagenet_val_a', 91.86, 100.0, 'FAILED']]
    """
    shown = {"imagenet_a": imagenet_a, "imagenet_val_a": imagenet_val}
    found = reference("testbed_reference")
    found = found[found["dataset"].isin(shown) & (found["metric"] == "accuracy")]
    rows = []
    for model, dataset, value in found[["model", "dataset", "value"]].itertuples(index=False):
        masked = shown[dataset]
        by_seed = masked.predictions.get(model, ())
        same = names.get(model) == model and by_seed and masked.dataset == dataset
        ours = 100 * float(np.mean([one.correct.mean() for one in by_seed])) if same else None
        rows.append(
            {
                "Network": model,
                "Data": dataset,
                "Others found": value,
                "This run": ours,
                "Gate": _gate(model, ours, float(value)),
            }
        )
    return pd.DataFrame(rows)


def _gate(model: str, ours: float | None, value: float) -> str:
    if ours is None:
        return "other data or networks"
    if model in NORMALISED:
        return "normalised otherwise there"
    return "passed" if abs(ours - value) < GATE else "FAILED"
