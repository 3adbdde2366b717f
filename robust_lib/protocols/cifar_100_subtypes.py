"""Held-out subtypes of CIFAR-100: errors on subtypes that did not occur in training.

Some of the five subtypes of each broad class are held out, and a network learns the broad classes
from the others. It then classifies test images of both kinds of subtypes [inc, app. E]. Images of
one subtype are correlated, so intervals are over subtypes, each resampled with all of its images.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.datasets.icons50 import Icon, Icons50
from robust_lib.metrics.intervals import Sample, clustered_sums, of_few
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.surface_variation import subtypes
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "inc-cifar100"
PAPER = "cifar100"  # the paper's name of its data set
NUMBERS = (1, 2, 3, 4)  # of the five subtypes, held out in turn
SIDES = ("seen", "unseen")

ByNumber = Mapping[int, Mapping[str, tuple[Predictions, ...]]]
"""Subtypes held out of each class -> network -> predictions on all test images, one per seed."""

Unseen = Mapping[int, Bool[np.ndarray, " images"]]
"""Subtypes held out of each class -> flags of the test images of held-out subtypes."""


def hold_out(number: int) -> str:
    """Return the name of the hold-out that excludes some subtypes of every class.

    >>> hold_out(2)
    'some_a_class:2'
    """
    return f"some_a_class:{number}"


def parts(dataset: str) -> dict[str, str]:
    """Return side -> name of that part of the data set: images of seen or of unseen subtypes.

    >>> parts("cifar100_test")
    {'seen': 'cifar100_seen', 'unseen': 'cifar100_unseen'}
    """
    return {side: f"{dataset.removesuffix('_test')}_{side}" for side in SIDES}


def stand_ins(dataset: str) -> dict[str, str]:
    """Return the paper's name of each part of its data -> our stand-in.

    >>> stand_ins("broad_icons_test")["cifar100_seen"]
    'broad_icons_seen'
    """
    ours = parts(dataset)
    return {paper: ours[side] for side, paper in parts(PAPER).items()}


def results(predictions: ByNumber, unseen: Unseen, dataset: str, *, samples: int = 1000) -> Results:
    """Return each network's error on seen and on unseen subtypes, by setting and averaged.

    A setting's number is in the column `severity`. The means are over settings, not over images, as
    in the paper; their intervals come from resamples of the subtypes that are the same in all
    settings.

    Args:
        unseen: mask of the test images that each setting held out.

    >>> rows = results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> [(row.dataset, row.severity, row.value) for row in rows.rows if row.severity in (1, None)]
    [('toys_seen', 1, 0.1), ('toys_unseen', 1, 0.7), ('toys_seen', None, 0.1), \
('toys_unseen', None, 0.725)]
    """
    models = dict.fromkeys(model for by_model in predictions.values() for model in by_model)
    rows = []
    for model in models:
        answers = {number: predictions[number][model] for number in predictions}
        for number, by_seed in answers.items():
            for side, images in _sides(unseen[number]).items():
                wrong = [~one.correct[images] for one in by_seed]
                rows.append(
                    Row.of(
                        Estimate.of_rate(
                            wrong,
                            images=Sample(
                                f"{dataset}/{number}/{side}",
                                tuple(np.array(subtypes(by_seed[0]))[images].tolist()),
                            ),
                        ),
                        item=ITEM,
                        dataset=parts(dataset)[side],
                        model=model,
                        severity=number,
                        metric="error",
                        convention=f"{number} held out of each class, last epoch",
                    )
                )
        for side in SIDES:
            rows.append(
                Row.of(
                    _mean(answers, unseen, side, dataset, samples),
                    item=ITEM,
                    dataset=parts(dataset)[side],
                    model=model,
                    metric="error",
                    convention=f"mean over {', '.join(map(str, answers))} held out, last epoch",
                )
            )
    return Results.of(rows)


def facts(pictures: Icons50, numbers: Sequence[int]) -> Results:
    """Return counts of the data, as rows for comparison with the paper's.

    >>> rows = facts(toys.ICONS, [1, 2]).rows
    >>> [(row.metric, row.severity, row.value) for row in rows]
    [('classes', None, 2.0), ('subtypes_per_class', None, 3.0), ('held_out_subtypes', 1, 1.0), \
('held_out_subtypes', 2, 2.0)]
    """
    subtypes = by_class(pictures.icons)
    counted: list[tuple[str, int | None, int]] = [
        ("classes", None, len(subtypes)),
        ("subtypes_per_class", None, min(map(len, subtypes.values()))),
        *(("held_out_subtypes", number, number) for number in numbers),
    ]
    return Results.of(
        Row(
            item=ITEM,
            dataset=parts(pictures.name)["unseen"],
            severity=severity,
            metric=metric,
            value=float(value),
        )
        for metric, severity, value in counted
    )


def by_class(icons: Sequence[Icon]) -> dict[int, tuple[str, ...]]:
    """Return class label -> the sorted subtypes of the class.

    >>> list(by_class(toys.ICONS.icons).values())[0]
    ('duck', 'owl', 'penguin')
    """
    found: dict[int, set[str]] = {}
    for icon in icons:
        found.setdefault(icon.label, set()).add(icon.motif)
    return {label: tuple(sorted(found[label])) for label in sorted(found)}


def _sides(
    unseen: Bool[np.ndarray, " images"],
) -> dict[str, Bool[np.ndarray, " images"]]:
    return {"seen": ~unseen, "unseen": unseen}


def _mean(
    answers: Mapping[int, Sequence[Predictions]],
    unseen: Unseen,
    side: str,
    dataset: str,
    samples: int,
) -> Estimate:
    """Return the mean over settings of the error on one side."""
    chosen = {number: _sides(unseen[number])[side] for number in answers}
    seeds = range(min(map(len, answers.values())))
    by_seed = [
        float(np.mean([(~answers[n][seed].correct[chosen[n]]).mean() for n in answers]))
        for seed in seeds
    ]
    wrong = np.array([~by_seed[0].correct for by_seed in answers.values()])
    _, own = np.unique(subtypes(next(iter(answers.values()))[0]), return_inverse=True)
    draws = partial(_draws, wrong, np.array([*chosen.values()]), own, dataset, samples)
    return Estimate.over(
        by_seed,
        lambda: ends_of(Draws(dataset, draws)),
        n=int(np.any([*chosen.values()], axis=0).sum()),
        draws=Draws(dataset, draws),
    )


def _draws(
    wrong: Bool[np.ndarray, "settings images"],
    chosen: Bool[np.ndarray, "settings images"],
    clusters: Int[np.ndarray, " images"],
    dataset: str,
    samples: int,
) -> Float[np.ndarray, " samples"]:
    """Return the mean over settings in resamples of all subtypes, the same in each setting."""
    both = np.concatenate([wrong & chosen, chosen])
    errors, pictures = np.split(clustered_sums(both, clusters, dataset, samples=samples), 2, axis=1)
    # A resample without a picture of a side says nothing of it.
    known = pictures > 0
    every = np.divide(errors, pictures, out=np.zeros_like(errors), where=known)
    missing = np.full(len(known), np.nan)
    means = np.divide(every.sum(1), known.sum(1), out=missing, where=known.any(1))
    mean = float(((wrong & chosen).sum(1) / chosen.sum(1)).mean())
    usual = round(np.mean([len(np.unique(clusters[one])) for one in chosen]))
    return of_few(means, mean, usual)
