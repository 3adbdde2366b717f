"""Confident wrong boxes, which hardly affect mAP, and mAP at single IoU thresholds."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from robust_book.chapters.nao_2_map.numbers import ADVERSARIAL, ORDINARY, OnBoth, title
from robust_book.chapters.view import Names
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.curation.candidates import IOU, SCORE
from robust_lib.metrics.box_matching import Matches
from robust_lib.metrics.detection import map_of
from robust_lib.protocols.objects.scored_boxes import Scored
from robust_lib.results.key_number import KeyNumber

OVERLAPS = (0.5, 0.75)
_WRONG = f"Wrong boxes above {SCORE:g}, per image"


def wrong_boxes(page: Page, on_both: OnBoth) -> Html:
    """Return confident wrong boxes per image, and mAP at single IoU thresholds.

    >>> texts(wrong_boxes(page, toys.coco_maps({"mine": (12, 6)})), "td")[:4]
    ['ordinary', '100.0', '100.0', '0.00']
    """
    return table(
        frame(on_both, page.run.paper_names),
        caption="mAP (%) at single IoU thresholds, and number per image of wrong boxes with a "
        f"score above the threshold used to select the images ({SCORE:g} in the paper): all such "
        "boxes, and those that are not on an out-of-distribution (OOD) object",
        decimals={_WRONG: 2, "Of these on no OOD object": 2},
    )


def frame(on_both: OnBoth, names: Names) -> pd.DataFrame:
    """Return one row per detector and kind of images."""
    return pd.DataFrame(
        [
            {"Detector": title(network, names), "Images": word, **_line(one)}
            for network, both in on_both.items()
            for word, one in zip((ORDINARY, ADVERSARIAL), both, strict=True)
        ]
    )


def key_numbers(on_both: OnBoth, names: Names, chose: str) -> dict[str, KeyNumber]:
    """Return the confident wrong boxes per image, for the detector that selected and the others.

    Args:
        chose: the paper's name of the detector that selected the images.
    """
    ours = names.get(chose, "")
    first = ours if ours in on_both else next(iter(on_both))
    found = {
        f"wrong_{word}": _text([per_picture(one)])
        for word, one in zip((ORDINARY, ADVERSARIAL), on_both[first], strict=True)
    }
    others = [per_picture(both[1]) for name, both in on_both.items() if name != first]
    return found | {"wrong_others": _text(others)}


def per_picture(one: Scored, *, without_foreign: bool = False) -> float:
    """Return the number of wrong boxes per image above the paper's score, the mean over seeds."""
    rule = one.settings.foreign
    ruled = without_foreign and rule in one.by_rule
    matches = one.by_rule[rule] if ruled else one.matches
    return float(np.mean([_wrong(each) for each in matches]) / one.images)


def _wrong(matches: Matches) -> int:
    place = int(np.argmin(np.abs(matches.thresholds - IOU)))
    wrong = ~(matches.found[place] | matches.ignored[place])
    return int((wrong & (matches.scores > SCORE)).sum())


def _line(one: Scored) -> Mapping[str, object]:
    known = one.matches[0].thresholds
    at = {
        f"At {level:.2f}": 100 * float(np.mean([map_of(_at(each, place)) for each in one.matches]))
        for level in OVERLAPS
        for place in map(int, np.flatnonzero(np.isclose(known, level)))
    }
    return at | {
        _WRONG: per_picture(one),
        "Of these on no OOD object": per_picture(one, without_foreign=True),
    }


def _at(matches: Matches, place: int) -> Matches:
    """Return the matches at one of their IoU thresholds."""
    one = slice(place, place + 1)
    return replace(
        matches,
        thresholds=matches.thresholds[one],
        found=matches.found[one],
        ignored=matches.ignored[one],
        partners=matches.partners[one],
    )


def _text(values: list[float]) -> KeyNumber:
    if not values:
        return KeyNumber("not measured")
    ends = sorted({f"{min(values):.2f}", f"{max(values):.2f}"})
    return KeyNumber(" to ".join(ends), max(values), "wrong boxes above 0.8 per image")
