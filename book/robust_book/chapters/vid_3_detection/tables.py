"""mAP as the tables and figures of the chapter show it, beside the paper's, and its numbers."""

from collections.abc import Mapping

import pandas as pd

from robust_book.chapters.view import cell
from robust_lib.metrics.pm_k import PmKMap
from robust_lib.protocols.pm_k.detection import ITEM, TASKS, Scored
from robust_lib.results.interval import PercentInterval, in_percent
from robust_lib.results.key_number import KeyNumber, percent, points
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from robust_lib.run.network import network_title


def map_frame(results: Results, names: Mapping[str, str], k: int) -> pd.DataFrame:
    """Return Table 2: mAP (%) at the anchor and at the worst frame, this run's and the paper's.

    Args:
        results: of `protocols.pm_k.detection`.
        names: the paper's name of a detector -> ours.
        k: farthest frame that counts.

    >>> from robust_lib.protocols.pm_k.detection import results
    >>> rows = results(toys.scored({"mine": [3, 5]}))
    >>> frame = map_frame(rows, {"fasterrcnn_resnet50": "mine"}, 10)
    >>> frame["Task"].tolist(), frame["The paper|Drop"].tolist()
    (['detection', 'localisation'], [14.0, 12.4])
    """
    lines = []
    for task, (metric, drop) in TASKS.items():
        for theirs, ours in names.items():
            line: dict[str, object] = {"Detector": network_title(ours), "Task": task}
            rows = results.select(item=ITEM, model=ours)
            line["This run|Anchor"] = cell(rows.row(metric=metric, k=0))
            line["This run|Worst frame"] = cell(rows.row(metric=metric, k=k))
            line["This run|Drop"] = cell(rows.row(metric=drop, k=k))
            printed = {
                (row.metric, row.k): round(100 * row.number, 4)
                for row in reported(ITEM)
                if row.model == theirs and row.number is not None
            }
            line["The paper|Anchor"] = printed.get((metric, 0))
            line["The paper|Worst frame"] = printed.get((metric, 10))
            line["The paper|Drop"] = printed.get((drop, 10))
            lines.append(line)
    return pd.DataFrame(lines).astype(object)


def by_distance(scored: Mapping[str, Scored]) -> dict[str, dict[int, PercentInterval]]:
    """Return detector and task -> k -> mAP, percent; these numbers have no interval.

    >>> found = by_distance(toys.scored({"mine": [3, 5]}))
    >>> list(found), len(found["mine, detection"])
    (['mine, detection', 'mine, localisation'], 11)
    """
    found: dict[str, dict[int, PercentInterval]] = {}
    for network, one in scored.items():
        for task, by_seed in one.by_task.items():
            values = _mean(by_seed)
            found[f"{network_title(network)}, {task}"] = {
                k: in_percent(value) for k, value in enumerate(values)
            }
    return found


def key_numbers(results: Results, scored: Mapping[str, Scored]) -> dict[str, KeyNumber]:
    """Return the mAPs and drops that the prose names: of the first detector, and over all.

    Args:
        results: of `protocols.pm_k.detection`.
        scored: detector -> its mAP by distance.

    >>> from robust_lib.protocols.pm_k.detection import results
    >>> one = toys.scored({"mine": [3, 5]})
    >>> numbers = key_numbers(results(one), one)
    >>> numbers["detector"].text, numbers["sets"].text, numbers["smallest_drop"].text[-6:]
    ('mine', '10', 'points')
    """
    first = next(iter(scored))
    rows, k = results.select(item=ITEM, model=first), scored[first].settings.k
    found = {
        "detector": KeyNumber(network_title(first)),
        "detectors": KeyNumber(str(len(scored)), len(scored)),
        "sets": KeyNumber(f"{len(scored[first].sets):,}", len(scored[first].sets)),
        "k": KeyNumber(str(k), k),
    }
    for task, (metric, drop) in TASKS.items():
        found[f"{task}_anchor"] = percent(rows.row(metric=metric, k=0))
        found[f"{task}_worst"] = percent(rows.row(metric=metric, k=k))
        found[f"{task}_drop"] = points(rows.row(metric=drop, k=k))
    for name in ("smallest", "median", "largest"):
        found[f"{name}_drop"] = points(results.row(metric=f"{name}_map_drop"))
    return found


def in_words(lines: Mapping[str, Mapping[int, PercentInterval]]) -> str:
    """Return from where to where each line goes, for an alternative text.

    >>> in_words({"mine": {0: (70.0, 70.0, 70.0), 10: (50.0, 50.0, 50.0)}})
    'mine from 70 to 50 %'
    """
    return "; ".join(
        f"{title} from {values[min(values)][0]:.0f} to {values[max(values)][0]:.0f} %"
        for title, values in lines.items()
    )


def _mean(by_seed: tuple[PmKMap, ...]) -> list[float]:
    return [
        float(sum(values)) / len(by_seed)
        for values in zip(*(one.values for one in by_seed), strict=True)
    ]
