"""A network's drops: correct on an anchor, wrong on a similar neighbour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from robust_book.chapters.galleries import Gallery, gallery
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.datasets import ImageSet
from robust_lib.datasets.frame_sets import FrameSets
from robust_lib.errors import InputError
from robust_lib.metrics.frame_sets import correct_frames
from robust_lib.metrics.intervals import Sample
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.run import Run
from robust_lib.types import Correct

ITEM = "vid-fig1"
EXAMPLES = 3  # as in the paper's figure
STRIP = 5  # frames of a strip


@dataclass(frozen=True, eq=False)
class Watched:
    """One network's predictions for all frames, and its confidence in their classes.

    Attributes:
        said: the network's predictions.
        sets: the frame sets.
        right: mask of the frames for which it predicts one of the frame's own classes.
        own: its confidence in the frame's own class, the most probable of several.
        together: group of each set, such as its drawing; None if no sets share one.
    """

    said: Predictions
    sets: FrameSets
    right: Correct
    own: Float[np.ndarray, " frames"]
    together: tuple[str, ...] | None = None

    def worst(self, place: int) -> int:
        """Return the position of a set's worst frame: wrong if any is, and least confident."""
        row = self.sets.members[place]
        return int(min(row[row >= 0], key=lambda frame: (self.right[frame], self.own[frame])))


@dataclass(frozen=True)
class Fall:
    """A set with a correct anchor, and its kept neighbour with the largest loss of confidence.

    `place` is the position of the set, `anchor` and `frame` are positions among its frames, and
    `offset` is the neighbour's; `before` and `after` are the confidences in the true class.
    """

    place: int
    anchor: int
    frame: int
    offset: int
    before: float
    after: float

    @property
    def lost(self) -> float:
        """Return the loss of confidence."""
        return self.before - self.after


def watched(said: Predictions, sets: FrameSets, together: tuple[str, ...] | None = None) -> Watched:
    """Return a network's evaluated predictions for the frames of sets.

    Args:
        together: group of each set; sets of one group are resampled together.

    Raises:
        InputError: the predictions are for other frames, or have no logits.

    >>> seen = watched(toys.said_of_frames({2: 5}, toys.frame_sets(3)), toys.frame_sets(3))
    >>> int(seen.right.sum()), len(seen.right)
    (62, 63)
    """
    if said.ids != sets.frames or said.logits is None:
        raise InputError(
            f"Expected predictions with all outputs for the {len(sets.frames)} frames of the "
            f"sets, in their order, but got predictions of {said.model} for {len(said.ids)} "
            "frames, or without outputs. Compute the predictions for these frames again."
        )
    own = np.where(sets.truth, softmax(said.logits, axis=1), 0).max(axis=1)
    return Watched(said, sets, correct_frames(said.predicted, sets.truth), own, together)


def falls(seen: Watched) -> tuple[Fall, ...]:
    """Return a network's drops, the largest loss of confidence first.

    >>> [(one.place, one.offset) for one in falls(toys.watched({2: 5, 1: -4}, sets=3))]
    [(1, -4), (2, 5)]
    """
    found = []
    for place, anchor in enumerate(seen.sets.anchors.tolist()):
        frame = seen.worst(place)
        if seen.right[anchor] and not seen.right[frame]:
            row = seen.sets.members[place]
            offset = int(seen.sets.offsets[place][row == frame][0])
            before, after = float(seen.own[anchor]), float(seen.own[frame])
            found.append(Fall(place, anchor, frame, offset, before, after))
    return tuple(sorted(found, key=lambda one: (-one.lost, one.place)))


def examples(found: Sequence[Fall], sets: FrameSets) -> tuple[Fall, ...]:
    """Return the largest drops, at most one per class.

    >>> seen = toys.watched({0: 5, 1: -4, 2: 3}, sets=3)  # sets 0 and 2 show the same class
    >>> [one.place for one in examples(falls(seen), seen.sets)]
    [0, 1]
    """
    first: dict[int, Fall] = {}
    for one in found:
        first.setdefault(sets.labels[one.anchor][0], one)
    return tuple(first.values())[:EXAMPLES]


def strip(one: Fall, sets: FrameSets) -> tuple[int, ...]:
    """Return the offsets of a strip: the anchor, the drop, and the farthest frames of the set.

    >>> seen = toys.watched({0: 5})
    >>> strip(falls(seen)[0], seen.sets)
    (-10, -5, 0, 5, 10)
    """
    row = sets.members[one.place]
    kept = sets.offsets[one.place][row >= 0].tolist()
    chosen = {0, one.offset}
    while len(chosen) < min(STRIP, len(kept)):
        rest = [offset for offset in kept if offset not in chosen]
        chosen.add(max(rest, key=lambda offset: min(abs(offset - other) for other in chosen)))
    return tuple(sorted(chosen))


