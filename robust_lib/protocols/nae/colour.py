"""Colour counterfactuals: whether a wrong answer turns right in other colours [nae, app. C]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_lib.datasets import ImageSet
from robust_lib.explain.interventions import recolour
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.nae.asking import Asked
from robust_lib.protocols.nae.galleries import Shown, show
from robust_lib.results import Results

Row = dict[str, Any]


def results(original: Asked, edited: Mapping[str, Asked], model: str) -> Results:
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
    base = {"item": "nae-fig12", "model": model, "metric": "accuracy", "n": n, "n_full": n}
    if n == 0:
        return Results()
    flipped = {edit: int((_right(asked, model) & wrong).sum()) for edit, asked in edited.items()}
    words = f"of the {n:,} pictures that it got wrong; {original.convention}"
    rows: list[Row] = [
        base | {"dataset": f"{original.dataset}/original", "value": 0.0, "convention": words},
        base
        | {
            "dataset": f"{original.dataset}/recoloured",
            "value": float(np.mean(list(flipped.values()))) / n,
            "convention": f"mean of {', '.join(edited)}; {words}",
        },
    ]
    for edit, count in flipped.items():
        low, high = clopper_pearson(count, n)
        rows.append(
            base
            | {
                "dataset": f"{original.dataset}/{edit}",
                "value": count / n,
                "low": low,
                "high": high,
            }
            | {"convention": words}
        )
    return Results.of(rows)


def table(original: Asked, edited: Mapping[str, Asked], model: str) -> pd.DataFrame:
    """Return edit by edit how many answers turn right, how many turn wrong, and what is left.

    A change of colour that only shuffled answers would turn some right by luck; so what it spoils
    stands beside what it mends.
    """
    right = _right(original, model)
    rows: list[Row] = [{"Colours": "its own", "Accuracy": 100 * float(right.mean())}]
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
    """A picture that a network gets wrong as it is and right under an edit.

    Attributes:
        place: which picture.
        edit: the edit.
        truth: its class.
        said: what the network said of the picture as it is.
    """

    place: int
    edit: str
    truth: int
    said: int


def counterfactuals(
    original: Asked, edited: Mapping[str, Asked], model: str, most: int = 6
) -> list[Counterfactual]:
    """Return pictures that an edit turns right, the most confident first, no class twice."""
    first = original.said[model][0]
    right = _right(original, model)
    found: dict[int, tuple[float, Counterfactual]] = {}
    for edit, asked in edited.items():
        run = asked.said[model][0]
        for place in np.flatnonzero(run.correct & ~right):
            truth, said = int(first.labels[place]), int(first.predicted[place])
            sure = float(run.confidence[place])
            if truth not in found or found[truth][0] < sure:
                found[truth] = (sure, Counterfactual(int(place), edit, truth, said))
    ranked = sorted(found.values(), key=lambda one: -one[0])
    return [one for _, one in ranked[:most]]


def shown(found: Sequence[Counterfactual], images: ImageSet, geometry: Preprocessing) -> Shown:
    """Return the pictures as they are, then the same with other colours, each with its answer."""
    names = images.class_names
    before = show(
        images, [one.place for one in found], [f"→ {names[one.said]}" for one in found], geometry
    )
    after = Shown(
        tuple(recolour(images.read(one.place, geometry), one.edit) for one in found),
        tuple(f"{one.edit}\n→ {names[one.truth]} \N{CHECK MARK}" for one in found),
    )
    return before + after


def _right(asked: Asked, model: str) -> Bool[np.ndarray, " images"]:
    return np.asarray(asked.said[model][0].correct)
