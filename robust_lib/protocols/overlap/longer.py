"""The effect of longer training alone: a control for networks that start from the standard one.

If a network continues the training of the standard one with a corruption, a part of its gain may
come from the further epochs alone. The control is trained for as many further epochs without any
corruption. Its gain against a corruption, divided by the gain from training with that corruption,
is the overlap that "no corruption" would have with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib.errors import InputError
from robust_lib.protocols.overlap.accuracies import Accuracies, resampled
from robust_lib.protocols.overlap.convention import Convention, ends
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "overlap-fig2"
TRAINED_ON = "trained on"

Values = Float[np.ndarray, "many corruptions"]
Drawn = Float[np.ndarray, "draws corruptions"]


@dataclass(frozen=True, eq=False)
class Longer:
    """The effect of further epochs without a corruption.

    Attributes:
        accuracy: accuracy of the control on each corruption, mean over seeds.
        gains: corruption -> the control's gain in robustness to it.
        shares: corruption -> this gain divided by that of training with the corruption.
        mean: the mean share.
    """

    accuracy: Mapping[str, float]
    gains: Mapping[str, Estimate]
    shares: Mapping[str, Estimate]
    mean: Estimate | None


def longer(
    table: Accuracies,
    control: Accuracies,
    convention: Convention,
    judged: np.ndarray,
    *,
    samples: int = 0,
) -> Longer:
    """Return the control's gain on each corruption, relative to that of training with it.

    Args:
        control: the same networks, except that the first one is the control.
        judged: which corruptions have overlaps; others have no share.

    Raises:
        InputError: tables of different images or corruptions.

    >>> from dataclasses import replace
    >>> table = toys.table()
    >>> accuracy = table.accuracy.copy()
    >>> accuracy[:, 0] += 0.1 * (accuracy[:, 1:].max(1) - accuracy[:, 0])  # a tenth of each gain
    >>> control = replace(table, accuracy=accuracy)
    >>> every = np.ones(len(table.corruptions), bool)
    >>> found = longer(table, control, Convention(), every)
    >>> round(found.mean.value, 3)
    0.1
    """
    if (table.dataset, table.corruptions, table.n) != (
        control.dataset,
        control.corruptions,
        control.n,
    ):
        raise InputError(
            "Expected a control on the same images and corruptions, but got different ones."
        )
    both = [_robustness(one.accuracy, one.clean, convention) for one in (table, control)]
    gained, own = _gains(*both)
    drawn = [resampled(one, samples=samples) if samples else None for one in (table, control)]
    known = [_robustness(*one, convention) for one in drawn if one is not None]
    gained_drawn: Drawn | None = None
    quotient: Drawn | None = None
    if len(known) == len(both):
        gained_drawn, own_drawn = _gains(*known)
        quotient = _over(gained_drawn, own_drawn)
    shares = _over(gained, own)
    mean = None
    if judged.any():
        inner = None if quotient is None else quotient[:, judged].mean(1, keepdims=True)
        low, high = ends(shares[:, judged].mean(1, keepdims=True), inner)
        value = float(shares[:, judged].mean())
        mean = Estimate(
            value=value, low=float(low[0]), high=float(high[0]), n=table.n, n_full=table.n_full
        )
    return Longer(
        dict(zip(table.corruptions, control.accuracy[:, 0].mean(0).tolist(), strict=True)),
        _estimates(table, np.ones_like(judged), gained, gained_drawn),
        _estimates(table, judged, shares, quotient),
        mean,
    )


def results(found: Mapping[str, Longer], dataset: str) -> Results:
    """Return the control's gains as rows.

    Args:
        found: architecture -> the gains of its control.

    >>> table = toys.table()
    >>> every = np.ones(len(table.corruptions), bool)
    >>> rows = results({"mine": longer(table, table, Convention(), every)}, "toys").rows
    >>> rows[0].dataset, rows[0].value
    ('toys/trained on', 0.0)
    """
    return Results.of(
        Row.of(
            gain,
            item=ITEM,
            dataset=f"{dataset}/{TRAINED_ON}",
            model=model,
            corruption=corruption,
            metric="robustness_gain",
            convention="by as many further epochs without a corruption",
        )
        for model, one in found.items()
        for corruption, gain in one.gains.items()
    )


def _robustness(
    accuracy: Float[np.ndarray, "many models corruptions"],
    clean: Float[np.ndarray, "many models"],
    convention: Convention,
) -> Float[np.ndarray, "many models corruptions"]:
    if not convention.divide_by_clean:
        return accuracy
    share: Float[np.ndarray, "many models corruptions"] = accuracy / clean[:, :, None]
    return share


def _gains(
    table: Float[np.ndarray, "many models corruptions"],
    control: Float[np.ndarray, "many models corruptions"],
) -> tuple[Values, Values]:
    """Return what the control gains and what each corruption's own network gains."""
    places = np.arange(table.shape[2])
    return control[:, 0] - table[:, 0], table[:, 1 + places, places] - table[:, 0]


def _over(one: Values, other: Values) -> Values:
    quotient: Values = one / np.where(other == 0, np.nan, other)
    return quotient


def _estimates(
    table: Accuracies, which: np.ndarray, values: Values, drawn: Drawn | None
) -> dict[str, Estimate]:
    low, high = ends(values, drawn)
    return {
        name: Estimate(
            value=float(values[:, at].mean()),
            low=float(low[at]),
            high=float(high[at]),
            n=table.n,
            n_full=table.n_full,
        )
        for at, name in enumerate(table.corruptions)
        if which[at] and np.isfinite([values[:, at].mean(), low[at], high[at]]).all()
    }
