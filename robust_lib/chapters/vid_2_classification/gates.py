"""Gates: what public weights must reach on the real data, as an independent evaluation found it."""

from collections.abc import Mapping

import pandas as pd

from robust_lib.protocols.pm_k.answers import Answers
from robust_lib.protocols.pm_k.classification import accuracy
from robust_lib.results.reported import reference

GATE = 0.006  # points: two printed decimals
SETS = 1109  # of the release on which the references were found


def gate_frame(answers: Answers, names: Mapping[str, str]) -> pd.DataFrame:
    """Return what an independent evaluation of public weights found, beside this run, percent.

    Args:
        answers: of the networks, by the authors' conventions.
        names: the paper's name of a network -> ours.

    >>> frame = gate_frame(toys.answers({"mine": [3, 5]}), {"resnet50": "mine"})
    >>> frame[frame["Network"] == "resnet50"].iloc[:, 1:3].to_numpy().tolist()
    [[0.0, 67.54], [10.0, 52.48]]
    """
    real = answers.dataset == "imagenet_vid_robust" and answers.n == SETS
    plain = answers.anchor and answers.reading == "frame"
    found = reference("testbed_reference")
    found = found[(found["dataset"] == "imagenet_vid_robust") & (found["metric"] == "pm_accuracy")]
    rows = []
    for model, k, value in found[["model", "k", "value"]].itertuples(index=False):
        same = real and plain and names.get(model) == model and model in answers.by_network
        ours = 100 * accuracy(answers, model, int(k)).value if same and k <= answers.k else None
        passed = None if ours is None else abs(ours - float(value)) < GATE
        rows.append(
            {
                "Network": model,
                "k": int(k),
                "Others found": float(value),
                "This run": ours,
                "Gate": {None: "other data or networks", True: "passed", False: "FAILED"}[passed],
            }
        )
    return pd.DataFrame(rows)
