"""mAP at other thresholds: a box must overlap more or less, or be more confident."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from robust_book.chapters.nao_2_map.numbers import OnBoth
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import choice, slider, ticks, what_if
from robust_lib.metrics.box_matching import Matches
from robust_lib.metrics.detection import map_of
from robust_lib.protocols.objects.coco_map import LEAST
from robust_lib.protocols.objects.scored_boxes import Scored, rule_words
from robust_lib.results.notation import listed
from robust_lib.run.network import network_title

MEAN = "mean"
FOREIGN = "foreign"
PERCENT = np.arange(101) / 100
COLUMNS = ("class", "finds", "spared", "foreign", "score")
MOST = 40_000  # boxes that a page can carry

Classes = list[dict[str, Any]]


def thresholds(on_both: OnBoth, *, most: int = MOST) -> Html:
    """Return mAPs that a reader can recompute at another IoU, with other boxes.

    Args:
        most: maximum number of stored boxes; detectors beyond it are left out and listed.

    >>> block = thresholds(toys.coco_maps({"mine": (12, 6)}))
    >>> texts(block, "td")  # ordinary, adversarial, lost in points and in percent
    ['100.0', '28.5', '71.5', '71.5']
    """
    shown, left_out = _that_fit(on_both, most)
    first = next(iter(on_both.values()))
    levels = first[1].matches[0].thresholds
    titles = {str(place): f"{level:.2f}" for place, level in enumerate(levels)}
    several = {MEAN: f"{min(titles.values())} to {max(titles.values())}, the mean"}
    options = (several if len(titles) > 1 else {}) | titles
    rule = first[1].settings.foreign
    marked = rule in first[1].by_rule
    without = f" Not stored in the page: {listed(left_out)}." if left_out else ""
    return what_if(
        "map",
        "What if a box had to overlap more, or be more confident?",
        [
            choice("iou", "IoU threshold", options, next(iter(options))),
            slider("score", "Score above", 0, 95, 0, step=5, unit=" %"),
            *[ticks(FOREIGN, "Left out", {"": {FOREIGN: "out-of-distribution objects"}}, [])]
            * marked,
        ],
        table(
            pd.DataFrame(
                [[network_title(name), *_row(*on_both[name])] for name in shown],
                columns=["Detector", "Ordinary", "Adversarial", "Drop", "Drop (%)"],
            ),
            caption="mAP (%) on ordinary and on adversarial images, and the drop in points and in "
            "percent",
            filterable=False,
        ),
        {
            "thresholds": list(titles.values()),
            "detectors": list(shown.values()),
        },
        convention=(
            f"{first[0].settings.words}. Boxes keep the objects that they matched when all boxes "
            "were present: COCO matches the most confident boxes first, so less confident ones "
            "change no match."
        )
        + (f" Out-of-distribution (OOD) objects: {rule_words(first[1])}." if marked else "")
        + without,
    )


def _that_fit(on_both: OnBoth, most: int) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the stored data of each detector, and the titles of detectors that did not fit."""
    shown: dict[str, dict[str, Any]] = {}
    count, left_out = 0, []
    for name, (ordinary, adversarial) in on_both.items():
        stored = {
            "ordinary": [_classes(one, one) for one in ordinary.matches],
            "adversarial": [
                _classes(one, ruled)
                for one, ruled in zip(
                    adversarial.matches,
                    adversarial.by_rule.get(adversarial.settings.foreign, adversarial.matches),
                    strict=True,
                )
            ],
        }
        count += sum(
            len(one["boxes"]) for by_seed in stored.values() for seed in by_seed for one in seed
        )
        if shown and count > most:
            left_out.append(network_title(name))
        else:
            shown[name] = stored
    return shown, left_out


def _classes(matches: Matches, ruled: Matches) -> Classes:
    """Return each class's objects and its boxes that match one, the most confident first.

    A box is [number of false boxes before it, thresholds at which it finds an object, at which it
    does not count, at which it does not count without out-of-distribution objects, its score in
    percent]; thresholds are bits, and scores are rounded down. False boxes after the last stored
    box do not change the average precision.
    """
    order = np.lexsort((-matches.scores, matches.classes))
    columns = [
        matches.classes[order],
        _bits(matches.found)[order],
        _bits(matches.ignored)[order],
        _bits(ruled.ignored)[order],
        np.searchsorted(PERCENT, matches.scores[order], side="right") - 1,
    ]
    frame = pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))
    stored = []
    for name, objects in enumerate(np.bincount(matches.object_classes)):
        if not objects:
            continue
        of = frame[frame["class"] == name]
        told = (of[["finds", "spared", "foreign"]] > 0).any(axis=1).to_numpy()
        places = np.flatnonzero(told)
        before = np.diff(places, prepend=-1) - 1
        boxes = np.column_stack([before, of.to_numpy()[told, 1:]])
        stored.append({"objects": int(objects), "boxes": boxes.tolist()})
    return stored


def _bits(
    at: Bool[np.ndarray, "thresholds detections"],
) -> Int[np.ndarray, " detections"]:
    bits: Int[np.ndarray, " detections"] = (1 << np.arange(len(at))) @ at
    return bits


def _row(ordinary: Scored, adversarial: Scored) -> Sequence[float | None]:
    before, after = (
        100 * float(np.mean([map_of(seed) for seed in one.matches]))
        for one in (ordinary, adversarial)
    )
    lost = 100 * (1 - after / before) if before >= 100 * LEAST else None
    return before, after, before - after, lost