def strips(
    found: Sequence[Fall], seen: Watched, images: ImageSet, geometry: Preprocessing
) -> Gallery:
    r"""Return the frames of some strips, each with the network's prediction.

    >>> seen = toys.watched({0: 1}, sets=run.images.sets)
    >>> shown = strips(falls(seen), seen, run.images, run.geometry)
    >>> shown.captions[1:]
    ('anchor: red 58 %', '+1: red 21 %\n→ green 58 %')
    """
    frames, captions = [], []
    for one in found:
        row, offsets = seen.sets.members[one.place], seen.sets.offsets[one.place]
        for offset in strip(one, seen.sets):
            frame = int(row[(offsets == offset) & (row >= 0)][0])
            frames.append(frame)
            captions.append(_caption(seen, frame, offset, images.class_names))
    return gallery(images, frames, captions, geometry)


def results(seen: Watched, shown: Sequence[Fall], dataset: str, network: str) -> Results:
    """Return, as rows, the number of examples, their confidences, and the frequency of drops.

    >>> seen = toys.watched({0: 5, 1: -4}, sets=10)
    >>> rows = results(seen, falls(seen), "toys", "mine")
    >>> rows.row(metric="examples").value, rows.row(metric="share").value
    (2.0, 0.2)
    """
    rows = [Row(item=ITEM, dataset=dataset, metric="examples", value=float(len(shown)))]
    for one in shown:
        for frame, value in ((one.anchor, one.before), (one.frame, one.after)):
            name = f"{dataset}/{seen.sets.frames[frame]}"
            rows.append(
                Row(item=ITEM, dataset=name, model=network, metric="confidence", value=value,
                    convention="in the frame's own class", n=1, n_full=1)
            )  # fmt: skip
    right = seen.right[seen.sets.anchors]
    if right.any():
        fallen = np.zeros(len(seen.sets), bool)
        fallen[[one.place for one in falls(seen)]] = True
        sample = Sample(dataset, seen.together).part(dataset, np.flatnonzero(right).tolist())
        estimate = Estimate.of_rate([fallen[right]], images=sample)
        said = "share of the correctly classified anchors that have a misclassified neighbour"
        rows.append(
            Row.of(estimate, item=ITEM, dataset=dataset, model=network, metric="share",
                   convention=said)
        )  # fmt: skip
    return Results.of(rows)


def largest(
    run: Run, seen: Mapping[str, Watched], network: str | None
) -> tuple[tuple[Fall, ...], tuple[Fall, ...], Results]:
    """Return a network's drops, the largest drops, and their rows; empty without a network.

    >>> [len(found) for found in largest(run, {}, None)[:2]]
    [0, 0]
    """
    if network is None:
        return (), (), Results.of([])
    told = seen[network]
    found = falls(told)
    shown = examples(found, told.sets)
    return found, shown, results(told, shown, run.images.name, network)


def offset_words(offset: int) -> str:
    """Return the position of a frame in its set: "anchor", or how many frames before or after it.

    >>> offset_words(0), offset_words(-3), offset_words(7)
    ('anchor', '−3', '+7')
    """
    if offset == 0:
        return "anchor"
    sign = "+" if offset > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(offset)}"


def _caption(seen: Watched, frame: int, offset: int, names: Sequence[str]) -> str:
    labels = seen.sets.labels[frame]
    own = " and ".join(names[label] for label in labels)
    caption = f"{offset_words(offset)}: {own} {100 * seen.own[frame]:.0f} %"
    if seen.right[frame]:
        return caption
    answer, sure = names[int(seen.said.predicted[frame])], 100 * seen.said.confidence[frame]
    return f"{caption}\n\N{RIGHTWARDS ARROW} {answer} {sure:.0f} %"


def at_a_glance(page: Page, seen: Watched | None, shown: Sequence[Fall]) -> Html:
    """Return the first two strips of Figure 1; empty without a drop.

    >>> seen = toys.watched({0: 1}, sets=run.images.sets)
    >>> shown = examples(falls(seen), seen.sets)
    >>> texts(at_a_glance(page, seen, shown), "text")[1:4]
    ['anchor: red 58 %', '+1: red 21 %', '→ green 58 %']
    """
    if seen is None or not shown:
        return Html("")
    drawn = strips(shown[:2], seen, page.run.images, page.run.geometry)
    return page.figure(
        "fig-glance",
        drawn.figure(),
        caption="The figure shows the two largest drops in confidence.",
        alt="Frames of two clips, with the network's confidence in the true class: "
        f"{drawn.words(STRIP)}.",
        folded=True,
    )
