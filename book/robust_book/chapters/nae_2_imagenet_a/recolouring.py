"""Colour counterfactuals: do wrong predictions turn right in other colours? [nae, app. C]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_book.chapters.galleries import Gallery, gallery
from robust_book.figures import bars
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets import ImageSet
from robust_lib.explain.interventions import Edited, recolour
from robust_lib.metrics.intervals import Sample, shared_rates
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.interval import PercentInterval
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.run import Run

Recoloured = Mapping[str, MaskedPredictions]
"""Name of an edit -> predictions on the edited images."""


def predictions(run: Run, edits: Sequence[str], network: str) -> dict[str, MaskedPredictions]:
    """Return edit -> one network's predictions on the run's images with other colours.

    >>> said = predictions(run, ["hue+120"], "brightest")["hue+120"].predictions["brightest"][0]
    >>> said.labels[:3].tolist(), said.predicted[:3].tolist()  # what was red is green
    ([0, 1, 2], [1, 2, 0])
    """
    return {edit: run.predict(Edited(run.images, edit), networks=[network]) for edit in edits}


def results(original: MaskedPredictions, recoloured: Recoloured, network: str) -> Results:
    """Return the effect of changed colours on all images and on misclassified ones.

    The first seed of the network is evaluated. Among shuffled predictions, some turn right by
    chance. The claim that other colours help is therefore tested on the net change: the share of
    all images that turn right minus the share that turn wrong, the mean over the edits. Its
    bootstrap interval is over images; images of one drawing are resampled together. The rows also
    contain, for each edit, the net change, both shares, and the share of wrong predictions that
    turn right.

    >>> as_it_is, grey = toys.masked("hard", {"mine": 3}), toys.masked("hard/grey", {"mine": 9})
    >>> found = results(as_it_is, {"grey": grey}, "mine").rows
    >>> {row.metric: row.value for row in found}["turned_right"]
    0.2
    """
    before = _correct(original, network)
    sample = original.predictions[network][0].sample
    after = {edit: _correct(edited, network) for edit, edited in recoloured.items()}
    row = partial(Row.of, item="nae-fig12", model=network)
    found = [
        row(
            _net_change(before, np.stack(list(after.values())), sample),
            dataset=original.dataset,
            metric="net_change",
            convention=f"corrected minus broken predictions, mean of {', '.join(after)}; "
            f"{original.convention}",
        )
    ]
    n = int((~before).sum())
    words = f"of the {n:,} images that it misclassified; {original.convention}"
    wrong = sample.part(f"{original.dataset}, wrong of {network}", np.flatnonzero(~before).tolist())
    for edit, now in after.items():
        of_edit = partial(row, dataset=f"{original.dataset}/{edit}")
        if n:
            estimate = Estimate.of_rate([now[~before]], images=wrong)
            found.append(of_edit(estimate, metric="accuracy", convention=words))
        of_all = partial(of_edit, convention=original.convention)
        found += [
            of_all(Estimate.of_rate([turned], images=sample), metric=metric)
            for metric, turned in (("turned_wrong", before & ~now), ("turned_right", now & ~before))
        ]
        found.append(of_all(_net_change(before, now[None], sample), metric="net_change_of_edit"))
    return Results.of(found)


def title(edit: str) -> str:
    """Return the title of an edit in a figure.

    >>> title("hue+120"), title("grey")
    ('hue + 120°', 'grey')
    """
    return f"hue + {edit.removeprefix('hue+')}°" if edit.startswith("hue+") else edit


def turned(
    results: Results, dataset: str
) -> tuple[dict[str, tuple[int, int]], dict[str, PercentInterval]]:
    """Return edit -> counts of predictions turned wrong and right, and edit -> net change (points).

    The last net change is the mean over all edits; it has no counts.

    >>> as_it_is, grey = toys.masked("hard", {"mine": 3}), toys.masked("hard/grey", {"mine": 9})
    >>> turned(results(as_it_is, {"grey": grey}, "mine"), "hard")[0]
    {'grey': (0, 6)}
    """
    counts: dict[str, tuple[int, int]] = {}
    net: dict[str, PercentInterval] = {}
    for row in results.select(metric="net_change_of_edit").rows:
        edit = title(row.dataset.removeprefix(f"{dataset}/"))
        of = results.select(dataset=row.dataset)
        both = (of.row(metric=metric) for metric in ("turned_wrong", "turned_right"))
        wrong, right = (round(one.value * (one.n or 0)) for one in both)
        counts[edit] = wrong, right
        net[edit] = row.percent
    return counts, net | {"mean of all": results.row(metric="net_change").percent}


def _net_change(
    before: Bool[np.ndarray, " images"], after: Bool[np.ndarray, "edits images"], sample: Sample
) -> Estimate:
    """Return the change of the share of correct predictions, the mean over the edits."""
    changed = after.mean(0) - before
    draws = Draws(sample.name, lambda: shared_rates(changed[None], sample)[:, 0])
    return Estimate.over(
        [float(changed.mean())], lambda: ends_of(draws), n=len(changed), draws=draws
    )


def recoloured_frame(
    original: MaskedPredictions, recoloured: Recoloured, network: str
) -> pd.DataFrame:
    """Return one row per edit: accuracy, and the numbers of predictions that turn right and wrong.

    A change of colour that only shuffles predictions turns some right by chance, so predictions
    that turn wrong are counted as well.

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
                "Colours": title(edit),
                "Wrong, now right": int((after & ~before).sum()),
                "Right, now wrong": int((~after & before).sum()),
                "Accuracy": 100 * float(after.mean()),
            }
        )
    columns = ["Colours", "Accuracy", "Wrong, now right", "Right, now wrong"]
    return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class Counterfactual:
    """An image with and without an edit, and a network's predictions for both.

    Attributes:
        index: index of the image.
        edit: name of the edit.
        truth: class of the image.
        before: class predicted for the original image.
        after: class predicted for the edited image.
    """

    index: int
    edit: str
    truth: int
    before: int
    after: int


