"""Errors on seen and held-out subtypes: as lines, as a table, and subtype by subtype."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from robust_lib.chapters.tables import cell_of
from robust_lib.datasets.icons50 import Icons50
from robust_lib.figures.bars import Interval
from robust_lib.protocols import held_out_subtypes as protocol
from robust_lib.protocols.held_out_subtypes import ITEM, ByNumber, Unseen
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

COLUMNS = {"seen": "Seen subtypes", "unseen": "Held-out subtypes"}


def lines(results: Results, dataset: str) -> dict[str, dict[int, Interval]]:
    """Return title of a line -> number held out -> (error, low, high), percent.

    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> {name: line[2][0] for name, line in lines(rows, "toys").items()}
    {'seen subtypes': 10.0, 'held-out subtypes': 75.0}
    """
    models = dict.fromkeys(str(row.model) for row in results.select(item=ITEM, metric="error").rows)
    found: dict[str, dict[int, Interval]] = {}
    for model in models:
        whose = f"{network_title(model)}, " if len(models) > 1 else ""
        for side, part in protocol.parts(dataset).items():
            rows = results.select(item=ITEM, metric="error", model=model, dataset=part).rows
            found[f"{whose}{COLUMNS[side].lower()}"] = {
                row.severity: (
                    100 * row.value,
                    100 * (row.value if row.low is None else row.low),
                    100 * (row.value if row.high is None else row.high),
                )
                for row in rows
                if row.severity is not None
            }
    return found


def paper_means() -> dict[str, float]:
    """Return title of a side -> the paper's error, percent, mean over its four settings.

    >>> paper_means()
    {'seen subtypes': 13.2, 'held-out subtypes': 59.7}
    """
    of = {dataset: side for side, dataset in protocol.parts(protocol.PAPER).items()}
    found = {
        of[row.dataset]: 100 * row.number
        for row in reported(ITEM)
        if row.metric == "error" and row.dataset in of and row.number is not None
    }
    return {COLUMNS[side].lower(): round(found[side], 1) for side in protocol.SIDES}


def errors_frame(results: Results, dataset: str) -> pd.DataFrame:
    """Return a row a network and setting, the means last: error in percent on both sides.

    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> errors_frame(rows, "toys")["Held out"].tolist()
    ['1', '2', 'mean']
    """
    rows: dict[tuple[str, int | None], dict[str, object]] = {}
    for side, part in protocol.parts(dataset).items():
        for row in results.select(item=ITEM, metric="error", dataset=part).rows:
            held = "mean" if row.severity is None else str(row.severity)
            named = {"Network": network_title(str(row.model)), "Held out": held}
            found = rows.setdefault((str(row.model), row.severity), dict(named))
            found |= {COLUMNS[side]: cell_of(row), f"n, {side}": row.n}
    return pd.DataFrame(list(rows.values()))


def subtypes_frame(
    icons: Icons50, said: ByNumber, held: Unseen, network: str | None = None
) -> pd.DataFrame:
    """Return a row a subtype that is held out in some setting, the worst first.

    Args:
        icons: the test pictures.
        said: the predictions.
        held: which pictures each setting holds out.
        network: whose first seed; None: the first network.

    >>> frame = subtypes_frame(toys.ICONS, *toys.subtypes(seen_wrong=0, unseen_wrong=2))
    >>> list(frame.columns)
    ['Class', 'Subtype', 'Pictures', 'Error, held out', 'Error, seen', 'Taken for']
    """
    names = icons.class_names
    groups: dict[tuple[int, str], list[int]] = {}
    for place, icon in enumerate(icons.icons):
        groups.setdefault((icon.label, icon.motif), []).append(place)
    rows = []
    for (label, subtype), places in groups.items():
        wrong: Mapping[bool, list[bool]] = {True: [], False: []}
        taken: dict[str, int] = {}
        for number, by_network in said.items():
            first = by_network[network or next(iter(by_network))][0]
            is_held = bool(held[number][places[0]])
            wrong[is_held].extend((~first.correct[places]).tolist())
            for place in places if is_held else ():
                if not first.correct[place]:
                    word = names[int(first.predicted[place])]
                    taken[word] = taken.get(word, 0) + 1
        if wrong[True]:
            rows.append(
                {
                    "Class": names[label],
                    "Subtype": subtype.replace("_", " "),
                    "Pictures": len(places),
                    "Error, held out": 100 * float(np.mean(wrong[True])),
                    "Error, seen": 100 * float(np.mean(wrong[False])) if wrong[False] else None,
                    "Taken for": max(taken, key=lambda word: taken[word]) if taken else "",
                }
            )
    frame = pd.DataFrame(rows)
    return frame.sort_values("Error, held out", ascending=False, kind="stable").reset_index(
        drop=True
    )
