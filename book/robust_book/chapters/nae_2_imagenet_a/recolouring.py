"""Colour counterfactuals: whether a wrong prediction turns right in other colours [nae, app. C]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_book.chapters.galleries import COLUMNS, Gallery, gallery
from robust_lib.datasets import ImageSet
from robust_lib.explain.interventions import Edited, recolour
from robust_lib.metrics.intervals import Sample, shared_rates
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.run import Run

Recoloured = Mapping[str, MaskedPredictions]
"""Name of an edit -> predictions on the edited pictures."""


def predictions(run: Run, edits: Sequence[str], network: str) -> dict[str, MaskedPredictions]:
    """Return edit -> one network's predictions on the run's pictures with other colours.

    >>> said = predictions(run, ["hue+120"], "brightest")["hue+120"].predictions["brightest"][0]
    >>> said.labels[:3].tolist(), said.predicted[:3].tolist()  # what was red is green
    ([0, 1, 2], [1, 2, 0])
    """
    return {edit: run.predict(Edited(run.images, edit), networks=[network]) for edit in edits}


def results(original: MaskedPredictions, recoloured: Recoloured, network: str) -> Results:
    """Return what other colours change: net over all pictures, and of those it got wrong.

    The first seed of the network is judged. Of answers that are shuffled some turn right by luck,
    so the claim that other colours help is judged on the net change: the share of all pictures that
    turn right less the share that turn wrong, mean over the edits, with a bootstrap interval over
    pictures, those of one drawing together. How many of the wrong ones turn right stands beside,
    by edit.

    >>> original, grey = (
    ...     MaskedPredictions("toy", 2, 2, {"mine": (Predictions.from_logits(
    ...         np.array(logits, np.float32), ids=("a", "b"), labels=np.array([0, 0]), model="mine",
    ...         dataset="toy"),)}, {})
    ...     for logits in ([[1, 0], [0, 1]], [[1, 0], [1, 0]]))
    >>> {row.dataset: row.value for row in results(original, {"grey": grey}, "mine").rows}
    {'toy': 0.5, 'toy/grey': 1.0}
    """
    before = _correct(original, network)
    sample = original.predictions[network][0].sample
    after = {edit: _correct(edited, network) for edit, edited in recoloured.items()}
    row = partial(Row.of, item="nae-fig12", model=network)
    net = row(
        _net_change(before, np.stack(list(after.values())), sample),
        dataset=original.dataset,
        metric="net_change",
        convention=f"turned right less turned wrong, mean of {', '.join(after)}; "
        f"{original.convention}",
    )
    n = int((~before).sum())
    words = f"of the {n:,} pictures that it got wrong; {original.convention}"
    wrong = sample.part(f"{original.dataset}, wrong of {network}", np.flatnonzero(~before).tolist())
    turned = [
        row(
            Estimate.of_rate([now[~before]], images=wrong),
            dataset=f"{original.dataset}/{edit}",
            metric="accuracy",
            convention=words,
        )
        for edit, now in after.items()
        if n
    ]
    return Results.of([net, *turned])


def _net_change(
    before: Bool[np.ndarray, " images"], after: Bool[np.ndarray, "edits images"], sample: Sample
) -> Estimate:
    """Return by how much the share of right answers changes, mean over the edits."""
    changed = after.mean(0) - before
    draws = Draws(sample.name, lambda: shared_rates(changed[None], sample)[:, 0])
    return Estimate.over(
        [float(changed.mean())], lambda: ends_of(draws), n=len(changed), draws=draws
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
    original: MaskedPredictions, recoloured: Recoloured, network: str, most: int = COLUMNS
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
