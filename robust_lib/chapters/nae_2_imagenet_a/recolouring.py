"""Colour counterfactuals: whether a wrong prediction turns right in other colours [nae, app. C]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_lib.chapters.nae.galleries import Gallery, gallery
from robust_lib.datasets import ImageSet
from robust_lib.explain.interventions import Edited, recolour
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.run import Run

Recoloured = Mapping[str, MaskedPredictions]
"""Name of an edit -> predictions on the edited pictures."""


def predictions(run: Run, edits: Sequence[str], network: str) -> dict[str, MaskedPredictions]:
    """Return edit -> one network's predictions on the run's pictures with other colours.

    Args:
        run: has the network and the pictures.
        edits: names, as `explain.interventions` has them.
        network: our name of it.

    >>> said = predictions(run, ["hue+120"], "brightest")["hue+120"].predictions["brightest"][0]
    >>> said.labels[:3].tolist(), said.predicted[:3].tolist()  # what was red is green
    ([0, 1, 2], [1, 2, 0])
    """
    return {edit: run.predict(Edited(run.images, edit), networks=[network]) for edit in edits}


def results(original: MaskedPredictions, recoloured: Recoloured, network: str) -> Results:
    """Return how often a network is right about pictures that it got wrong, once recoloured.

    The first seed of the network is judged. With their own colours none of these pictures is right;
    the claim is that other colours help, and the mean over the edits says how often.

    Args:
        original: predictions on the pictures as they are.
        recoloured: on the edited ones.
        network: which network.

    >>> original, grey = (
    ...     MaskedPredictions("toy", 2, 2, {"mine": (Predictions.from_logits(
    ...         np.array(logits, np.float32), ids=("a", "b"), labels=np.array([0, 0]), model="mine",
    ...         dataset="toy"),)}, {})
    ...     for logits in ([[1, 0], [0, 1]], [[1, 0], [1, 0]]))
    >>> {row.dataset: row.value for row in results(original, {"grey": grey}, "mine").rows}
    {'toy/original': 0.0, 'toy/recoloured': 1.0, 'toy/grey': 1.0}
    """
    wrong = ~_correct(original, network)
    n = int(wrong.sum())
    if n == 0:
        return Results()
    correct = {edit: _correct(edited, network)[wrong] for edit, edited in recoloured.items()}
    words = f"of the {n:,} pictures that it got wrong; {original.convention}"
    mean = float(np.mean([int(now.sum()) for now in correct.values()])) / n
    of_mean = f"mean of {', '.join(recoloured)}; {words}"
    found = {
        "original": (Estimate(value=0.0, n=n, n_full=n), words),
        "recoloured": (Estimate(value=mean, n=n, n_full=n), of_mean),
        **{edit: (Estimate.of_rate([now]), words) for edit, now in correct.items()},
    }
    return Results.of(
        Row.of(
            estimate,
            item="nae-fig12",
            dataset=f"{original.dataset}/{part}",
            model=network,
            metric="accuracy",
            convention=convention,
        )
        for part, (estimate, convention) in found.items()
    )


def recoloured_frame(
    original: MaskedPredictions, recoloured: Recoloured, network: str
) -> pd.DataFrame:
    """Return edit by edit how many predictions turn right, how many turn wrong, and accuracy.

    A change of colour that only shuffled predictions would turn some right by luck; so those that
    it turns wrong stand beside those that it turns right.

    >>> as_it_is, grey = toys.masked("hard", {"mine": 3}), toys.masked("hard/grey", {"mine": 9})
    >>> recoloured_frame(as_it_is, {"grey": grey}, "mine").to_numpy().tolist()
    [['its own', 10.0, nan, nan], ['grey', 30.0, 6.0, 0.0]]
    """
    before = _correct(original, network)
    rows: list[dict[str, object]] = [{"Colours": "its own", "Accuracy": 100 * float(before.mean())}]
    for edit, edited in recoloured.items():
        after = _correct(edited, network)
        rows.append(
            {
                "Colours": edit,
                "Wrong, now right": int((after & ~before).sum()),
                "Right, now wrong": int((~after & before).sum()),
                "Accuracy": 100 * float(after.mean()),
            }
        )
    columns = ["Colours", "Accuracy", "Wrong, now right", "Right, now wrong"]
    return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class Counterfactual:
    """A picture as it is and under an edit, and what a network takes both for.

    Attributes:
        index: which picture.
        edit: the edit.
        before: the class predicted for the picture as it is.
        after: the class predicted for the edited one.
        correct: whether the latter is the true one.
    """

    index: int
    edit: str
    before: int
    after: int
    correct: bool


def counterfactuals(
    original: MaskedPredictions, recoloured: Recoloured, network: str, most: int = 6
) -> list[Counterfactual]:
    """Return pictures that an edit turns right, the most confident first, no class twice.

    If no edit turns any right, some of the wrong ones stand there as they stay; of a network that
    is never wrong, right ones.

    >>> as_it_is, grey = toys.masked("hard", {"mine": 3}), toys.masked("hard/grey", {"mine": 4})
    >>> counterfactuals(as_it_is, {"grey": grey}, "mine")
    [Counterfactual(index=3, edit='grey', before=1, after=0, correct=True)]
    """
    first = original.predictions[network][0]
    wrong = np.flatnonzero(~_correct(original, network))
    turned: dict[int, tuple[float, Counterfactual]] = {}
    for edit, masked in recoloured.items():
        edited = masked.predictions[network][0]
        for index in wrong[edited.correct[wrong]]:
            truth, confidence = int(first.labels[index]), float(edited.confidence[index])
            if truth not in turned or turned[truth][0] < confidence:
                turned[truth] = (confidence, _counterfactual(first, edited, int(index), edit))
    if turned:
        ranked = sorted(turned.values(), key=lambda one: -one[0])
        return [one for _, one in ranked[:most]]
    edit, masked = next(iter(recoloured.items()))
    indices = wrong if len(wrong) else np.arange(len(first.ids))
    edited = masked.predictions[network][0]
    return [_counterfactual(first, edited, int(index), edit) for index in indices[:most]]


def before_and_after(
    found: Sequence[Counterfactual], images: ImageSet, geometry: Preprocessing
) -> Gallery:
    """Return the pictures as they are, then the same with other colours, with the predictions.

    >>> found = [Counterfactual(index=0, edit="grey", before=1, after=0, correct=True)]
    >>> before, after = before_and_after(found, run.images, run.geometry).captions
    >>> before, after.splitlines()
    ('→ green', ['grey', '→ red ✓'])
    """
    names = images.class_names
    before = gallery(
        images,
        [one.index for one in found],
        [f"→ {names[one.before]}" for one in found],
        geometry,
    )
    after = Gallery(
        tuple(recolour(images.read(one.index, geometry), one.edit) for one in found),
        tuple(
            f"{one.edit}\n→ {names[one.after]}" + (" \N{CHECK MARK}" if one.correct else "")
            for one in found
        ),
    )
    return before + after


def _counterfactual(
    before: Predictions, after: Predictions, index: int, edit: str
) -> Counterfactual:
    classes = int(before.predicted[index]), int(after.predicted[index])
    return Counterfactual(index, edit, *classes, bool(after.correct[index]))


def _correct(masked: MaskedPredictions, network: str) -> Bool[np.ndarray, " images"]:
    return np.asarray(masked.predictions[network][0].correct)
