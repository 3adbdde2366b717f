"""pm-k accuracy as rows: for the six types of networks, and for all networks [vid, sec. 4.1]."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from robust_lib.metrics.effective_robustness import FEWEST, effective_robustness
from robust_lib.metrics.intervals import shared_rates
from robust_lib.metrics.leaning import mirrored
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.protocols.pm_k.networks import (
    AUGMENTED,
    STILLS,
    TYPES,
    paper_name,
    type_of,
    typical,
)
from robust_lib.results.estimate import Draws, Estimate, difference, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

Accuracies = Float[np.ndarray, "... networks"]
Statistic = Callable[[Accuracies, Accuracies], Any]
"""Original and perturbed accuracies, (..., networks) -> a number, or one a draw."""


def results(answers: FramePredictions, names: Mapping[str, str]) -> Results:
    """Return the pm-k accuracies of all networks, for each item that shows them, as rows.

    Accuracies have intervals over sets (exact, or over drawings if those are wider); drops have
    intervals of the paired difference over the same sets.

    >>> answers = toys.answers({"mine": [3, 5], "yours": [2, 8]})  # of 10 sets: right up to k
    >>> rows = results(answers, {"resnet50": "mine"}).select(item="vid-tab1")
    >>> [(row.metric, row.k, row.value) for row in rows.rows[:3]]
    [('pm_accuracy', 0, 0.5), ('pm_accuracy', 10, 0.3), ('drop', 10, 0.2)]
    """
    k, every = answers.k, list(answers.by_network)
    types = typical(names, every)
    rows = [*_accuracies("vid-tab1", answers, types, (0, k))]
    rows += _accuracies("vid-tab3", answers, every, (0, k))
    rows += _by_distance(answers, types)
    rows += _summaries(answers, names)
    if len(every) > 2:  # two dots lie on a line
        rows += _line(answers)
    return Results.of(rows)


def accuracy(answers: FramePredictions, network: str, k: int) -> Estimate:
    """Return the share of sets with every frame within k classified correctly.

    >>> accuracy(toys.answers({"mine": [3, 5]}), "mine", 10).value
    0.3
    """
    return Estimate.of_rate([one[:, k] for one in answers.hits(network)], images=answers.sample)


def dropped(answers: FramePredictions, network: str) -> Estimate:
    """Return the loss of accuracy between the anchors and the worst frames within k.

    >>> dropped(toys.answers({"mine": [3, 5]}), "mine").value
    0.2
    """
    hits = answers.hits(network)
    if answers.anchor:  # a set that is lost was right before: the drop is their share
        return Estimate.of_rate([one[:, 0] & ~one[:, -1] for one in hits], images=answers.sample)
    return difference(accuracy(answers, network, 0), accuracy(answers, network, answers.k))


def fitted(
    original: Accuracies, perturbed: Accuracies
) -> tuple[np.ndarray | np.float64, np.ndarray | np.float64, np.ndarray | np.float64]:
    """Return slope, intercept and R² of the least-squares line through networks' accuracies.

    They are NaN if all networks have the same accuracy.

    Args:
        original: (..., networks), fractions, like `perturbed`.

    >>> [float(one) for one in fitted(np.array([0.2, 0.4, 0.6]), np.array([0.1, 0.2, 0.3]))]
    [0.5, 0.0, 1.0]
    """
    x = original - original.mean(-1, keepdims=True)
    y = perturbed - perturbed.mean(-1, keepdims=True)
    spread, along = (x * x).sum(-1), (x * y).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = along / spread
        explained = along * slope / (y * y).sum(-1)
    return slope, perturbed.mean(-1) - slope * original.mean(-1), np.clip(explained, 0, 1)


def rank_correlation(original: Accuracies, perturbed: Accuracies) -> np.ndarray:
    """Return Spearman's rank correlation of networks' accuracies and drops.

    If it is below 0, more accurate networks lose less. It is NaN if all networks are alike.

    Args:
        original: (..., networks), fractions, like `perturbed`.

    >>> float(rank_correlation(np.array([0.2, 0.4, 0.6]), np.array([0.1, 0.25, 0.4])))
    1.0
    """
    from scipy.stats import rankdata  # half a second, which other chapters need not wait for

    # Equal counts may differ by a rounding error, and would stand in one order or the other.
    x, y = (rankdata(one.round(9), axis=-1) for one in (original, original - perturbed))
    x, y = (one - one.mean(-1, keepdims=True) for one in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
    return np.asarray(np.clip(found, -1, 1))


def lifted(answers: FramePredictions, names: Mapping[str, str]) -> dict[str, Estimate]:
    """Return each network's distance above the line of networks trained on still images, in logits.

    Without three networks that are trained on still images, the result is empty.

    >>> lifted(toys.answers({"mine": [3, 5]}), {"resnet50": "mine"})
    {}
    """
    every = list(answers.by_network)
    stills = np.array([type_of(paper_name(one, names)) == type_of(STILLS) for one in every])
    if stills.sum() < FEWEST:
        return {}

    def above(place: int, original: Accuracies, perturbed: Accuracies) -> Any:
        return effective_robustness(original, perturbed, stills, answers.n)[..., place]

    found = {one: _over_networks(answers, partial(above, at)) for at, one in enumerate(every)}
    return {one: estimate for one, estimate in found.items() if np.isfinite(estimate.value)}


def _accuracies(
    item: str, answers: FramePredictions, networks: Iterable[str], distances: Iterable[int]
) -> Iterator[Row]:
    for network in networks:
        row = partial(
            Row.of, item=item, dataset=answers.dataset, model=network, convention=answers.words
        )
        for k in distances:
            yield row(accuracy(answers, network, k), k=k, metric="pm_accuracy")
        if item != "vid-fig4":
            yield row(dropped(answers, network), k=answers.k, metric="drop")


def _by_distance(answers: FramePredictions, types: Sequence[str]) -> Iterator[Row]:
    """Yield the accuracies of Figure 4: of the types, and of the best network of all."""
    best = max(answers.by_network, key=lambda one: accuracy(answers, one, 0).value)
    shown = dict.fromkeys([*types, best])
    yield from _accuracies("vid-fig4", answers, shown, range(answers.k + 1))


def _summaries(answers: FramePredictions, names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the paper's statements about all networks together."""
    every = list(answers.by_network)
    row = partial(Row.of, item="vid-tab3", dataset=answers.dataset, convention=answers.words)
    of_each = partial(_over_networks, answers)
    best = max(every, key=lambda one: accuracy(answers, one, 0).value)
    yield row(
        of_each(lambda original, perturbed: np.median(original - perturbed, axis=-1)),
        metric="median_drop",
        k=answers.k,
    )
    yield row(dropped(answers, best), metric="drop_of_best", k=answers.k)
    tuned, plain = names.get("resnet50_finetune"), names.get(STILLS)
    if tuned in every and plain in every:
        gain = difference(accuracy(answers, tuned, 0), accuracy(answers, plain, 0))
        yield row(gain, metric="gain", model=tuned, k=0)
    augmented = [ours for paper, ours in names.items() if paper.startswith(AUGMENTED)]
    for metric, count in (
        ("models", len(every)),
        ("model_types", len(every)),
        ("augmentations", len({*augmented} & {*every})),
    ):
        yield Row(item="vid-tab3", dataset=answers.dataset, metric=metric, value=float(count))
    types = len(_present(TYPES, names, every))
    yield Row(item="vid-tab1", dataset=answers.dataset, metric="model_types", value=float(types))


