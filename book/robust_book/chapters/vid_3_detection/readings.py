"""The same boxes under other conventions: another worst frame, and one box per object."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from robust_book.chapters.vid_3_detection import scored
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_lib.protocols.pm_k.detection import Scored, Settings
from robust_lib.results.estimate import Estimate, difference
from robust_lib.results.key_number import KeyNumber, paired_points
from robust_lib.results.notation import Cell
from robust_lib.run.detectors import FoundBySeed
from robust_lib.run.network import network_title
from robust_lib.run.run import Run

ByNetwork = Mapping[str, Scored]

BY_CLASS = "worst frame by the mean over the classes it shows"
ONE_BOX = "each object keeps one box, the most confident"
SHOWN = {"detection": BY_CLASS, "localisation": ONE_BOX}


def others(run: Run, found: FoundBySeed, how: Settings) -> dict[str, ByNetwork]:
    """Return convention -> the detectors' mAP by distance, from the same boxes."""
    return {
        BY_CLASS: scored(run, found, replace(how, by_class=True)),
        ONE_BOX: scored(run, found, replace(how, one_box=True)),
    }


def readings(plain: ByNetwork, other: Mapping[str, ByNetwork]) -> Html:
    """Return mAP from the same boxes under two other conventions."""
    return table(
        readings_frame(plain, other),
        caption="mAP (%) on the anchors and on the worst frames, and the drop, as above and under "
        "a different convention; drops have 95 % intervals",
    )


def readings_frame(plain: ByNetwork, other: Mapping[str, ByNetwork]) -> pd.DataFrame:
    """Return two rows per detector and task: as above, and under the other convention."""
    lines = []
    for task, reading in SHOWN.items():
        for network in plain:
            for name, by_network in (("as above", plain), (reading, other[reading])):
                one = by_network[network]
                lines.append(
                    {
                        "Detector": network_title(network),
                        "Task": task,
                        "Reading": name,
                        "Anchor": 100 * one.estimate(task, 0).value,
                        "Worst frame": 100 * one.estimate(task, -1).value,
                        "Drop": Cell(*_drop(one, task).percent),
                    }
                )
    return pd.DataFrame(lines).astype(object)


def key_numbers(plain: ByNetwork, other: Mapping[str, ByNetwork]) -> dict[str, KeyNumber]:
    """Return the prose's numbers on the first detector: drops, and the cost of duplicate boxes."""
    first = next(iter(plain))
    lost = _drop(plain[first], "localisation")
    alone = _drop(other[ONE_BOX][first], "localisation")
    by_class = _drop(other[BY_CLASS][first], "detection")
    return {
        "second_boxes": paired_points(
            difference(lost, alone), "drop in localisation minus that with one box per object"
        ),
        "one_box_anchor": _percent(other[ONE_BOX][first], 0),
        "one_box_worst": _percent(other[ONE_BOX][first], -1),
        "one_box_drop": paired_points(alone, f"drop in localisation, {ONE_BOX}"),
        "by_class_drop": paired_points(by_class, f"drop in detection, {BY_CLASS}"),
    }


def _percent(one: Scored, place: int) -> KeyNumber:
    found = one.estimate("localisation", place)
    return KeyNumber(f"{100 * found.value:.1f} %", found.value, one.settings.words, found.n)


def _drop(one: Scored, task: str) -> Estimate:
    return difference(one.estimate(task, 0), one.estimate(task, -1))
