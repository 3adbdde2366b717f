"""Colour counterfactuals: whether a wrong answer turns right in other colours [nae, app. C]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_lib.chapters.nae.galleries import Shown, show
from robust_lib.datasets import ImageSet
from robust_lib.explain.interventions import recolour
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results


def results(
    original: MaskedPredictions, edited: Mapping[str, MaskedPredictions], model: str
) -> Results:
    """Return how often a network is right about pictures that it got wrong, once recoloured.

    The first seed of the network is asked. With their own colours none of these pictures is right;
    the claim is that other colours help, and the mean over the edits says how often.

    Args:
        original: what networks said of the pictures as they are.
        edited: name of an edit -> what they said of the edited pictures.
        model: which network.
    """
    wrong = ~_right(original, model)
    n = int(wrong.sum())
    if n == 0:
        return Results()
    right = {edit: _right(asked, model)[wrong] for edit, asked in edited.items()}
    words = f"of the {n:,} pictures that it got wrong; {original.convention}"
    mean = float(np.mean([int(now.sum()) for now in right.values()])) / n
    of_mean = f"mean of {', '.join(edited)}; {words}"
    found = {
        "original": (Estimate(value=0.0, n=n, n_full=n), words),
        "recoloured": (Estimate(value=mean, n=n, n_full=n), of_mean),
        **{edit: (Estimate.of_rate([now]), words) for edit, now in right.items()},
    }
    return Results.of(
        Row.of(
            estimate,
            item="nae-fig12",
            dataset=f"{original.dataset}/{part}",
            model=model,
            metric="accuracy",
            convention=convention,
        )
        for part, (estimate, convention) in found.items()
    )


def table(
    original: MaskedPredictions, edited: Mapping[str, MaskedPredictions], model: str
) -> pd.DataFrame:
    """Return edit by edit how many answers turn right, how many turn wrong, and what is left.

    A change of colour that only shuffled answers would turn some right by luck; so what it spoils
    stands beside what it mends.
    """
    right = _right(original, model)
    rows: list[dict[str, object]] = [{"Colours": "its own", "Accuracy": 100 * float(right.mean())}]
    for edit, asked in edited.items():
        now = _right(asked, model)
        rows.append(
            {
                "Colours": edit,
                "Wrong, now right": int((now & ~right).sum()),
                "Right, now wrong": int((~now & right).sum()),
                "Accuracy": 100 * float(now.mean()),
            }
        )
    columns = ["Colours", "Accuracy", "Wrong, now right", "Right, now wrong"]
    return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class Counterfactual:
    """A picture as it is and under an edit, and what a network said of both.

    Attributes:
        place: which picture.
        edit: the edit.
        said: the class it said of the picture as it is.
        now: the class it says of the edited one.
        right: whether that is the true one.
    """

    place: int
    edit: str
    said: int
    now: int
    right: bool


def counterfactuals(
    original: MaskedPredictions, edited: Mapping[str, MaskedPredictions], model: str, most: int = 6
) -> list[Counterfactual]:
    """Return pictures that an edit turns right, the most confident first, no class twice.

    If no edit turns any right, some of the wrong ones stand there as they stay; of a network that
    is never wrong, right ones.
    """
    first = original.predictions[model][0]
    wrong = np.flatnonzero(~_right(original, model))
    turned: dict[int, tuple[float, Counterfactual]] = {}
    for edit, asked in edited.items():
        run = asked.predictions[model][0]
        for place in wrong[run.correct[wrong]]:
            truth, sure = int(first.labels[place]), float(run.confidence[place])
            if truth not in turned or turned[truth][0] < sure:
                turned[truth] = (sure, _pair(first, run, int(place), edit))
    if turned:
        ranked = sorted(turned.values(), key=lambda one: -one[0])
        return [one for _, one in ranked[:most]]
    edit, asked = next(iter(edited.items()))
    places = wrong if len(wrong) else np.arange(len(first.ids))
    return [_pair(first, asked.predictions[model][0], int(place), edit) for place in places[:most]]


def shown(found: Sequence[Counterfactual], images: ImageSet, geometry: Preprocessing) -> Shown:
    """Return the pictures as they are, then the same with other colours, each with its answer."""
    names = images.class_names
    before = show(
        images, [one.place for one in found], [f"→ {names[one.said]}" for one in found], geometry
    )
    after = Shown(
        tuple(recolour(images.read(one.place, geometry), one.edit) for one in found),
        tuple(
            f"{one.edit}\n→ {names[one.now]}" + (" \N{CHECK MARK}" if one.right else "")
            for one in found
        ),
    )
    return before + after


def _pair(before: Predictions, after: Predictions, place: int, edit: str) -> Counterfactual:
    said, now = int(before.predicted[place]), int(after.predicted[place])
    return Counterfactual(place, edit, said, now, bool(after.correct[place]))


def _right(asked: MaskedPredictions, model: str) -> Bool[np.ndarray, " images"]:
    return np.asarray(asked.predictions[model][0].correct)