def _line(answers: FramePredictions) -> Iterator[Row]:
    """Yield the line of Figure 3, with intervals over sets."""
    statistics: dict[str, Statistic] = {
        metric: partial(_part_of_line, place)
        for place, metric in enumerate(("slope", "intercept", "r_squared"))
    }
    for metric, statistic in (statistics | {"rank_correlation": rank_correlation}).items():
        fits = metric == "r_squared"  # noise lowers it, and that of resamples once more
        found = _over_networks(answers, statistic, below=fits)
        if np.isfinite(found.value):
            yield Row.of(
                found,
                item="vid-fig3",
                dataset=answers.dataset,
                metric=metric,
                k=None if metric in ("r_squared", "rank_correlation") else answers.k,
                convention=answers.words + "; of measured accuracies, whose noise lowers it" * fits,
            )


def _part_of_line(place: int, original: Accuracies, perturbed: Accuracies) -> Any:
    return fitted(original, perturbed)[place]


def _over_networks(
    answers: FramePredictions, statistic: Statistic, *, below: bool = False
) -> Estimate:
    """Return a statistic of all networks' original and perturbed accuracies.

    Args:
        below: whether it is a share that lies lower in resamples than in the sample.
    """
    hits = [answers.hits(network) for network in answers.by_network]
    # (networks, 2, sets) a seed; public weights have one seed, whatever those trained here have.
    by_seed = [
        np.stack([one[min(seed, len(one) - 1)][:, [0, -1]].T for one in hits])
        for seed in range(max(map(len, hits)))
    ]

    def drawn() -> Float[np.ndarray, " draws"]:
        rates = shared_rates(np.concatenate([*by_seed[0].swapaxes(0, 1)]), answers.sample)
        found = np.asarray(statistic(rates[:, : len(hits)], rates[:, len(hits) :]))
        return mirrored(found, values[0]) if below else found

    values = [float(statistic(one[:, 0].mean(1), one[:, 1].mean(1))) for one in by_seed]
    return Estimate.over(
        values,
        lambda: ends_of(Draws(answers.dataset, drawn)),
        n=answers.n,
        draws=Draws(answers.dataset, drawn),
    )


def _present(wanted: Iterable[str], names: Mapping[str, str], every: Sequence[str]) -> list[str]:
    """Return our names of some of the paper's networks, those that were evaluated."""
    return list(dict.fromkeys(names[one] for one in wanted if names.get(one) in every))
