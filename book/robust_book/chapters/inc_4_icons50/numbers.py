"""Numbers on surface variation: accuracies by protocol, vendor and class; the held-out icons."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_book.chapters import view
from robust_lib.datasets.hold_outs import SideEffect
from robust_lib.datasets.icons50 import Icon, Icons50
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.surface_variation import ITEMS, parts, protocols, vendor_part
from robust_lib.results.estimate import ends_of, paired
from robust_lib.results.interval import PercentInterval, in_percent, point
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.notation import with_interval
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title, titled

_VENDORS = MappingProxyType(
    {"openmoji": "OpenMoji", "emojione": "EmojiOne", "lg": "LG", "htc": "HTC"}
)
RUN, PAPER = SOURCES = ("this run", "the paper")


def panels(
    results: Results,
    dataset: str,
    names: Mapping[str, str],
    wanted: Collection[str] | None = None,
) -> dict[str, dict[str, dict[str, PercentInterval]]]:
    """Return protocol -> source -> title of a network -> accuracy in percent.

    Networks are in the paper's order. The paper's number for a network is in the row of our
    stand-in; a protocol without any number is left out.

    Args:
        wanted: protocols to include; None: all.
    """
    found: dict[str, dict[str, dict[str, PercentInterval]]] = {}
    for protocol, part in parts(dataset).items():
        if wanted is not None and protocol not in wanted:
            continue
        rows = results.select(metric="accuracy", corruption=None, dataset=part)
        item = ITEMS[protocol] if protocol in protocols() else None
        printed = {} if item is None else view.printed_by_network(item, metric="accuracy")
        dots = {
            RUN: titled(view.percents(rows)),
            PAPER: {
                network_title(names.get(name, name)): point(value)
                for name, value in printed.items()
            },
        }
        if dots[RUN] or dots[PAPER]:
            found[protocol] = dots
    return found


def gaps(results: Results, dataset: str) -> dict[str, str]:
    """Return title of a network -> accuracy on versions minus that on a style, as text.

    Both accuracies have their own icons and their own networks, trained without these icons, so
    they vary independently.
    """
    by_model: dict[str, dict[str, Row]] = {}
    for protocol in ("style", "version"):
        for row in results.select(metric="accuracy", dataset=parts(dataset)[protocol]).rows:
            by_model.setdefault(str(row.model), {})[protocol] = row
    found = {}
    for model, rows in by_model.items():
        if len(rows) == 2:
            apart = paired(rows["version"].draws, rows["style"].draws)
            low, high = (None if apart is None else ends_of(apart)) or (None, None)
            gap = in_percent(rows["version"].value - rows["style"].value, low, high)
            found[network_title(model)] = with_interval(*gap)
    return found


def vendor_dots(
    left_out: Results, dataset: str, vendors: Sequence[str]
) -> dict[str, PercentInterval]:
    """Return title of a vendor -> accuracy (%) after training on the others, lowest first."""
    vendor_of = _vendor_of(dataset, vendors)
    rows = sorted(left_out.rows, key=lambda row: row.value)
    return {vendor_title(vendor_of[row.dataset]): row.percent for row in rows}


def protocol_frame(results: Results, dataset: str) -> pd.DataFrame:
    """Return one row per network and protocol: accuracy (%) and the number of icons."""
    protocol_of = {part: protocol for protocol, part in parts(dataset).items()}
    rows = results.select(metric="accuracy").rows
    frame = _accuracies(rows)
    frame.insert(0, "Held out", [protocol_of[row.dataset] for row in rows])
    frame.insert(0, "Network", [network_title(str(row.model)) for row in rows])
    return frame


def vendor_frame(left_out: Results, dataset: str, vendors: Sequence[str]) -> pd.DataFrame:
    """Return one row per vendor: accuracy (%) after training on the others, lowest first.

    Args:
        left_out: rows of `protocols.surface_variation.leave_one_out`.
    """
    vendor_of = _vendor_of(dataset, vendors)
    rows = sorted(left_out.rows, key=lambda row: row.value)
    frame = _accuracies(rows)
    frame.insert(0, "Vendor held out", [vendor_title(vendor_of[row.dataset]) for row in rows])
    return frame


def _vendor_of(dataset: str, vendors: Sequence[str]) -> dict[str, str]:
    return {vendor_part(dataset, vendor): vendor for vendor in vendors}


def _accuracies(rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Accuracy": [view.cell(row) for row in rows],
            "Icons": [row.n for row in rows],
        }
    )


def class_frame(icons: Icons50) -> pd.DataFrame:
    """Return one row per class: its numbers of icons, vendors and subtypes."""
    names = icons.class_names
    by_class: dict[str, list[Icon]] = {name: [] for name in names}
    for icon in icons.icons:
        by_class[names[icon.label]].append(icon)
    return pd.DataFrame(
        {
            "Class": list(by_class),
            "Icons": [len(members) for members in by_class.values()],
            "Vendors": [len({icon.style for icon in members}) for members in by_class.values()],
            "Subtypes": [len({icon.motif for icon in members}) for members in by_class.values()],
        }
    )


def accuracy_by_class_frame(
    predictions: Mapping[str, Sequence[Predictions]], class_names: Sequence[str]
) -> pd.DataFrame:
    """Return a network's accuracy (%) by class and protocol, and the most frequent mistake.

    Args:
        predictions: protocol -> predictions of one network, one per seed; the mistakes are those
            of the first seed in the first protocol.
    """
    rows: list[dict[str, str | float]] = []
    for number, name in enumerate(class_names):
        row: dict[str, str | float] = {"Class": name}
        for protocol, by_seed in predictions.items():
            correct = [one.correct[one.labels == number] for one in by_seed]
            row[protocol] = 100 * float(np.mean(correct)) if correct[0].size else float("nan")
        first = next(iter(predictions.values()))[0]
        mistaken = first.predicted[(first.labels == number) & ~first.correct]
        counts = np.bincount(mistaken, minlength=len(class_names))
        row["Taken for"] = class_names[int(counts.argmax())] if mistaken.size else "–"
        rows.append(row)
    return pd.DataFrame(rows)


def side_effect_frame(effects: Sequence[SideEffect]) -> pd.DataFrame:
    """Return the icons that the authors' rule unintentionally holds out, the most frequent first.

    >>> effects = [SideEffect("duck", 3, 0, ()), SideEffect("books", 2, 9, ("books",))]
    >>> side_effect_frame(effects).to_numpy().tolist()
    [['books', 2, 9, 'books']]
    """
    found = sorted((one for one in effects if one.besides), key=lambda one: -one.besides)
    return pd.DataFrame(
        {
            "Looked for": [one.word for one in found],
            "Icons meant": [one.meant for one in found],
            "Taken besides": [one.besides for one in found],
            "Classes that vanish from training": [", ".join(one.emptied) or "–" for one in found],
        }
    )


def key_numbers(
    results: Results, left_out: Results, dataset: str, vendors: Sequence[str], model: str
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose.

    Args:
        left_out: rows of `protocols.surface_variation.leave_one_out`.
    """
    numbers = {"first": KeyNumber(network_title(model), value=model, convention="first network")}
    for protocol, part in parts(dataset).items():
        for row in results.select(metric="accuracy", model=model, dataset=part).rows:
            numbers[protocol] = percent(row)
    vendor_of = _vendor_of(dataset, vendors)
    ranked = sorted(left_out.rows, key=lambda row: row.value)
    for key, row in (("worst_style", ranked[0]), ("best_style", ranked[-1])):
        number = percent(row)
        numbers[key] = replace(
            number, text=f"{vendor_title(vendor_of[row.dataset])}, {number.text}"
        )
    style = results.select(metric="accuracy", dataset=parts(dataset)["style"]).rows
    by_network = sorted(style, key=lambda row: row.value)
    for key, end in (("lowest_network", 0), ("highest_network", -1)):
        if by_network:
            number, title = percent(by_network[end]), network_title(str(by_network[end].model))
            numbers[key] = replace(number, text=f"{title}, {number.text}")
        else:
            numbers[key] = NOT_MEASURED
    numbers["spreads"] = _spreads(ranked, by_network)
    return numbers


