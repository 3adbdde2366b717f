"""Errors on seen and held-out subtypes: as lines, as a table, and subtype by subtype."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from robust_book.chapters.tables import cell_of, ends
from robust_book.figures.bars import Interval
from robust_lib.datasets.icons50 import Icons50
from robust_lib.protocols import held_out_subtypes as protocol
from robust_lib.protocols.held_out_subtypes import ITEM, ByNumber, Unseen
from robust_lib.protocols.unseen_subtypes import ITEM as KINDS
from robust_lib.protocols.unseen_subtypes import OVER_PICTURES
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

    A single network is not named in each row.

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
            found |= {COLUMNS[side]: cell_of(row), f"Pictures, {side}": row.n}
    frame = pd.DataFrame(list(rows.values()))
    return frame if frame["Network"].nunique() > 1 else frame.drop(columns="Network")


def classes_frame(icons: Icons50, said: ByNumber, held: Unseen) -> pd.DataFrame:
    """Return a row a class: the first network's error in percent, all settings taken together.

    Args:
        icons: the test pictures.
        said: the predictions.
        held: which pictures each setting holds out.

    >>> said, held = toys.subtypes(seen_wrong=0, unseen_wrong=4)
    >>> classes_frame(toys.ICONS, said, held).to_numpy().tolist()
    [['Bird', 0.0, 100.0, 'Hat'], ['Hat', 0.0, 100.0, 'Bird']]
    """
    names = icons.class_names
    found = [
        _counted(icons, said, held, np.flatnonzero(icons.labels == label).tolist())
        for label in dict.fromkeys(icons.labels.tolist())
    ]
    rows = [
        {
            "Class": names[one.label],
            COLUMNS["seen"]: _percent(one.seen),
            COLUMNS["unseen"]: _percent(one.unseen),
            "Held out, taken for": one.taken_for(names),
        }
        for one in found
    ]
    return pd.DataFrame(rows).sort_values(COLUMNS["unseen"], ascending=False, kind="stable")


def subtypes_frame(icons: Icons50, said: ByNumber, held: Unseen) -> pd.DataFrame:
    """Return a row a subtype that is held out in some setting, those most often missed first.

    Args:
        icons: the test pictures.
        said: the predictions; of several networks and seeds the first counts.
        held: which pictures each setting holds out.

    >>> frame = subtypes_frame(toys.ICONS, *toys.subtypes(seen_wrong=0, unseen_wrong=4))
    >>> list(frame.columns)
    ['Class', 'Subtype', 'Held out with', 'Answers', 'Error', 'Taken for']
    >>> sorted(set(frame["Held out with"]))
    ['1, 2', '2']
    """
    names = icons.class_names
    groups: dict[tuple[int, str], list[int]] = {}
    for place, icon in enumerate(icons.icons):
        groups.setdefault((icon.label, icon.motif), []).append(place)
    rows = []
    for (label, subtype), places in groups.items():
        one = _counted(icons, said, held, places)
        if one.unseen:
            settings = [str(number) for number in said if held[number][places[0]]]
            rows.append(
                {
                    "Class": names[label],
                    "Subtype": subtype.replace("_", " "),
                    "Held out with": ", ".join(settings),
                    "Answers": len(one.unseen),
                    "Error": _percent(one.unseen),
                    "Taken for": one.taken_for(names),
                }
            )
    frame = pd.DataFrame(rows)
    order = frame.assign(missed=frame["Error"] * frame["Answers"])
    order = order.sort_values(["missed", "Error"], ascending=False, kind="stable")
    return order.drop(columns="missed").reset_index(drop=True)


@dataclass(frozen=True)
class _Counted:
    """What the first network says of some pictures of one class, in all settings.

    Attributes:
        label: their class.
        seen, unseen: whether each answer was wrong, of settings that keep and hold out a picture.
        taken: the classes that it named in error for pictures that were held out.
    """

    label: int
    seen: tuple[bool, ...]
    unseen: tuple[bool, ...]
    taken: Counter[int]

    def taken_for(self, names: Sequence[str]) -> str:
        """Return the class named most in error, nothing where there is none."""
        return names[self.taken.most_common(1)[0][0]] if self.taken else ""


def _counted(icons: Icons50, said: ByNumber, held: Unseen, places: Sequence[int]) -> _Counted:
    seen: list[bool] = []
    unseen: list[bool] = []
    taken: Counter[int] = Counter()
    for number, by_network in said.items():
        first = next(iter(by_network.values()))[0]
        for place in places:
            wrong = not first.correct[place]
            (unseen if held[number][place] else seen).append(wrong)
            if wrong and held[number][place]:
                taken[int(first.predicted[place])] += 1
    return _Counted(int(icons.labels[places[0]]), tuple(seen), tuple(unseen), taken)


def _percent(wrong: Sequence[bool]) -> float | None:
    return 100 * float(np.mean(wrong)) if wrong else None


def committed_frame(results: Results) -> pd.DataFrame:
    """Return errors on seen and held-out subtypes and accuracies on seen and unseen kinds, percent.

    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> committed_frame(rows)["Held out"].tolist()
    ['1', '1', '2', '2', 'mean', 'mean']
    """
    return pd.DataFrame(
        {
            "Network": network_title(row.model),
            "Pictures": row.dataset,
            "Held out": str(row.severity or ("mean" if row.item == ITEM else "")),
            "Metric": row.metric,
            "Value": 100 * row.value,
            **{end.capitalize(): value for end, value in ends(row).items()},
        }
        for row in results.rows
        if row.model is not None
        and (row.item, row.metric) in {(ITEM, "error"), (KINDS, "accuracy"), (KINDS, "drop")}
        and row.convention != OVER_PICTURES
    )