def counterfactuals(
    original: MaskedPredictions, recoloured: Recoloured, network: str, most: int = 2
) -> list[Counterfactual]:
    """Return images whose prediction an edit corrects, then as many that an edit makes wrong.

    Each kind contains the most confident predictions, at most one per class.

    >>> as_it_is, grey = toys.masked("hard", {"mine": 3}), toys.masked("hard/grey", {"mine": 4})
    >>> counterfactuals(as_it_is, {"grey": grey}, "mine")
    [Counterfactual(index=3, edit='grey', truth=0, before=1, after=0)]
    """
    first = original.predictions[network][0]
    before = _correct(original, network)
    found: list[Counterfactual] = []
    for right in (True, False):
        turned: dict[int, tuple[float, Counterfactual]] = {}
        for edit, masked in recoloured.items():
            edited = masked.predictions[network][0]
            for index in np.flatnonzero((before != right) & (edited.correct == right)):
                truth, confidence = int(first.labels[index]), float(edited.confidence[index])
                if truth not in turned or turned[truth][0] < confidence:
                    classes = truth, int(first.predicted[index]), int(edited.predicted[index])
                    turned[truth] = (confidence, Counterfactual(int(index), edit, *classes))
        ranked = sorted(turned.values(), key=lambda one: -one[0])
        found += [one for _, one in ranked[:most]]
    return found


def before_and_after(
    found: Sequence[Counterfactual], images: ImageSet, geometry: Preprocessing
) -> Gallery:
    """Return the original images, then the same with other colours, with the predictions.

    >>> found = [Counterfactual(index=0, edit="grey", truth=0, before=1, after=0)]
    >>> before, after = before_and_after(found, run.images, run.geometry).captions
    >>> before.splitlines(), after.splitlines()
    (['red', '→ green'], ['grey', 'red ✓'])
    """
    names = images.class_names

    def told(truth: int, said: int, head: str) -> str:
        right = f"{names[truth]} \N{CHECK MARK}"
        return "\n".join(filter(None, [head, right if truth == said else f"→ {names[said]}"]))

    before = gallery(
        images,
        [one.index for one in found],
        [
            told(one.truth, one.before, "" if one.truth == one.before else names[one.truth])
            for one in found
        ],
        geometry,
    )
    after = Gallery(
        tuple(recolour(images.read(one.index, geometry), one.edit) for one in found),
        tuple(told(one.truth, one.after, title(one.edit)) for one in found),
    )
    return before + after


def other_colours(
    page: Page,
    results: Results,
    imagenet_a: MaskedPredictions,
    recoloured: Mapping[str, MaskedPredictions],
    network: str,
) -> Html:
    """Return Figure 12: the numbers of predictions that other colours turn right, and wrong.

    >>> imagenet_a = toys.masked("hard", {"mine": 3})
    >>> edited = {"grey": toys.masked("hard/grey", {"mine": 9})}
    >>> rows = results(imagenet_a, edited, "mine")
    >>> block = other_colours(page, rows, imagenet_a, edited, "mine")
    >>> dict(zip(texts(block, "th")[1:4], texts(block, "td")[3:6], strict=True))  # grey
    {'Accuracy': '30.0', 'Wrong, now right': '6', 'Right, now wrong': '0'}
    """
    counts, net = turned(results, imagenet_a.dataset)
    images = results.row(metric="net_change").n or 0
    told = "; ".join(
        f"{edit}: {right} right, {wrong} wrong" for edit, (wrong, right) in counts.items()
    )
    return page.item(
        "nae-fig12",
        results,
        figure=bars.turned(counts, net, images=images),
        table=table(
            recoloured_frame(imagenet_a, recoloured, network),
            caption="Accuracy (%) by change of colour, and number of predictions that become right "
            "and that become wrong",
            decimals={"Wrong, now right": 0, "Right, now wrong": 0},
        ),
        alt=f"Diverging bars: predictions that each change of colour corrects or breaks. {told}.",
        convention=f"First seed of {network_title(network)}; hues rotated on the colour "
        "circle, or no colour at all; judged on the net change over all "
        f"{imagenet_a.n} images, with a bootstrap interval; "
        f"{imagenet_a.convention}.",
    )


def recoloured_pictures(
    page: Page,
    imagenet_a: MaskedPredictions,
    recoloured: Mapping[str, MaskedPredictions],
    network: str,
) -> Html:
    """Return images whose predictions other colours turn right, and some that they turn wrong.

    >>> hard = toys.masked("hard", {"mine": 3})
    >>> str(recoloured_pictures(page, hard, {"grey": hard}, "mine"))
    '<p>No change of colour affects whether a prediction is right.</p>'
    """
    found = counterfactuals(imagenet_a, recoloured, network)
    if not found:
        return Html("<p>No change of colour affects whether a prediction is right.</p>")
    shown = before_and_after(found, page.run.images, page.run.geometry)
    right = sum(one.truth == one.after for one in found)
    return page.figure(
        "fig-recoloured",
        shown.figure(columns=len(found)),
        caption=f"Above, unchanged images; below, the same images with different colours: {right} "
        f"whose prediction becomes right, then {len(found) - right} whose prediction becomes "
        "wrong.",
        alt="Unchanged images, and below each the same image with different colours: "
        f"{shown.words(2 * len(found))}.",
    )


def _correct(masked: MaskedPredictions, network: str) -> Bool[np.ndarray, " images"]:
    return np.asarray(masked.predictions[network][0].correct)
