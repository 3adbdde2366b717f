"""Accuracy on ImageNet-A, next to that on ordinary images of the same classes, as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.nae.networks import (
    ATTENTION,
    PLAIN,
    ROBUST,
    SIZES,
    of_all_classes,
    present,
)
from robust_lib.results.estimate import Estimate, difference
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.types import UNKNOWN, Correct


def results(
    imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions, names: Mapping[str, str]
) -> Results:
    """Return the accuracies of all networks, for each item that shows them, as rows.

    Accuracies have exact intervals; differences have bootstrap intervals, paired if both accuracies
    are on the same images.

    >>> half = toys.masked("toy_a", {"mine": 15}), toys.masked("toy_val", {"mine": 15})  # of 30
    >>> [(row.dataset, row.metric, row.value) for row in results(*half, {}).rows]
    [('toy_a', 'accuracy', 0.5), ('toy_val', 'accuracy', 0.5), ('toy_a', 'drop', 0.0)]
    """
    known = imagenet_a.predictions
    all_classes = of_all_classes(names, known)
    pairs = {
        "nae-fig9": present(ATTENTION, names, known),
        "nae-fig10": present(SIZES, names, known),
    }
    networks: dict[str, Sequence[str]] = {
        "nae-fig2": all_classes,
        "nae-fig8": [names[one] for one in ROBUST if names.get(one) in known],
        **{item: [one for pair in several for one in pair] for item, several in pairs.items()},
    }
    rows = [
        _row(item, masked, network)
        for item, several in networks.items()
        for network in dict.fromkeys(several)
        for masked in (imagenet_a, imagenet_val)
    ]
    rows += [
        _difference("nae-fig2", "drop", imagenet_a, network, _accuracy(imagenet_val, network))
        for network in all_classes
    ]
    plain, *others = networks["nae-fig8"] or [""]
    pairs["nae-fig8"] = tuple((plain, one) for one in others if plain == names.get(PLAIN))
    for item, several in pairs.items():
        rows += _gains(item, imagenet_a, imagenet_val, several)
    return Results.of(rows)


def of_one_set(masked: MaskedPredictions, network: str) -> Results:
    """Return a network's top-1 and top-5 accuracy on one image set, as rows.

    >>> [row.metric for row in of_one_set(toys.masked("toy", {"mine": 15}), "mine").rows]
    ['accuracy', 'top5_accuracy']
    """
    return Results.of([_row("nae-fig2", masked, network), *top5(masked, network)])


def top5(masked: MaskedPredictions, network: str) -> tuple[Row, ...]:
    """Return a network's top-5 accuracy as a row, or no row.

    >>> top5(toys.masked("toy", {"mine": 15}), "mine")[0].value  # two classes
    1.0
    """
    by_seed = masked.predictions[network]
    if any(one.logits is None for one in by_seed):
        return ()
    found = Estimate.of_rate([_among_five(one) for one in by_seed], images=by_seed[0].sample)
    row = partial(Row.of, item="nae-fig2", dataset=masked.dataset, convention=masked.convention)
    return (row(found, model=network, metric="top5_accuracy"),)


def _among_five(said: Predictions) -> Correct:
    assert said.logits is not None
    five = np.argsort(-said.logits, axis=1, kind="stable")[:, :5]
    right: Correct = (five == said.labels[:, None]).any(1)
    return right


def mask_effect(masked: MaskedPredictions) -> dict[str, tuple[float, float]]:
    """Return network -> accuracy with and without the mask: fractions, means over seeds.

    >>> mask_effect(toys.masked("toy", {"mine": 15}))  # without the mask none of 30 is right
    {'mine': (0.5, 0.0)}
    """
    return {
        network: (_mean(masked, network), float(np.mean(by_seed)))
        for network, by_seed in masked.unmasked.items()
    }


def right_until(masked: MaskedPredictions, network: str) -> tuple[dict[int, int], ...]:
    """Return how many images are correct only while few enough rival classes are allowed.

    Returns:
        One mapping per seed: position of the first further class that is preferred -> number of
        such images among those that are correct with the mask; -1 for images that stay correct
        without it.

    >>> from robust_lib.predict.predictions import Predictions
    >>> first = Predictions.from_logits(np.eye(2, dtype=np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 0]), model="mine", dataset="toy")
    >>> masked = MaskedPredictions("toy", 2, 9, {"mine": (first,)}, {"mine": (0.0,)},
    ...     rivals={"mine": (np.array([5, 3]),)})
    >>> right_until(masked, "mine")
    ({5: 1},)
    """
    by_seed = masked.predictions[network]
    none = tuple(np.full(len(one.ids), UNKNOWN) for one in by_seed)
    found = []
    for one, rivals in zip(by_seed, masked.rivals.get(network, none), strict=True):
        places, counts = np.unique(rivals[one.predicted == one.labels], return_counts=True)
        found.append(dict(zip(places.tolist(), counts.tolist(), strict=True)))
    return tuple(found)


def _row(item: str, masked: MaskedPredictions, network: str) -> Row:
    return Row.of(
        _accuracy(masked, network),
        item=item,
        dataset=masked.dataset,
        model=network,
        metric="accuracy",
        convention=masked.convention,
    )


def _gains(
    item: str,
    imagenet_a: MaskedPredictions,
    imagenet_val: MaskedPredictions,
    pairs: Sequence[tuple[str, str]],
) -> Iterator[Row]:
    """Yield what the second network of each pair has more than the first, on both sets."""
    for without, with_it in pairs:
        for masked in (imagenet_a, imagenet_val):
            before = _accuracy(masked, without)
            yield _difference(item, "gain", masked, with_it, before, sign=-1)


def _difference(
    item: str,
    metric: str,
    masked: MaskedPredictions,
    network: str,
    other: Estimate,
    *,
    sign: int = 1,
) -> Row:
    """Return how far another accuracy exceeds a network's, or with sign -1 falls short of it."""
    found = _accuracy(masked, network)
    apart = difference(other, found) if sign > 0 else difference(found, other)
    return Row.of(
        replace(apart, n=found.n, n_full=found.n_full),
        item=item,
        dataset=masked.dataset,
        model=network,
        metric=metric,
        convention=masked.convention,
    )


def _mean(masked: MaskedPredictions, network: str) -> float:
    return _accuracy(masked, network).value


def _accuracy(masked: MaskedPredictions, network: str) -> Estimate:
    by_seed = masked.predictions[network]
    return Estimate.of_rate([one.correct for one in by_seed], images=by_seed[0].sample)