def _spreads(vendors: Sequence[Row], networks: Sequence[Row]) -> KeyNumber:
    """Return a text on the ranges over vendors and over networks; rows are sorted from low to high.

    A range grows with the number of values and with the noise of each, so the two ranges are not
    compared.
    """
    if len(vendors) < 2 or len(networks) < 2:
        return NOT_MEASURED
    points = [100 * (rows[-1].value - rows[0].value) for rows in (vendors, networks)]
    words = (
        f"{len(vendors)} vendors left out in turn; {len(networks)} networks, one vendor left out"
    )
    text = (
        f"the range of accuracies is {points[0]:.0f} points for "
        f"{len(vendors)} vendors left out in turn, and {points[1]:.0f} for {len(networks)} networks"
    )
    return KeyNumber(
        text, points[0] / 100, f"highest minus lowest accuracy of {words}; no interval"
    )


def vendor_title(vendor: str) -> str:
    """Return the title of a vendor.

    >>> vendor_title("openmoji"), vendor_title("google")
    ('OpenMoji', 'Google')
    """
    return _VENDORS.get(vendor, vendor.capitalize())


def accuracies_frame(results: Results) -> pd.DataFrame:
    """Return the table to commit, one row per network and protocol: accuracy (%) with interval."""
    return pd.DataFrame(
        {
            "Network": network_title(str(row.model)),
            "Held out": row.dataset.rpartition("_")[2],
            "accuracy": 100 * row.value,
            **view.ends(row, "accuracy"),
            "icons": row.n,
        }
        for row in results.select(metric="accuracy").rows
    )
